"""Klarbring's mass with Siconos: Moreau-Jean time stepping (theta = 1/2), 2D frictional contact by nonsmooth Gauss-Seidel
(as fast here as Siconos' other 2D solvers, and, like Lemke's, without failures in these runs; enumeration and CPG report some).

usage: siconos_klarbring.py FRICTION C1 C2 UNTIL fixed|final REPEAT STEP PLUGIN < STARTS      (see bench/README.md)
PLUGIN is siconos_load.cpp compiled to a shared library, so that no Python runs inside a step.
"""
import ctypes
import json
import math
import os
import subprocess
import sys
import time

import siconos.kernel as sk
import siconos.numerics as sn

K = [[1.0, 1.0], [1.0, 2.0]]
M = [[1.0, 0.0], [0.0, 1.0]]
STICK_STEPS = 10  # a contact that sticks in so many steps in a row is stuck: single steps of stick occur when slip reverses


class Line:
    """The open mass oscillates about line * t; needed to know from when on it is open for good."""

    def __init__(self, c):
        det = K[0][0] * K[1][1] - K[0][1] ** 2
        self.line = ((K[1][1] * c[0] - K[0][1] * c[1]) / det, (K[0][0] * c[1] - K[0][1] * c[0]) / det)
        mean, radius = (K[0][0] + K[1][1]) / 2, math.hypot((K[0][0] - K[1][1]) / 2, K[0][1])
        self.modes = []
        for square in (mean - radius, mean + radius):
            length = math.hypot(K[0][1], square - K[0][0])
            self.modes.append((math.sqrt(square), K[0][1] / length, (square - K[0][0]) / length))

    def open_for_good(self, t, q, v):
        if self.line[1] <= 0:
            return math.inf
        y, z = (q[0] - self.line[0] * t, q[1] - self.line[1] * t), (v[0] - self.line[0], v[1] - self.line[1])
        total = sum(abs(b) * math.hypot(a * y[0] + b * y[1], (a * z[0] + b * z[1]) / w) for w, a, b in self.modes)
        return total / self.line[1]


def simulate(friction, c, v1, v2, until, step, plugin, seek_final):
    mass = sk.LagrangianLinearTIDS([0.0, 0.0], [v1, v2], M, K, [[0.0, 0.0], [0.0, 0.0]])
    mass.setComputeFExtFunction(plugin, "ramp")
    contact = sk.Interaction(sk.NewtonImpactFrictionNSL(0.0, 0.0, friction, 2), sk.LagrangianLinearTIR([[0.0, 1.0], [1.0, 0.0]]))
    system = sk.NonSmoothDynamicalSystem(0.0, until)
    system.insertDynamicalSystem(mass)
    system.link(contact, mass)
    stepping = sk.TimeStepping(
        system, sk.TimeDiscretisation(0.0, step), sk.MoreauJeanOSI(0.5), sk.FrictionContact(2, sn.SICONOS_FRICTION_2D_NSGS)
    )
    stepping.setNewtonOptions(sk.SICONOS_TS_LINEAR)

    q, v, impulse = mass.q(), mass.velocity(), contact.lambda_(1)
    line, sure, stick_forever = Line(c), math.inf, abs(c[0]) <= -friction * c[1]
    state, stuck, t, events = None, 0, 0.0, []
    inside = friction * (1 - 1e-9)
    while stepping.hasNextEvent():
        stepping.computeOneStep()
        stepping.nextStep()
        normal, tangential = impulse[0], impulse[1]
        if normal <= 0:
            now = "open"
        elif abs(tangential) < inside * normal:
            now = "stick"
        else:
            now = "backward" if tangential > 0 else "forward"
        if now != state:
            t = stepping.startingTime()
            if state is not None:
                events.append((t, state, now))
            state, stuck = now, 0
            sure = line.open_for_good(t, q, v) if seek_final and now == "open" else math.inf
        if seek_final:
            if now == "open" and stepping.startingTime() >= sure:
                break
            if now == "stick":
                stuck += 1
                if stick_forever and stuck >= STICK_STEPS:
                    break
    return state, stepping.startingTime(), list(q), list(v), events


def main():
    out = os.fdopen(os.dup(1), "w")  # Siconos prints its warnings on stdout: send them to stderr
    os.dup2(2, 1)
    friction, c1, c2, until = (float(a) for a in sys.argv[1:5])
    seek_final, repeat, step = sys.argv[5] == "final", int(sys.argv[6]), float(sys.argv[7])
    library = os.path.abspath(sys.argv[8])
    rates = (ctypes.c_double * 2).in_dll(ctypes.CDLL(library), "load_rate")
    rates[0], rates[1] = c1, c2
    runs = []
    for line in sys.stdin:
        v1, v2 = (float(a) for a in line.split())
        seconds = []
        for _ in range(repeat):
            begin = time.perf_counter()
            final, t, q, v, events = simulate(friction, (c1, c2), v1, v2, until, step, library.removesuffix(".so"), seek_final)
            seconds.append(time.perf_counter() - begin)
        runs.append({"events": events, "final": final, "t": t, "q": q, "v": v, "seconds": seconds})
    version = subprocess.run(["dpkg-query", "-W", "-f", "${source:Upstream-Version}", "python3-siconos"], capture_output=True, text=True).stdout
    json.dump({"name": f"Siconos {version} Moreau-Jean, step {step:g}", "runs": runs}, out)


main()
