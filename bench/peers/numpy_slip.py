"""Cattaneo and Mindlin's problem by boundary elements in NumPy and SciPy: convolutions by FFT, contact by the conjugate gradients of Polonsky and Keer (1999).

    numpy_slip.py NODES WIDTH LOAD REPEAT TOLERANCE

The same nodes, elements (linear tractions) and units as amontons_slip.c; one JSON document on stdout."""
import json
import sys
import time

import numpy
import scipy
from scipy.fft import irfft, next_fast_len, rfft

FRICTION = 0.5


def hat_logarithm(k):
    """The integral of hat(t) ln|k - t|: a second difference near by, its series in 1/k^2 far away, where the difference cancels."""
    def twice(x):
        x = numpy.abs(x)
        return 0.5 * x * x * numpy.log(numpy.where(x > 0, x, 1.0)) - 0.75 * x * x
    near, far = k[k < 6], k[k >= 6]
    series = numpy.log(far)
    for j in range(1, 12):
        series = series - 2.0 * far ** (-2.0 * j) / (2 * j * (2 * j + 1) * (2 * j + 2))
    return numpy.concatenate([twice(near + 1) - 2 * twice(near) + twice(near - 1), series])


class Surface:
    """Displacements of N nodes by tractions at them."""

    def __init__(self, nodes, width):
        self.x = numpy.linspace(-width, width, nodes)
        self.h = self.x[1] - self.x[0]
        self.room = next_fast_len(2 * nodes - 1, real=True)
        coefficients = -2.0 * self.h / numpy.pi * (hat_logarithm(numpy.arange(nodes, dtype=float)) + numpy.log(self.h / (2 * width)))
        kernel = numpy.zeros(self.room)
        kernel[:nodes] = coefficients
        kernel[self.room - nodes + 1:] = coefficients[:0:-1]
        self.transform = rfft(kernel)

    def __call__(self, tractions):
        return irfft(self.transform * rfft(tractions, self.room), self.room)[:len(tractions)]


def polonsky_keer(surface, gap, load, start, allowed, tolerance, most=100000):
    """t >= 0 with sum(t) h = load, gap + A t = constant where t > 0, and no less where t = 0; t = 0 outside of `allowed`. Returns t and the iterations."""
    t = numpy.where(allowed, start, 0.0)
    t *= load / surface.h / t.sum()
    direction, old, again = numpy.zeros_like(t), 1.0, 0.0
    scale = 0.0
    for iteration in range(1, most + 1):
        residual = gap + surface(t)
        closed = t > 0
        scale = max(scale, numpy.abs(residual - gap).max())
        residual -= residual[closed].mean()
        size = residual[closed] @ residual[closed]
        if numpy.abs(residual[closed]).max() <= tolerance * scale and not numpy.any(allowed & ~closed & (residual < -tolerance * scale)):
            return t, iteration
        direction = numpy.where(closed, residual + again * size / old * direction, 0.0)
        old = size
        image = surface(direction)
        image -= image[closed].mean()
        step = (residual[closed] @ direction[closed]) / (image[closed] @ direction[closed])
        t = numpy.where(closed, numpy.maximum(t - step * direction, 0.0), 0.0)
        overlap = allowed & (t == 0) & (residual < 0)
        again = 0.0 if overlap.any() else 1.0
        t[overlap] -= step * residual[overlap]
        t *= load / surface.h / t.sum()
    raise SystemExit(f"no convergence in {most} iterations")


def end_of(x, t):
    """Half-width of the zone in which t > 0, like a square root at its ends: t^2 of four nodes, without the last two, as a parabola."""
    ends = []
    for sign in (1, -1):
        places, values = (x, t) if sign > 0 else (-x[::-1], t[::-1])
        last = numpy.flatnonzero(values > 0)[-1]
        chosen = slice(last - 5, last - 1)
        origin, h = places[last], places[1] - places[0]
        roots = numpy.roots(numpy.polyfit((places[chosen] - origin) / h, values[chosen] ** 2, 2))
        ends.append(origin + h * min((r.real for r in roots), key=abs))
    return 0.5 * sum(ends)


def solve(nodes, width, part, tolerance):
    begin = time.process_time()
    surface = Surface(nodes, width)
    x, P = surface.x, 0.25 * numpy.pi
    everywhere = numpy.ones(nodes, dtype=bool)
    p, press_iterations = polonsky_keer(surface, 0.5 * x * x, P, numpy.ones(nodes), everywhere, tolerance)
    pressed = time.process_time()
    # What friction has left, w = f p - q >= 0, is zero where it slips, and there s = g - A q = g - A f p + A w >= 0: a contact problem again.
    contact = p > 0
    w, drag_iterations = polonsky_keer(surface, -surface(FRICTION * p), FRICTION * P * (1 - part), FRICTION * p, contact, tolerance)
    q = FRICTION * p - w
    increment = time.process_time() - pressed
    if numpy.any(q < -FRICTION * p * (1 + 1e-9)):
        raise SystemExit("slips backward: this program cannot")
    a, c = end_of(x, p), end_of(x, w)
    return {"whole": time.process_time() - begin, "increment": increment, "a": a, "c_over_a": c / a, "iterations": [press_iterations, drag_iterations]}


def main():
    nodes, width, part, repeat, tolerance = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    runs = [solve(nodes, width, part, tolerance) for _ in range(repeat)]
    found = dict(runs[-1], name=f"NumPy {numpy.__version__}, SciPy {scipy.__version__}", whole=[run["whole"] for run in runs], increment=[run["increment"] for run in runs])
    print(json.dumps(found))


main()
