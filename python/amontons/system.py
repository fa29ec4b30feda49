"""Structures from NumPy and SciPy: matrices, contacts and loads, and every analysis as a method."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, Union

import numpy

from ._analyses import STUDY_KEYS, Analyses
from ._declarations import ffi
from ._library import lib
from ._parts import Contact, Load
from ._values import UNSET, Array, Matrix, Numbers, Part, place, real
from .errors import InputError, check
from .motion import Motion
from .orbit import OrbitGradient
from .progress import Progress, Report
from .result import Result
from .study import Study


def _items(parts: Any) -> Any:
    """Names, contacts or loads as a study holds them; a single part needs no list. What is none is left to the library."""
    if isinstance(parts, (Part, Mapping)):
        parts = [parts]
    return list(parts) if isinstance(parts, Iterable) and not isinstance(parts, (str, bytes)) else parts


Kind = TypeVar("Kind", Contact, Load)
Parts = Union[Iterable[Union[Kind, Mapping[str, Any]]], Kind, Mapping[str, Any]]


class System(Analyses):
    """A linear structure with contacts: M q'' + C q' + K q = loads + contact forces.

    Matrices are NumPy arrays or SciPy sparse matrices; they are handed over as they are. Further keys of ``model: {kind:
    structure}`` may be given by name (``varying_stiffness=...``, ``polynomials=...``). Numbers are set by path:
    ``system["contacts.0.friction"] = 0.4``.

    >>> system = System(mass=[[1.0]], stiffness=[[1.0]], names=["x"],
    ...                 contacts=[Contact(name="belt", law="held", hold=1, tangent=[1], friction=0.3,
    ...                                   static_friction=0.5, surface_velocity=0.1)])
    >>> round(system.orbit().summary.period, 6)
    8.068888
    """

    def __init__(self, *, mass: Matrix = UNSET, stiffness: Matrix = UNSET, damping: Matrix = UNSET,
                 contacts: Parts[Contact] = (), loads: Parts[Load] = (),
                 names: Sequence[str] = UNSET, **more: Any):
        self._model: dict[str, Any] = {"kind": "structure"}
        given = {"mass": mass, "stiffness": stiffness, "damping": damping, **more}
        self._model.update((key.rstrip("_"), value) for key, value in given.items() if value is not UNSET)
        if names is not UNSET:
            self._model["names"] = _items(names)
        for key, parts in (("contacts", contacts), ("loads", loads)):
            items = _items(parts)
            if not isinstance(items, list) or items:
                self._model[key] = items
        self._settings: dict[str, float] = {}
        self._names: frozenset[str] | None = None  # of the numbers, when they were asked for

    # ---- numbers ----

    def __setitem__(self, path: str, value: float) -> None:
        number = float(value)
        if self._names is None:
            self._names = frozenset(self._study("states").model)
        if path not in self._names:  # a number that is not there yet, or none at all
            trial = self._study("states")
            trial["model." + path] = number
            trial._opened()
        self._settings["model." + path] = number

    def __getitem__(self, path: str) -> float:
        return self._study("states").model[path]

    @property
    def numbers(self) -> dict[str, float]:
        """All numbers of the structure by path."""
        return dict(self._study("states").model)

    # ---- analyses ----

    def _study(self, kind: str, options: Mapping[str, Any] | None = None) -> Study:
        given = {key.rstrip("_"): value for key, value in (options or {}).items() if value is not UNSET}
        parts = {key: given.pop(key) for key in STUDY_KEYS if key in given}
        study = Study({"model": self._model, "analysis": {"kind": kind, **given}, **parts})
        for path, value in self._settings.items():
            study[path] = value
        return study

    def _ask(self, kind: str, options: Mapping[str, Any]) -> Result:
        options = dict(options)
        threads, progress = options.pop("threads", 0), options.pop("progress", None)
        return self._study(kind, options).run(threads=threads, progress=progress)

    def study(self, kind: str, **options: Any) -> Study:
        """The study that a method of this name would run, to be checked, changed or shown.

        >>> mass = System(mass=[[1.0]], stiffness=[[4.0]], names=["x"])
        >>> mass.study("motion", until=3, title="A free mass").check().title
        'A free mass'
        """
        return self._study(kind, options)

    # ---- the engine itself ----

    def _opened(self) -> tuple[Any, Any]:
        """The am_system, and the study that owns it."""
        owner = self._study("motion", {"until": 1.0})._opened()
        return lib.am_study_system(owner), owner

    def follow_motion(self, *, displacement: Numbers | None = None, velocity: Numbers | None = None, t: float = 0.0,
                      sensitivity: bool = False, over: Sequence[str] = ()) -> Motion:
        """A motion to step through, event by event. ``sensitivity``: with the derivative of the state by its start;
        ``over``: with derivatives by these numbers of the structure, of the state and of the times of events.

        >>> system = System(mass=[[1.0]], stiffness=[[4.0]], contacts=[Contact(law="held", hold=1, tangent=[1], friction=0.5)])
        >>> motion = system.follow_motion(displacement=[1.0], over=["contacts.0.friction", "stiffness.0.0"])
        >>> event = next(motion.events(until=9))     # it turns at t = pi/sqrt(k), where q = 2 friction/k - 1
        >>> numpy.round(motion.slopes[0], 9), numpy.round(motion.event_slopes, 9) + 0.0
        (array([ 0.5   , -0.0625]), array([ 0.        , -0.19634954]))
        """
        study, over = self._study("motion", {"until": 1.0}), tuple(over)
        owner, model = study._opened(), study.model if over else None
        return Motion(lib.am_study_system(owner), owner, displacement, velocity, t, sensitivity, model, over)

    def orbit_gradient(self, over: Sequence[str], *, displacement: Numbers | None = None,
                       velocity: Numbers | None = None, transient: int = 20, most_period: int = 64,
                       progress: Report = None) -> OrbitGradient:
        """The periodic motion that a start leads to, and the derivatives of its period, its extremes and the times of
        its switches by numbers of the structure.

        >>> belt = System(mass=[[1.0]], stiffness=[[1.0]], contacts=[Contact(
        ...     law="held", hold=1, tangent=[1], friction=0.3, static_friction=0.5, surface_velocity=0.1)])
        >>> orbit = belt.orbit_gradient(["contacts.0.static_friction"])  # it sticks for 2 (0.5 - 0.3)/0.1, then slips
        >>> round(orbit.period, 6), numpy.round(orbit.period_slopes, 6)
        (8.068888, array([16.]))
        """
        return OrbitGradient(self._study("motion", {"until": 1.0}), over, displacement, velocity, transient, most_period,
                             progress)

    def motions(self, starts: Any, until: float, *, from_: float = 0.0, threads: int = 0, progress: Report = None,
                max_events: int = 0) -> Motions:
        """Many motions at once, on all cores. ``starts``: one row per motion, displacements then velocities."""
        system, owner = self._opened()
        rows = real(starts, "starts", "starts")
        size = 2 * lib.am_system_size(system)
        if rows.ndim != 2 or rows.shape[1] != size:
            raise InputError(f"starts must have the shape (count, {size}): displacements, then velocities", "starts")
        made = Motions(len(rows), size)
        many = ffi.new("am_motion_many *")
        many.count, many.until, many.max_events = len(rows), float(until), max_events
        setattr(many, "from", float(from_))
        many.starts = place(rows)
        many.ends = place(made.ends)
        many.events = ffi.cast("size_t *", made.events.ctypes.data)
        many.status = ffi.cast("am_status *", made.status.ctypes.data)
        heard, err = Progress(progress, threads), ffi.new("am_error *")
        status = lib.am_motion_run_many(system, many, heard.struct, err)
        heard.finish()
        check(status, err)
        del owner
        return made

    def __repr__(self) -> str:
        return f"<System: {', '.join(key for key in self._model if key != 'kind')}>"


class Motions:
    """Where many motions end: ``ends`` (count x 2n; NaN where one failed), ``events`` and ``status`` (0: it went well)."""

    def __init__(self, count: int, size: int):
        self.ends = numpy.full((count, size), numpy.nan)
        self.events = numpy.zeros(count, numpy.uintp)
        self.status = numpy.zeros(count, numpy.int32)

    @property
    def displacement(self) -> Array:
        return self.ends[:, : self.ends.shape[1] // 2]

    @property
    def velocity(self) -> Array:
        return self.ends[:, self.ends.shape[1] // 2:]

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.ends)
