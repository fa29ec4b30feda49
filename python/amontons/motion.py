"""A motion to step through: the engine itself, with its state, forces and derivatives as arrays."""
from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy

from ._declarations import ffi
from ._library import lib, own_motion, text_of
from ._values import Array, place, real, vector
from .errors import InputError, check, check_made


Method = TypeVar("Method", bound=Callable[..., Any])


def _alone(method: Method) -> Method:
    """One thread at a time: an engine belongs to one, and the interpreter's lock is released in the library."""

    @functools.wraps(method)
    def guarded(self: Any, *given: Any, **more: Any) -> Any:
        with self._lock:
            return method(self, *given, **more)

    return guarded  # type: ignore[return-value]


class Switch(NamedTuple):
    """One contact's part in an event."""

    contact: str
    before: str
    after: str
    cause: str


class Event(NamedTuple):
    """What happened at an instant: all contacts that switched, with the state just after."""

    t: float
    switches: tuple[Switch, ...]
    displacement: Array
    velocity: Array


class Samples(NamedTuple):
    """A motion at given times: one row per time. ``slopes`` (times x state x numbers): where the motion was begun with
    ``over``, otherwise None."""

    t: Array
    displacement: Array
    velocity: Array
    slopes: Array | None


class Motion:
    """One motion of a structure. ``for event in motion.events(until=40): ...`` walks from switch to switch; between two
    of them :meth:`at` gives the motion anywhere in the span just passed, exactly. Threads that share one take turns; each
    had better have its own."""

    def __init__(self, system: Any, owner: Any, displacement: Any, velocity: Any, t: float, sensitivity: bool,
                 model: Any = None, over: Sequence[str] = ()):
        self._lock = threading.RLock()
        self._system, self._owner = system, owner
        self.coordinates = lib.am_system_size(system)
        self.contacts = lib.am_system_contacts(system)
        err = ffi.new("am_error *")
        self._motion = own_motion(check_made(lib.am_motion_create(system, True, err), err), owner, model and model._model)
        self._sensitive = sensitivity
        if sensitivity:
            check(lib.am_motion_follow_sensitivity(self._motion, True, err), err)
        self.over, self._model = tuple(over), model
        if self.over:
            numbers = ffi.new("size_t[]", [model._find(name) for name in self.over])
            check(lib.am_motion_follow_numbers(self._motion, model._model, numbers, len(self.over), err), err)
        self.start(displacement, velocity, t)

    def _vector(self, name: str, values: Any) -> Array:
        return numpy.zeros(self.coordinates) if values is None else vector(name, values, self.coordinates)

    @_alone
    def start(self, displacement: Any = None, velocity: Any = None, t: float = 0.0) -> None:
        """Puts the structure there and finds its state of contact."""
        q, v = self._vector("displacement", displacement), self._vector("velocity", velocity)
        err = ffi.new("am_error *")
        check(lib.am_motion_start(self._motion, float(t), place(q),
                                  place(v), err), err)

    @_alone
    def step(self, until: float) -> str:
        """Goes on by one span or event: "span", "event" or "end"."""
        kind, err = ffi.new("am_step_kind *"), ffi.new("am_error *")
        check(lib.am_motion_step(self._motion, float(until), kind, err), err)
        return ("end", "span", "event", "final")[int(kind[0])]

    def events(self, until: float) -> Iterator[Event]:
        """The events until then, one after the other."""
        kind = ""
        while kind != "end":
            with self._lock:
                kind = self.step(until)
                event = Event(self.t, self.switches, self.displacement, self.velocity) if kind == "event" else None
            if event:
                yield event

    def sample(self, times: Any) -> Samples:
        """Goes on to each of these times, which must rise, and keeps the state there; what happens between is followed
        as in :meth:`events`.

        >>> from amontons import Contact, System
        >>> block = System(mass=[[1.0]], stiffness=[[1.0]], contacts=[Contact(law="held", hold=1, tangent=[1], friction=0.1)])
        >>> record = block.follow_motion(displacement=[1.0]).sample([0, numpy.pi, 2 * numpy.pi])
        >>> numpy.round(record.displacement[:, 0], 9)             # each half-cycle takes 2 friction/k
        array([ 1. , -0.8,  0.6])
        """
        wanted = real(times, "times", "times").reshape(-1)
        q, v = (numpy.zeros((len(wanted), self.coordinates)) for _ in range(2))
        slopes = numpy.zeros((len(wanted), lib.am_motion_dimension(self._motion), len(self.over))) if self.over else None
        for i, t in enumerate(wanted):
            with self._lock:
                if t < self.t:
                    raise InputError(f"the motion is at t = {self.t:.9g} already and cannot go back to {t:.9g}", "times")
                while self.step(t) != "end":
                    pass
                q[i], v[i] = self.displacement, self.velocity
                if slopes is not None:
                    slopes[i] = self.slopes
        return Samples(wanted, q, v, slopes)

    def _copied(self, pointer: Any, count: int) -> Array:
        return numpy.frombuffer(ffi.buffer(pointer, 8 * count), dtype=float).copy() if count else numpy.zeros(0)

    @property
    @_alone
    def t(self) -> float:
        return lib.am_motion_time(self._motion)

    @property
    @_alone
    def displacement(self) -> Array:
        return self._copied(lib.am_motion_displacement(self._motion), self.coordinates)

    @property
    @_alone
    def velocity(self) -> Array:
        return self._copied(lib.am_motion_velocity(self._motion), self.coordinates)

    @property
    @_alone
    def states(self) -> tuple[str, ...]:
        """Of each contact: "open", "stick", "forward" or "backward"."""
        states = lib.am_motion_states(self._motion)
        return tuple(text_of(lib.am_contact_state_name(states[i])) for i in range(self.contacts))

    @property
    @_alone
    def forces(self) -> tuple[Array, Array]:
        """Normal and tangential force of each contact."""
        normal, tangential = numpy.zeros(self.contacts), numpy.zeros(self.contacts)
        lib.am_motion_forces(self._motion, place(normal),
                             place(tangential))
        return normal, tangential

    @property
    @_alone
    def switches(self) -> tuple[Switch, ...]:
        """Of the event just passed."""
        made = []
        for i in range(lib.am_motion_switches(self._motion)):
            s = lib.am_motion_switch(self._motion, i)
            made.append(Switch(text_of(lib.am_system_contact_name(self._system, s.contact)),
                               text_of(lib.am_contact_state_name(getattr(s, "from"))),
                               text_of(lib.am_contact_state_name(s.to)), text_of(lib.am_cause_name(s.cause))))
        return tuple(made)

    @property
    @_alone
    def sensitivity(self) -> Array:
        """The derivative of the present state by that at the start, exact through every switch."""
        if not self._sensitive:
            raise InputError("the motion was begun without sensitivity=True", "sensitivity")
        size = lib.am_motion_dimension(self._motion)
        return self._copied(lib.am_motion_sensitivity(self._motion), size * size).reshape(size, size)

    @_alone
    def _slopes(self, rows: int, event: bool) -> Array:
        if not self.over:
            raise InputError("the motion was begun without numbers to derive by: over=[...]", "over")
        made, err = numpy.zeros((rows, len(self.over))), ffi.new("am_error *")
        check(lib.am_motion_number_slopes(self._motion, *((ffi.NULL, place(made)) if event else (place(made), ffi.NULL)), err), err)
        return made

    @property
    def slopes(self) -> Array:
        """The derivative of the present state (rows) by the numbers in ``over`` (columns), exact through every switch."""
        return self._slopes(lib.am_motion_dimension(self._motion), False)

    @property
    def event_slopes(self) -> Array:
        """The derivative of the time of the event just passed by the numbers in ``over``."""
        return self._slopes(1, True)[0]

    @_alone
    def at(self, t: float) -> tuple[Array, Array]:
        """Displacement and velocity anywhere in the span just passed."""
        t, begun = float(t), lib.am_motion_span_start(self._motion)
        if not begun <= t <= self.t:
            raise InputError(f"the span just passed lies between {begun} and {self.t}", "t")
        q, v = numpy.zeros(self.coordinates), numpy.zeros(self.coordinates)
        lib.am_motion_at(self._motion, t, place(q),
                         place(v), ffi.NULL, ffi.NULL)
        return q, v

    def __repr__(self) -> str:
        return f"<Motion at t = {self.t:.9g}: {', '.join(self.states)}>"
