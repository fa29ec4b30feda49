"""Motions whose laws are not linear or switch often, in Amontons, CVODE and SciPy: the same motions to the same instant."""
import json
import os

import report

PYTHON = "/usr/bin/python3"
PEERS = os.path.join(report.ROOT, "bench", "peers")
CASES = {"belt": "a mass on a Stribeck belt", "stop": "a Duffing oscillator with a stop", "element": "a contact element that lifts off"}
UNTIL = 100.0
CVODE_RTOL, SCIPY_RTOL = "1e-12", "3e-14"  # SciPy's is the one that comes nearest to Amontons
LIMITS = {"cvode": 10.0, "scipy": 50.0}  # what this bench is there to show


def found(out):
    return None if out is None else json.loads(out)


def distance(one, other):
    return max(abs(a - b) for a, b in zip(one["state"], other["state"]))


def programs(options, name, repeat):
    """Amontons, CVODE and SciPy at the end of a motion, each with its repetitions; None: the program is not there."""
    own = report.own_run([os.path.join(options.tools, "amontons_laws"), name, str(UNTIL), str(4 * repeat)])
    cvode = found(report.run([os.path.join(options.tools, "cvode_laws"), name, str(UNTIL), str(repeat), CVODE_RTOL], ""))
    scipy = found(report.run([PYTHON, os.path.join(PEERS, "scipy_laws.py"), name, str(UNTIL), str(max(1, repeat // 3)), "DOP853", SCIPY_RTOL], ""))
    return own, cvode, scipy


def counts(options, name):
    """Instructions of Amontons and of CVODE, by callgrind; None where it is not there."""
    out = os.path.join(options.tools, "callgrind.out")
    return [report.instructions([os.path.join(options.tools, program), name, str(UNTIL), "0"], "", out) for program in ("amontons_laws", "cvode_laws")]


def measure(options):
    repeat = 3 if options.quick else 12
    result, rows, worst = report.Result("laws"), [], {"cvode": [], "scipy": []}
    for name, title in CASES.items():
        own, cvode, scipy = programs(options, name, repeat)
        ruler = scipy or cvode  # SciPy at its finest tolerance: the nearest to an exact answer that is independent of Amontons
        own_error = f"{distance(own, ruler):.1e}" if ruler else "-"
        rows.append([f"{title}: Amontons", f"{own['events']}", report.spread_text(own["seconds"]), "", own_error])
        for key, peer, label in (("cvode", cvode, f"CVODE (Adams, rtol {CVODE_RTOL}), root finding"), ("scipy", scipy, f"SciPy solve_ivp(DOP853, rtol {SCIPY_RTOL}), events")):
            if peer is None:
                continue
            if peer["events"] != own["events"]:
                raise SystemExit(f"{name}: {label} has {peer['events']} switches, Amontons {own['events']}")
            ratio = report.ratio_spread(peer["seconds"], own["seconds"])
            worst[key].append(ratio[0])
            error = "the ruler" if peer is ruler else f"{distance(peer, ruler):.1e}"
            rows.append([f"{title}: {label}", f"{peer['events']}", report.spread_text(peer["seconds"]), report.spread_of(ratio), error])
            result.ratio(title, label, peer["seconds"], own["seconds"], (own_error, error))
        instructions = counts(options, name)
        result.data[name] = {"amontons": own, "cvode": cvode, "scipy": scipy, "instructions": instructions}
        if all(instructions):
            rows.append([f"{title}: instructions, CVODE over Amontons", "", f"{instructions[1]:,} / {instructions[0]:,}", report.ratio_text(instructions[1] / instructions[0]), ""])
    result.say(f"Motions from rest to t = {UNTIL:g} of three studies of gallery/laws: the state there and all switches on the way. Least time (median, greatest); the error is the distance "
               "of the last state from SciPy's.")
    result.table(["program", "switches", "time", "ratio to Amontons", "error"], rows)
    for key, peer in (("cvode", "CVODE with root finding at rtol 1e-12"), ("scipy", "SciPy's DOP853 at equal accuracy")):
        if worst[key]:
            least = min(worst[key])
            result.bar(3, f"laws that are not linear, beside {peer}", f"at least {LIMITS[key]:g} times as fast", f"{report.ratio_text(least)} times and more", least >= LIMITS[key])
    return result
