"""Cattaneo and Mindlin's problem by finite elements in CalculiX: two blocks of the same material, the upper one with a parabolic face, pressed and dragged.

    calculix_slip.py NODES LOAD REPEAT [CCX]

NODES elements per half-width, LOAD = Q/fP aimed at; one JSON document on stdout. The mesh is even under the contact and grows away from it. The normal motion is prescribed and Q is a force on the
upper block; c/a is compared with the closed form at the Q/fP that comes out."""
import json
import math
import re
import sys

import numpy

import calculix

FRICTION = 0.5
E, NU = 1000.0, 0.3
RADIUS, SIZE = 100.0, 40.0  # of the parabola; half-width and depth of the blocks: the contact's half-width is about 1
FINE, GROWTH = 1.25, 1.22  # half-width of the even part of the mesh; ratio of elements outside
NORMAL, TANGENTIAL = 100.0 * E, 30.0 * E  # penalties; stiffer ones do not converge with every mesh, softer ones move the end of stick


def graded(start, first, end):
    """Places from start to end, the first interval about as long as `first`, each longer than the one before by about GROWTH."""
    count = max(1, math.ceil(math.log(1 + (end - start) * (GROWTH - 1) / first) / math.log(GROWTH)))
    steps = GROWTH ** numpy.arange(count)
    return start + numpy.cumsum(steps) * (end - start) / steps.sum()


def axes(nodes):
    h = 1.0 / nodes
    count = round(FINE * nodes)
    middle = numpy.arange(-count, count + 1) * h
    outside = graded(count * h, h * GROWTH, SIZE)
    return numpy.concatenate([-outside[::-1], middle, outside]), numpy.concatenate([[0.0], graded(0.0, h, SIZE)])


class Block:
    """A grid of bilinear elements, above (sense 1) or below (sense -1) the interface."""

    def __init__(self, name, x, y, sense, first_node, first_element):
        self.name, self.columns, self.rows = name, len(x), len(y)
        self.first, self.first_element, self.sense = first_node, first_element, sense
        face = 0.5 * x * x / RADIUS if sense > 0 else 0.0 * x
        self.places = [(u, sense * v + (1 - v / SIZE) * w) for v in y for u, w in zip(x, face)]

    def node(self, column, row):
        return self.first + row * self.columns + column

    def nodes_of_row(self, row):
        return [self.node(i, row) for i in range(self.columns)]

    def lines(self):
        lines = [f"*NODE, NSET=N{self.name}"] + [f"{self.first + k}, {u:.12g}, {v:.12g}" for k, (u, v) in enumerate(self.places)]
        lines.append(f"*ELEMENT, TYPE=CPE4, ELSET=E{self.name}")
        for row in range(self.rows - 1):
            for i in range(self.columns - 1):
                near, far = (self.node(i, row), self.node(i + 1, row)), (self.node(i + 1, row + 1), self.node(i, row + 1))
                corners = (*near, *far) if self.sense > 0 else (*far[::-1], *near[::-1])
                lines.append(", ".join(map(str, (self.first_element + row * (self.columns - 1) + i, *corners))))
        face = "S1" if self.sense > 0 else "S3"
        lines.append(f"*SURFACE, NAME=S{self.name}, TYPE=ELEMENT")
        lines += [f"{self.first_element + i}, {face}" for i in range(self.columns - 1)]
        return lines


def deck(nodes, load):
    x, y = axes(nodes)
    lower = Block("LOW", x, y, -1, 1, 1)
    upper = Block("UP", x, y, 1, len(x) * len(y) + 1, (len(x) - 1) * (len(y) - 1) + 1)
    top, modulus = upper.nodes_of_row(upper.rows - 1), E / (2 * (1 - NU * NU))
    P = 0.25 * math.pi * modulus / RADIUS  # for a half-width of 1
    approach = P / (math.pi * modulus) * (2 * math.log(2 * SIZE) - NU / (1 - NU))
    lines = lower.lines() + upper.lines() + calculix.listed("BOTTOM", lower.nodes_of_row(lower.rows - 1)) + calculix.listed("TOP", top)
    lines += calculix.listed("LEAD", top[:1]) + ["*EQUATION"]
    for node in top[1:]:
        lines += ["2", f"{node}, 1, 1., {top[0]}, 1, -1."]
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{E}, {NU}", "*SOLID SECTION, ELSET=ELOW, MATERIAL=M", "*SOLID SECTION, ELSET=EUP, MATERIAL=M",
              "*SURFACE INTERACTION, NAME=I", "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR", f"{NORMAL}, 0.", "*FRICTION", f"{FRICTION}, {TANGENTIAL}",
              "*CONTACT PAIR, INTERACTION=I, TYPE=SURFACE TO SURFACE", "SUP, SLOW"]
    for step in ("press", "drag"):
        lines += ["*STEP, INC=200", "*STATIC", "0.25, 1., 1e-4, 0.25", "*BOUNDARY, OP=NEW", "BOTTOM, 1, 2", f"TOP, 2, 2, {-approach:.12g}"]
        lines += ["LEAD, 1, 1"] if step == "press" else ["*CLOAD", f"LEAD, 1, {load * FRICTION * P:.12g}"]
        lines += ["*NODE PRINT, NSET=BOTTOM, TOTALS=ONLY, FREQUENCY=1000", "RF", "*CONTACT FILE, OUTPUT=3D, FREQUENCY=1000", "CDIS, CSTR", "*END STEP"]
    return lines, 2 * (len(x) - 1) * (len(y) - 1)


def contact_tractions(path):
    """x, p and q of the last block of contact results at nodes, by x."""
    places, results = calculix.contact_results(path)
    rows = results[-1][1]
    found = []
    for node, row in rows.items():
        x, y = places[node][:2]
        if abs(x) < FINE and abs(y - 0.5 * x * x / RADIUS) < 1e-6:  # on the parabola, which is the slave
            found.append((x, -row[3], row[4], row[5]))
    x, p, q1, q2 = (numpy.array(column) for column in zip(*sorted(found)))
    p = -p  # at x = 0 both faces meet; only the slave carries results
    q = q1 if numpy.abs(q1).max() > numpy.abs(q2).max() else q2
    keep = numpy.concatenate([[True], numpy.diff(x) > 1e-9])  # plane elements become solid ones: nodes in front and behind
    return x[keep], p[keep], q[keep]


def end_of(x, t):
    """Half-width of the zone in which t > 0. In the closed form t^2 falls with x^2 along a straight line: the one through the middle nodes, whose end noise at the edge does not move."""
    chosen = (t > 0.3 * t.max()) & (t < 0.95 * t.max())
    slope, height = numpy.polyfit(x[chosen] ** 2, t[chosen] ** 2, 1)
    return math.sqrt(-height / slope)


def total_force(path):
    """Of the lower block on its support at the end: Q and P."""
    with open(path, encoding="ascii") as file:
        sums = re.findall(r"total force \(fx,fy,fz\)[^\n]*\n\s*\n?\s*(\S+)\s+(\S+)\s+(\S+)", file.read())
    return abs(float(sums[-1][0])), abs(float(sums[-1][1]))


def solve(nodes, load, ccx):
    lines, elements = deck(nodes, load)
    ((x, p, q), (Q, P)), _, run = calculix.solve(lines, ccx, 280, lambda job: (contact_tractions(job + ".frd"), total_force(job + ".dat")))
    a, c = end_of(x, p), end_of(x, numpy.where(p > 0, FRICTION * p - numpy.abs(q), 0.0))
    return dict(run, a=a, c_over_a=c / a, load=Q / (FRICTION * P), elements=elements)


def main():
    nodes, load, repeat = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    ccx = sys.argv[4] if len(sys.argv) > 4 else "ccx"
    runs = [solve(nodes, load, ccx) for _ in range(repeat)]
    print(json.dumps(dict(runs[-1], whole=[run["whole"] for run in runs])))


if __name__ == "__main__":
    main()
