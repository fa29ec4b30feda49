"""Failures of the library as exceptions: its own sentence, the field at fault and the status."""
from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._declarations import ffi
from ._library import lib, text_of

if TYPE_CHECKING:
    from .result import Result


class Error(Exception):
    """Something that the library refuses or cannot compute.

    ``status`` is the name of the library's status ("input", "no state", ...), ``field`` the input at fault as a path
    ("model.stiffness"; "" where there is none), and the text is the sentence that the command prints.
    """

    status: str = "failed"

    def __init__(self, message: str, field: str = "", status: str | None = None):
        super().__init__(message)
        self.message = message
        self.field = field
        if status is not None:
            self.status = status


class InputError(Error, ValueError):
    """Invalid input: nothing was computed."""

    status = "input"


class UnknownName(InputError, KeyError):
    """There is no number, value, column or table of that name; the sentence says which come near."""

    def __str__(self) -> str:  # KeyError would show the sentence in quotes
        return self.message


def unknown(what: str, name: Any, known: Iterable[str]) -> UnknownName:
    """The exception for a name that is none of those known."""
    names = list(known)
    near = difflib.get_close_matches(str(name)[:200], names, 3, 0.5)
    there = (f"did you mean {' or '.join(map(repr, near))}?" if near else
             f"there are {', '.join(names) or 'none'}" if len(names) <= 40 else f"there are {len(names)} others")
    return UnknownName(f"there is no {what} {str(name)[:200]!r}; {there}")


class FileError(Error, OSError):
    """A file could not be read or written."""

    status = "file"


class OutOfMemory(Error, MemoryError):
    """There was not enough memory."""

    status = "memory"


class Unsupported(Error):
    """This structure cannot answer that question."""

    status = "unsupported"


class NoState(Error):
    """No contact state is consistent (a Painlevé paradox)."""

    status = "no state"


class SeveralStates(Error):
    """Several contact states are consistent: the motion is not unique."""

    status = "several states"


class EvidenceError(Error):
    """The result does not pass its own check, so it is not given."""

    status = "evidence"


class LimitReached(Error):
    """A stated limit was reached."""

    status = "limit"


class Interrupted(Error):
    """The run was stopped. ``result`` is what was computed until then, if there is anything to show."""

    status = "interrupted"

    def __init__(self, message: str, field: str = "", status: str | None = None, result: Result | None = None):
        super().__init__(message, field, status)
        self.result = result


class WithheldWarning(UserWarning):
    """The library withheld a verdict, or left something out, and says why."""


_KINDS = {
    lib.AM_ERR_INPUT: InputError,
    lib.AM_ERR_FILE: FileError,
    lib.AM_ERR_MEMORY: OutOfMemory,
    lib.AM_ERR_UNSUPPORTED: Unsupported,
    lib.AM_ERR_NO_STATE: NoState,
    lib.AM_ERR_SEVERAL_STATES: SeveralStates,
    lib.AM_ERR_EVIDENCE: EvidenceError,
    lib.AM_ERR_LIMIT: LimitReached,
    lib.AM_ERR_INTERRUPTED: Interrupted,
}


def error_of(err: Any, status: int | None = None) -> Error:
    """The exception for what the library wrote into an am_error."""
    code = int(err.status) if status is None else int(status)
    message = text_of(err.message) or text_of(lib.am_status_text(code))
    return _KINDS.get(code, Error)(message, text_of(err.field))


def check(status: int, err: Any) -> None:
    """Raises what a function's status stands for."""
    if status != lib.AM_OK:
        raise error_of(err, status)


def check_made(pointer: Any, err: Any) -> Any:
    """Raises where a function that makes something returned NULL."""
    if pointer == ffi.NULL:
        raise error_of(err)
    return pointer
