"""Squeal of a large sparse brake in Amontons and in SciPy. Called by bench/squeal, which builds the program."""
import argparse
import json
import os
import tempfile

import report

PEER = ["/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "scipy_squeal.py")]
MODES, COUNT = 50, 101
SIZES = [(18, 176, 2, 3), (30, 280, 3, 3)]  # elements: along the radius, around, through, layers of the pad
LIMIT = 2e-3  # seconds per value of mu


def driver(tools, *words):
    out = report.run([os.path.join(tools, "amontons_squeal"), *map(str, words)], "", timeout=3600)
    if out is None:
        raise SystemExit("Amontons' own run failed: nothing to compare with")
    return json.loads(out)


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


def main():
    parser = argparse.ArgumentParser(prog="bench/squeal", description="Squeal of a large sparse brake in Amontons and in SciPy.")
    parser.add_argument("--tools", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="also put the tables into docs/performance.md")
    parser.add_argument("--offline", action="store_true", help="install nothing; leave out peers that are not there")
    options = parser.parse_args()
    rows, data = [], []
    for index, size in enumerate(SIZES):
        more, found = bench_size(options.tools, size, index == 0)
        rows += more
        data.append(found)
    value = data[0]["own"]["value_seconds"]
    head = ["degrees of freedom", "program", f"{MODES} real modes, once", "per value of mu", "ratio", "on the full problem", "memory"]
    verdict = f"Goal: at most {report.time_text(LIMIT)} per value of mu. Measured: {report.time_text(value)}: {'met' if value <= LIMIT else 'NOT MET'}."
    if "difference_omega" in data[0]["own"]:
        verdict += f" The real modes of both agree to {data[0]['own']['difference_omega']:.0e}."
    text = f"**Squeal of a brake** (model `brake`), {MODES} modes, {COUNT} coefficients of friction, one core, {report.machine()}:\n\n{report.markdown(head, rows)}\n\n{verdict}"
    print(text)
    report.save("squeal", data, text, options.write)
    if value > LIMIT:
        raise SystemExit(1)


main()
