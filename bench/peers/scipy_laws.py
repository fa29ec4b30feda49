"""The motions of amontons_laws.c with SciPy: one solve_ivp per state of contact, ended by its events.

usage: scipy_laws.py belt|stop|element UNTIL REPEAT METHOD RTOL            (see bench/README.md)
"""
import json
import math
import sys
import time

import scipy
from scipy.integrate import solve_ivp

OPEN, STICK, FORWARD, BACKWARD = range(4)


def falling(guard):
    guard.terminal, guard.direction = True, -1.0
    return guard


class Belt:
    """A mass on a belt that runs at 0.3, mu = 0.25 + 0.15 exp(-v/0.5). Plain floats: numpy arithmetic on two numbers would only be slower."""
    first, size = BACKWARD, 2
    rates = {
        STICK: lambda t, x: (0.3, 0.0),
        BACKWARD: lambda t, x: (x[1], -0.02 * x[1] - x[0] + 0.25 + 0.15 * math.exp((x[1] - 0.3) / 0.5)),
        FORWARD: lambda t, x: (x[1], -0.02 * x[1] - x[0] - 0.25 - 0.15 * math.exp((0.3 - x[1]) / 0.5)),
    }
    guards = {
        STICK: [falling(lambda t, x: 0.4 - (x[0] + 0.006)), falling(lambda t, x: 0.4 + (x[0] + 0.006))],
        BACKWARD: [falling(lambda t, x: 0.3 - x[1])],
        FORWARD: [falling(lambda t, x: x[1] - 0.3)],
    }

    @staticmethod
    def next(now, x, which):
        if now == STICK:
            return (BACKWARD if which == 0 else FORWARD), x
        pull = x[0] + 0.006
        return (BACKWARD if pull > 0.4 else FORWARD if pull < -0.4 else STICK), [x[0], 0.3]


def stop_force(x):
    return 20 * (x[0] - 0.8) + 0.2 * x[1]


class Stop:
    """A Duffing oscillator with a stop: FORWARD is closed, STICK overlaps without pressing."""
    first, size = OPEN, 2
    free = staticmethod(lambda t, x: (x[1], 0.6 * math.sin(1.4 * t) - 0.1 * x[1] - x[0] - 0.5 * x[0] ** 3))
    rates = {
        OPEN: free.__func__,
        STICK: free.__func__,
        FORWARD: lambda t, x: (x[1], 0.6 * math.sin(1.4 * t) - 0.1 * x[1] - x[0] - 0.5 * x[0] ** 3 - stop_force(x)),
    }
    guards = {
        OPEN: [falling(lambda t, x: 0.8 - x[0])],
        FORWARD: [falling(lambda t, x: stop_force(x))],
        STICK: [falling(lambda t, x: x[0] - 0.8), falling(lambda t, x: -stop_force(x))],
    }

    @staticmethod
    def next(now, x, which):
        return (FORWARD if now == OPEN else STICK if now == FORWARD else OPEN if which == 0 else FORWARD), x


def element_rate(friction, stretch, closed):
    def rate(t, x):
        N = -10 * x[1] if closed else 0.0
        return (x[2], x[3], 2 * math.sin(0.9 * t) - 0.1 * x[2] - 2 * x[0] - 0.3 * x[1] + friction(x),
                -0.8 + 3 * math.sin(0.9 * t + 0.7) - 0.1 * x[3] - 0.3 * x[0] - 3 * x[1] + N, x[2] if stretch else 0.0)
    return rate


class Element:
    """A contact element that lifts off: x, y, x', y', stretch."""
    first, size = OPEN, 5
    rates = {
        OPEN: element_rate(lambda x: 0.0, False, False),
        STICK: element_rate(lambda x: -5 * x[4], True, True),
        FORWARD: element_rate(lambda x: 4 * x[1], False, True),
        BACKWARD: element_rate(lambda x: -4 * x[1], False, True),
    }
    closed = falling(lambda t, x: -x[1])
    guards = {
        OPEN: [falling(lambda t, x: x[1])],
        STICK: [closed, falling(lambda t, x: -4 * x[1] - 5 * abs(x[4]))],
        FORWARD: [closed, falling(lambda t, x: x[2] + 0.8 * x[3])],
        BACKWARD: [closed, falling(lambda t, x: -(x[2] - 0.8 * x[3]))],
    }

    @staticmethod
    def next(now, x, which):
        if now == OPEN:
            x[4] = 0.0
            return (STICK if 5 * abs(x[2]) <= -4 * x[3] else FORWARD if x[2] > 0 else BACKWARD), x
        if which == 0:
            return OPEN, x
        if now == STICK:
            return (FORWARD if x[4] > 0 else BACKWARD), x
        x[4] = (1 if now == FORWARD else -1) * -0.8 * x[1] * (1 - 1e-15)
        return STICK, x


def follow(model, until, method, rtol):
    now, t, x, events = model.first, 0.0, [0.0] * model.size, 0
    while t < until:
        done = solve_ivp(model.rates[now], (t, until), x, method, events=model.guards[now], rtol=rtol, atol=1e-2 * rtol)
        t, x = float(done.t[-1]), [float(value) for value in done.y[:, -1]]
        if done.status != 1:
            break
        now, x = model.next(now, x, next(i for i, times in enumerate(done.t_events) if len(times)))
        events += 1
    return events, x


def main():
    name, until, repeat, method, rtol = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4], float(sys.argv[5])
    model, seconds = {"belt": Belt, "stop": Stop, "element": Element}[name], []
    for _ in range(repeat):
        start = time.process_time()
        events, x = follow(model, until, method, rtol)
        seconds.append(time.process_time() - start)
    print(json.dumps({"events": events, "state": x, "seconds": seconds, "version": scipy.__version__}))


if __name__ == "__main__":
    main()
