"""How cost grows with degrees of freedom, contacts, events, harmonics, nodes and points: instructions at several sizes, and fitted exponents."""
import os
import tempfile

import counting
import report


class Law:
    """Cost over one size. `study(size)` gives the text of a study; `along` the name of the size in the summary (None: the size itself);
    `per`: divide by this value of the summary; `limit`: what the growth tends to, and why."""

    def __init__(self, name, what, unit, sizes, study, limit, along=None, per=None, counted="instructions"):
        self.name, self.what, self.unit, self.sizes, self.study, self.limit = name, what, unit, sizes, study, limit
        self.along, self.per, self.counted = along, per, counted


def workload(name, **changes):
    """A workload of bench/workloads with fields set anew: settings for the driver."""
    path = os.path.join(counting.WORKLOADS, f"{name}.yaml")
    return path, [f"{key.replace('__', '.')}={value}" for key, value in changes.items()]


def rod(elements, until=100):
    """Undeformed and at rest (docs/rod.md): xi_i = beta (n^2 - (n - i)^2)/2, beta = 5."""
    places = [2.5 * (elements**2 - (elements - i) ** 2) for i in range(1, elements + 1)]
    return workload("rod_events", model__elements=elements, analysis__until=until, analysis__initial__displacement=places, analysis__initial__velocity=[-1] * elements, expect="{}")


def strip(nodes, **analysis):
    """A rocking strip whose neighbours are coupled, as gallery/attractors/sine6.yaml, with any number of nodes."""
    def band(diagonal, left, right):
        return [[diagonal if i == j else left if i == j + 1 else right if j == i + 1 else 0 for j in range(nodes)] for i in range(nodes)]

    def sine(value, amplitude, phase):
        return f"{{sine: {{value: {value!r}, amplitude: {amplitude!r}, frequency: 1, phase_deg: {phase}}}}}"

    places = [2 * i / (nodes - 1) - 1 for i in range(nodes)]
    normal = ", ".join(sine(1.65 - 0.6 * s * s, 0.5 * s, 0) for s in places)
    tangential = ", ".join(sine(0, 0.45, 60) for _ in places)
    words = ", ".join(f"{key}: {value}" for key, value in analysis.items())
    return f"""title: A rocking strip of {nodes} nodes
model:
  kind: nodes
  A: {band(2.0, -0.6, -0.6)}
  B: {band(0.0, -0.3, 0.3)}
  C: {band(2.5, -0.5, -0.5)}
  mu: 0.4
  weld: {{tangential: [{tangential}], normal: [{normal}]}}
analysis: {{kind: path, {words}}}
"""


LAWS = [
    Law("events", "`motion`, a rod of 2 elements", "events", (50, 100, 200, 400, 800), lambda t: rod(2, t), "1: an event costs the same however many came before", along="events"),
    Law("degrees of freedom and contacts, an event", "`motion`, a rod of n elements", "elements", (5, 10, 20, 40, 80), rod,
        "1 to 2: each contact is asked at each event (n), the motion of what slides is expanded (at most n² per order); new states of contact cost n³ once, and begin to show at the last size", per="events"),
    Law("starts", "`attractors`, Fig. 6 of Klarbring's mass", "starts", (5, 10, 20, 40), lambda n: workload("attractors", analysis__starts__v1__count=n, analysis__starts__v2__count=n),
        "1: starts do not know of each other; on several cores divided by their number", along="starts"),
    Law("cells", "`cells`, friction oscillator", "cells", (8, 16, 32, 64), lambda n: workload("cells", analysis__box__v__count=n, analysis__box__v1__count=n),
        "1: a run for each; the map is unravelled in one pass. The closing of orbits and its checks are a constant that small maps feel", along="cells"),
    Law("contact nodes, exact path", "`path`, cycles of a rocking strip of N nodes", "nodes", (3, 6, 12, 24), lambda n: strip(n, cycles="until-repeat"),
        "2: a corner costs some passes over the matrices (N²); a combination of states that is new costs N³ once, and where a node lifts off all combinations are examined (up to 65536)", per="corners"),
    Law("contact nodes, load steps", "`path`, 100 steps of the same strip", "nodes", (12, 24, 48, 96, 192), lambda n: strip(n, method="incremental", until=6.283, steps=100),
        "2 with dense coupling (N² numbers are read at each step) and k³ for the block of k nodes that move at once; 1 to 2 while few move"),
    Law("unknowns of bodies", "`path` of `blocks`, elements of 4 to 1 mm, 20 steps", "unknowns", (4, 3, 2, 1.5, 1), lambda size: workload("blocks", model__mesh__size=size, analysis__steps=20),
        "1.5: nested dissection of a plane mesh, with the Schur complement of the contact nodes; steps then know contact nodes only", along="unknowns"),
    Law("degrees of freedom, brake", "`squeal`, bricks around a disc", "degrees of freedom", (12, 24, 48, 96), lambda n: workload("squeal", model__around=n),
        "1 to 1.5 for a thin disc (fronts of the factorisation stay narrow while it grows around), 2 for bodies that grow in all directions; memory grows like n^(4/3) there and is the limit", along="degrees_of_freedom"),
    Law("modes", "`squeal`, modes kept", "modes", (6, 12, 24, 36), lambda n: workload("squeal", model__around=24, analysis__modes=n, analysis__friction__count=11),
        "3: eigenvalues of a dense matrix of twice that order for each coefficient of friction, above what the real modes cost once"),
    Law("values of mu", "`squeal`, coefficients of friction", "values", (10, 20, 40, 80), lambda n: workload("squeal", model__around=24, analysis__friction__count=n),
        "1, above the real modes and the confirmed pairs, which are a constant; at these sizes most of the work is that constant"),
    Law("harmonics", "`response`, Griffin's damper", "harmonics", (4, 8, 16, 32, 64), lambda n: workload("response", analysis__harmonics=n, expect="{}"),
        "3: a dense factorisation of 2H + 1 unknowns at each point; below about 50 harmonics the switches inside the period cost more (H each)", per="points"),
    Law("masses of a chain", "`atlas`, two isolas", "masses", (4, 6, 8, 10), lambda n: workload("atlas", model__count=n),
        "3: dense factors of twice the masses at each step; with so few, evaluating them costs more (1). The 5^n motions are counted by symmetry and never listed"),
    Law("nodes, similar bodies", "`slip` by boundary elements", "nodes", (125, 250, 500, 1000, 2000), lambda n: workload("slip", analysis__nodes=n, expect="{}"),
        "1 (times log N of the transforms): the number of products grows like log N", along="nodes"),
    Law("nodes, dissimilar bodies", "`slip` by boundary elements, beta = 0.2, 5 increments", "nodes", (25, 50, 100, 200, 400), lambda n: workload("slip_coupled", analysis__nodes=n, analysis__steps=5, expect="{}"),
        "1 (times log N) for a given number of increments; left to itself a study presses dissimilar bodies in as many as there are nodes on the half-width, up to 400: then 2", along="nodes"),
    Law("points of a sweep", "`sweep` of very short motions", "points", (25, 100, 400, 1600), lambda n: workload("sweep", sweep__axes__model__friction__count=round(n**0.5), sweep__axes__model__load_rate__1__count=round(n**0.5)),
        "1: a point is read, checked, built and run by itself; on several cores and ranks divided by their number", along="points"),
    Law("points run with `refine`", "`sweep`, stop map", "points of the grid", (50, 100, 200, 400), lambda n: workload("refine", sweep__axes__model__beta__count=n, sweep__axes__model__Omega__count=n, sweep__refine__coarse=16),
        "0.5: boundaries are lines in a plane; the coarse grid, a 256th of the points, is above it", along="points", counted="evaluated"),
]


def prepare(law, size, folder):
    """(study file, settings)."""
    study = law.study(size)
    if not isinstance(study, str):
        return study
    path = os.path.join(folder, f"{law.name.replace(' ', '_')}_{size}.yaml".replace(",", ""))
    with open(path, "w", encoding="utf-8") as file:
        file.write(study)
    return path, []


def native(program, study, settings):
    """The summary alone, without callgrind."""
    return {"summary": report.own_run([program, study, *settings])["summary"]}


def points_of(law, found):
    """(size, cost) of every run."""
    points = []
    for size, one in zip(law.sizes, found):
        if "problem" in one:
            raise SystemExit(f"{law.name}, {size}: {one['problem']}")
        x = size if law.along is None else one["summary"][law.along]
        cost = one["instructions"] if law.counted == "instructions" else one["summary"][law.counted]
        points.append((x, cost / (one["summary"][law.per] if law.per else 1)))
    return points


def cost_text(cost):
    for limit, unit, scale in ((1e3, "", 1), (1e6, " k", 1e3), (1e9, " M", 1e6), (float("inf"), " G", 1e9)):
        if cost < limit:
            return f"{cost / scale:.3g}{unit}"


def row(law, points):
    exponent, last = report.slope(points), report.slope(points[-2:])
    unit = ("instructions" if law.counted == "instructions" else "points run") + (f" per {law.per.rstrip('s')}" if law.per else "")
    return [law.name, law.what, ", ".join(f"{x:,}" for x, _ in points), ", ".join(cost_text(cost) for _, cost in points), unit, f"{exponent:.2f}", f"{last:.2f}", law.limit]


def measure(options):
    result = report.Result("cost")
    program = counting.build()
    with tempfile.TemporaryDirectory() as folder:
        wanted = [(law, size) for law in LAWS for size in (law.sizes[:2] if options.quick else law.sizes)]
        jobs = [prepare(law, size, folder) for law, size in wanted]
        by_count = [i for i, (law, _) in enumerate(wanted) if law.counted == "instructions"]
        found = dict(zip(by_count, counting.count_all(program, [jobs[i] for i in by_count])))
        found.update({i: native(program, *jobs[i]) for i in range(len(jobs)) if i not in found})
    rows = []
    for law in LAWS:
        points = points_of(law, [found[i] for i, (other, _) in enumerate(wanted) if other is law])
        rows.append(row(law, points))
        result.data[law.name] = points
    result.say("Instructions of whole studies on one thread (callgrind, the library and the settings of `bench/bench --check`), at several sizes; exponents are slopes of log cost over log size, through all sizes and through the last two:")
    result.table(["what grows", "measured on", "sizes", "cost", "in", "exponent", "last two", "limit of the exponent, and why"], rows)
    return result
