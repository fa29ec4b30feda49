"""Partial slip by boundary elements in Amontons and in NumPy, and by finite elements in CalculiX."""
import json
import math
import os
import resource
import shutil
import subprocess
import tempfile

import report

# The peer keeps the memory of its temporary arrays: asking the system for it again and again costs SciPy half its time with 100,000 nodes.
PEER = ["/usr/bin/env", "MALLOC_MMAP_THRESHOLD_=1000000000", "MALLOC_TRIM_THRESHOLD_=1000000000", "/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "numpy_slip.py")]
SOLID_PEER = ["/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "calculix_slip.py")]
SOLID_NODES, SOLID_REPEAT = 40, 2  # elements per half-width; a run takes half a minute
WIDTH = 1.1  # of the strip of nodes, in half-widths of the contact, to both sides
SMALL = 221  # nodes: 100 per half-width
SMALL_LOADS = [k / 10 for k in range(1, 10)]
LARGE = ((10000, 5), (100000, 2))  # nodes, repetitions
LARGE_LOADS = (0.25, 0.5, 0.75)
PEER_LOAD = 0.5
BETA, COUPLED_LOAD = 0.2, 0.75  # dissimilar bodies; the dearest of the three loads
STUDY_NODES, STUDY_LOAD = 50000, 0.5  # per half-width
STUDY = f"""title: Many nodes
model: {{kind: hertz, f: 0.5, P: 1}}
analysis: {{kind: slip, Q_over_fP: {STUDY_LOAD}, method: boundary-elements, nodes: {STUDY_NODES}}}
figure:
  curves:
    - {{table: tractions, x: x_over_a, y: p_over_pm}}
    - {{table: tractions, x: x_over_a, y: q_over_fpm}}
"""
TOLERANCE = 1e-12  # of the peer; Amontons' own is 1e-13
# what this bench is there to show
SMALL_SECONDS, SMALL_ERROR, LARGE_SECONDS = 0.02, 2e-4, {10000: 1.0, 100000: 30.0}


def driver(tools, nodes, beta, repeat, loads):
    words = ["hertz", nodes, WIDTH, beta, repeat, *loads]
    return report.own_run([os.path.join(tools, "amontons_slip"), *map(str, words)], timeout=600)


def peer_of(nodes, load, repeat):
    out = report.run(PEER + [str(nodes), str(WIDTH), str(load), str(repeat), str(TOLERANCE)], "", timeout=900)
    return json.loads(out) if out else None


def solid_peer():
    """What CalculiX finds, or why it finds nothing."""
    if not shutil.which("ccx"):
        return None, "not installed"
    try:
        out = report.run(SOLID_PEER + [str(SOLID_NODES), str(PEER_LOAD), str(SOLID_REPEAT)], "", timeout=600)
        return (json.loads(out), None) if out else (None, "failed")
    except (subprocess.TimeoutExpired, ValueError) as problem:
        report.say(f"CalculiX: {problem}")
        return None, "did not end in time"


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
        data.update(peers=peers, own_seconds=seconds, peer_seconds=peer_seconds, peer_error=peer_error, ratio=min(peer_seconds) / min(seconds))
        rows.append([peers[0]["name"], report.spread_text(peer_seconds), report.ratio_text(data["ratio"]), f"{peer_error:.0e}", f"{TOLERANCE:.0e} (asked for)"])
    return report.markdown(["program", "P, then Q: best (median, worst)", "ratio", "error of c/a", "conditions violated by"], rows), data


def bench_large(tools, sizes):
    rows, data = [], []
    for nodes, repeat in sizes:
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


def bench_solid(tools):
    report.say("finite elements")
    peer, problem = solid_peer()
    load = peer["load"] if peer else PEER_LOAD
    rows, data, reference = [], {"peer": peer, "problem": problem, "own": []}, None
    for per_half_width in (SOLID_NODES, 100):
        own = driver(tools, 2 * round(WIDTH * per_half_width) + 1, 0.0, 15, [load])[0]
        reference = reference or own
        data["own"].append(own)
        rows.append([f"Amontons, {per_half_width} nodes per half-width", report.spread_text(own["whole"]), "1" if own is reference else report.spread_of(report.ratio_spread(own["whole"], reference["whole"])), f"{error_of(own, load):.0e}"])
    if peer:
        rows.append([f"{peer['name']}, {SOLID_NODES} elements per half-width, {peer['elements']:,} in all", report.spread_text(peer["whole"]), report.spread_of(report.ratio_spread(peer["whole"], reference["whole"])), f"{error_of(peer, load):.0e}"])
    else:
        rows.append([f"CalculiX: {problem}", "-", "-", "-"])
    text = f"**The same contact as two elastic blocks**, Q/fP = {load:.4g}, one core:\n\n"
    return text + report.markdown(["program", "P, then Q: best (median, worst)", "ratio (range)", "error of c/a"], rows), data


def bench_study(library, repeat):
    """The command with a study of many nodes, with its tables and its figure: processor times, gnuplot's included."""
    report.say("a study with many nodes")
    command = os.path.join(library, "amontons")
    seconds, found = [], None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "study.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(STUDY)
        for _ in range(repeat):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            out = report.run([command, "run", path, "--threads", "1", "--json", "--out", os.path.join(folder, "out")], "")
            if out is None:
                raise SystemExit("Amontons' own study failed")
            after, found = resource.getrusage(resource.RUSAGE_CHILDREN), json.loads(out)["summary"]
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    error = error_of(found, STUDY_LOAD)
    text = (f"**A study with {found['nodes']:,} nodes** (`nodes: {STUDY_NODES}`), by the command, tables, figure and JSON included: {report.spread_text(seconds)}, error of c/a {error:.0e}.")
    return text, {"seconds": seconds, "error": error, "nodes": found["nodes"]}


def count_text(found, what):
    return f"{max(one[what] for one in found):,}"


def compare(result, small, solid, large):
    def error(value):
        return f"{value:.0e} in c/a"

    if "ratio" in small:
        result.ratio("partial slip, 100 nodes per half-width", small["peers"][0]["name"], small["peer_seconds"], small["own_seconds"], (error(small["error"]), error(small["peer_error"])))
    for found in large:
        if "peer" in found:
            at = next(one for one in found["own"] if one["load"] == PEER_LOAD)
            result.ratio(f"partial slip, an increment with {found['nodes']:,} nodes", found["peer"]["name"], found["peer"]["increment"], at["increment"],
                         (error(error_of(at, PEER_LOAD)), error(error_of(found["peer"], PEER_LOAD))))
    peer = solid["peer"]
    if peer:
        result.ratio("partial slip of two bodies, 40 nodes per half-width", peer["name"], peer["whole"], solid["own"][0]["whole"],
                     (error(error_of(solid["own"][0], peer["load"])), error(error_of(peer, peer["load"]))))


def goals(result, small, large, study):
    result.bar(7, "partial slip with 100 nodes per half-width", f"under {report.time_text(SMALL_SECONDS)}", report.time_text(small["seconds"]), small["seconds"] < SMALL_SECONDS)
    result.bar(7, f"its c/a (worst of {len(SMALL_LOADS)} loads)", f"right to {SMALL_ERROR:.0e}", f"{small['error']:.0e}", small["error"] <= SMALL_ERROR)
    for found in large:
        limit = LARGE_SECONDS[found["nodes"]]
        result.bar(7, f"an increment with {found['nodes']:,} nodes", f"under {limit:g} s", report.time_text(found["seconds"]), found["seconds"] < limit)
        result.bar(7, "the same for dissimilar bodies", f"under {limit:g} s", report.time_text(found["coupled_seconds"]), found["coupled_seconds"] < limit)
    limit = LARGE_SECONDS[100000]
    if study:
        result.bar(7, f"a whole study with {study['nodes']:,} nodes", f"under {limit:g} s", report.time_text(min(study["seconds"])), min(study["seconds"]) < limit)


def measure(options):
    small_table, small = bench_small(options.tools)
    solid_table, solid = ("", {"peer": None, "own": []}) if options.quick else bench_solid(options.tools)
    large_table, large = bench_large(options.tools, LARGE[:1] if options.quick else LARGE)
    study_text, study = ("", None) if options.quick else bench_study(options.library, 3)
    result = report.Result("slip")
    result.say(f"**Cattaneo and Mindlin's contact with 100 nodes per half-width** ({SMALL} nodes), the slowest and the worst of Q/fP = 0.1, 0.2 ... 0.9, one core:")
    result.parts.append(small_table)
    result.say(solid_table)
    result.say("**One increment of Q on a pressed contact**, one core:")
    result.parts.append(large_table)
    result.say(study_text)
    compare(result, small, solid, large)
    goals(result, small, large, study)
    result.data = {"small": small, "solid": solid, "large": large, "study": study}
    return result
