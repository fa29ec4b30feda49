"""Contacts and loads, with the names of their keys. Made by python/generate.py from the library's own tables."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._values import UNSET, Numbers, Part


class Contact(Part):
    """One point of frictional contact: two rows that pick gap and sliding velocity from the coordinates, a normal law,
    and Coulomb friction (static and kinetic coefficients may differ).

    name: what results call it; default its number
    normal: row n: gap = n.q + gap, one number per coordinate, or {"51.3": 1}
    tangent: row t: sliding velocity = t.q' - surface_velocity; default none: a stop without friction
    tangents: instead of tangent: two rows, [[1, 0, 0], [0, 1, 0]]; the contact slips in any direction of their
        plane, with |T| <= mu N on a circle, rigid or behind springs (tangential_stiffness); default none
    gap [length]: gap at q = 0: a number, or a function of time; default 0
    preload [force]: laws spring and kelvin-voigt, instead of gap: normal force at q = 0; default 0
    surface_velocity [length/time]: of the other side, along the tangent: a number, or a function of time
        {constant: 0.2, sine: {amplitude, frequency}}; default 0
    friction: kinetic coefficient of friction, or a law of the sliding speed v: {law: stribeck, static, kinetic,
        velocity, ...} (`amontons list laws`); default required, unless `weakening` is a table
    static_friction: coefficient that holds while sticking; at least `friction`; default equal to friction
    weakening: {law, length or points}: friction falls from static_friction to friction with the distance slid;
        default none
    tangential_stiffness [force/length]: of a spring in series with the slider, which has no mass (Jenkins
        element); default none
    restitution: of the normal velocity in an impact, or of its normal impulse; default 0
    restitution_law: what the restitution is the ratio of (newton, poisson); default newton
    tangential_restitution: of the sliding velocity in an impact, which friction turns around; default 0
    law: normal law (unilateral, held, kelvin-voigt, spring, hunt-crossley, power); default unilateral
    hold: law held: the normal force, a function of time
    contact_stiffness [force/length^contact_exponent]: laws kelvin-voigt and hunt-crossley: K_c; default required
        by the compliant laws
    contact_damping [force x time/length]: law kelvin-voigt: D_c; default 0
    contact_exponent: law hunt-crossley: power of the penetration, at least 1 (3/2: Hertz); default 1
    contact_dissipation [time/length]: law hunt-crossley: alpha of 1 + 3/2 alpha d'; default 0
    regularisation [length/time]: analysis march: below this sliding velocity v friction is mu N v/regularisation;
        0: Coulomb's law itself, with stick; default 0
    """

    def __init__(
        self,
        *,
        name: str = UNSET,
        normal: Numbers = UNSET,
        tangent: Numbers = UNSET,
        tangents: Any = UNSET,
        gap: float | Mapping[str, Any] = UNSET,
        preload: Any = UNSET,
        surface_velocity: float | Mapping[str, Any] = UNSET,
        friction: Any = UNSET,
        static_friction: float = UNSET,
        weakening: Mapping[str, Any] = UNSET,
        tangential_stiffness: float = UNSET,
        restitution: float = UNSET,
        restitution_law: str = UNSET,
        tangential_restitution: float = UNSET,
        law: str = UNSET,
        hold: float | Mapping[str, Any] = UNSET,
        contact_stiffness: float = UNSET,
        contact_damping: float = UNSET,
        contact_exponent: float = UNSET,
        contact_dissipation: float = UNSET,
        regularisation: float = UNSET,
        **more: Any,
    ) -> None:
        options = {
            "name": name,
            "normal": normal,
            "tangent": tangent,
            "tangents": tangents,
            "gap": gap,
            "preload": preload,
            "surface_velocity": surface_velocity,
            "friction": friction,
            "static_friction": static_friction,
            "weakening": weakening,
            "tangential_stiffness": tangential_stiffness,
            "restitution": restitution,
            "restitution_law": restitution_law,
            "tangential_restitution": tangential_restitution,
            "law": law,
            "hold": hold,
            "contact_stiffness": contact_stiffness,
            "contact_damping": contact_damping,
            "contact_exponent": contact_exponent,
            "contact_dissipation": contact_dissipation,
            "regularisation": regularisation,
        }
        super().__init__({**options, **more})


class Load(Part):
    """A force: a constant direction times a function of time.

    direction: one number per coordinate: the load is this vector times the function; required
    constant: the same at all times
    ramp: grows linearly, by this much per unit time
    sine: {amplitude, frequency}
    table: {times, values} or {file}: a record
    pulse: {amplitude, start, duration}, smooth
    impulse: {amplitude, start}, a blow
    chirp: {amplitude, from, to, duration}, a sweep of frequency
    """

    def __init__(
        self,
        *,
        direction: Numbers = UNSET,
        constant: float | Mapping[str, Any] = UNSET,
        ramp: float | Mapping[str, Any] = UNSET,
        sine: Mapping[str, Any] = UNSET,
        table: Mapping[str, Any] = UNSET,
        pulse: Mapping[str, Any] = UNSET,
        impulse: Mapping[str, Any] = UNSET,
        chirp: Mapping[str, Any] = UNSET,
        **more: Any,
    ) -> None:
        options = {
            "direction": direction,
            "constant": constant,
            "ramp": ramp,
            "sine": sine,
            "table": table,
            "pulse": pulse,
            "impulse": impulse,
            "chirp": chirp,
        }
        super().__init__({**options, **more})
