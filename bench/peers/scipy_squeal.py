"""scipy_squeal.py FOLDER MODES COUNT: the brake whose matrices are in FOLDER, by SciPy. Real modes by `eigsh` (shift and invert), then for COUNT
coefficients of friction from 0 to 1 the quadratic eigenproblem in the space of the modes, in first-order form, by `eigvals` and by `eig`. One JSON document."""
import json
import os
import sys
import time

import numpy
import scipy
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg


def matrix(folder, name, n=None):
    rows = numpy.fromfile(os.path.join(folder, name)).reshape(-1, 3)
    shape = (n, n) if n else None
    return scipy.sparse.csc_matrix((rows[:, 2], (rows[:, 0].astype(int), rows[:, 1].astype(int))), shape=shape)


def contacts(folder, n):
    rows = numpy.fromfile(os.path.join(folder, "contacts.bin")).reshape(-1, 4)
    m = int(rows[:, 0].max()) + 1
    parts = []
    for which in (0, 1):
        part = rows[rows[:, 1] == which]
        parts.append(scipy.sparse.csc_matrix((part[:, 3], (part[:, 2].astype(int), part[:, 0].astype(int))), shape=(n, m)))
    return parts[0], parts[1], rows[rows[:, 1] == 2][:, 3]


def main():
    folder, modes, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    m = matrix(folder, "m.bin")
    n = m.shape[0]
    c, k = matrix(folder, "c.bin", n), matrix(folder, "k.bin", n)
    normal, tangent, stiffness = contacts(folder, n)
    springs = normal @ scipy.sparse.diags(stiffness)
    start = time.process_time()
    omega2, phi = scipy.sparse.linalg.eigsh((k + springs @ normal.T).tocsc(), modes, m, sigma=0.0, which="LM")
    modal = time.process_time() - start
    damping = phi.T @ (c @ phi)
    friction = (phi.T @ tangent) @ (springs.T @ phi)  # K(mu) = Omega^2 + mu friction
    a = numpy.zeros((2 * modes, 2 * modes))
    a[:modes, modes:] = numpy.eye(modes)
    a[modes:, modes:] = -damping
    seconds = {}
    for name, solve in (("eigvals", scipy.linalg.eigvals), ("eig", scipy.linalg.eig)):
        total = 0.0
        for mu in numpy.linspace(0.0, 1.0, count):
            a[modes:, :modes] = -(numpy.diag(omega2) + mu * friction)
            best = numpy.inf
            for _ in range(3):
                start = time.process_time()
                s = solve(a)
                best = min(best, time.process_time() - start)
            total += best
        seconds[name] = total / count
        s = s if name == "eigvals" else s[0]
    print(json.dumps({"name": f"SciPy {scipy.__version__}", "modes_seconds": modal, "value_seconds": seconds, "omega": numpy.sqrt(omega2).tolist(),
                      "eigenvalues": [[x.real, x.imag] for x in s if x.imag >= 0.0]}))


main()
