"""Progress of long work: a bar in a terminal and in a notebook, and Ctrl-C."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Union

from ._declarations import ffi

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


class Progress:
    """An am_progress for one call. What the caller's function raises, and Ctrl-C, stops the work and is raised again
    by :meth:`finish`."""

    def __init__(self, report: Report = None, threads: int = 0):
        self._bar = None
        if report is None:
            report = sys.stderr.isatty() or _is_notebook()
        if report is True:
            report = self._bar = _Bar()
        self._report = report or None
        self._raised: BaseException | None = None
        self._callback = ffi.callback("bool(void *, double)", self._hear, error=False)
        self.struct = ffi.new("am_progress *")
        self.struct.report = self._callback
        self.struct.threads = threads

    def _hear(self, context: Any, fraction: float) -> bool:
        try:
            if self._report is not None:
                return self._report(fraction) is not False
        except BaseException as raised:  # it must not get lost in the C code between here and the caller
            self._raised = raised
            return False
        return True

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.close()
        if self._raised is not None:
            raise self._raised

