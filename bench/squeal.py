"""Squeal of a large sparse brake in Amontons and in SciPy."""
import json
import os
import tempfile

import report

PEER = ["/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "scipy_squeal.py")]
MODES, COUNT = 50, 101
SIZES = [(18, 176, 2, 3), (30, 280, 3, 3)]  # elements: along the radius, around, through, layers of the pad
QUICK = [(6, 48, 1, 1)]
# what this bench is there to show
LIMIT = 2e-3  # seconds per value of mu
RESIDUAL, MINUTES = 1e-9, 10


def driver(tools, *words):
    return report.own_run([os.path.join(tools, "amontons_squeal"), *map(str, words)], "", timeout=3600)


def furthest(pairs, others):
    """Largest relative distance from an eigenvalue to the nearest of the others."""
    return max(min(abs(complex(*a) - complex(*b)) for b in others) / abs(complex(*a)) for a in pairs)


def bench_size(tools, size, peer):
    report.say(f"brake of {' x '.join(map(str, size))} elements")
    with tempfile.TemporaryDirectory() as folder:
        own = driver(tools, *size, MODES, COUNT, 3, 2 if peer else 1, *([folder] if peer else []))
        out = report.run(PEER + [folder, str(MODES), str(COUNT)], "", timeout=3600) if peer else None
    other = json.loads(out) if out else None
    dof = f"{own['degrees_of_freedom']:,}"
    worst = max(pair["residual"] for pair in own["pairs"])
    change = max(abs(complex(pair["real"] - pair["projected_real"], pair["imaginary"] - pair["projected_imaginary"])) / abs(complex(pair["real"], pair["imaginary"]))
                 for pair in own["pairs"])
    rows = [[dof, "Amontons", report.time_text(own["modes_seconds"]), report.time_text(own["value_seconds"]), "1",
             f"{len(own['pairs'])} pairs, {report.time_text(own['pair_seconds'])} each, residual {worst:.0e}, modes were off by {change:.0e}", f"{own['megabytes']:.0f} MB"]]
    if other:
        for name in ("eigvals", "eig"):
            rows.append([dof, f"{other['name']}, {name}", report.time_text(other["modes_seconds"]), report.time_text(other["value_seconds"][name]),
                         report.ratio_text(other["value_seconds"][name] / own["value_seconds"]), "-", "-"])
        own["difference_omega"] = max(abs(a - b) / b for a, b in zip(own["omega"], other["omega"]))
    return rows, {"size": size, "own": own, "peer": other}


def measure(options):
    rows, data = [], []
    sizes = QUICK if options.quick else SIZES
    for index, size in enumerate(sizes):
        more, found = bench_size(options.tools, size, index == 0)
        rows += more
        data.append(found)
    result = report.Result("squeal")
    own, peer = data[0]["own"], data[0]["peer"]
    result.say(f"**Squeal of a brake** (model `brake`), {MODES} modes, {COUNT} coefficients of friction, one core:")
    result.table(["degrees of freedom", "program", f"{MODES} real modes, once", "per value of mu", "ratio", "on the full problem", "memory"], rows)
    if peer:
        result.say(f"The real modes of both agree to {own['difference_omega']:.0e}.")
        dof = f"{own['degrees_of_freedom']:,} degrees of freedom"
        result.ratio(f"{MODES} real modes, {dof}", peer["name"], [peer["modes_seconds"]], [own["modes_seconds"]], ("agree", f"to {own['difference_omega']:.0e}"))
        for name in ("eigvals", "eig"):
            result.ratio(f"eigenvalues for a coefficient of friction, {dof}", f"{peer['name']}, {name}", [peer["value_seconds"][name]], [own["value_seconds"]],
                         ("confirmed on the full problem", "in the space of the modes"))
    if not options.quick:
        goals(result, data)
    result.data = data
    return result


def goals(result, data):
    value, last = data[0]["own"]["value_seconds"], data[-1]["own"]
    residual = max(pair["residual"] for found in data for pair in found["own"]["pairs"])
    whole = last["modes_seconds"] + last["value_seconds"] * COUNT + last["pair_seconds"] * len(last["pairs"])
    result.bar(5, f"squeal with {data[0]['own']['degrees_of_freedom']:,} degrees of freedom, a value of mu", f"at most {report.time_text(LIMIT)}", report.time_text(value), value <= LIMIT)
    result.bar(5, "every unstable pair confirmed on the full problem", "a residual each", f"residuals up to {residual:.0e}", residual <= RESIDUAL)
    result.bar(5, f"{last['degrees_of_freedom']:,} degrees of freedom", "minutes and memory of a workstation", f"{whole / 60:.1f} minutes, {last['megabytes'] / 1000:.1f} GB",
               last["degrees_of_freedom"] >= 100000 and whole <= MINUTES * 60)
