"""Klarbring's mass with SciPy: one solve_ivp per contact state, ended by its events (Appendix A of Cho and Barber 1998).

usage: scipy_klarbring.py FRICTION C1 C2 UNTIL fixed|final REPEAT METHOD RTOL < STARTS      (see bench/README.md)
"""
import json
import sys
import time

import numpy as np
import scipy
from scipy.integrate import solve_ivp

K11, K12, K22, M = 1.0, 1.0, 2.0, 1.0
ATOL_SHARE = 1e-2  # absolute tolerance as a share of the relative one


class Klarbring:
    def __init__(self, friction, c1, c2, method, rtol):
        self.f, self.c1, self.c2 = friction, c1, c2
        self.options = {"method": method, "rtol": rtol, "atol": ATOL_SHARE * rtol}
        stiffness = np.array([[K11, K12], [K12, K22]])
        self.line = np.linalg.solve(stiffness, [c1, c2])  # the open mass oscillates about line * t
        squares, self.modes = np.linalg.eigh(stiffness / M)
        self.frequencies = np.sqrt(squares)
        self.sides = {"open": self.open_side(), "stick": self.stick_side(), "forward": self.slip_side(1.0), "backward": self.slip_side(-1.0)}

    # Right-hand side and events of each state. Plain floats: numpy arithmetic on four numbers would only be slower.

    def open_side(self):
        c1, c2 = self.c1, self.c2

        def rate(t, x):
            u1, u2, v1, v2 = x
            return (v1, v2, (c1 * t - K11 * u1 - K12 * u2) / M, (c2 * t - K12 * u1 - K22 * u2) / M)

        return rate, [falling(lambda t, x: x[1])]

    def slip_side(self, sign):
        f, c1, c2 = self.f, self.c1, self.c2

        def rate(t, x):
            u1, _, v1, _ = x
            return (v1, 0.0, (c1 * t - K11 * u1 - sign * f * (K12 * u1 - c2 * t)) / M, 0.0)

        return rate, [falling(lambda t, x: K12 * x[0] - c2 * t), falling(lambda t, x: sign * x[2])]

    def stick_side(self):
        f, c1, c2 = self.f, self.c1, self.c2

        def rate(t, x):
            return (0.0, 0.0, 0.0, 0.0)

        return rate, [
            falling(lambda t, x: K12 * x[0] - c2 * t),
            falling(lambda t, x: f * (K12 * x[0] - c2 * t) - (K11 * x[0] - c1 * t)),
            falling(lambda t, x: f * (K12 * x[0] - c2 * t) + (K11 * x[0] - c1 * t)),
        ]

    # State logic.

    def state_in_contact(self, t, x):
        u1, _, v1, _ = x
        normal, force = K12 * u1 - self.c2 * t, K11 * u1 - self.c1 * t
        if normal < 0 or (normal == 0 and K12 * v1 < self.c2):
            return "open"
        if v1 != 0:
            return "forward" if v1 > 0 else "backward"
        if normal == 0:  # at rest at the origin: rates decide
            normal, force = -self.c2, -self.c1
        if abs(force) <= self.f * normal:
            return "stick"
        return "backward" if force > 0 else "forward"

    def impact(self, x):
        u1, _, v1, v2 = x
        most = -self.f * v2  # of the velocity that friction can take away
        if v1 > most:
            return "forward", (u1, 0.0, v1 - most, 0.0)
        if v1 < -most:
            return "backward", (u1, 0.0, v1 + most, 0.0)
        return "stick", (u1, 0.0, 0.0, 0.0)

    def open_for_good(self, t, x):
        """From then on the line is above the sum of the amplitudes: no contact ever again."""
        if self.line[1] <= 0:
            return np.inf
        away = self.modes.T @ (np.array(x[:2]) - self.line * t)
        speed = self.modes.T @ (np.array(x[2:]) - self.line) / self.frequencies
        return float(np.abs(self.modes[1]) @ np.hypot(away, speed)) / self.line[1]

    def run(self, v1, v2, until, seek_final):
        t, x, events = 0.0, (0.0, 0.0, v1, v2), []

        def change(old, new):
            if new != old:
                events.append((t, old, new))
            return new

        def land(x):
            during, x = self.impact(x)
            return change(change("open", during), self.state_in_contact(t, x)), x

        if v2 < 0:
            state, x = land(x)
        else:
            state = "open" if v2 > 0 else self.state_in_contact(t, x)
        while t < until:
            end = until
            if seek_final and state == "stick" and abs(self.c1) <= -self.f * self.c2:
                return "stick", t, x, events
            if seek_final and state == "open":
                end = max(t, min(end, self.open_for_good(t, x)))
                if end == t:
                    return "open", t, x, events
            rate, guards = self.sides[state]
            out = solve_ivp(rate, (t, end), x, events=guards, **self.options)
            t, x = float(out.t[-1]), tuple(float(value) for value in out.y[:, -1])
            if out.status != 1:
                return ("open" if end < until else state), t, x, events
            which = next(i for i, times in enumerate(out.t_events) if len(times) > 0)
            if state == "open":
                state, x = land(x)
            elif which == 0:
                state, x = change(state, "open"), (x[0], 0.0, x[2], 0.0)
            elif state == "stick":
                state = change(state, "backward" if which == 1 else "forward")
            else:
                x = (x[0], 0.0, 0.0, 0.0)
                state = change(state, self.state_in_contact(t, x))
        return state, t, x, events


def falling(guard):
    guard.terminal, guard.direction = True, -1.0
    return guard


def main():
    friction, c1, c2, until = (float(a) for a in sys.argv[1:5])
    seek_final, repeat = sys.argv[5] == "final", int(sys.argv[6])
    method, rtol = sys.argv[7], float(sys.argv[8])
    model, runs = Klarbring(friction, c1, c2, method, rtol), []
    for line in sys.stdin:
        v1, v2 = (float(a) for a in line.split())
        seconds = []
        for _ in range(repeat):
            begin = time.perf_counter()
            final, t, x, events = model.run(v1, v2, until, seek_final)
            seconds.append(time.perf_counter() - begin)
        runs.append({"events": events, "final": final, "t": t, "q": x[:2], "v": x[2:], "seconds": seconds})
    json.dump({"name": f"SciPy {scipy.__version__} solve_ivp({method}, rtol {rtol:g}) with events", "runs": runs}, sys.stdout)


main()
