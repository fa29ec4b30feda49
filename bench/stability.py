"""Thresholds of steady sliding in Amontons and in NumPy. Called by bench/stability, which builds the program."""
import argparse
import json
import os
import statistics

import report

PEER = ["/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "numpy_stability.py")]
COUNT, STRIDE, SEARCH_STRIDE = 200, 20, 10  # NumPy takes every 20th value of each axis, 100 points; the general search every 10th, 400
K_C, D_C = 1000.0, 1.0
LIMIT = 200.0  # what this bench is there to show


def driver(tools, *words):
    out = report.run([os.path.join(tools, "amontons_stability"), *map(str, words)], "", timeout=600)
    if out is None:
        raise SystemExit("Amontons' own run failed: nothing to compare with")
    return json.loads(out)


def bench_surface(tools):
    report.say("surface of Fig. 4")
    own = driver(tools, "surface", COUNT, K_C, D_C, 15)
    search = driver(tools, "search", COUNT, K_C, D_C, SEARCH_STRIDE)
    points, best = COUNT * COUNT, min(own["seconds"])
    rows = [["polynomial (`am_two_mode_boundary_first`)", f"{points:,}", report.time_text(best / points), report.spread_text(own["seconds"]), "1", "-"],
            ["search along eigenvalues (`am_threshold_run`)", str(search["points"]), report.time_text(search["seconds"] / search["points"]), "-",
             report.ratio_text(search["seconds"] / search["points"] * points / best), f"{search['difference']:.0e}"]]
    data = {"points": points, "seconds": own["seconds"], "search": search}
    out = report.run(PEER + [str(COUNT), str(K_C), str(D_C), str(STRIDE)], "", timeout=1200)
    if out:
        other = json.loads(out)
        mine = [own["critical"][i * COUNT + j] for i in range(0, COUNT, STRIDE) for j in range(0, COUNT, STRIDE)]
        difference = max(abs(a - b) for a, b in zip(mine, other["critical"]))
        each = other["seconds"] / len(mine)
        data.update(peer=other["name"], peer_seconds=each * points, peer_points=len(mine), ratio=each * points / statistics.median(own["seconds"]), difference=difference)
        rows.append([f"{other['name']}, bisection", str(len(mine)), report.time_text(each), f"{report.time_text(each * points)} (from {len(mine)} points)",
                     report.ratio_text(each * points / best), f"{difference:.0e}"])
    head = ["way", "points", "time per point", "surface: best (median, worst)", "ratio", "largest difference"]
    return report.markdown(head, rows), data


def main():
    parser = argparse.ArgumentParser(prog="bench/stability", description="Thresholds of steady sliding in Amontons and in NumPy.")
    parser.add_argument("--tools", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="also put the tables into docs/performance.md")
    parser.add_argument("--offline", action="store_true", help="install nothing; leave out peers that are not there")
    options = parser.parse_args()
    table, data = bench_surface(options.tools)
    ratio = data.get("ratio")
    verdict = "" if ratio is None else f"\n\nGoal: the surface in at most 1/{LIMIT:.0f} of NumPy's time. Measured (medians): 1/{ratio:,.0f}: {'met' if ratio >= LIMIT else 'NOT MET'}."
    text = (f"**The surface of Fig. 4** (K_c = {K_C:g}, D_c = {D_C:g}) on {COUNT} x {COUNT} values of K_r and C_r, one core, {report.machine()}:\n\n{table}{verdict}")
    print(text)
    report.save("stability", data, text, options.write)
    if ratio is not None and ratio < LIMIT:
        raise SystemExit(1)


main()
