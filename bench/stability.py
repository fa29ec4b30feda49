"""Thresholds of steady sliding in Amontons and in NumPy."""
import json
import os
import statistics

import report

PEER = ["/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "numpy_stability.py")]
COUNT, STRIDE, SEARCH_STRIDE = 200, 20, 10  # NumPy takes every 20th value of each axis, 100 points; the general search every 10th, 400
K_C, D_C = 1000.0, 1.0
LIMIT = 200.0  # what this bench is there to show


def driver(tools, *words):
    return report.own_run([os.path.join(tools, "amontons_stability"), *map(str, words)], "", timeout=600)


def bench_surface(tools, repeat):
    report.say("surface of Fig. 4")
    own = driver(tools, "surface", COUNT, K_C, D_C, repeat)
    search = driver(tools, "search", COUNT, K_C, D_C, SEARCH_STRIDE)
    points, best = COUNT * COUNT, min(own["seconds"])
    rows = [["polynomial (`am_two_mode_boundary_first`)", f"{points:,}", report.time_text(best / points), report.spread_text(own["seconds"]), "1", "-"],
            ["search along eigenvalues (`am_threshold_run`)", str(search["points"]), report.time_text(search["seconds"] / search["points"]), "-",
             report.ratio_text(search["seconds"] / search["points"] * points / best), f"{search['difference']:.0e}"]]
    data = {"points": points, "seconds": own["seconds"], "search": search}
    others = [json.loads(out) for out in (report.run(PEER + [str(COUNT), str(K_C), str(D_C), str(STRIDE)], "", timeout=1200) for _ in range(3)) if out]
    if others:
        critical = others[0]["critical"]
        mine = [own["critical"][i * COUNT + j] for i in range(0, COUNT, STRIDE) for j in range(0, COUNT, STRIDE)]
        difference = max(abs(a - b) for a, b in zip(mine, critical))
        whole = [other["seconds"] / len(mine) * points for other in others]
        data.update(peer=others[0]["name"], peer_seconds=whole, peer_points=len(mine), ratio=statistics.median(whole) / statistics.median(own["seconds"]), difference=difference)
        rows.append([f"{data['peer']}, bisection", str(len(mine)), report.time_text(min(whole) / points), f"{report.spread_text(whole)} (from {len(mine)} points)",
                     report.ratio_text(min(whole) / best), f"{difference:.0e}"])
    head = ["way", "points", "time per point", "surface: best (median, worst)", "ratio", "largest difference"]
    return report.markdown(head, rows), data


def measure(options):
    result = report.Result("stability")
    table, data = bench_surface(options.tools, 3 if options.quick else 15)
    result.say(f"**The surface of Fig. 4** (K_c = {K_C:g}, D_c = {D_C:g}) on {COUNT} x {COUNT} values of K_r and C_r, one core:")
    result.parts.append(table)
    if "ratio" in data:
        result.ratio("stability surface of 200 x 200 points", f"{data['peer']}, bisection", data["peer_seconds"], data["seconds"], ("rounding", "2e-12 (steps of bisection)"))
        result.bar(5, "the surface of Fig. 4 on 200 x 200 points, faster than a NumPy loop (medians)", f"{LIMIT:.0f} times", f"{data['ratio']:,.0f} times", data["ratio"] >= LIMIT)
    result.data = data
    return result
