"""The slider on its base of Papangelo 2017, Fig. 3.13, in Amontons and in CalculiX, and what large models cost. Run by bench/bench."""
import json
import os
import shutil
import subprocess

import report

PEER = ["/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "calculix_blocks.py")]
SIZE, STEPS, REPEAT = 4.0, 100, 15  # elements along the interface (mm) that CalculiX gets through in two minutes; steps of Q
FINE = (2.0, 1.0)  # Amontons alone
STARTED = 0.2  # Q/P at which the front has left the corner
SHOWN = (0.20, 0.25, 0.30, 0.35, 0.40, 0.45)  # Q/P
LARGE = ((0.56, 1.1, 2.0), (0.28, 1.04, 0.7))  # size at the interface, growth, largest size
# what this bench is there to show
RATIO, LARGE_SETUP, LARGE_STEP = 20.0, 120.0, 0.01
LARGE_UNKNOWNS, LARGE_CONTACTS = 500000, 1000


def driver(tools, *words):
    return report.own_run([os.path.join(tools, "amontons_blocks"), *map(str, words)])


def peer_of(mesh):
    """What CalculiX finds, or why it finds nothing."""
    if not shutil.which("ccx"):
        return None, "not installed"
    try:
        out = report.run(PEER + ["1"], mesh, timeout=1500)
        return (json.loads(out), None) if out else (None, "failed")
    except (subprocess.TimeoutExpired, ValueError) as problem:
        report.say(f"CalculiX: {problem}")
        return None, "did not end in time"


def front_at(found, ratio):
    """The length that slips at the last step up to Q/P = ratio."""
    return [length for at, length in found["fronts"] if at < ratio + 1e-9][-1]


def fronts_text(found):
    return [f"{front_at(found, ratio):.1f}" for ratio in SHOWN]


def difference(own, peer):
    """Mean distance between the ends of slip over all steps that both have, and the largest once the front has started: at first it runs over several nodes within a step."""
    theirs = {round(at, 9): length for at, length in peer["fronts"]}
    apart = [(at, abs(length - theirs[round(at, 9)])) for at, length in own["fronts"] if round(at, 9) in theirs]
    return max(distance for at, distance in apart if at >= STARTED), sum(distance for _, distance in apart) / len(apart)


def whole(found):
    return [setup + path for setup, path in zip(found["setup"], found["path"])]


def bench_peer(tools, quick):
    report.say(f"elements of {SIZE:g} mm, {STEPS} steps")
    own = driver(tools, "path", SIZE, STEPS, REPEAT)
    seconds = whole(own)
    data = {"own": own, "fine": [driver(tools, "path", size, STEPS, REPEAT) for size in FINE]}
    rows = [[f"Amontons, {SIZE:g} mm", f"{own['unknowns']:,}", str(own["contacts"]), report.spread_text(seconds), "1", *fronts_text(own)]]
    peer, problem = None, "left out"
    if not quick:
        report.say("CalculiX: two minutes and more")
        peer, problem = peer_of(json.dumps(driver(tools, "mesh", SIZE, STEPS)))
    if peer:
        data.update(peer=peer, ratio=min(peer["whole"]) / max(seconds))
        data["apart"], data["apart_mean"] = difference(own, peer)
        rows.append([f"{peer['name']}, {SIZE:g} mm", f"{peer['unknowns']:,}", "-", report.spread_text(peer["whole"]), report.ratio_text(min(peer["whole"]) / min(seconds)), *fronts_text(peer)])
    else:
        rows.append([f"CalculiX: {problem}", "-", "-", "-", "-", *["-"] * len(SHOWN)])
    for size, found in zip(FINE, data["fine"]):
        rows.append([f"Amontons, {size:g} mm", f"{found['unknowns']:,}", str(found["contacts"]), report.spread_text(whole(found)), "-", *fronts_text(found)])
    head = ["program, elements", "unknowns", "contact nodes", "mesh, factors, P and 100 steps of Q: best (median, worst)", "ratio", *(f"slip at Q/P = {ratio:.2f}" for ratio in SHOWN)]
    return report.markdown(head, rows), data


def bench_large(tools, sizes):
    rows, data = [], []
    for size, growth, largest in sizes:
        report.say(f"elements of {size:g} mm")
        found = driver(tools, "large", size, growth, largest, STEPS)
        data.append(found)
        rows.append([f"{found['unknowns']:,}", f"{found['contacts']:,}", report.time_text(found["setup"][0]), report.time_text(found["path"][0] / STEPS), f"{found['residual']:.0e}", *fronts_text(found)])
    head = ["unknowns", "contact nodes", "setup", "each of 100 steps", "conditions violated by", *(f"slip at Q/P = {ratio:.2f}" for ratio in SHOWN)]
    return report.markdown(head, rows), data


def compare(result, small):
    if "peer" in small:
        result.ratio(f"a slider on its base by finite elements, {STEPS} steps of load", small["peer"]["name"], small["peer"]["whole"], whole(small["own"]),
                     ("", f"slip ends {small['apart_mean']:.2g} mm from there on average"))


def goals(result, small, large):
    nodes, last = SIZE / 2, large[-1]
    if "peer" in small:
        result.bar(8, f"a load path of {STEPS} steps beside CalculiX, the worst of {REPEAT} runs", f"at least {RATIO:g} times as fast", report.ratio_text(small["ratio"]), small["ratio"] >= RATIO)
        result.bar(8, "end of slip beside CalculiX, mean of all steps", f"{nodes / 2:g} mm, half the distance of nodes", f"{small['apart_mean']:.2g} mm", small["apart_mean"] <= nodes / 2)
        result.bar(8, f"the same, largest from Q/P = {STARTED:g} on", f"{2 * nodes:g} mm", f"{small['apart']:.2g} mm", small["apart"] <= 2 * nodes)
    if last["unknowns"] < LARGE_UNKNOWNS or last["contacts"] < LARGE_CONTACTS:
        return
    step = last["path"][0] / STEPS
    result.bar(8, f"setting up {last['unknowns']:,} unknowns and {last['contacts']:,} contact nodes", f"under {LARGE_SETUP:g} s", report.time_text(last["setup"][0]), last["setup"][0] <= LARGE_SETUP)
    result.bar(8, "then a step of load", f"under {report.time_text(LARGE_STEP)}", report.time_text(step), step <= LARGE_STEP)


def measure(options):
    small_table, small = bench_peer(options.tools, options.quick)
    large_table, large = bench_large(options.tools, LARGE[:1] if options.quick else LARGE)
    result = report.Result("blocks")
    result.say(f"**The slider of Fig. 3.13** (h = 6 mm, f = 0.47), {STEPS} steps of Q up to 0.45 P, eight-node elements, one core; slip in mm from the trailing end, of 140:")
    result.parts.append(small_table)
    result.say("**Large models of the same rig**, once:")
    result.parts.append(large_table)
    compare(result, small)
    goals(result, small, large)
    result.data = {"small": small, "large": large}
    return result
