"""The first mode of a cantilever with one slider in TMDSimPy, for bench/joints: extended periodic motion concept, frequency and damping over the modal amplitude.

TMDSimPy is not packaged: the folder that has `tmdsimpy` is given by the user.

    tmdsimpy_joints.py TMDSIMPY MASS STIFFNESS COORDINATE SPRING LIMIT HARMONICS SAMPLES LOG10_FROM LOG10_TO STEP

MASS and STIFFNESS are Matrix Market files of symmetric matrices. The last line of stdout is one JSON document.
"""
import json
import sys
import time

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.io import mmread

words = sys.argv[1:]
sys.path.append(words[0])
import tmdsimpy.utils.harmonic as harmonic  # noqa: E402
from tmdsimpy.continuation import Continuation  # noqa: E402
from tmdsimpy.nlforces.vector_jenkins import VectorJenkins  # noqa: E402
from tmdsimpy.solvers import NonlinearSolver  # noqa: E402
from tmdsimpy.vibration_system import VibrationSystem  # noqa: E402

mass, stiffness = (mmread(path).toarray() for path in words[1:3])
coordinate, spring, limit, harmonics, samples = int(words[3]) - 1, float(words[4]), float(words[5]), int(words[6]), int(words[7])
first, last, step = map(float, words[8:11])
n = len(mass)
row = np.zeros((1, n))
row[0, coordinate] = 1.0
beam = VibrationSystem(mass, stiffness, ab=[0.0, 0.0])
beam.add_nl_force(VectorJenkins(row, row.T, spring, limit))
orders = np.arange(1, harmonics + 1, 2)  # the motion is odd
solver = NonlinearSolver()

# start: the slider stuck
squares, shapes = solver.eigs(stiffness + spring * row.T @ row, M=mass, subset_by_index=[0, 0])
start = np.zeros(n * harmonic.Nhc(orders) + 2)
start[:n] = shapes[:, 0]
start[-2] = np.sqrt(squares[0])
phase = np.zeros(n * harmonic.Nhc(orders))
phase[n:2 * n] = mass @ shapes[:, 0]


def residual(unknowns):
    return beam.epmc_res(unknowns, phase, orders, Nt=samples)


before = time.process_time()
found = solver.nsolve(lambda u: residual(np.hstack((u, first)))[0:2], start, verbose=False)[0]
at = np.hstack((found, first))
scale = harmonic.harmonic_wise_conditioning(at, n, orders, delta=1e-3)
scale[-1] = abs(first)
config = {"DynamicCtoP": True, "TargetNfev": 200, "MaxSteps": 5000, "dsmin": 1e-3 * step, "dsmax": step, "verbose": -1, "xtol": 1e-9 * len(at), "corrector": "Ortho"}
branch = Continuation(solver, ds0=step, CtoP=scale, config=config).continuation(residual, at, first, last)
seconds = time.process_time() - before

# at the middle of the range, between the points
rising = np.concatenate(([True], np.diff(np.maximum.accumulate(branch[:, -1])) > 0))
middle = 0.5 * (first + last)
frequency = float(CubicSpline(branch[rising, -1], branch[rising, -3])(middle))
excess = float(CubicSpline(branch[rising, -1], branch[rising, -2])(middle))
print(json.dumps({"name": "TMDSimPy", "points": len(branch), "reached": float(branch[-1, -1]), "frequency": frequency, "damping": 0.5 * excess / frequency, "seconds": seconds}))
