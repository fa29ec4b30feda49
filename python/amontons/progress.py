"""Progress of long work: a bar in a terminal and in a notebook, and Ctrl-C."""
from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Union

from ._declarations import ffi
from .errors import InputError

Report = Union[bool, Callable[[float], Any], None]


class _Bar:
    """One line that is written again, after the first second of work."""

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.shown = 0.0

    def __call__(self, fraction: float) -> None:
        now = time.monotonic()
        if now - self.begun < 1.0 or now - self.shown < 0.1:
            return
        self.shown = now
        left = (now - self.begun) * (1.0 - fraction) / fraction if fraction > 0.0 else float("nan")
        filled = int(30 * fraction)
        sys.stderr.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {100 * fraction:3.0f} %, {left:.0f} s left ")
        sys.stderr.flush()

    def close(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * 60 + "\r")
            sys.stderr.flush()


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell else None
    return instance is not None and hasattr(instance, "kernel")


class _Fork:
    """The threads of OpenMP do not come along into a forked process, where they would be waited for: there, work is done
    by one."""

    forked = False

    @classmethod
    def note(cls) -> None:
        cls.forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Fork.note)

_here = threading.local()  # .reporting: a progress function runs in this thread


class Progress:
    """An am_progress for one call. What the caller's function raises, and Ctrl-C, stops the work and is raised again
    by :meth:`finish`."""

    def __init__(self, report: Report = None, threads: int = 0):
        if getattr(_here, "reporting", False):
            raise InputError("a progress function cannot start further work: the work that it reports on waits for it")
        if threads < 0:
            raise InputError(f"the number of threads is {threads}; expected 0 (all cores) or more", "threads")
        self._bar = None
        if report is None:
            report = sys.stderr.isatty() or _is_notebook()
        if report is True:
            report = self._bar = _Bar()
        self._report = report or None
        self._raised: BaseException | None = None
        # What is raised must not get lost in the C code between here and the caller. Ctrl-C may come before the first
        # line of the function.
        self._callback = ffi.callback("bool(void *, double)", self._hear, error=False, onerror=self._keep)
        self.struct = ffi.new("am_progress *")
        self.struct.report = self._callback
        self.struct.threads = 1 if _Fork.forked else threads

    def _hear(self, context: Any, fraction: float) -> bool:
        if self._report is None:
            return True
        _here.reporting = True
        try:
            return self._report(fraction) is not False
        finally:
            _here.reporting = False

    def _keep(self, kind: Any, raised: BaseException, trace: Any) -> None:
        self._raised = raised

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._raised is not None:
            raise self._raised
