#!/usr/bin/env python3
"""The files of gallery/joints/lap_joint.yaml: two bars of trilinear hexahedra (coarse, and stiff in bending), one on the
other over the length of the overlap, as a mesh of Gmsh and matrices with labels. No libraries.

    python3 bench/lap_joint.py gallery/joints
"""
import sys
from math import sqrt

YOUNG, POISSON, DENSITY = 2.1e11, 0.3, 7850.0
LENGTH, WIDTH, HEIGHT = 0.36, 0.025, 0.0125  # of a bar, m
OVERLAP = 0.12
PIECES = (6, 1, 1)  # elements of a bar


def element(size):
    """Stiffness (24 x 24) and lumped mass (of a node) of a brick, by 2 x 2 x 2 points."""
    lame, shear = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
    law = [[(lame if i < 3 and j < 3 else 0.0) + (2 * shear if i == j < 3 else shear if i == j else 0.0) for j in range(6)] for i in range(6)]
    signs = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
    volume = size[0] * size[1] * size[2]
    stiffness = [[0.0] * 24 for _ in range(24)]
    at = 1 / sqrt(3)
    for point in [(a * at, b * at, c * at) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]:
        strain = [[0.0] * 24 for _ in range(6)]
        for node, sign in enumerate(signs):
            f = [1 + sign[k] * point[k] for k in range(3)]
            x, y, z = (sign[k] * f[(k + 1) % 3] * f[(k + 2) % 3] / 8 * 2 / size[k] for k in range(3))
            for row, values in enumerate([(x, 0, 0), (0, y, 0), (0, 0, z), (y, x, 0), (0, z, y), (z, 0, x)]):
                strain[row][3 * node:3 * node + 3] = values
        stress = [[sum(law[i][k] * strain[k][j] for k in range(6)) for j in range(24)] for i in range(6)]
        for i in range(24):
            for j in range(24):
                stiffness[i][j] += volume / 8 * sum(strain[k][i] * stress[k][j] for k in range(6))
    return stiffness, DENSITY * volume / 8


def main(folder):
    nx, ny, nz = PIECES
    size = (LENGTH / nx, WIDTH / ny, HEIGHT / nz)
    nodes, bricks, groups = {}, [], {"CLAMP": [], "LOWER": [], "UPPER": [], "TIP": []}
    for bar, (first, x0, z0) in enumerate([(0, 0.0, 0.0), (1000, LENGTH - OVERLAP, HEIGHT)]):
        def number(i, j, k):
            return first + 1 + i + (nx + 1) * (j + (ny + 1) * k)
        for k in range(nz + 1):
            for j in range(ny + 1):
                for i in range(nx + 1):
                    nodes[number(i, j, k)] = (x0 + i * size[0], j * size[1], z0 + k * size[2])
        def quad(i, j, k, axis):
            other = {0: [(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1)], 2: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]}[axis]
            return [number(i + a, j + b, k + c) for a, b, c in other]
        for k in range(nz):
            for j in range(ny):
                for i in range(nx):
                    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
                    bricks.append([number(i + a, j + b, k + c) for a, b, c in corners])
                if bar == 0:
                    groups["CLAMP"].append(quad(0, j, k, 0))
                else:
                    groups["TIP"].append(quad(nx, j, k, 0))
        lap = round(OVERLAP / size[0])
        for j in range(ny):
            for i in range(lap):
                if bar == 0:
                    groups["LOWER"].append(quad(nx - lap + i, j, nz, 2))
                else:
                    groups["UPPER"].append(quad(i, j, 0, 2))
    clamped = {node for face in groups["CLAMP"] + groups["TIP"] for node in face}
    stiffness, mass = element(size)
    K, M = {}, {}
    for brick in bricks:
        for a, one in enumerate(brick):
            for d in range(3):
                M[one, d + 1] = M.get((one, d + 1), 0.0) + mass
                for b, other in enumerate(brick):
                    for e in range(3):
                        if (other, e) <= (one, d) and not {one, other} & clamped:
                            key = one, d + 1, other, e + 1
                            K[key] = K.get(key, 0.0) + stiffness[3 * a + d][3 * b + e]
    largest = max(abs(value) for value in K.values())
    with open(folder + "/lap_joint_K.mtx", "w") as out:
        for key in sorted(K):
            if abs(K[key]) > 1e-12 * largest:
                out.write("%d,%d, %d,%d, %.12g\n" % (*key, K[key]))
    with open(folder + "/lap_joint_M.mtx", "w") as out:
        for (node, d), value in sorted(M.items()):
            if node not in clamped:
                out.write("%d,%d, %d,%d, %.12g\n" % (node, d, node, d, value))
    names = [(2, number, name) for number, name in enumerate(groups, 1)] + [(3, 5, "BARS")]
    cells = [(3, number, face) for number, name in enumerate(groups, 1) for face in groups[name]] + [(5, 5, b) for b in bricks]
    with open(folder + "/lap_joint.msh", "w") as out:
        out.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n" % len(names))
        out.writelines('%d %d "%s"\n' % name for name in names)
        out.write("$EndPhysicalNames\n$Nodes\n%d\n" % len(nodes))
        out.writelines("%d %.9g %.9g %.9g\n" % (node, *nodes[node]) for node in sorted(nodes))
        out.write("$EndNodes\n$Elements\n%d\n" % len(cells))
        out.writelines("%d %d 2 %d %d %s\n" % (i, kind, group, group, " ".join(map(str, cell))) for i, (kind, group, cell) in enumerate(cells, 1))
        out.write("$EndElements\n")


main(sys.argv[1])
