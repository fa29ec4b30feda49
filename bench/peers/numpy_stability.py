"""Fig. 4 of Chatterjee 2006 as one would write it with NumPy: at every point of the grid, bisection on the largest real part of the eigenvalues.

    numpy_stability.py COUNT K_c D_c STRIDE    every STRIDE-th point of each axis; seconds of all of them, critical values
"""
import json
import sys
import time

import numpy as np

K_FIRST, K_LAST, C_FIRST, C_LAST = 0.05, 2.0, 0.05, 3.0
STEPS = 40  # of bisection in [0, 2]: an interval of 2e-12


def jacobian(K_r, C_r, K, D, Delta):
    f1, f2, c1 = Delta, -1.0, 0.1
    return np.array([[0.0, 1.0, 0.0, 0.0],
                     [f1 * K - 1.0, f1 * D - c1, f1 * K, f1 * D],
                     [0.0, 0.0, 0.0, 1.0],
                     [f2 * K, f2 * D, f2 * K - K_r, f2 * D - c1 * C_r]])


def critical(K_r, C_r, K, D):
    low, high = 0.0, 2.0
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        if np.linalg.eigvals(jacobian(K_r, C_r, K, D, middle)).real.max() > 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def main():
    count, K, D, stride = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    K_r, C_r = np.linspace(K_FIRST, K_LAST, count), np.linspace(C_FIRST, C_LAST, count)
    critical(1.0, 1.0, K, D)  # warm
    start = time.process_time()
    found = [critical(a, b, K, D) for a in K_r[::stride] for b in C_r[::stride]]
    seconds = time.process_time() - start
    print(json.dumps({"name": f"NumPy {np.__version__}", "seconds": seconds, "critical": found}))


main()
