"""The C library: where it is, how its failures become exceptions, and what it says about itself."""
from __future__ import annotations

import functools
import json
import os
import pathlib
import sys
from typing import Any

from ._declarations import ffi


def _candidates() -> list[str]:
    """AMONTONS_LIBRARY, the library inside a wheel, that of a build tree around this folder, that of the build tree which
    this was installed from, that of the system."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("AMONTONS_LIBRARY")
    if named:
        return [named]
    carried = sorted(str(path) for path in here.glob("libamontons*.so*"))
    noted = here / "library.txt"  # by setup.py
    built = [here.parent.parent / "build" / "release" / "libamontons.so"]
    built += [pathlib.Path(noted.read_text(encoding="utf-8"))] if noted.exists() else []
    return carried + [str(path) for path in built if path.exists()] + ["libamontons.so.0"]


def _load() -> Any:
    reasons = []
    for path in _candidates():
        try:
            return ffi.dlopen(path)
        except OSError as reason:
            reasons.append(f"{path}: {reason}")
    raise ImportError(
        "the library libamontons was not found; build it (./bootstrap build), install it, or say where it is in "
        "AMONTONS_LIBRARY\n  " + "\n  ".join(reasons)
    )


lib = _load()


# By address: what an object of C uses until it is freed itself. The garbage collector frees what hangs together in any
# order, and must not see these references.
_used: dict[int, tuple[Any, ...]] = {}


def _free_motion(motion: Any, ending: Any = sys.is_finalizing) -> None:
    if not ending():
        used = _used.pop(int(ffi.cast("uintptr_t", motion)))
        lib.am_motion_free(motion)
        del used


def _free_model(model: Any, ending: Any = sys.is_finalizing) -> None:
    if not ending():
        used = _used.pop(int(ffi.cast("uintptr_t", model)))
        lib.am_model_free(model)
        del used


def own_motion(motion: Any, *uses: Any) -> Any:
    """An am_motion that is freed with its last reference, before the study and the model that it uses."""
    _used[int(ffi.cast("uintptr_t", motion))] = uses
    return ffi.gc(motion, _free_motion)


def own_model(model: Any, *uses: Any) -> Any:
    """The same for an am_model and its study."""
    _used[int(ffi.cast("uintptr_t", model))] = uses
    return ffi.gc(model, _free_model)


def text_of(pointer: Any) -> str:
    """A text that the library lends; "" for none."""
    return ffi.string(pointer).decode(errors="replace") if pointer != ffi.NULL else ""


def c_text(value: str | bytes, what: str) -> bytes:
    """A text as C reads it, up to its first zero: so it must have none, lest the rest be lost."""
    from .errors import InputError

    if not isinstance(value, (str, bytes)):
        raise InputError(f"{what} is {value!r:.200}, which is no text")
    try:
        made = value.encode() if isinstance(value, str) else value
    except UnicodeEncodeError as problem:
        raise InputError(f"{what} is no text in UTF-8: {problem}") from None
    if b"\0" in made:
        raise InputError(f"{what} has a zero byte in it, where texts end")
    return made


def take_text(pointer: Any, err: Any) -> str:
    """A text that the library gives away."""
    from .errors import check_made

    check_made(pointer, err)
    try:
        return ffi.string(pointer).decode(errors="replace")
    finally:
        lib.am_output_text_free(pointer)


@functools.lru_cache(maxsize=1)
def description() -> dict[str, Any]:
    """What the library says of its models, analyses and quantities (am_study_description)."""
    err = ffi.new("am_error *")
    return json.loads(take_text(lib.am_study_description(err), err))
