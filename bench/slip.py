"""Partial slip by boundary elements in Amontons and in NumPy. Called by bench/slip, which builds the program."""
import argparse
import json
import math
import os

import report

# The peer keeps the memory of its temporary arrays: asking the system for it again and again costs SciPy half its time with 100,000 nodes.
PEER = ["/usr/bin/env", "MALLOC_MMAP_THRESHOLD_=1000000000", "MALLOC_TRIM_THRESHOLD_=1000000000", "/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "numpy_slip.py")]
WIDTH = 1.1  # of the strip of nodes, in half-widths of the contact, to both sides
SMALL = 221  # nodes: 100 per half-width
SMALL_LOADS = [k / 10 for k in range(1, 10)]
LARGE = ((10000, 5), (100000, 2))  # nodes, repetitions
LARGE_LOADS = (0.25, 0.5, 0.75)
PEER_LOAD = 0.5
BETA, COUPLED_LOAD = 0.2, 0.75  # dissimilar bodies; the dearest of the three loads
TOLERANCE = 1e-12  # of the peer; Amontons' own is 1e-13
# what this bench is there to show
SMALL_SECONDS, SMALL_ERROR, LARGE_SECONDS = 0.02, 2e-4, {10000: 1.0, 100000: 30.0}


def driver(tools, nodes, beta, repeat, loads):
    words = ["hertz", nodes, WIDTH, beta, repeat, *loads]
    out = report.run([os.path.join(tools, "amontons_slip"), *map(str, words)], "", timeout=600)
    if out is None:
        raise SystemExit("Amontons' own run failed: nothing to compare with")
    return json.loads(out)


def peer_of(nodes, load, repeat):
    out = report.run(PEER + [str(nodes), str(WIDTH), str(load), str(repeat), str(TOLERANCE)], "", timeout=900)
    return json.loads(out) if out else None


def error_of(found, load):
    """Of c/a, against Cattaneo's and Mindlin's closed form."""
    return abs(found["c_over_a"] - math.sqrt(1.0 - load))


def worst_error(found):
    """NaN counts as the worst."""
    errors = [error_of(one, one["load"]) for one in found]
    return math.inf if any(math.isnan(e) for e in errors) else max(errors)


def evidence(found):
    return max(max(one["equilibrium"], one["compliance"], one["traction"]) for one in found)


def slowest(found, what):
    """The seconds of the load that takes longest at its best."""
    return max((one[what] for one in found), key=min)


def bench_small(tools):
    report.say("100 nodes per half-width")
    own = driver(tools, SMALL, 0.0, 15, SMALL_LOADS)
    seconds, error = slowest(own, "whole"), worst_error(own)
    rows = [["Amontons", report.spread_text(seconds), "1", f"{error:.0e}", f"{evidence(own):.0e}"]]
    data = {"own": own, "seconds": min(seconds), "error": error}
    peers = [peer_of(SMALL, load, 7) for load in SMALL_LOADS]
    if all(peers):
        peer_seconds = slowest(peers, "whole")
        peer_error = max(error_of(peer, load) for peer, load in zip(peers, SMALL_LOADS))
        data.update(peers=peers, ratio=min(peer_seconds) / min(seconds))
        rows.append([peers[0]["name"], report.spread_text(peer_seconds), report.ratio_text(data["ratio"]), f"{peer_error:.0e}", f"{TOLERANCE:.0e} (asked for)"])
    return report.markdown(["program", "P, then Q: best (median, worst)", "ratio", "error of c/a", "conditions violated by"], rows), data


def bench_large(tools):
    rows, data = [], []
    for nodes, repeat in LARGE:
        report.say(f"{nodes:,} nodes")
        own = driver(tools, nodes, 0.0, repeat, LARGE_LOADS)
        coupled = driver(tools, nodes, BETA, 5 if nodes <= 10000 else 1, [COUPLED_LOAD])
        seconds, error = slowest(own, "increment"), worst_error(own)
        at = next(one for one in own if one["load"] == PEER_LOAD)
        found = {"nodes": nodes, "own": own, "coupled": coupled, "seconds": min(seconds), "coupled_seconds": min(coupled[0]["increment"]), "error": error}
        rows.append([f"{nodes:,}", f"Amontons, slowest of Q/fP = {', '.join(map(str, LARGE_LOADS))}", report.spread_text(seconds), report.time_text(min(slowest(own, "whole"))), "-", f"{error:.0e}",
                     f"{evidence(own):.0e}", count_text(own, "products")])
        rows.append([f"{nodes:,}", f"Amontons, Q/fP = {PEER_LOAD}", report.spread_text(at["increment"]), report.time_text(min(at["whole"])), "1", f"{error_of(at, PEER_LOAD):.0e}", f"{evidence([at]):.0e}",
                     count_text([at], "products")])
        peer = peer_of(nodes, PEER_LOAD, 3 if nodes <= 10000 else 1)
        if peer:
            found.update(peer=peer, ratio=min(peer["increment"]) / min(at["increment"]))
            rows.append([f"{nodes:,}", f"{peer['name']}, Q/fP = {PEER_LOAD}", report.spread_text(peer["increment"]), report.time_text(min(peer["whole"])), report.ratio_text(found["ratio"]),
                         f"{error_of(peer, PEER_LOAD):.0e}", f"{TOLERANCE:.0e} (asked for)", f"{2 * peer['iterations'][1]:,}"])
        rows.append([f"{nodes:,}", f"Amontons, dissimilar bodies (beta = {BETA}), Q/fP = {COUPLED_LOAD}", report.spread_text(coupled[0]["increment"]), report.time_text(min(coupled[0]["whole"])), "-", "-",
                     f"{evidence(coupled):.0e}", count_text(coupled, "products")])
        data.append(found)
    head = ["nodes", "program", "increment of Q: best (median, worst)", "with pressing", "ratio", "error of c/a", "conditions violated by", "products"]
    return report.markdown(head, rows), data


def count_text(found, what):
    return f"{max(one[what] for one in found):,}"


def goals_of(small, large):
    goals = [(f"100 nodes per half-width in {report.time_text(SMALL_SECONDS)}. Measured: {report.time_text(small['seconds'])}", small["seconds"] < SMALL_SECONDS),
             (f"its c/a right to {SMALL_ERROR:.0e}. Measured (worst of {len(SMALL_LOADS)} loads): {small['error']:.0e}", small["error"] <= SMALL_ERROR)]
    for found in large:
        limit = LARGE_SECONDS[found["nodes"]]
        goals.append((f"an increment with {found['nodes']:,} nodes in {limit:g} s. Measured: {report.time_text(found['seconds'])}", found["seconds"] < limit))
        goals.append((f"the same for dissimilar bodies. Measured: {report.time_text(found['coupled_seconds'])}", found["coupled_seconds"] < limit))
    return goals


def main():
    parser = argparse.ArgumentParser(prog="bench/slip", description="Partial slip by boundary elements in Amontons and in NumPy.")
    parser.add_argument("--tools", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="also put the tables into docs/performance.md")
    parser.add_argument("--offline", action="store_true", help="install nothing; leave out peers that are not there")
    options = parser.parse_args()
    small_table, small = bench_small(options.tools)
    large_table, large = bench_large(options.tools)
    goals = goals_of(small, large)
    lines = "\n".join(f"- {text}: {'met' if met else 'NOT MET'}" for text, met in goals)
    text = (f"**Cattaneo and Mindlin's contact with 100 nodes per half-width** ({SMALL} nodes), the slowest and the worst of Q/fP = 0.1, 0.2 ... 0.9, one core, {report.machine()}:\n\n{small_table}\n\n"
            f"**One increment of Q on a pressed contact**, one core:\n\n{large_table}\n\nGoals:\n\n{lines}")
    print(text)
    report.save("slip", {"small": small, "large": large}, text, options.write)
    if not all(met for _, met in goals):
        raise SystemExit(1)


main()
