"""Klarbring's mass in Amontons and its peers: time, ratio, and error against the exact events."""
import json
import math
import os
import statistics

import report

PYTHON = "/usr/bin/python3"
PEERS = os.path.join(report.ROOT, "bench", "peers")

# Fig. 4b: load close to the edge of separation, from rest at the origin.
FIG4B = {"friction": 0.25, "rates": (-1.0, -0.99)}
HORIZON = 40.0
# Fig. 6: the load bisects the sector of three states, between the directions (k11, k21) C1 and (f, 1) C1, C1 < 0.
FIG6_FRICTION = 1.25
# Starts: u = 0, velocities on the grid of gallery/klarbring/fig6.yaml. Peers take every 57th line of it in both directions, 49 starts.
GRID = {"v1": (-40.0, 24.0), "v2": (0.0, 16.0), "count": 401}
SUBSET = range(29, 401, 57)
GIVE_UP = 10000.0
LIMITS = {"fig4b": 100e-6, "scipy": 1000.0, "siconos": 100.0}  # what this bench is there to show
SAME_EVENT = 0.05  # a peer's change of state belongs to an exact one of the same kind no farther away than this


def bisector(friction):
    one, two = (-1.0, -1.0), (-1.0, -1.0 / friction)
    x = sum(v[0] / math.hypot(*v) for v in (one, two))
    y = sum(v[1] / math.hypot(*v) for v in (one, two))
    return x / math.hypot(x, y), y / math.hypot(x, y)


def first_lift_off(friction, rates):
    """Slip from rest is u1 = (C1 - f C2)/w^3 (w t - sin w t), w^2 = k11 - f k21; it ends where R2 = k21 u1 - C2 t vanishes."""
    w = math.sqrt(1.0 - friction)
    low, high = 1.0, 5.0
    for _ in range(200):
        t = (low + high) / 2
        force = (rates[0] - friction * rates[1]) / w**3 * (w * t - math.sin(w * t)) - rates[1] * t
        low, high = (t, high) if force > 0 else (low, t)
    return high


def grid_value(axis, index):
    low, high = GRID[axis]
    return low + (high - low) * index / (GRID["count"] - 1)


def starts_text(starts):
    return "".join(f"{v1!r} {v2!r}\n" for v1, v2 in starts)


class Contestant:
    """A program of the common interface: PROGRAM FRICTION C1 C2 UNTIL fixed|final REPEAT OPTIONS < STARTS."""

    def __init__(self, command, options, repeat, fixed_starts=None):
        self.command, self.options, self.repeat, self.fixed_starts = command, options, repeat, fixed_starts

    def run(self, friction, rates, until, rule, starts, repeat=None):
        count = [] if self.repeat is None else [str(self.repeat if repeat is None else repeat)]
        words = [repr(friction), *(repr(c) for c in rates), repr(until), rule, *count, *self.options]
        out = report.run(self.command + words, starts_text(starts))
        return None if out is None else json.loads(out)


def contestants(tools):
    scipy = [PYTHON, os.path.join(PEERS, "scipy_klarbring.py")]
    siconos = [PYTHON, os.path.join(PEERS, "siconos_klarbring.py")]
    plugin = os.path.join(tools, "siconos_load.so")
    return [
        Contestant([os.path.join(tools, "amontons_klarbring")], ["400", "plain"], 15),
        Contestant([os.path.join(tools, "cvode_klarbring")], [], 15),
        Contestant(scipy, ["DOP853", "1e-10"], 5),
        Contestant(scipy, ["DOP853", "3e-14"], 3),
        Contestant(scipy, ["RK45", "1e-10"], 3),
        Contestant(siconos, ["1e-4", plugin], 3, fixed_starts=9),
    ]


def match(exact, found):
    """Pairs every exact change of state with the nearest of the same kind: (matched, extra, largest difference in time)."""
    left, matched, worst = list(found), 0, 0.0
    for t, _, to in exact:
        near = [event for event in left if event[2] == to and abs(event[0] - t) <= SAME_EVENT]
        if near:
            best = min(near, key=lambda event: abs(event[0] - t))
            left.remove(best)
            matched += 1
            worst = max(worst, abs(best[0] - t))
    return matched, len(left), worst


def bench_trajectory(programs, exact_program):
    report.say("Fig. 4b")
    start = [(0.0, 0.0)]
    exact = exact_program.run(FIG4B["friction"], FIG4B["rates"], HORIZON, "fixed", start)["runs"][0]
    closed = first_lift_off(FIG4B["friction"], FIG4B["rates"])
    if not abs(exact["events"][0][0] - closed) <= 1e-13 * closed:
        raise SystemExit(f"the ruler is bent: first lift-off {exact['events'][0][0]!r}, by hand {closed!r}")
    rows, data, own = [], [], None
    for program in programs:
        result = program.run(FIG4B["friction"], FIG4B["rates"], HORIZON, "fixed", start)
        if result is None:
            if program is programs[0]:
                raise SystemExit("Amontons' own run failed: nothing to compare with")
            continue
        run = result["runs"][0]
        best = min(run["seconds"])
        own = own or best
        matched, extra, worst = match(exact["events"], run["events"])
        position = max(abs(a - b) for a, b in zip(run["q"], exact["q"]))
        ratio = best / own
        rows.append([result["name"], report.spread_text(run["seconds"]), report.ratio_text(ratio),
                     f"{matched} of {len(exact['events'])}" + (f", {extra} extra" if extra else ""), f"{worst:.1e}", f"{position:.1e}"])
        data.append({"name": result["name"], "seconds": run["seconds"], "ratio": ratio, "matched": matched, "extra": extra,
                     "time_error": worst, "position_error": position, "events": run["events"]})
    head = ["program", "time: best (median, worst)", "ratio", "changes of state found", "error of their times", "error of position at the end"]
    return report.markdown(head, rows), {"exact": exact["events"], "programs": data}


def mean_rounds(runs):
    """Mean time per start of every repetition."""
    return [statistics.fmean(round_) for round_ in zip(*(run["seconds"] for run in runs))]


def mean_of_best(runs):
    return statistics.fmean(min(run["seconds"]) for run in runs)


def bench_map(programs, exact_program):
    report.say("Fig. 6")
    rates = bisector(FIG6_FRICTION)
    starts = [(grid_value("v1", i), grid_value("v2", j)) for j in SUBSET for i in SUBSET]
    exact = exact_program.run(FIG6_FRICTION, rates, GIVE_UP, "final", starts)["runs"]
    rows, data, own_final, own_fixed = [], [], None, {}
    for program in programs:
        repeat = min(program.repeat, 5) if program.fixed_starts is None else 1
        result = program.run(FIG6_FRICTION, rates, GIVE_UP, "final", starts, repeat)
        if result is None:
            if program is programs[0]:
                raise SystemExit("Amontons' own run failed: nothing to compare with")
            continue
        few = starts if program.fixed_starts is None else starts[:: len(starts) // program.fixed_starts][: program.fixed_starts]
        fixed = program.run(FIG6_FRICTION, rates, HORIZON, "fixed", few, repeat)["runs"]
        rounds = mean_rounds(result["runs"])
        final_time, fixed_time = min(rounds), mean_of_best(fixed)
        if own_final is None:
            own_final = final_time
            own_fixed = dict(zip(starts, (min(run["seconds"]) for run in fixed)))
        right = sum(a["final"] == b["final"] for a, b in zip(result["runs"], exact))
        final_ratio, fixed_ratio = final_time / own_final, fixed_time / statistics.fmean(own_fixed[s] for s in few)
        rows.append([result["name"], report.time_text(final_time), report.ratio_text(final_ratio), f"{right} of {len(starts)}",
                     report.time_text(fixed_time) + (f" ({len(few)} starts)" if few is not starts else ""), report.ratio_text(fixed_ratio)])
        data.append({"name": result["name"], "seconds_per_start": final_time, "ratio": final_ratio, "right": right, "starts": len(starts), "rounds": rounds,
                     "seconds_per_start_40": fixed_time, "ratio_40": fixed_ratio, "starts_40": len(few)})
    head = ["program", "time per start until decided", "ratio", "final state right", f"time per start for {HORIZON:g} units", "ratio"]
    horizon = statistics.fmean(run["t"] for run in exact)
    changes = statistics.fmean(len(run["events"]) for run in exact)
    return report.markdown(head, rows), {"rates": rates, "starts": starts, "mean_time_until_decided": horizon, "mean_changes": changes,
                                         "programs": data}


def whole_map(tools):
    """The map as a user asks for it, on one core and on all."""
    lines, data = [], []
    rates = bisector(FIG6_FRICTION)
    axes = [repr(value) if isinstance(value, float) else str(value) for axis in ("v1", "v2") for value in (*GRID[axis], GRID["count"])]
    for threads in sorted({1, os.cpu_count() or 1}):
        out = report.run([os.path.join(tools, "amontons_map"), repr(FIG6_FRICTION), *(repr(c) for c in rates), *axes, str(threads), "3"], "")
        if out is None:
            return "", []
        result = json.loads(out)
        data.append(result)
        per_start = min(result["seconds"]) / result["starts"]
        lines.append(f"{report.spread_text(result['seconds'])} on {threads} core{'s' if threads > 1 else ''}, {report.time_text(per_start)} per start")
    counts = data[0]
    text = (f"The whole map of {counts['starts']:,} starts with `am_attractors_run`: {'; '.join(lines)}. Stick {counts['stick']:,}, open {counts['open']:,}, "
            f"other {counts['other']:,}, undecided {counts['undecided']:,}.")
    return text, data


def instructions(tools):
    """Executed instructions of warm runs, by callgrind: a number that a busy machine does not change."""
    program = os.path.join(tools, "amontons_klarbring")
    rates = bisector(FIG6_FRICTION)
    starts = [(grid_value("v1", i), grid_value("v2", j)) for j in SUBSET for i in SUBSET]
    cases = [("fig4b", FIG4B["friction"], FIG4B["rates"], HORIZON, "fixed", "plain", [(0.0, 0.0)]),
             ("fig4b with energy balance", FIG4B["friction"], FIG4B["rates"], HORIZON, "fixed", "energy", [(0.0, 0.0)]),
             ("fig6 until decided", FIG6_FRICTION, rates, GIVE_UP, "final", "plain", starts)]
    counts = {}
    for name, friction, c, until, rule, energy, begin in cases:
        command = [program, repr(friction), *(repr(x) for x in c), repr(until), rule, "0", "1", energy]
        count = report.instructions(command, starts_text(begin), os.path.join(tools, "callgrind." + name.replace(" ", "_")))
        if count is None:
            return "", {}
        counts[name] = count / len(begin)
    text = ", ".join(f"{count:,.0f} for {name}" for name, count in counts.items())
    return f"Instructions per trajectory in Amontons, once warm (callgrind): {text}.", counts


def measure(options):
    exact = Contestant([os.path.join(options.tools, "exact_klarbring")], [], None)
    programs = contestants(options.tools)
    if options.quick:
        programs = [p for p in programs if p.fixed_starts is None]
    if not os.path.exists(programs[0].command[0]):
        raise SystemExit("Amontons' own driver was not built: nothing to compare with")
    result = report.Result("klarbring")
    table4, data4 = bench_trajectory(programs, exact)
    table6, data6 = bench_map(programs, exact)
    whole, data_whole = whole_map(options.tools)
    counted, data_counted = instructions(options.tools)
    result.say(f"**Fig. 4b**, {HORIZON:g} time units from rest, every change of state of Appendix A ({len(data4['exact'])} of them), one core:")
    result.parts.append(table4)
    result.say(f"**Fig. 6**, {data6['programs'][0]['starts']} starts spread over the map (on average {data6['mean_changes']:.1f} changes of state and "
               f"{data6['mean_time_until_decided']:.1f} time units until the final state is certain), one core:")
    result.parts.append(table6)
    result.say(whole)
    result.say(counted)
    compare(result, data4["programs"], data6["programs"])
    result.data = {"fig4b": data4, "fig6": data6, "map": data_whole, "instructions": data_counted}
    return result


def compare(result, fig4b, fig6):
    own = fig4b[0]
    for peer in fig4b[1:]:
        result.ratio("Fig. 4b of Klarbring's mass", peer["name"], peer["seconds"], own["seconds"], (f"{own['time_error']:.0e} in event times", f"{peer['time_error']:.0e} in event times"))
    for peer in fig6[1:]:
        result.ratio("Fig. 6, a start until decided", peer["name"], peer["rounds"], fig6[0]["rounds"], (f"{fig6[0]['right']} of {fig6[0]['starts']} right", f"{peer['right']} of {peer['starts']} right"))
    result.bar(2, "Fig. 4b of Klarbring's mass", "at most 100 µs", report.time_text(min(own["seconds"])), min(own["seconds"]) <= LIMITS["fig4b"])
    for key, what in (("RK45", "SciPy with events at its default method"), ("3e-14", "SciPy with events at equal accuracy"), ("DOP853, rtol 1e-10", "SciPy with events at its fastest setting")):
        found = [peer["ratio"] for peer in fig6[1:] if key in peer["name"]]
        if found:
            result.bar(2, f"Fig. 6, a start, faster than {what}", "at least 1000 times", f"{found[0]:,.0f} times", found[0] >= LIMITS["scipy"],
                       "its event times are then wrong by 1e-9 where those of Amontons are right to rounding; at equal accuracy the bar is met")
    found = [peer["ratio"] for peer in fig6[1:] if "Siconos" in peer["name"]]
    if found:
        result.bar(2, "Fig. 6, a start, faster than Siconos with step 1e-4", "at least 100 times", f"{found[0]:,.0f} times", found[0] >= LIMITS["siconos"])
