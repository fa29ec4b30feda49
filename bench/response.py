"""Periodic responses in Amontons, AUTO-07p and NumPy."""
import json
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

import report

NUMPY = ["/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "numpy_response.py")]
# NLvib is not packaged: the variable names the folder that a user has put it in.
NLVIB, NLVIB_SCRIPT = os.environ.get("NLVIB"), os.path.join(report.ROOT, "bench", "peers", "nlvib_response.m")
NLVIB_STEP, NLVIB_SAMPLES = 0.012, 1024
PICTURE = os.path.join(report.ROOT, "gallery", "chain", "fig9_5.yaml")
HARMONICS = 15
ETAS = (0.0, 0.9)
SAMPLES = (1024, 4096)
# what this bench is there to show
STEPS_PER_SECOND, JENKINS_SECONDS, PEAK_ERROR, PICTURE_SECONDS = 20000, 0.05, 1e-8, 600
FIRST_FOLD = 0.04916


class Driver:
    def __init__(self, tools):
        self.tools = tools
        self.program = os.path.join(tools, "amontons_response")

    def __call__(self, *words):
        return report.own_run([self.program, *map(str, words)], "", timeout=600)

    def instructions(self, *words):
        return report.instructions([self.program, "counted", *map(str, words)], "", os.path.join(self.tools, "callgrind.response"))


def count_text(value):
    return "-" if value is None else f"{value:,.0f}"


# ---- continuation ----

AUTO_CONSTANTS = """NDIM = 25, IPS = 0, IRS = 0, ILP = 1
ICP = [1]
JAC = 1, IAD = 0, ISP = 2, ISW = 1, IPLT = 0
EPSL = 1e-10, EPSU = 1e-10, EPSS = 1e-8
ITMX = 10, ITNW = 7, NWTN = 3, IID = 0
NMX = {steps}, NPR = 1000000, MXBF = 0, RL0 = 0.005, RL1 = 0.25
DS = -0.001, DSMIN = 1e-8, DSMAX = {longest}, IADS = 1
NTST = 1
"""
AUTO_FOLD, AUTO_BRANCH = "2", "1"  # types of points in its output


def run_auto(program, start, steps, longest):
    """Steps, user time, folds and branch points of one run of AUTO; it does not notice that the curve closes and goes round and round."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "fort.2"), "w", encoding="utf-8") as file:
            file.write(AUTO_CONSTANTS.format(steps=steps, longest=longest))
        with open(os.path.join(folder, "start"), "w", encoding="utf-8") as file:
            file.write(" ".join(repr(value) for value in start) + "\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=600, env=dict(os.environ, OMP_NUM_THREADS="1"))
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if done.returncode != 0:
            report.say(f"AUTO: failed\n{done.stderr[-500:]}")
            return None
        with open(os.path.join(folder, "fort.7"), encoding="utf-8") as file:
            rows = [row for row in map(str.split, file) if row[:1] == ["1"]]
    folds = [(step, float(row[4])) for step, row in enumerate(rows) if row[2] == AUTO_FOLD]  # its own numbers start again at 10000
    branches = sum(row[2] == AUTO_BRANCH for row in rows)
    first = [step for step, value in folds if abs(value - FIRST_FOLD) < 1e-5]
    if len(first) < 3:
        report.say("AUTO: did not go round")
        return None
    rounds = len(rows) / ((first[-1] - first[0]) / (len(first) - 1))
    return {"steps": len(rows), "seconds": seconds, "per_round": len(rows) / rounds, "folds": len(folds) / rounds, "branch_points": branches / rounds, "first_fold": folds[0][1]}


def auto_rows(tools, own, data):
    program = os.path.join(tools, "auto_chain")
    if not os.path.exists(program):
        report.say("auto_chain: not there, left out")
        return []
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "auto-07p"], capture_output=True, text=True).stdout.split("+")[0]
    rows = []
    for longest in (0.004, 0.02):
        runs = [run_auto(program, [0.15] + own["start"], 20000, longest) for _ in range(5)]
        if None in runs:
            continue
        seconds = [run["seconds"] for run in runs]
        run = runs[0]
        speed = run["steps"] / min(seconds)
        data.setdefault("auto", []).append(dict(run, seconds=seconds, longest=longest, version=version))
        rows.append([f"AUTO-07p {version}, DSMAX = {longest:g}", f"{run['per_round']:.0f}", f"{run['folds']:.2g}, {run['branch_points']:.2g}", count_text(speed),
                     count_text(run["steps"] / statistics.median(seconds)), report.time_text(run["per_round"] / speed), f"{run['first_fold']:.10f}", "-"])
    return rows


def compare_with_auto(data):
    """Steps a second where a round takes about as many of them, and the round with long steps."""
    if len(data.get("auto", [])) < 2:
        return ""
    (short, long), (auto_short, auto_long) = data["own"], data["auto"]
    speed = short["steps"] / min(short["seconds"]) * min(auto_short["seconds"]) / auto_short["steps"]
    round_ratio = auto_long["per_round"] * min(auto_long["seconds"]) / auto_long["steps"] / min(long["seconds"])
    data["ratio"], data["round_ratio"] = speed, round_ratio
    return f"\n\nAUTO takes {speed:.1f} times as long for a step, and {round_ratio:.1f} times as long for a round with long steps."


def bench_chain(driver):
    report.say("continuation at 25 unknowns")
    data, rows = {}, []
    for name, longest in (("Amontons, steps as by default", 0), ("Amontons, steps as long as they converge", 1)):
        own = driver("chain", longest, 9, 20)
        best, median = min(own["seconds"]), statistics.median(own["seconds"])
        counted = driver.instructions("chain", longest)
        own["instructions"] = counted
        data.setdefault("own", []).append(own)
        rows.append([name, str(own["steps"]), f"{own['folds']}, {own['branch_points']}", count_text(own["steps"] / best), count_text(own["steps"] / median), report.time_text(best),
                     f"{own['first_fold']:.10f}", count_text(counted / own["steps"] if counted else None)])
    whole = driver("study", 9)
    data["study"] = whole
    rows.append(["Amontons, the whole of `response` with its tables", f"{whole['points']:.0f}", f"{whole['folds']:.0f}, {whole['branch_points']:.0f}",
                 count_text(whole["points"] / min(whole["seconds"])), count_text(whole["points"] / statistics.median(whole["seconds"])), report.time_text(min(whole["seconds"])),
                 f"{whole['first_fold']:.10f}", "-"])
    rows += auto_rows(driver.tools, data["own"][0], data)
    head = ["program", "steps per round", "folds, branch points", "steps a second", "median", "time per round", "first fold", "instructions per step"]
    first = data["own"][0]
    data["speed"] = first["steps"] / min(first["seconds"])
    data["good"] = first["closed"] and first["folds"] == 4 and first["unlocated"] == 0 and abs(first["first_fold"] - FIRST_FOLD) < 5e-6
    return report.markdown(head, rows) + compare_with_auto(data), data


# ---- friction ----

def nlvib():
    """What NLvib finds without a varying normal load, the one case it has; None where it is not provided."""
    octave = shutil.which("octave-cli")
    if not NLVIB or not octave:
        return None
    report.say("NLvib under Octave: a minute or so")
    out = report.run([octave, "--no-gui", "--quiet", NLVIB_SCRIPT, NLVIB, str(HARMONICS), str(NLVIB_SAMPLES), str(NLVIB_STEP), "3"], "", timeout=1200)
    return json.loads(out.strip().splitlines()[-1]) if out else None


def bench_jenkins(driver, sampling):
    rows, data = [], []
    for eta in ETAS:
        report.say(f"Griffin's damper, eta = {eta:g}")
        own = driver("jenkins", eta, HARMONICS, 15)
        counted = driver.instructions("jenkins", eta, HARMONICS)
        found = {"eta": eta, "own": own, "instructions": counted, "peers": []}
        exact = report.run(NUMPY + ["ruler", str(eta), str(HARMONICS)], "", timeout=600)
        ruler = json.loads(exact)["peak"] if exact else None
        found["ruler"] = ruler
        error = None if ruler is None else abs(own["peak"] - ruler)
        found["error"] = error
        best = min(own["seconds"])
        rows.append([f"{eta:g}", "Amontons", f"{own['points']:.0f}", report.spread_text(own["seconds"]), "1", f"{own['peak']:.12f}", "-" if error is None else f"{error:.0e}",
                     count_text(counted)])
        for samples in sampling:
            words = NUMPY + ["sampled", str(eta), str(HARMONICS), str(samples), str(0.012 if eta == 0 else 0.0125)]
            outs = [json.loads(out) for out in (report.run(words, "", timeout=1200) for _ in range(3)) if out]
            if not outs:
                continue
            peer = dict(outs[0], samples=samples, seconds=[out["seconds"] for out in outs])
            found["peers"].append(peer)
            rows.append([f"{eta:g}", f"{peer['name']}, {samples} samples", str(peer["points"]), report.spread_text(peer["seconds"]),
                         report.ratio_text(min(peer["seconds"]) / peer["points"] * own["points"] / best), f"{peer['peak']:.12f}",
                         "-" if ruler is None else f"{abs(peer['peak'] - ruler):.0e}", "-"])
        other = nlvib() if eta == 0 else None
        if other:
            found["nlvib"] = other
            rows.append([f"{eta:g}", f"{other['name']}, {other['samples']} samples", str(other["points"]), report.spread_text(other["seconds"]),
                         report.ratio_text(min(other["seconds"]) / other["points"] * own["points"] / best), f"{other['peak']:.12f}",
                         "-" if ruler is None else f"{abs(other['peak'] - ruler):.0e}", "-"])
        data.append(found)
    head = ["eta", "program", "points", "time: best (median, worst)", "ratio per point", "peak", "error", "instructions"]
    return report.markdown(head, rows), data


# ---- the picture ----

def bench_picture(library, quick):
    report.say("Fig. 9.5")
    rows, data = [], []
    program = os.path.join(library, "amontons")
    if not os.path.exists(program):
        report.say("amontons: not there, left out")
        return "", data
    for name, words in (("short", []), ("full", ["--full"])):
        if quick and words:
            continue
        folder = tempfile.mkdtemp()
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([program, "run", PICTURE, *words, "--threads", "2", "--out", folder], capture_output=True, text=True, timeout=3600)
        seconds, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise SystemExit(f"Fig. 9.5 ({name}) failed\n{done.stderr[-1000:]}")
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)["summary"]
        shutil.rmtree(folder)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        numbers = {key: summary.get(key) for key in ("branches", "closed", "folds", "branch_points", "points", "unlocated", "unfinished")}
        data.append(dict(numbers, variant=name, seconds=seconds, processor_seconds=cpu))
        rows.append([name, *(count_text(numbers[key]) for key in ("branches", "closed", "folds", "branch_points", "points")), report.time_text(seconds), report.time_text(cpu)])
    head = ["variant", "branches", "closed", "folds", "branch points", "points", "time on two cores", "processor time"]
    return report.markdown(head, rows), data


def peak_error(one, found):
    if not found["ruler"]:
        return "-"
    error = abs(one["peak"] - found["ruler"])
    return f"{error:.0e} in the peak" if error else "rounding"


def compare(result, chain, jenkins):
    if len(chain.get("auto", [])) >= 2:
        (short, long), (auto_short, auto_long) = chain["own"], chain["auto"]
        name = f"AUTO-07p {auto_short['version']}"
        result.ratio("a step of continuation, 25 unknowns", name, [s / auto_short["steps"] for s in auto_short["seconds"]], [s / short["steps"] for s in short["seconds"]],
                     ("1e-10", "1e-10"))
        result.ratio("a round of an isola, long steps", name, [s / auto_long["steps"] * auto_long["per_round"] for s in auto_long["seconds"]], long["seconds"], ("1e-10", "1e-10"))
    for found in jenkins:
        own = found["own"]
        for peer in found["peers"]:
            each = [s / own["points"] for s in own["seconds"]]
            result.ratio(f"a point of Griffin's response, eta = {found['eta']:g}", f"{peer['name']}, {peer['samples']} samples", [s / peer["points"] for s in peer["seconds"]], each,
                         (peak_error(own, found), peak_error(peer, found)))
        other = found.get("nlvib")
        if other:
            result.ratio(f"a point of Griffin's response, eta = {found['eta']:g}", other["name"], [s / other["points"] for s in other["seconds"]], [s / own["points"] for s in own["seconds"]],
                         (peak_error(own, found), peak_error(other, found)))


def goals(result, chain, jenkins, picture):
    slowest = max(min(found["own"]["seconds"]) for found in jenkins)
    errors = [found["error"] for found in jenkins]
    result.bar(6, "continuation at 25 unknowns with folds and branch points located", f"{STEPS_PER_SECOND:,} steps a second", f"{chain['speed']:,.0f} steps a second", chain["good"] and chain["speed"] >= STEPS_PER_SECOND)
    result.bar(6, f"a response with friction, {HARMONICS} harmonics, about 400 points", f"under {report.time_text(JENKINS_SECONDS)}", report.time_text(slowest), slowest < JENKINS_SECONDS)
    if None not in errors:
        result.bar(6, "its peak", f"right to {PEAK_ERROR:.0e}", f"{max(errors):.0e}", max(errors) <= PEAK_ERROR)
    if picture:
        result.bar(6, "the snaking picture of Fig. 9.5 on two cores", "minutes", report.time_text(picture[-1]["seconds"]), picture[-1]["seconds"] < PICTURE_SECONDS)


def measure(options):
    driver = Driver(options.tools)
    chain_table, chain = bench_chain(driver)
    jenkins_table, jenkins = bench_jenkins(driver, SAMPLES[:1] if options.quick else SAMPLES)
    picture_table, picture = bench_picture(options.library, options.quick)
    result = report.Result("response")
    result.say("**Continuation at 25 unknowns**: the isola of one and three masses of a chain of twelve (one harmonic), followed until it closes, one core:")
    result.parts.append(chain_table)
    result.say(f"**Griffin's damper** (k_d/k = 1.5, zeta = 0.1, beta = 0.6, delta = 90 degrees), {HARMONICS} harmonics, Omega from 0.5 to 2, with its peak, one core:")
    result.parts.append(jenkins_table)
    if picture:
        result.say("**The snaking picture** of Fig. 9.5 (`gallery/chain/fig9_5.yaml`):")
        result.parts.append(picture_table)
    compare(result, chain, jenkins)
    goals(result, chain, jenkins, picture)
    result.data = {"chain": chain, "jenkins": jenkins, "picture": picture}
    return result
