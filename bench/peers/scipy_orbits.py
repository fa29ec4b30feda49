"""The friction oscillator and the rod with SciPy: one solve_ivp per state of contact, ended by its events.

usage: scipy_orbits.py oscillator UNTIL REPEAT METHOD RTOL < POINTS            (see bench/README.md)
       scipy_orbits.py stops METHOD RTOL < POINTS
       scipy_orbits.py attractors ALPHA METHOD RTOL < STARTS
       scipy_orbits.py events ELEMENTS ALPHA EVENTS METHOD RTOL
POINTS: "beta Omega" a line. STARTS: one start of the rod a line, displacements, velocities, and the number of returns to follow. Times are those of this process on its core.
"""
import json
import math
import sys
import time

import numpy as np
import scipy
from scipy.integrate import solve_ivp

BETA = 5.0  # kinetic friction of the rod, as in am_rod_default
ATOL_SHARE = 1e-2  # absolute tolerance as a share of the relative one
REPEATS = 1e-6  # a motion repeats when its state does to this part of its size: far less than Amontons asks for
MOST_PERIOD = 4
MOST_RETURNS = 400
GIVE_UP = 500.0  # a rod without an event for so long slides for good


def falling(guard):
    guard.terminal, guard.direction = True, -1.0
    return guard


def repeats(past):
    """After how many returns the newest state occurred before; 0 if it did not."""
    newest = past[-1]
    size = max(abs(value) for value in newest)
    for p in range(1, min(MOST_PERIOD, len(past) - 1) + 1):
        if max(abs(a - b) for a, b in zip(newest, past[-1 - p])) <= REPEATS * size:
            return p
    return 0


class Oscillator:
    """v'' + v = sin(Omega t) -/+ beta. Plain floats: numpy arithmetic on two numbers would only be slower."""

    def __init__(self, beta, Omega, method, rtol):
        self.beta, self.Omega = beta, Omega
        self.options = {"method": method, "rtol": rtol, "atol": ATOL_SHARE * rtol}
        sine = math.sin
        self.sides = {
            0: (lambda t, x: (0.0, 0.0),
                [falling(lambda t, x: beta - sine(Omega * t) + x[0]), falling(lambda t, x: beta + sine(Omega * t) - x[0])]),
        }
        for sign in (1, -1):
            self.sides[sign] = (lambda t, x, f=sign * beta: (x[1], sine(Omega * t) - x[0] - f), [falling(lambda t, x, s=sign: s * x[1])])

    def at_rest(self, t, q):
        """Of a mass at rest, +1, -1 or 0; just at the limit the rate of the load decides."""
        force = math.sin(self.Omega * t) - q
        rounding = 1e-9
        if abs(force) < self.beta - rounding:
            return 0
        if abs(force) < self.beta + rounding and force * self.Omega * math.cos(self.Omega * t) < 0:
            return 0
        return 1 if force > 0 else -1

    def go(self, t, x, state, until, times):
        """To the time `until`; the times of all switches are appended to `times`, with the state after them."""
        while t < until:
            rate, guards = self.sides[state]
            # A mass at rest has no error to control: without a limit a step would pass over the event.
            longest = math.pi / (8 * self.Omega) if state == 0 else math.inf
            out = solve_ivp(rate, (t, until), x, events=guards, max_step=longest, **self.options)
            t, x = float(out.t[-1]), tuple(float(value) for value in out.y[:, -1])
            if out.status != 1:
                break
            if state == 0:
                state = 1 if len(out.t_events[0]) else -1
            else:
                x = (x[0], 0.0)
                state = self.at_rest(t, x[0])
            times.append((t, state))
        return x, state

    def steady(self):
        """Period by period until a state repeats; phases of stick in one round."""
        period = 2 * math.pi / self.Omega
        x, state, past, stops = (0.0, 0.0), self.at_rest(0.0, 0.0), [(0.0, 0.0)], []
        while len(past) <= MOST_RETURNS:
            times = []
            k = len(past) - 1
            x, state = self.go(k * period, x, state, (k + 1) * period, times)
            past.append(x)
            stops.append(sum(new == 0 for _, new in times))
            p = repeats(past)
            if p:
                return {"periodic": True, "stops": sum(stops[-p:]), "returns": len(stops)}
        return {"periodic": False, "returns": len(stops)}


class Rod:
    """(1/6) M xi'' + C xi = beta w + T; nodes slide forward (T = -beta w) or stick (xi' = -1, |T| <= (beta + alpha) w)."""

    def __init__(self, elements, alpha, method, rtol):
        n = self.n = elements
        self.options = {"method": method, "rtol": rtol, "atol": ATOL_SHARE * rtol}
        self.M = (np.diag([4.0] * (n - 1) + [2.0]) + np.diag([1.0] * (n - 1), 1) + np.diag([1.0] * (n - 1), -1)) / 6
        self.C = np.diag([2.0] * (n - 1) + [1.0]) - np.diag([1.0] * (n - 1), 1) - np.diag([1.0] * (n - 1), -1)
        self.w = np.array([1.0] * (n - 1) + [0.5])
        self.least = -(BETA + alpha) * self.w
        self.sides = {}

    def undeformed(self):
        return np.concatenate([np.linalg.solve(self.C, BETA * self.w), -np.ones(self.n)])

    def side(self, stuck):
        """Rate and guards of one combination, with the matrix of T - least of the stuck nodes."""
        if stuck not in self.sides:
            n, free, held = self.n, [j for j in range(self.n) if j not in stuck], sorted(stuck)
            A = np.zeros((2 * n, 2 * n))
            A[:n, n:] = np.eye(n)
            if free:
                A[np.ix_([n + j for j in free], range(n))] = -np.linalg.solve(self.M[np.ix_(free, free)], self.C[free])
            rows = (self.M @ A[n:, :n] + self.C)[held]  # T = M xi'' + C xi - beta w
            shift = [-BETA * self.w[j] - self.least[j] for j in held]
            guards = [falling(lambda t, x, j=n + j: x[j] + 1.0) for j in free]
            guards += [falling(lambda t, x, r=r, s=s: r.dot(x[:n]) + s) for r, s in zip(rows, shift)]
            self.sides[stuck] = (lambda t, x: A.dot(x)), guards, free + held, rows, shift
        return self.sides[stuck]

    def hold(self, x, stuck):
        """Nodes that cannot hold go: accelerations jump then, so all that stick are looked at again, the worst first."""
        while stuck:
            _, _, _, rows, shift = self.side(stuck)
            reserve = rows @ x[: self.n] + shift
            if reserve.min() >= -1e-8:
                return stuck
            stuck = stuck - {sorted(stuck)[int(reserve.argmin())]}
        return stuck

    def start(self, x):
        return self.hold(x, frozenset(j for j in range(self.n) if abs(x[self.n + j] + 1.0) < 1e-12))

    def step(self, t, x, stuck, longest):
        """To the next switch: time, state, stuck nodes, the node that switched and whether it stops (None: no switch)."""
        rate, guards, nodes, _, _ = self.side(stuck)
        out = solve_ivp(rate, (t, t + longest), x, events=guards, **self.options)
        t, x = float(out.t[-1]), out.y[:, -1]
        if out.status != 1:
            return t, x, stuck, None
        node = nodes[next(i for i, times in enumerate(out.t_events) if len(times))]
        stops = node not in stuck
        stuck = stuck | {node} if stops else stuck - {node}
        if stops:
            x[self.n + node] = -1.0
        return t, x, self.hold(x, stuck), (node, stops)

    def run(self, x, events):
        t, stuck, times = 0.0, self.start(x), []
        while len(times) < events:
            t, x, stuck, what = self.step(t, x, stuck, GIVE_UP)
            if what is None:
                break
            times.append(t)
        return times

    def transient(self, x, returns):
        """So many slips of the node that slips first after 20 events: their times."""
        t, stuck, times, section, events = 0.0, self.start(x), [], None, 0
        while len(times) < returns:
            t, x, stuck, what = self.step(t, x, stuck, GIVE_UP)
            if what is None:
                break
            events += 1
            if section is None and events > 20 and not what[1]:
                section = what
            if what == section:
                times.append(t)
        return times


def timed(work):
    begin = time.process_time()
    answer = work()
    return answer, time.process_time() - begin


def numbers():
    return [[float(word) for word in line.split()] for line in sys.stdin if line.strip()]


def main():
    work, arguments, method, rtol = sys.argv[1], sys.argv[2:-2], sys.argv[-2], float(sys.argv[-1])
    runs = []
    if work == "oscillator":
        until, repeat = float(arguments[0]), int(arguments[1])
        for beta, Omega in numbers():
            model, seconds = Oscillator(beta, Omega, method, rtol), []
            for _ in range(repeat):
                times = []
                (x, _), spent = timed(lambda: model.go(0.0, (0.0, 0.0), model.at_rest(0.0, 0.0), until, times))
                seconds.append(spent)
            runs.append({"times": [t for t, _ in times], "q": x[0], "v": x[1], "seconds": seconds})
    elif work == "stops":
        for beta, Omega in numbers():
            answer, spent = timed(lambda: Oscillator(beta, Omega, method, rtol).steady())
            runs.append({**answer, "seconds": [spent]})
    elif work == "attractors":
        model = Rod(2, float(arguments[0]), method, rtol)
        for start in numbers():
            times, spent = timed(lambda: model.transient(np.array(start[:-1]), int(start[-1])))
            runs.append({"returns": len(times), "t": times[-1] if times else None, "seconds": [spent]})
    else:
        model = Rod(int(arguments[0]), float(arguments[1]), method, rtol)
        times, spent = timed(lambda: model.run(model.undeformed(), int(arguments[2])))
        runs.append({"times": times, "events": len(times), "seconds": [spent]})
    json.dump({"name": f"SciPy {scipy.__version__} solve_ivp({method}, rtol {rtol:g}) with events", "runs": runs}, sys.stdout)


main()
