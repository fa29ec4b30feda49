"""Periodic motions and how they change with numbers of the structure."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

from ._declarations import ffi
from ._library import lib, own_motion, text_of
from ._values import Array, place, vector
from .errors import InputError, LimitReached, check, check_made
from .progress import Progress, Report
from .result import MARGINAL, tell

if TYPE_CHECKING:
    from .study import Model, Study


class OrbitGradient:
    """One periodic motion with its derivatives by the numbers ``over`` (columns), exact through every switch:
    ``period`` and ``period_slopes``; ``minimum``, ``maximum`` and ``amplitude`` (half of the way between both) of the
    coordinates with ``minimum_slopes``, ``maximum_slopes``, ``amplitude_slopes`` (rows: coordinates); ``switch_times``
    and ``switch_slopes`` (rows: switches); ``multiplier``, the largest in modulus, and its ``uncertainty``; ``stable``,
    None where that holds the unit circle."""

    period: float
    stable: bool | None
    multiplier: float
    uncertainty: float
    sequence: str
    names: list[str]
    over: tuple[str, ...]
    switch_times: Array
    period_slopes: Array
    minimum: Array
    maximum: Array
    minimum_slopes: Array
    maximum_slopes: Array
    switch_slopes: Array

    def __init__(self, study: Study, over: Sequence[str], displacement: Any, velocity: Any, transient: int,
                 most_period: int, progress: Report):
        owner, self.over = study._opened(), tuple(over)
        if not self.over:
            raise InputError("there must be a number to derive by: over=[...]", "over")
        model, system, err = study.model, lib.am_study_system(owner), ffi.new("am_error *")
        numbers = ffi.new("size_t[]", [model._find(name) for name in self.over])
        engine = own_motion(check_made(lib.am_motion_create(system, True, err), err), owner, model._model)
        orbit = ffi.gc(ffi.new("am_orbit *"), lib.am_orbit_clear)
        search = self._find(engine, lib.am_system_size(system), orbit, displacement, velocity, transient, most_period,
                            progress)
        self.names = [text_of(lib.am_system_name(system, i)) for i in range(lib.am_system_size(system))]
        self._take(orbit)
        self._derive(engine, orbit, search, model, numbers, len(self.names))

    def _find(self, engine: Any, size: int, orbit: Any, displacement: Any, velocity: Any, transient: int,
              most_period: int, progress: Report) -> Any:
        options, kept = ffi.new("am_orbit_options *", lib.am_orbit_options_default()), []
        for name, values in (("displacement", displacement), ("velocity", velocity)):
            if values is not None:
                kept.append(vector(name, values, size))
                setattr(options, name, place(kept[-1]))
        options.transient, options.most_period = transient, most_period
        search, err, heard = ffi.new("am_orbit_search *"), ffi.new("am_error *"), Progress(progress, 0)
        status = lib.am_orbit_find(engine, options, orbit, search, heard.struct, err)
        heard.finish()
        check(status, err)
        if search.outcome != lib.AM_ORBIT_PERIODIC:
            raise LimitReached("no periodic motion was reached from this start: " + text_of(search.sentence))
        return search

    def _take(self, orbit: Any) -> None:
        self.period, self.multiplier, self.uncertainty = orbit.period, orbit.multiplier, orbit.uncertainty
        decided = abs(self.multiplier - 1.0) > self.uncertainty
        self.stable = self.multiplier < 1.0 if decided else None
        if not decided:
            tell("whether the orbit is stable is not decided: " + MARGINAL)
        self.sequence = text_of(orbit.sequence)
        self.switch_times = numpy.array([orbit.switch_times[i] for i in range(orbit.switches)])

    def _derive(self, engine: Any, orbit: Any, search: Any, model: Model, numbers: Any, size: int) -> None:
        count, err, slopes = len(self.over), ffi.new("am_error *"), ffi.new("am_orbit_slopes *")
        self.period_slopes, self.minimum, self.maximum = numpy.zeros(count), numpy.zeros(size), numpy.zeros(size)
        self.minimum_slopes, self.maximum_slopes = numpy.zeros((size, count)), numpy.zeros((size, count))
        self.switch_slopes = numpy.zeros((len(self.switch_times), count))
        for name, array in (("period", self.period_slopes), ("least", self.minimum), ("largest", self.maximum),
                            ("least_slopes", self.minimum_slopes), ("largest_slopes", self.maximum_slopes),
                            ("switch_slopes", self.switch_slopes)):
            setattr(slopes, name, place(array))
        how = ffi.addressof(search, "how")
        check(lib.am_orbit_gradient(engine, orbit, how, model._model, numbers, count, slopes, err), err)

    @property
    def amplitude(self) -> Array:
        return 0.5 * (self.maximum - self.minimum)

    @property
    def amplitude_slopes(self) -> Array:
        return 0.5 * (self.maximum_slopes - self.minimum_slopes)

    def __repr__(self) -> str:
        return f"<OrbitGradient: period {self.period:.9g}, by {', '.join(self.over)}>"
