"""Quasi-static paths and complementarity problems in Amontons, SciPy and Siconos."""
import json
import math
import os
import statistics

import report

PYTHON = "/usr/bin/python3"
SCIPY = [PYTHON, os.path.join(report.ROOT, "bench", "peers", "scipy_path.py"), "starts"]
STARTS = 200
SAME_CYCLE = 1e-9  # both find the same limit cycle
FAMILIES = ("definite", "dominant", "cayley")
# n: problems per family, passes of Amontons, passes of the peers (their passes are many times as long)
PROBLEMS = {10: (400, 25, 15), 50: (100, 15, 7), 200: (30, 7, 3)}
SICONOS = ("lemke", "newton", "pgs")
SUPPORTS = ("half-plane", "decaying")
STEP_SIZES, STEPS = (250, 500, 1000, 2000), 200
CORNER_SIZES = {2: 20, 4: 20, 8: 10, 16: 4, 32: 1}  # nodes: cycles per timed run
FIT_UP_TO = 16  # beyond, the combinations of states that are looked at decide, not the size of the matrices
WHY_NOT = ("this program knows that its load is linear between its breaks, so a corner costs it a few small systems of equations and a root finder; Amontons' engine takes any load, proves that "
           "no switch is passed over, and closes the cycle with its multipliers. Beside a program that takes any load, too, the bar is met")
LIMITS = {"starts": 500.0, "lcp": {10: 2e-6, 50: 100e-6, 200: 3000e-6}, "step": 50e-3}  # what this bench is there to show


def tool(tools, name):
    return os.path.join(tools, name)


def driver(tools, *words, timeout=600):
    return report.own_run([tool(tools, "amontons_path"), *map(str, words)], "", timeout=timeout)


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


# ---- starts of Example 1 ----

def distance(own, run):
    """From the limit cycle of Amontons, at the beginning of a load cycle, to the nearest phase of this run's; infinite if it has another period."""
    if run["period"] != own["period"][0]:
        return math.inf
    point = [own["position1"][0], own["position2"][0]]
    return min(max(abs(a - b) for a, b in zip(phase, point)) for phase in run["positions"])


def bench_starts(tools, kinds):
    report.say("starts of Example 1")
    own = driver(tools, "starts", STARTS, 15)
    counted = report.instructions([tool(tools, "amontons_path"), "starts", str(STARTS), "0"], "", tool(tools, "callgrind.path_starts"))
    best = min(own["seconds"])
    points = "".join(f"{a!r} {b!r}\n" for a, b in zip(own["starts"]["v1"], own["starts"]["v2"]))
    cycles = [int(c) for c in own["starts"]["cycles"]]
    rows = [[own["name"], report.spread_text(own["seconds"]), "1", f"{sum(cycles)}", f"{len(own['orbits']['period'])}, period {own['orbits']['period'][0]:.0f}", "-"]]
    data = {"own": {"seconds": own["seconds"], "cycles": sum(cycles), "orbits": own["orbits"], "instructions": counted}, "peers": {}}
    for kind in kinds:
        report.say(f"starts of Example 1: SciPy, {kind}")
        times, peer = [], None
        for _ in range(1 if kind == "general" else 3):
            out = report.run(SCIPY + [kind], points, timeout=600)
            if out is None:
                break
            peer = json.loads(out)
            times.append(sum(run["seconds"] for run in peer["runs"]))
        if not peer:
            continue
        worst = max(distance(own["orbits"], run) for run in peer["runs"])
        total = sum(run["cycles"] for run in peer["runs"])
        data["peers"][kind] = {"name": peer["name"], "seconds": times, "ratio": min(times) / best, "cycles": total, "distance": worst,
                               "same": worst <= SAME_CYCLE and len(own["orbits"]["period"]) == 1, "corners": sum(run["corners"] for run in peer["runs"])}
        rows.append([peer["name"], report.spread_text(times) if len(times) > 1 else report.time_text(times[0]), report.ratio_text(min(times) / best), f"{total}",
                     f"period {peer['runs'][0]['period']}", f"{worst:.1e}"])
    head = ["program", "time: best (median, worst)", "ratio", "load cycles followed", "limit cycles", "largest distance of the limit cycles"]
    text = (f"**{STARTS} starts of Example 1** (Andersson, Barber and Ahn; `gallery/attractors/fig7.yaml`) to their limit cycle, one core; Amontons: one call of `am_attractors_run`, "
            f"which also closes every cycle and has its multipliers and dissipation{f' ({counted / STARTS:,.0f} instructions per start)' if counted else ''}:\n\n{report.markdown(head, rows)}")
    if "corners" in data["peers"]:
        text += ("\n\nThe first SciPy program handles any load, as the engine of Amontons does; the others are written for loads that are linear between their breaks.")
    return text, data


# ---- complementarity problems ----

def solver_rows(tools, n, family):
    count, passes, peer_passes = PROBLEMS[n]
    words = [str(FAMILIES.index(family)), str(n), str(count)]
    own = report.run([tool(tools, "amontons_lcp"), *words, str(passes)], "")
    if own is None:
        raise SystemExit("Amontons' own run failed: nothing to compare with")
    found = {"amontons": json.loads(own)}
    for solver in SICONOS:
        out = report.run([tool(tools, "siconos_lcp"), *words, str(peer_passes), solver], "", timeout=300)
        if out is not None:
            found[solver] = json.loads(out)
    return found


def one_solver(result, own_median):
    median = statistics.median(result["seconds"])
    solved = result["failures"] < len(result["seconds"])
    return {"name": result["name"], "median": median, "worst": max(result["seconds"]), "failures": result["failures"], "problems": len(result["seconds"]),
            "residual": result["residual"] if solved else None, "ratio": median / own_median}


def bench_lcp(tools, sizes):
    rows, data = [], []
    for n in sizes:
        for family in FAMILIES:
            report.say(f"complementarity problems, n = {n}, {family}")
            found = solver_rows(tools, n, family)
            own_median = statistics.median(found["amontons"]["seconds"])
            counted = report.instructions([tool(tools, "amontons_lcp"), str(FAMILIES.index(family)), str(n), "20", "0"], "", tool(tools, f"callgrind.lcp_{family}_{n}"))
            solvers = {key: one_solver(result, own_median) for key, result in found.items()}
            data.append({"n": n, "family": family, "solvers": solvers, "instructions": counted and counted / 20})
            for key, s in solvers.items():
                rows.append([str(n), family, s["name"], report.time_text(s["median"]), report.time_text(s["worst"]), report.ratio_text(s["ratio"]) if key != "amontons" else "1",
                             f"{s['failures']} of {s['problems']}", "-" if s["residual"] is None else f"{s['residual']:.0e}",
                             f"{data[-1]['instructions']:,.0f}" if key == "amontons" and counted else "-"])
    head = ["n", "matrices", "program", "median", "worst problem", "ratio of medians", "failures", "largest residual", "instructions"]
    text = (f"**Complementarity problems** with random P-matrices, from a cold start in a warm workspace; a failure is an error message or a residual above 1e-8, and the residual is that of the "
            f"problems solved:\n\n{report.markdown(head, rows)}")
    return text, data


# ---- incremental steps ----

def bench_steps(tools, sizes):
    rows, data = [], []
    for support in SUPPORTS:
        for N in sizes:
            report.say(f"incremental steps, {support}, N = {N}")
            run = driver(tools, "steps", support, N, STEPS)
            seconds = run["seconds"]
            one = {"support": support, "nodes": N, "median": statistics.median(seconds), "tenth": quantile(seconds, 0.9), "worst": max(seconds),
                   "over": sum(s > LIMITS["step"] for s in seconds), "mean": statistics.fmean(seconds), "iterations": statistics.fmean(run["iterations"]),
                   "factored": sum(run["factored"]), "moving": max(run["moving"]), "open": run["open"] / STEPS, "pivots": run["pivots"], "residual": run["residual"],
                   "drift": run["drift"], "init": run["init"]}
            data.append(one)
            rows.append([support, str(N), report.time_text(one["median"]), report.time_text(one["tenth"]), report.time_text(one["worst"]), f"{one['over']} of {STEPS}",
                         f"{one['iterations']:.1f}", f"{one['factored']:.0f}", f"{one['moving']:.0f}", f"{one['open']:.1f}", f"{one['residual']:.0e}", report.time_text(one["init"])])
    head = ["support", "nodes N", "step: median", "nine of ten below", "worst", "above 50 ms", "iterations per step", "blocks factored", "most nodes moving", "open on average", "residual",
            "condensing, once"]
    fits = {support: {name: report.slope([(d["nodes"], d[name]) for d in data if d["support"] == support]) for name in ("median", "mean", "worst")} for support in SUPPORTS}
    fitted = "; ".join(f"{support}: median {fit['median']:.2f}, mean {fit['mean']:.2f}, worst {fit['worst']:.2f}" for support, fit in fits.items())
    text = (f"**The incremental path**: one warm-started load step, {STEPS} per cycle, over one cycle after half a cycle that is not counted:\n\n{report.markdown(head, rows)}\n\n"
            f"Fitted exponents of N: {fitted}.")
    return text, {"runs": data, "exponents": fits}


# ---- corners of the exact path ----

def bench_corners(tools, largest):
    rows, data = [], []
    for load in ("table", "sine"):
        for N, cycles in CORNER_SIZES.items():
            if N > largest:
                continue
            report.say(f"corners of the exact path, {load}, N = {N}")
            out = report.run([tool(tools, "amontons_path"), "corners", load, str(N), str(cycles), "5" if N < 32 else "1"], "", timeout=120)
            if out is None:
                rows.append([load, str(N)] + ["-"] * 7)
                continue
            run = json.loads(out)
            counted = N < 32 and report.instructions([tool(tools, "amontons_path"), "corners", load, str(N), "1", "0"], "", tool(tools, f"callgrind.path_{load}_{N}"))
            per_cycle, second = run["corners"] / cycles, min(run["seconds"]) / cycles
            one = {"load": load, "nodes": N, "corners": per_cycle, "cycle": second, "corner": second / per_cycle if per_cycle else None, "combinations": run["combinations"],
                   "unchecked": run["unchecked"], "proven": run["proven"], "cold": run["cold_seconds"], "instructions": counted / per_cycle if counted and per_cycle else None}
            data.append(one)
            rows.append([load, str(N), f"{per_cycle:.0f}", report.time_text(second), report.time_text(one["corner"]) if per_cycle else "-",
                         f"{one['instructions']:,.0f}" if one["instructions"] else "-", report.time_text(one["cold"]), str(one["combinations"]), str(one["unchecked"])])
    head = ["loads", "nodes N", "corners per cycle", "time per cycle", "per corner", "instructions per corner", "first cycle, cold", "combinations kept", "decisions unchecked"]
    fits = {load: report.slope([(d["nodes"], d["corner"]) for d in data if d["load"] == load and d["corner"] and d["nodes"] <= FIT_UP_TO]) for load in ("table", "sine")}
    text = (f"**The exact path**: cost per corner (change of contact states) of the half-plane, shear and rocking as triangular tables or as sines, on the limit cycle:\n\n"
            f"{report.markdown(head, rows)}\n\nFitted exponents of N for the time per corner, up to N = {FIT_UP_TO}: " + ", ".join(f"{load} {fit:.2f}" for load, fit in fits.items()) + ".")
    return text, {"runs": data, "exponents": fits}


def compare(result, starts, lcp):
    for peer in starts["peers"].values():
        result.ratio(f"{STARTS} starts to their limit cycle", peer["name"], peer["seconds"], starts["own"]["seconds"], ("rounding", f"{peer['distance']:.0e} from that limit cycle"))
    for found in lcp:
        own, lemke = found["solvers"]["amontons"], found["solvers"].get("lemke")
        if lemke:
            result.ratio(f"complementarity problem, n = {found['n']}, {found['family']} (medians)", lemke["name"], [lemke["median"]], [own["median"]],
                         tuple("-" if one["residual"] is None else f"residual {one['residual']:.0e}" for one in (own, lemke)))


def goals(result, starts, lcp, steps):
    """Each goal with the number that decides it."""
    for kind, peer in starts["peers"].items():
        if kind == "tuned":
            continue  # a program for one kind of load: shown in the table
        result.bar(4, f"{STARTS} starts of Example 1, faster than {peer['name']}", "at least 500 times", f"{peer['ratio']:.0f} times, {'same limit cycle' if peer['same'] else 'ANOTHER LIMIT CYCLE'}",
                   peer["same"] and peer["ratio"] >= LIMITS["starts"],
                   WHY_NOT if peer["same"] else None)
    for n, limit in LIMITS["lcp"].items():
        own = [(d["solvers"]["amontons"]["median"], d["family"]) for d in lcp if d["n"] == n]
        if own:
            failures = sum(d["solvers"]["amontons"]["failures"] for d in lcp if d["n"] == n)
            worst, family = max(own)
            result.bar(4, f"complementarity problem, n = {n}, median", f"at most {report.time_text(limit)}, no failure", f"{report.time_text(worst)} ({family}), {failures} failures", worst <= limit and failures == 0)
    for d in steps["runs"]:
        if d["nodes"] == STEP_SIZES[-1]:
            result.bar(4, f"incremental step, N = {d['nodes']}, {d['support']}", "under 50 ms", f"{report.time_text(d['median'])} median, {d['over']} of {STEPS} steps above", d["median"] < LIMITS["step"])


def measure(options):
    result = report.Result("path")
    text_starts, starts = bench_starts(options.tools, ("tuned",) if options.quick else ("general", "corners", "tuned"))
    text_lcp, lcp = bench_lcp(options.tools, [n for n in PROBLEMS if not options.quick or n <= 50])
    text_steps, steps = bench_steps(options.tools, STEP_SIZES[:2] if options.quick else STEP_SIZES)
    text_corners, corners = bench_corners(options.tools, 4 if options.quick else max(CORNER_SIZES))
    result.say("One core; processor time of the process, so that other work on the machine counts for nobody (complementarity problems: best of several passes).")
    for part in (text_starts, text_lcp, text_steps, text_corners):
        result.parts.append(part)
    compare(result, starts, lcp)
    goals(result, starts, lcp, steps)
    result.data = {"starts": starts, "lcp": lcp, "steps": steps, "corners": corners}
    return result
