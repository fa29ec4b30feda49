"""Griffin's damper by harmonic balance as one would write it with NumPy, and the ruler for its peak.

    numpy_response.py sampled ETA HARMONICS SAMPLES STEP     the curve over Omega by pseudo-arclength, friction followed from sample to sample
    numpy_response.py ruler ETA HARMONICS                    the peak alone, with switches of friction found by bisection: no sampling error

    v'' + 2 zeta v' + v = sin(theta) - f,  |f| <= beta (1 + eta sin(theta + delta)),  theta = Omega t

The unknowns are mean, cosine and sine coefficients of v. One JSON document on stdout.
"""
import json
import math
import sys
import time

import numpy as np

SPRING, ZETA, BETA, DELTA = 1.5, 0.1, 0.6, math.pi / 2
FROM, TO = 0.5, 2.0
TOLERANCE = 1e-10


def basis(theta, harmonics):
    """1, cos, sin, cos 2, sin 2, ... at every theta, one row each."""
    rows = np.ones((len(theta), 2 * harmonics + 1))
    for h in range(1, harmonics + 1):
        rows[:, 2 * h - 1] = np.cos(h * theta)
        rows[:, 2 * h] = np.sin(h * theta)
    return rows


class Sampled:
    """Alternating frequency and time: the stop operator over two periods of equidistant samples; the derivative is that of the samples."""

    def __init__(self, eta, harmonics, samples):
        theta = 2 * math.pi * np.arange(samples) / samples
        self.samples = samples
        self.rows = SPRING * basis(theta, harmonics)
        self.project = basis(theta, harmonics).T * (2.0 / samples)
        self.project[0] *= 0.5
        self.limit = (BETA * (1 + eta * np.sin(theta + DELTA))).tolist()

    def __call__(self, x):
        w = self.rows @ x
        stretch, limit = w.tolist(), self.limit
        value, before, origin = stretch[0], stretch[0], -1
        force, source = [0.0] * self.samples, [0] * self.samples
        for _ in range(2):
            for k, now in enumerate(stretch):
                value += now - before
                before = now
                if value > limit[k]:
                    value, origin = limit[k], k
                elif value < -limit[k]:
                    value, origin = -limit[k], k
                force[k] = value
                source[k] = origin
        source = np.array(source)
        slope = self.rows - np.where(source[:, None] >= 0, self.rows[source], 0.0)
        return self.project @ np.array(force), self.project @ slope


class Exact:
    """The same force with switches by bisection and pieces by Gauss's rule."""
    NODES, WEIGHTS = np.polynomial.legendre.leggauss(30)
    SCAN = 400  # places per period at which a switch is looked for
    PIECE = 0.3

    def __init__(self, eta, harmonics):
        self.eta, self.harmonics = eta, harmonics
        self.order = np.arange(1, harmonics + 1)

    def limit(self, theta):
        return BETA * (1 + self.eta * math.sin(theta + DELTA))

    def limit_rate(self, theta):
        return BETA * self.eta * math.cos(theta + DELTA)

    def stretch(self, x, theta):
        angle = self.order * theta
        return SPRING * (x[0] + x[1::2] @ np.cos(angle) + x[2::2] @ np.sin(angle))

    def rate(self, x, theta):
        angle = self.order * theta
        return SPRING * ((self.order * x[2::2]) @ np.cos(angle) - (self.order * x[1::2]) @ np.sin(angle))

    @staticmethod
    def bisect(function, low, high):
        for _ in range(80):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            if function(middle) > 0:
                low = middle
            else:
                high = middle
        return high

    def pieces(self, x):
        """(begin, end, state, start) over three periods: the state is 0 or the sign of slip, `start` the place and the force with which stick began."""
        reserve = {sign: lambda t, sign=sign: self.limit(t) - sign * (self.stretch(x, t) + offset) for sign in (1, -1)}
        slip = {sign: lambda t, sign=sign: sign * self.rate(x, t) - self.limit_rate(t) for sign in (1, -1)}
        step, state, begin, here, offset, start, found = 2 * math.pi / self.SCAN, 0, 0.0, 0.0, 0.0, None, []
        while here < 6 * math.pi:
            watched = {0: slip[state]} if state else reserve
            times = {new: self.bisect(test, here, here + step) for new, test in watched.items() if test(here + step) <= 0}
            if not times:
                here += step
                continue
            new = min(times, key=times.get)
            here = times[new]
            found.append((begin, here, state, start))
            if new == 0:
                start = (here, state * self.limit(here))
                offset = start[1] - self.stretch(x, here)
            begin, state = here, new
        return found + [(begin, here, state, start)]

    def __call__(self, x):
        size = 2 * self.harmonics + 1
        force, slope = np.zeros(size), np.zeros((size, size))
        for begin, end, state, start in self.pieces(x):
            begin, end = max(begin, 4 * math.pi), min(end, 6 * math.pi)  # the third period: the cycle has been reached
            count = math.ceil((end - begin) / self.PIECE) if end > begin else 0
            for i in range(count):
                half = 0.5 * (end - begin) / count
                theta = begin + half * (2 * i + 1) + half * self.NODES
                rows = basis(theta, self.harmonics)
                project = (rows * (half / math.pi * self.WEIGHTS)[:, None]).T
                if state:
                    force += project @ (state * BETA * (1 + self.eta * np.sin(theta + DELTA)))
                    continue
                own, level = SPRING * rows, 0.0
                if start:
                    own, level = own - SPRING * basis(np.array([start[0]]), self.harmonics), start[1]
                force += project @ (own @ x + level)
                slope += project @ own
        force[0] *= 0.5
        slope[0] *= 0.5
        return force, slope


class Balance:
    """F(x, Omega) = Z(Omega) x + f(x) - load = 0."""

    def __init__(self, friction, harmonics):
        self.friction, self.harmonics = friction, harmonics
        self.size = 2 * harmonics + 1
        self.evaluations = 0

    def __call__(self, x, Omega):
        F, J = self.friction(x)
        F, J, Fp = F.copy(), J.copy(), np.zeros(self.size)
        self.evaluations += 1
        F[0] += x[0]
        J[0, 0] += 1
        h = np.arange(1, self.harmonics + 1)
        c, s = 2 * h - 1, 2 * h
        stiff, damp = 1 - (h * Omega) ** 2, 2 * ZETA * h * Omega
        F[c] += stiff * x[c] + damp * x[s]
        F[s] += stiff * x[s] - damp * x[c]
        F[2] -= 1
        J[c, c] += stiff
        J[c, s] += damp
        J[s, c] -= damp
        J[s, s] += stiff
        Fp[c] = -2 * h * h * Omega * x[c] + 2 * ZETA * h * x[s]
        Fp[s] = -2 * h * h * Omega * x[s] - 2 * ZETA * h * x[c]
        return F, J, Fp

    def solve(self, x, Omega, most=30):
        """At fixed Omega."""
        for _ in range(most):
            F, J, _ = self(x, Omega)
            if abs(F).max() <= 1e-13:
                break
            step = np.linalg.solve(J, F)
            x = x - step
            if abs(step).max() <= 1e-14:
                break
        return x

    def correct(self, z, tangent, most=8):
        """Newton's method in the plane across the tangent: the point and the next tangent, and how many iterations; None if it fails."""
        plane = z @ tangent
        for i in range(most):
            F, J, Fp = self(z[:-1], z[-1])
            A = np.vstack([np.column_stack([J, Fp]), tangent])
            if abs(F).max() <= TOLERANCE and i:
                following = np.linalg.solve(A, np.append(np.zeros(self.size), 1.0))
                return z, following / np.linalg.norm(following), i
            z = z - np.linalg.solve(A, np.append(F, z @ tangent - plane))
        return None


def follow(balance, largest):
    """Points over Omega from FROM to TO, with a step that follows the number of iterations."""
    z = np.append(balance.solve(np.zeros(balance.size), FROM), FROM)
    tangent, step, points = np.append(np.zeros(balance.size), 1.0), 0.1 * largest, []
    z, tangent, _ = balance.correct(z, tangent)
    while z[-1] < TO and len(points) < 20000:
        points.append(z)
        done = None
        while done is None:
            done = balance.correct(z + step * tangent, tangent)
            if done is None:
                step *= 0.5
        z, tangent, iterations = done
        step = min(largest, step * (1.5 if iterations <= 3 else 0.7))
    return points


def amplitude(x):
    return math.hypot(x[1], x[2])


def find_peak(balance, low, middle, high, x):
    """Parabolas through three points, golden section where they fail; amplitudes to rounding."""
    values = {}

    def value(Omega):
        nonlocal x
        if Omega not in values:
            x = balance.solve(x, Omega)
            values[Omega] = amplitude(x)
        return values[Omega]

    for _ in range(60):
        a, b = middle - low, middle - high
        fa, fb = value(middle) - value(low), value(middle) - value(high)
        bottom = a * fb - b * fa
        new = middle - 0.5 * (a * a * fb - b * b * fa) / bottom if bottom else middle
        if not low < new < high or abs(new - middle) < 1e-9 * (high - low):
            new = middle + 0.38 * (high - middle if high - middle > middle - low else low - middle)
        if high - low < 1e-6:
            break
        if value(new) > value(middle):
            low, middle, high = (middle, new, high) if new > middle else (low, new, middle)
        else:
            low, middle, high = (low, middle, new) if new > middle else (new, middle, high)
    return max(values.values()), middle


def sampled(eta, harmonics, samples, largest):
    balance = Balance(Sampled(eta, harmonics, samples), harmonics)
    balance.solve(np.zeros(balance.size), FROM)  # warm
    balance.evaluations = 0
    start = time.process_time()
    points = follow(balance, largest)
    best = max(range(len(points)), key=lambda i: amplitude(points[i]))
    seconds = time.process_time() - start
    at = [points[i][-1] for i in (best - 1, best, best + 1)]
    peak, where = find_peak(balance, *at, points[best][:-1])
    return {"name": f"NumPy {np.__version__}", "seconds": seconds, "points": len(points), "peak": peak, "peak_at": where, "evaluations": balance.evaluations,
            "highest_point": amplitude(points[best])}


def ruler(eta, harmonics):
    coarse = Balance(Sampled(eta, harmonics, 256), harmonics)
    points = follow(coarse, 0.05)
    best = max(range(len(points)), key=lambda i: amplitude(points[i]))
    at = [points[i][-1] for i in (best - 1, best, best + 1)]
    balance = Balance(Exact(eta, harmonics), harmonics)
    peak, where = find_peak(balance, *at, points[best][:-1])
    return {"peak": peak, "peak_at": where, "evaluations": balance.evaluations}


def main():
    what, eta, harmonics = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    json.dump(sampled(eta, harmonics, int(sys.argv[4]), float(sys.argv[5])) if what == "sampled" else ruler(eta, harmonics), sys.stdout)
    print()


main()
