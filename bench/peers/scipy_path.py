"""Quasi-static paths of contact nodes with NumPy and SciPy: the event logic of `path`, corner to corner.

usage: scipy_path.py starts general|corners|tuned < STARTS                  (see bench/README.md)
STARTS: "v1 v2" a line, all nodes closed and stuck at t = 0; the structure is Example 1 of Andersson, Barber and Ahn (gallery/attractors/fig7.yaml). Every start is followed until the positions
at the end of a load cycle are those of some cycles before. Times are those of this process on its core.

All kinds pose the same equations (2.1) with the states stick, forward, backward, open per node, decide by the same rate problem at every corner and every break of a load, and take the point at a corner
from the total equations. They differ in how they get to the next corner:

general   one solve_ivp of the rates per combination of states, ended by the inequalities as terminal events: works for any load, as Amontons' engine does, and as SciPy does it in the other benches
corners   scipy.linalg.solve for every system of equations, scipy.optimize.brentq on the smallest inequality: right for loads that are linear between their breaks
tuned     the same with what a program for this one kind of load can know: LU factors of every combination are kept (scipy.linalg.lu_factor), and a corner is a division
"""
import itertools
import json
import sys
import time

import numpy as np
import scipy
from scipy.integrate import solve_ivp
from scipy.linalg import lu_factor, lu_solve, solve
from scipy.optimize import brentq

ZERO = 1e-9  # a value below this is zero when a node is classified, or a rate when a candidate is judged
REPEATS = 1e-12  # positions are those of an earlier cycle
MOST_PERIOD, MOST_CYCLES = 64, 10000
STICK, FORWARD, BACKWARD, OPEN = "stick", "forward", "backward", "open"


class Loads:
    """Weld forces (q1.., p1..) of a cycle: linear between the breaks."""

    def __init__(self, mu, rest_minus, rest_plus, sequence):
        nodes = len(mu)
        self.breaks = np.arange(2.0 * len(sequence) + 1.0)
        self.table = np.empty((len(self.breaks), 2 * nodes))
        for k in range(len(self.breaks)):
            minus, plus = np.array(rest_minus, float), np.array(rest_plus, float)
            if k % 2 == 1:
                node, sign, extreme = sequence[k // 2]
                (plus if sign > 0 else minus)[node] = extreme
            self.table[k, :nodes] = -(minus + plus) / 2
            self.table[k, nodes:] = (minus - plus) / (2 * np.asarray(mu))
        self.rates = np.diff(self.table, axis=0) / np.diff(self.breaks)[:, None]

    def at(self, t, stretch):
        return self.table[stretch] + (t - self.breaks[stretch]) * self.rates[stretch]


class Structure:
    """(q, p) = weld forces + K (v, w), eq. (2.1), with one state per node: a linear system for v, w, q, p."""

    def __init__(self, A, B, mu, C=None):
        A, B = np.array(A, float), np.array(B, float)
        self.N, self.mu = len(A), np.array(mu, float)
        if C is None:
            C = B @ solve(A, B.T) + np.trace(A) / self.N * np.eye(self.N)
        self.K = np.block([[A, B.T], [B, np.array(C)]])
        self.matrices = {}

    def matrix(self, state):
        if state not in self.matrices:
            self.matrices[state] = self.assemble(state)
        return self.matrices[state]

    def assemble(self, state):
        N = self.N
        M = np.zeros((4 * N, 4 * N))
        M[:2 * N, :2 * N], M[:2 * N, 2 * N:] = self.K, -np.eye(2 * N)
        for i, s in enumerate(state):
            row, v, w, q, p = 2 * N + 2 * i, i, N + i, 2 * N + i, 3 * N + i
            if s == OPEN:
                M[row, q] = M[row + 1, p] = 1
                continue
            M[row, w] = 1
            if s == STICK:
                M[row + 1, v] = 1
            else:
                M[row + 1, q], M[row + 1, p] = 1, self.mu[i] if s == FORWARD else -self.mu[i]
        return M

    def right(self, state, weld, stuck):
        N = self.N
        right = np.zeros(4 * N)
        right[:2 * N] = -weld
        for i, s in enumerate(state):
            if s == STICK:
                right[2 * N + 2 * i + 1] = stuck[i]
        return right

    def total(self, state, weld, stuck):
        """v, w, q, p in one vector."""
        return solve(self.matrix(state), self.right(state, weld, stuck))

    def rate(self, state, weld_rate):
        return solve(self.matrix(state), self.right(state, weld_rate, np.zeros(self.N)))

    def inequalities(self, state, x):
        """What must not become negative: gaps, pressures, friction reserves. (Slip rates are constant between breaks.)"""
        N, mu = self.N, self.mu
        found = []
        for i, s in enumerate(state):
            w, q, p = x[N + i], x[2 * N + i], x[3 * N + i]
            if s == OPEN:
                found.append(w)
            elif s == STICK:
                found += [p, mu[i] * p - q, mu[i] * p + q]
            else:
                found.append(p)
        return np.array(found)

    def choices(self, i, state, x):
        """States that node i could go on in, from where it stands."""
        N, mu = self.N, self.mu[i]
        w, q, p = x[N + i], x[2 * N + i], x[3 * N + i]
        if w > ZERO:
            return [OPEN]
        if p < ZERO:
            return [STICK, FORWARD, BACKWARD, OPEN]
        found = [STICK]
        if mu * p + q < ZERO:
            found.append(FORWARD)
        if mu * p - q < ZERO:
            found.append(BACKWARD)
        return found

    def goes_on(self, state, x, rate):
        """The rate problem: does every inequality that is zero now have a rate that is not negative?"""
        N = self.N
        for i, s in enumerate(state):
            mu, w, q, p = self.mu[i], x[N + i], x[2 * N + i], x[3 * N + i]
            dv, dw, dq, dp = rate[i], rate[N + i], rate[2 * N + i], rate[3 * N + i]
            if s == OPEN:
                if w < ZERO and dw < -ZERO:
                    return False
                continue
            if p < ZERO and dp < -ZERO:
                return False
            if s == STICK:
                if mu * p - q < ZERO and mu * dp - dq < -ZERO or mu * p + q < ZERO and mu * dp + dq < -ZERO:
                    return False
            elif (dv if s == FORWARD else -dv) < -ZERO:
                return False
        return True

    def decide(self, state, x, weld_rate):
        """The combination of states that goes on, and its rates; the present one first, so that it is kept if it can be."""
        choices = [self.choices(i, s, x) for i, s in enumerate(state)]
        for choice, s in zip(choices, state):
            if s in choice:
                choice.sort(key=lambda c: c != s)
        for candidate in itertools.product(*choices):
            rate = self.rate(candidate, weld_rate)
            if self.goes_on(candidate, x, rate):
                return candidate, rate
        raise RuntimeError("no combination of contact states goes on")

    def corner(self, state, stuck, loads, stretch, t, x, rate):
        """Where the first inequality turns in this stretch, or its end."""
        end = loads.breaks[stretch + 1]

        def least(time_):
            return self.inequalities(state, self.total(state, loads.at(time_, stretch), stuck)).min() + ZERO / 2

        if least(end) >= 0:
            return end
        return brentq(least, t, end, xtol=1e-15, rtol=4 * np.finfo(float).eps)


class TunedStructure(Structure):
    def matrix(self, state):
        if state not in self.matrices:
            self.matrices[state] = lu_factor(self.assemble(state))
        return self.matrices[state]

    def total(self, state, weld, stuck):
        return lu_solve(self.matrix(state), self.right(state, weld, stuck), check_finite=False)

    def rate(self, state, weld_rate):
        return lu_solve(self.matrix(state), self.right(state, weld_rate, np.zeros(self.N)), check_finite=False)

    def corner(self, state, stuck, loads, stretch, t, x, rate):
        value, slope = self.inequalities(state, x), self.inequalities(state, rate)
        falling = slope < -ZERO
        end = loads.breaks[stretch + 1]
        return min(end, t + max(0.0, (value[falling] / -slope[falling]).min())) if falling.any() else end


class GeneralStructure(Structure):
    METHOD, RTOL, ATOL = "DOP853", 1e-10, 1e-12

    def corner(self, state, stuck, loads, stretch, t, x, rate):
        def slope(time_, y):
            return self.rate(state, loads.rates[stretch])

        def turns(k):
            def guard(time_, y):
                return self.inequalities(state, y)[k] + ZERO / 2
            guard.terminal, guard.direction = True, -1.0
            return guard

        guards = [turns(k) for k in range(len(self.inequalities(state, x)))]
        done = solve_ivp(slope, (t, loads.breaks[stretch + 1]), x, method=self.METHOD, rtol=self.RTOL, atol=self.ATOL, events=guards)
        return done.t[-1]


KINDS = {"general": (GeneralStructure, "solve_ivp(DOP853, rtol 1e-10) with events"), "corners": (Structure, "linalg.solve and brentq"),
         "tuned": (TunedStructure, "LU factors kept, corners by division")}


def walk_cycle(structure, loads, state, stuck, x):
    """One load cycle: states, positions and forces at its end, and the corners passed."""
    N, corners = structure.N, 0
    for stretch, (t, end) in enumerate(zip(loads.breaks[:-1], loads.breaks[1:])):
        while t < end:
            new, rate = structure.decide(state, x, loads.rates[stretch])
            stuck = np.where([a == STICK and b != STICK for a, b in zip(new, state)], x[:N], stuck)
            corners += new != state
            state = new
            t = structure.corner(state, stuck, loads, stretch, t, x, rate)
            x = structure.total(state, loads.at(t, stretch), stuck)
    return state, stuck, x, corners


def repeats(past):
    """After how many cycles the newest positions occurred before; 0 if they did not."""
    for p in range(1, min(MOST_PERIOD, len(past) - 1) + 1):
        if np.abs(past[-1] - past[-1 - p]).max() <= REPEATS * np.abs(past[-1]).max():
            return p
    return 0


def follow(structure, loads, start):
    """A start to its limit cycle."""
    N = structure.N
    state, stuck, past, corners = (STICK,) * N, np.array(start, float), [], 0
    x = structure.total(state, loads.table[0], stuck)
    while len(past) <= MOST_CYCLES:
        past.append(x[:N].copy())
        period = repeats(past)
        if period:
            return {"period": period, "cycles": len(past) - 1, "corners": corners, "positions": [p.tolist() for p in past[-period:]]}
        state, stuck, x, new = walk_cycle(structure, loads, state, stuck, x)
        corners += new
    return {"period": 0, "cycles": MOST_CYCLES, "corners": corners, "positions": []}


def starts(kind):
    mu = [1.0, 1.0]
    loads = Loads(mu, [1.6, 0.8], [-3.0, -6.0], [(0, 1, 0.75), (1, 1, 3.4), (0, -1, -0.25), (1, -1, 0.4)])
    make, what = KINDS[kind]
    structure = make([[1, 0.5], [0.5, 1]], [[0.5, 0.25], [0.95, 0.95]], mu)
    runs = []
    for line in sys.stdin:
        before = time.process_time()
        run = follow(structure, loads, [float(word) for word in line.split()])
        run["seconds"] = time.process_time() - before
        runs.append(run)
    print(json.dumps({"name": f"SciPy {scipy.__version__}, {what}", "runs": runs}))


if len(sys.argv) != 3 or sys.argv[1] != "starts" or sys.argv[2] not in KINDS:
    raise SystemExit(__doc__)
starts(sys.argv[2])
