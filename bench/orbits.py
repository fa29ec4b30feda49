"""Long-term motions in Amontons and in SciPy."""
import json
import math
import os
import statistics

import report

PYTHON = "/usr/bin/python3"
PEER = [PYTHON, os.path.join(report.ROOT, "bench", "peers", "scipy_orbits.py")]
RUN = {"beta": 0.51, "Omega": 0.47, "until": 40.0}
# Fig. 7.5 on 50 x 100 points; SciPy takes every 12th line of beta and every 24th of Omega, 16 points.
MAP = {"beta": (0.02, 0.98, 50), "Omega": (0.04, 1.2, 100)}
MAP_SUBSET = [(i, j) for i in range(6, 50, 12) for j in range(9, 100, 24)]
ALPHA = 0.5
STARTS = 1000
START_STEP = 143  # SciPy takes every 143rd start, 7 of them
SIZES = (2, 10, 50, 100)
EVENTS = 300
PEER_EVENTS = {2: 60, 10: 60, 50: 30, 100: 30}
PEER_RTOL, PEER_RTOL_FINE = "1e-10", "3e-14"  # the fine one comes nearest to the accuracy of Amontons
LIMITS = {"oscillator": 25e-6, "map": 5.0, "starts": 2.0, "exponent": 2.0, "ratio": 100.0}  # what this bench is there to show


class Ruler:
    """The oscillator's switch times from the closed forms of stick and slip, zeros by bisection."""

    def __init__(self, beta, Omega):
        self.beta, self.Omega = beta, Omega

    def slip(self, t0, q0, sign):
        """Displacement and velocity in slip from rest at t0."""
        O = self.Omega
        c = 1.0 / (1.0 - O * O)
        a, b = q0 + sign * self.beta - c * math.sin(O * t0), -c * O * math.cos(O * t0)
        return (lambda t: a * math.cos(t - t0) + b * math.sin(t - t0) - sign * self.beta + c * math.sin(O * t),
                lambda t: -a * math.sin(t - t0) + b * math.cos(t - t0) + c * O * math.cos(O * t))

    @staticmethod
    def first_zero(f, t0, until):
        """Where f, positive just after t0, first turns negative; None if not before `until`."""
        step, t = 1e-3, t0 + 1e-3
        while t < until and f(t + step) > 0:
            t += step
        if t >= until:
            return None
        low, high = t, t + step
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if f(middle) > 0 else (low, middle)
        return high

    def times(self, until):
        t, q, found = 0.0, 0.0, []
        while True:
            force = math.sin(self.Omega * t) - q
            if abs(force) < self.beta:
                stop = self.first_zero(lambda x: self.beta - abs(math.sin(self.Omega * x) - q), t, until)
                if stop is None or stop > until:
                    return found, q
                t = stop
                found.append(t)
            sign = 1.0 if math.sin(self.Omega * t) - q > 0 else -1.0
            place, speed = self.slip(t, q, sign)
            stop = self.first_zero(lambda x: sign * speed(x), t, until)
            if stop is None or stop > until:
                return found, place(until)
            t, q = stop, place(stop)
            found.append(t)


def driver(tools, *words, text=""):
    return report.own_run([os.path.join(tools, "amontons_orbits"), *map(str, words)], text, timeout=1200)


def peer(*words, text=""):
    out = report.run(PEER + [str(word) for word in words], text, timeout=1200)
    return None if out is None else json.loads(out)


def bench_run(tools):
    report.say("one run of the oscillator")
    point = f"{RUN['beta']!r} {RUN['Omega']!r}\n"
    exact, q = Ruler(RUN["beta"], RUN["Omega"]).times(RUN["until"])
    own = driver(tools, "oscillator", RUN["until"], 15, 400, text=point)
    results = [own] + [peer("oscillator", RUN["until"], 5, method, rtol, text=point)
                       for method, rtol in (("DOP853", "1e-10"), ("DOP853", "3e-14"), ("LSODA", "1e-10"))]
    rows, data, best = [], [], min(own["runs"][0]["seconds"])
    for result in filter(None, results):
        run = result["runs"][0]
        ratio = min(run["seconds"]) / best
        same = len(run["times"]) == len(exact)
        error = max(abs(a - b) for a, b in zip(run["times"], exact)) if same else math.nan
        rows.append([result["name"], report.spread_text(run["seconds"]), report.ratio_text(ratio), f"{len(run['times'])} of {len(exact)}",
                     f"{error:.1e}" if same else "wrong switches", f"{abs(run['q'] - q):.1e}"])
        data.append({"name": result["name"], "seconds": run["seconds"], "ratio": ratio, "switches": len(run["times"]), "error": error if same else None})
    head = ["program", "time: best (median, worst)", "ratio", "switches", "error of their times", "error of v at the end"]
    return report.markdown(head, rows), data


def map_points():
    def value(axis, index):
        low, high, count = MAP[axis]
        return low + (high - low) * index / (count - 1)

    return [[(value("beta", i), value("Omega", j)) for j in range(MAP["Omega"][2])] for i in range(MAP["beta"][2])]


def lines(points):
    return "".join(" ".join(repr(value) for value in point) + "\n" for point in points)


def bench_map(tools):
    report.say("map of stops")
    points = map_points()
    whole = driver(tools, "stops", 1, text=lines(p for row in points for p in row))["runs"]
    few = [points[i][j] for i, j in MAP_SUBSET]
    own = driver(tools, "stops", 5, text=lines(few))["runs"]
    other = peer("stops", "DOP853", PEER_RTOL, text=lines(few))
    total = sum(run["seconds"][0] for run in whole)
    data = {"points": len(whole), "seconds": total, "periodic": sum(run["periodic"] for run in whole), "closing": max(run["closing"] for run in whole),
            "most_stops": max(run["stops"] for run in whole)}
    text = (f"**The map of stops** (Fig. 7.5), {len(whole):,} points, each to its closed orbit with multipliers: {report.time_text(total)} on one core, "
            f"{report.time_text(total / len(whole))} per point. All closed: {'yes' if data['periodic'] == len(whole) else 'no'}; largest closing error "
            f"{data['closing']:.1e}; up to {data['most_stops']} stops.")
    if other:
        mine, theirs = (statistics.fmean(min(run["seconds"]) for run in runs) for runs in (own, other["runs"]))
        ratio = statistics.median(min(b["seconds"]) / min(a["seconds"]) for a, b in zip(own, other["runs"]))
        ready = [(a["stops"], b["stops"]) for a, b in zip(own, other["runs"]) if b["periodic"]]
        same = sum(a == b for a, b in ready)
        data.update(ratio=ratio, ratio_of_means=theirs / mine, peer_seconds=theirs, own_seconds=mine, same_stops=same, peer_ready=len(ready), peer_points=len(few))
        text += (f" On {len(few)} points spread over the map: Amontons {report.time_text(mine)} per point; {other['name']}, until a state repeats to 1e-6, without "
                 f"multipliers: {report.time_text(theirs)}; ratio {report.ratio_text(theirs / mine)} of these means, {report.ratio_text(ratio)} at the median point. SciPy got there "
                 f"within 400 periods at {len(ready)} points, with the same number of stops at {same} of them.")
    return text, data


def bench_starts(tools):
    report.say("starts of the rod")
    own = driver(tools, "attractors", 2, ALPHA, STARTS, 3)
    best, starts = min(own["seconds"]), own["starts"][::START_STEP]
    orbits = ", ".join(f"T = {o['period']:.5g} ({o['starts']:.0f})" for o in own["orbits"])
    data = {"seconds": own["seconds"], "orbits": own["orbits"], "worst_closing": max(o["closing"] for o in own["orbits"])}
    text = (f"**The rod, n = 2, alpha = {ALPHA:g}**: {STARTS:,} starts to closed orbits with `am_attractors_run` on one core: {report.spread_text(own['seconds'])}, "
            f"{report.time_text(best / STARTS)} per start. Orbits (starts): {orbits}; largest closing error {data['worst_closing']:.1e}.")
    other = peer("attractors", ALPHA, "DOP853", PEER_RTOL, text=lines([s["xi1"], s["xi2"], s["v1"], s["v2"], float(max(1, s["returns"]))] for s in starts))
    if other:
        seconds = statistics.fmean(run["seconds"][0] for run in other["runs"])
        data.update(ratio=seconds * STARTS / best, peer_seconds=seconds, peer_starts=len(starts))
        text += (f" {other['name']} needs {report.time_text(seconds)} per start ({len(starts)} of them) for the same transients alone, as many returns as Amontons follows, "
                 f"nothing closed: ratio {report.ratio_text(data['ratio'])}.")
    return text, data


def bench_events(tools, sizes):
    rows, data = [], []
    for n in sizes:
        report.say(f"events of the rod, n = {n}")
        own = driver(tools, "events", n, ALPHA, EVENTS, 5)
        few = driver(tools, "events", n, ALPHA, PEER_EVENTS[n], 5)
        counted = report.instructions([os.path.join(tools, "amontons_orbits"), "events", str(n), str(ALPHA), str(EVENTS), "0"], "",
                                      os.path.join(tools, f"callgrind.rod_{n}"))
        other, fine = (peer("events", n, ALPHA, PEER_EVENTS[n], "DOP853", rtol) for rtol in (PEER_RTOL, PEER_RTOL_FINE))
        run = other["runs"][0] if other and fine else None
        one = {"elements": n, "events": own["events"], "spans": own["spans"], "combinations": own["combinations"], "complementarity": own["complementarity"],
               "seconds_per_event": min(own["seconds"]) / own["events"], "seconds_per_span": min(own["seconds"]) / own["spans"],
               "cold_seconds_per_event": own["cold_seconds"] / own["events"], "instructions_per_event": counted and counted / own["events"]}
        if run:
            same = len(run["times"]) == len(few["times"])
            one.update(peer_few=run["seconds"][0], own_few=few["seconds"], ratio=run["seconds"][0] / min(few["seconds"]), ratio_fine=fine["runs"][0]["seconds"][0] / min(few["seconds"]),
                       ratio_first=run["seconds"][0] / few["cold_seconds"], peer_seconds_per_event=run["seconds"][0] / max(1, run["events"]),
                       difference=max(abs(a - b) for a, b in zip(run["times"], few["times"])) if same else None)
        data.append(one)
        rows.append([str(n), report.time_text(one["seconds_per_event"]), report.time_text(one["seconds_per_span"]), report.time_text(one["cold_seconds_per_event"]),
                     f"{one['instructions_per_event']:,.0f}" if counted else "-", f"{one['combinations']}",
                     report.time_text(one["peer_seconds_per_event"]) if run else "-", report.ratio_text(one["ratio"]) if run else "-",
                     report.ratio_text(one["ratio_fine"]) if run else "-", report.ratio_text(one["ratio_first"]) if run else "-",
                     f"{one['difference']:.0e}" if run and one["difference"] is not None else "-"])
    head = ["n", "time per event", "per span", "per event, first run", "instructions per event", "states of contact", "SciPy per event", "ratio", f"ratio at rtol {PEER_RTOL_FINE}", "ratio, first run", "largest difference in time"]
    names = ["seconds_per_event", "seconds_per_span", "cold_seconds_per_event"] + (["instructions_per_event"] if all(d["instructions_per_event"] for d in data) else [])
    fits = {name: {"all": report.slope([(d["elements"], d[name]) for d in data]), "last": report.slope([(d["elements"], d[name]) for d in data[-2:]])} for name in names}
    fitted = "; ".join(f"{name.replace('_', ' ')} {fit['all']:.2f} ({fit['last']:.2f} from n = {sizes[-2]} to {sizes[-1]})" for name, fit in fits.items())
    text = (f"**The rod's cost per event**, alpha = {ALPHA:g}, {EVENTS} events from the undeformed rod at rest (SciPy: the first 30 to 60 of them):\n\n"
            f"{report.markdown(head, rows)}\n\nFitted exponents of n: {fitted}.")
    return text, {"sizes": data, "exponents": fits}


def compare(result, run, stops, starts, events):
    for peer in run[1:]:
        result.ratio("40 time units of the friction oscillator", peer["name"], peer["seconds"], run[0]["seconds"], (error_text(run[0]["error"]), error_text(peer["error"])))
    if "ratio" in stops:
        result.ratio("a point of the map of stops", f"SciPy DOP853, rtol {PEER_RTOL}, without multipliers", [stops["peer_seconds"]], [stops["own_seconds"]],
                     (f"closed to {stops['closing']:.0e}", "repeats to 1e-6"))
    if "ratio" in starts:
        result.ratio("a start of the rod", f"SciPy DOP853, rtol {PEER_RTOL}, the transient alone", [starts["peer_seconds"]], [s / STARTS for s in starts["seconds"]],
                     (f"closed to {starts['worst_closing']:.0e}", "not closed"))
    for size in events["sizes"]:
        if "ratio" in size:
            result.ratio(f"events of the rod, n = {size['elements']}", f"SciPy DOP853, rtol {PEER_RTOL}", [size["peer_few"]], size["own_few"],
                         ("rounding", f"{size['difference']:.0e}" if size["difference"] is not None else "other events"))


def error_text(error):
    return "wrong switches" if error is None else f"{error:.0e} in switch times"


def goals(result, run, stops, starts, events):
    """Each goal with the number that decides it."""
    shared = [stops.get("ratio"), starts.get("ratio")]
    ratios = {PEER_RTOL: shared + [d["ratio"] for d in run[1:2]] + [d.get("ratio") for d in events["sizes"]],
              PEER_RTOL_FINE: shared + [d["ratio"] for d in run[2:3]] + [d.get("ratio_fine") for d in events["sizes"]]}
    exponent = max(max(fit.values()) for fit in events["exponents"].values())
    result.bar(3, "one oscillator run over 40 time units", "at most 25 µs", report.time_text(min(run[0]["seconds"])), min(run[0]["seconds"]) <= LIMITS["oscillator"])
    result.bar(3, "map of 5000 points, one core", "under 5 s", report.time_text(stops["seconds"]), stops["seconds"] < LIMITS["map"])
    result.bar(3, "1000 starts of the rod to closed orbits", "under 2 s", report.time_text(min(starts["seconds"])), min(starts["seconds"]) < LIMITS["starts"])
    result.bar(3, "growth of the rod's cost per event", "at most n^2", f"n^{exponent:.2f}, the steepest fit", exponent <= LIMITS["exponent"])
    names = {PEER_RTOL: f"long-term motions faster than SciPy (DOP853, rtol {PEER_RTOL}) everywhere", PEER_RTOL_FINE: f"the same with runs and events at rtol {PEER_RTOL_FINE}"}
    for rtol, values in ratios.items():
        least = min((value for value in values if value is not None), default=None)
        if least is not None:
            result.bar(3, names[rtol], "100 times", f"{least:.0f} times, the least", least >= LIMITS["ratio"])


def measure(options):
    result = report.Result("orbits")
    table_run, run = bench_run(options.tools)
    text_map, stops = bench_map(options.tools)
    text_starts, starts = bench_starts(options.tools)
    text_events, events = bench_events(options.tools, SIZES[:2] if options.quick else SIZES)
    result.say("One core; processor time of the process, so that other work on the machine counts for nobody.")
    result.say(f"**One run of the oscillator**, beta = {RUN['beta']}, Omega = {RUN['Omega']}, {RUN['until']:g} time units from rest:")
    for part in (table_run, text_map, text_starts, text_events):
        result.parts.append(part)
    compare(result, run, stops, starts, events)
    goals(result, run, stops, starts, events)
    result.data = {"run": run, "map": stops, "starts": starts, "events": events}
    return result
