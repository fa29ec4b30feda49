"""Grazing oscillators with SciPy's events: the first time a gap closes, or nan.

usage: scipy_grazing.py METHOD RTOL < PROBLEMS      (see bench/README.md)
"""
import sys

from scipy.integrate import solve_ivp

method, rtol = sys.argv[1], float(sys.argv[2])
for line in sys.stdin:
    k11, k12, k22, n1, n2, gap, q1, q2, v1, v2, until = (float(a) for a in line.split())

    def rate(t, x):
        return (x[2], x[3], -k11 * x[0] - k12 * x[1], -k12 * x[0] - k22 * x[1])

    def guard(t, x):
        return n1 * x[0] + n2 * x[1] + gap

    guard.terminal, guard.direction = True, -1.0
    out = solve_ivp(rate, (0.0, until), (q1, q2, v1, v2), method=method, rtol=rtol, atol=1e-2 * rtol, events=guard)
    print(repr(float(out.t[-1])) if out.status == 1 else "nan")
