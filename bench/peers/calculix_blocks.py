"""The slider on its base (Papangelo 2017, Fig. 3.13) by finite elements in CalculiX.

    calculix_blocks.py REPEAT [CCX] < MESH

MESH is JSON as `amontons_blocks mesh SIZE` prints it: places of the elements' corners along the sides of both blocks, `height`, `friction`, `P`, `Q_over_P` (at the end), `increments` of the push.
Eight-node elements (CPE8) on the same places, contact of faces with penalties, P in one step and Q in another. CalculiX makes solid elements of plane ones; those of plane stress grow thicker, against friction on
the base, which would take its share of the limit. So the slider, too, is in plane strain, of the material with which that gives the stresses and displacements of plane stress.
One JSON document on stdout: for every increment Q/P and the length that slips."""
import json
import re
import sys

import numpy

import calculix

E, NU = 3100.0, 0.35
AS_STRESS = (E * (1 + 2 * NU) / (1 + NU) ** 2, NU / (1 + NU))  # plane strain of this material is plane stress of the other
RESERVE = 2e-3  # of friction: more counts as sticking; what penalties leave is less
NORMAL, TANGENTIAL = 30.0 * E, 10.0 * E  # penalties per unit of length; stiffer ones need ever more iterations, softer ones move the end of slip


class Block:
    """A grid of serendipity elements: corners, then the middles of horizontal and of vertical sides."""

    def __init__(self, name, x, y, material, thickness, first_node, first_element):
        self.name, self.x, self.y, self.thickness = name, x, y, thickness
        self.material = material
        self.first_element = first_element
        self.columns, self.rows = len(x) - 1, len(y) - 1
        self.places, self.number = [], {}
        for j in range(2 * self.rows + 1):
            for i in range(2 * self.columns + 1):
                if i % 2 and j % 2:
                    continue
                self.number[i, j] = first_node + len(self.places)
                self.places.append((middle(x, i), middle(y, j)))
        self.first, self.next_node = first_node, first_node + len(self.places)
        self.next_element = first_element + self.columns * self.rows

    def node(self, i, j):
        """Steps of half an element."""
        return self.number[i, j]

    def element(self, column, row):
        return self.first_element + row * self.columns + column

    def surface(self, name, row, face):
        return [f"*SURFACE, NAME={name}, TYPE=ELEMENT"] + [f"{self.element(i, row)}, {face}" for i in range(self.columns)]

    def lines(self):
        lines = [f"*NODE, NSET=N{self.name}"] + [f"{self.first + k}, {u:.12g}, {v:.12g}" for k, (u, v) in enumerate(self.places)]
        lines.append(f"*ELEMENT, TYPE=CPE8, ELSET=E{self.name}")
        steps = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1))
        for row in range(self.rows):
            for i in range(self.columns):
                lines.append(", ".join(map(str, (self.element(i, row), *(self.node(2 * i + a, 2 * row + b) for a, b in steps)))))
        return lines + [f"*SOLID SECTION, ELSET=E{self.name}, MATERIAL=M{self.name}", f"{self.thickness}", f"*MATERIAL, NAME=M{self.name}", "*ELASTIC", "{:.15g}, {:.15g}".format(*self.material)]


def middle(places, k):
    return places[k // 2] if k % 2 == 0 else 0.5 * (places[k // 2] + places[k // 2 + 1])


def deck(mesh):
    base = Block("BASE", mesh["base"]["x"], mesh["base"]["y"], (E, NU), mesh["base"]["thickness"], 1, 1)
    slider = Block("SLIDER", mesh["slider"]["x"], mesh["slider"]["y"], AS_STRESS, mesh["slider"]["thickness"], base.next_node, base.next_element)
    fixed = [base.node(i, 0) for i in range(2 * base.columns + 1)] + [base.node(2 * base.columns, j) for j in range(1, 2 * base.rows + 1)]
    loaded = next(number for (i, j), number in slider.number.items() if i == 0 and abs(middle(slider.y, j) - mesh["height"]) < 1e-9)
    length = slider.x[-1] - slider.x[0]
    pressure, P, increments = mesh["P"] / (length * slider.thickness), mesh["P"], mesh["increments"]
    lines = base.lines() + slider.lines() + calculix.listed("FIXED", fixed) + slider.surface("SUP", 0, "S1") + base.surface("SLOW", base.rows - 1, "S3")
    lines += ["*SURFACE INTERACTION, NAME=I", "*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR", f"{NORMAL:g}, 0.",
              "*FRICTION", f"{mesh['friction']}, {TANGENTIAL:g}", "*CONTACT PAIR, INTERACTION=I, TYPE=SURFACE TO SURFACE, ADJUST=0.001", "SUP, SLOW", "*BOUNDARY", "FIXED, 1, 2"]
    top = [f"{slider.element(i, slider.rows - 1)}, P3, {pressure:.12g}" for i in range(slider.columns)]
    for step, increment in (("press", 1.0), ("push", 1.0 / increments)):
        lines += ["*STEP, INC=100000", "*STATIC", f"{increment:.12g}, 1., 1e-6, {increment:.12g}", "*DLOAD", *top]
        if step == "push":
            lines += ["*CLOAD", f"{loaded}, 1, {mesh['Q_over_P'] * P:.12g}"]
        lines += ["*CONTACT FILE, OUTPUT=3D", "CDIS, CSTR", "*END STEP"]
    return lines, {"elements": base.next_element - 1 + slider.columns * slider.rows, "unknowns": 2 * (len(base.places) + len(slider.places))}


def tractions(places, rows):
    """x, p, q of the nodes on the interface, in front; the slave alone carries results."""
    found = {}
    for node, row in rows.items():
        x, y, _ = places[node]
        if abs(y) < 1e-2 and abs(row[3]) > 0.0:
            found[round(x, 6)] = (row[3], max(row[4:6], key=abs))
    return [(x, *found[x]) for x in sorted(found)]


def slip_length(found, friction, left):
    """From the trailing end to the middle between the last node that slips and the first that sticks."""
    x, p, q = (numpy.array(column) for column in zip(*found))
    reserve = 1.0 - numpy.abs(q) / (friction * numpy.maximum(p, 1e-30))
    stuck = numpy.flatnonzero(reserve > RESERVE)
    if len(stuck) == 0:
        return x[-1] - left
    k = stuck[0]
    if k == 0:
        return 0.0
    return 0.5 * (x[k - 1] + x[k]) - left


def solve(mesh, ccx):
    lines, counts = deck(mesh)
    (places, found), told, run = calculix.solve(lines, ccx, 900, lambda job: calculix.contact_results(job + ".frd"))
    fronts = [[(time - 1.0) * mesh["Q_over_P"], slip_length(tractions(places, rows), mesh["friction"], mesh["slider"]["x"][0])] for time, rows in found if time > 1.0]
    return dict(counts, **run, fronts=fronts, iterations=len(re.findall(r"^ iteration ", told, re.M)), increments=len(fronts))


def main():
    mesh, repeat, ccx = json.load(sys.stdin), int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "ccx"
    runs = [solve(mesh, ccx) for _ in range(repeat)]
    print(json.dumps(dict(runs[-1], whole=[run["whole"] for run in runs])))


if __name__ == "__main__":
    main()
