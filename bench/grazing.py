"""How many grazing contacts are found?

200 random oscillators of two degrees of freedom, each with a gap whose first minimum lies below zero by a given share of the gap's amplitude: it closes for a
very short time. Exact crossing times come from the closed form. With a negative overshoot the gap never closes, and a report is a false one.
"""
import math
import os
import random

import report

PYTHON = "/usr/bin/python3"
PEERS = os.path.join(report.ROOT, "bench", "peers")
COUNT = 200
OVERSHOOTS = (1e-3, 1e-5, 1e-7, 1e-9, -1e-9)
SEED = 20240229
CLOSE = 1e-6  # a found contact is the right one if it is this close to the exact time


class Oscillator:
    """Gap without its offset: g(t) = sum of a_i cos w_i t + b_i sin w_i t, from the stiffness matrix as the programs read it."""

    def __init__(self, rng):
        angle, w = rng.uniform(0, math.pi), (rng.uniform(0.7, 1.5), rng.uniform(1.5, 3.5))
        c, s = math.cos(angle), math.sin(angle)
        self.k = (c * c * w[0] ** 2 + s * s * w[1] ** 2, c * s * (w[0] ** 2 - w[1] ** 2), s * s * w[0] ** 2 + c * c * w[1] ** 2)
        facing = rng.uniform(0, 2 * math.pi)
        self.n = (math.cos(facing), math.sin(facing))
        self.q, self.v = (rng.gauss(0, 1), rng.gauss(0, 1)), (rng.gauss(0, 1), rng.gauss(0, 1))
        self.terms = []
        mean, radius = (self.k[0] + self.k[2]) / 2, math.hypot((self.k[0] - self.k[2]) / 2, self.k[1])
        turn = math.atan2(self.k[1], (self.k[0] - self.k[2]) / 2) / 2  # of the mode with the larger eigenvalue
        for square, e in ((mean + radius, (math.cos(turn), math.sin(turn))), (mean - radius, (-math.sin(turn), math.cos(turn)))):
            share, frequency = self.n[0] * e[0] + self.n[1] * e[1], math.sqrt(square)
            self.terms.append((frequency, share * (e[0] * self.q[0] + e[1] * self.q[1]), share * (e[0] * self.v[0] + e[1] * self.v[1]) / frequency))
        self.amplitude = sum(math.hypot(a, b) for _, a, b in self.terms)

    def value(self, t):
        return math.fsum(x for w, a, b in self.terms for x in (a * math.cos(w * t), b * math.sin(w * t)))

    def rate(self, t):
        return math.fsum(x for w, a, b in self.terms for x in (-a * w * math.sin(w * t), b * w * math.cos(w * t)))

    def first_minimum(self):
        """Time of the first minimum if it is a clear one, below everything before it; else None."""
        step, t = 0.01, 0.0
        while not (self.rate(t) < 0 <= self.rate(t + step)):
            t += step
            if t > 20:
                return None
        low = zero(lambda x: -self.rate(x), t, t + step)
        curvature = (self.rate(low + 1e-4) - self.rate(low - 1e-4)) / 2e-4
        clear = low > 0.3 and self.value(0) > self.value(low) + 0.2 * self.amplitude and curvature > 0.1 * self.amplitude
        return low if clear and self.value(low + 0.4) > self.value(low + 0.2) > self.value(low) else None


def zero(function, a, b):
    """The point between a, where function > 0, and b, where it is not."""
    for _ in range(100):
        middle = (a + b) / 2
        a, b = (middle, b) if function(middle) > 0 else (a, middle)
    return b


def problems(overshoot):
    """(lines for the programs, exact times or None)."""
    rng, lines, exact = random.Random(SEED), [], []
    while len(lines) < COUNT:
        one = Oscillator(rng)
        low = one.first_minimum()
        if low is None:
            continue
        gap = -one.value(low) - overshoot * one.amplitude
        exact.append(zero(lambda t: one.value(t) + gap, 0.0, low) if overshoot > 0 else None)
        lines.append(" ".join(repr(x) for x in (*one.k, *one.n, gap, *one.q, *one.v, low + 0.4)))
    return "\n".join(lines) + "\n", exact


def score(out, exact):
    found = [float(word) for word in out.split()]
    right = sum(t is not None and abs(f - t) <= CLOSE for f, t in zip(found, exact))
    false = sum(not math.isnan(f) and (t is None or not abs(f - t) <= CLOSE) for f, t in zip(found, exact))
    worst = max((abs(f - t) for f, t in zip(found, exact) if t is not None and abs(f - t) <= CLOSE), default=0.0)
    return right, false, worst


def measure(options):
    programs = [
        ("Amontons", [os.path.join(options.tools, "amontons_grazing")]),
        ("CVODE (Adams, rtol 1e-12) root finding", [os.path.join(options.tools, "cvode_grazing")]),
        ("SciPy solve_ivp(DOP853, rtol 1e-12) events", [PYTHON, os.path.join(PEERS, "scipy_grazing.py"), "DOP853", "1e-12"]),
    ]
    rows, data = [[name] for name, _ in programs], {name: {} for name, _ in programs}
    for overshoot in OVERSHOOTS:
        text, exact = problems(overshoot)
        for row, (name, command) in zip(rows, programs):
            out = report.run(command, text)
            if out is None:
                row.append("-")
                continue
            right, false, worst = score(out, exact)
            row.append(f"{right} of {COUNT}" + (f", {false} false" if false else "") if overshoot > 0 else f"{false} false")
            data[name][repr(overshoot)] = {"found": right, "false": false, "time_error": worst}
    result = report.Result("grazing")
    result.say(f"Contacts found in {COUNT} random grazing oscillators, by the depth of the graze relative to the gap's amplitude:")
    result.table(["program"] + [f"overshoot {x:g}" if x > 0 else f"no contact (undershoot {-x:g})" for x in OVERSHOOTS], rows)
    own = data["Amontons"]
    found = [own[repr(x)]["found"] for x in OVERSHOOTS if x > 0] if own else [0]
    false = sum(one["false"] for one in own.values())
    result.bar(2, "grazing contacts found, down to an overshoot of 1e-9", f"{COUNT} of {COUNT}, none false", f"{min(found)} of {COUNT}, {false} false", min(found) == COUNT and false == 0)
    result.data = data
    return result
