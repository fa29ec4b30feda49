"""Maps: many runs on one and two threads and several MPI ranks, refinement, kills, and a NumPy loop beside a sweep."""
import filecmp
import json
import os
import shutil
import subprocess
import tempfile
import time

import numpy as np

import klarbring
import report

FIG6 = os.path.join(report.ROOT, "gallery", "klarbring", "fig6.yaml")
KILLS = os.path.join(report.ROOT, "tests", "kill_sweep.sh")
NUMPY = ["/usr/bin/python3", os.path.join(report.ROOT, "bench", "peers", "numpy_stability.py")]
RANKS = (1, 2, 4)
STOPS = """title: Stops of the friction oscillator over beta and Omega
model: {{kind: oscillator, beta: 0.5, Omega: 0.5}}
analysis: {{kind: orbit, samples: 0}}
sweep:
  axes: {{model.beta: {beta}, model.Omega: {Omega}}}
  outputs: [stops]{refine}
"""
STOPS_AXES = {"beta": (0.02, 0.98), "Omega": (0.04, 1.2)}
REFINE, COARSE = "\n  refine: {{output: stops, coarse: {coarse}}}", 16
CHECKED = (200, 3)  # lines of each axis on which a refined map is compared with runs at every point; the first of them
# the grid of peers/numpy_stability.py
SURFACE = """title: Stability surface (Chatterjee 2006, Fig. 4)
model: {{kind: two-mode, contact: {{kind: kelvin-voigt, K_c: 1000, D_c: 1}}}}
analysis: {{kind: stability, threshold: Delta}}
sweep:
  axes: {{model.K_r: {{from: 0.05, to: 2, count: {count}}}, model.C_r: {{from: 0.05, to: 3, count: {count}}}}}
  outputs: [critical]
"""
SURFACE_COUNT, SURFACE_STRIDE = 200, 20
# what this bench is there to show
LIMITS = {"minutes": 5.0, "threads": 1.9, "share": 0.1, "picture": 1e-3}


class Command:
    """The command `amontons`, run in a folder of its own."""

    def __init__(self, library, folder):
        self.program, self.folder = os.path.join(library, "amontons"), folder
        if not os.path.exists(self.program):
            raise SystemExit(f"{self.program} is not there; run ./bootstrap build first")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run(self, study, out, *words, launcher=()):
        """Summary and seconds of a run, results in folder `out`."""
        shutil.rmtree(self.path(out), ignore_errors=True)
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        before = time.monotonic()
        done = subprocess.run([*launcher, self.program, "run", study, "--out", self.path(out), *words], env=env, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - before
        if not os.path.exists(os.path.join(self.path(out), "summary.json")):
            raise SystemExit(f"{' '.join([*launcher, 'amontons run', study])} failed: {(done.stdout + done.stderr)[-1000:]}")
        with open(os.path.join(self.path(out), "summary.json"), encoding="utf-8") as file:
            return json.load(file)["summary"], seconds

    def same(self, one, other, files):
        return all(filecmp.cmp(os.path.join(self.path(one), name), os.path.join(self.path(other), name), shallow=False) for name in files)


# ---- Fig. 6 ----

def cores(found):
    """How many cores the machine gave to the quickest repetition."""
    return found["processor"] / min(found["seconds"])


def bench_threads(result, tools, count, repeat):
    report.say(f"Fig. 6, {count} x {count} starts")
    rates = klarbring.bisector(klarbring.FIG6_FRICTION)
    axes = [str(word) for axis in ("v1", "v2") for word in (*klarbring.GRID[axis], count)]
    head, rows, found = ["threads", "starts", "time: best (median, worst)", "per start", "speed-up", "cores in use", "stick", "open", "undecided"], [], []
    for threads in (1, 2):
        one = report.own_run([os.path.join(tools, "amontons_map"), repr(klarbring.FIG6_FRICTION), *map(repr, rates), *axes, str(threads), str(repeat)])
        found.append(one)
        speed = report.ratio_spread(found[0]["seconds"], one["seconds"])
        rows.append([str(threads), f"{one['starts']:,}", report.spread_text(one["seconds"]), report.time_text(min(one["seconds"]) / one["starts"]),
                     report.spread_of(speed) if threads > 1 else "1", f"{cores(one):.2f}", *(f"{one[key]:,.0f}" for key in ("stick", "open", "undecided"))])
    result.say(f"**Klarbring's Fig. 6 at {count:,} x {count:,} starts**, one call of `am_attractors_run`, wall-clock time:")
    result.table(head, rows)
    ratio = min(found[0]["seconds"]) / min(found[1]["seconds"])
    result.bar(9, f"Fig. 6 at {count:,} x {count:,} starts on two cores", f"under {LIMITS['minutes']:g} minutes", report.time_text(min(found[1]["seconds"])), min(found[1]["seconds"]) < 60 * LIMITS["minutes"])
    busy = f"the machine was busy, two threads got the time of {cores(found[1]):.2f} cores" if cores(found[1]) < LIMITS["threads"] else None
    result.bar(9, "two threads against one", f"at least {LIMITS['threads']} times as fast", f"{ratio:.2f} times", ratio >= LIMITS["threads"], busy)
    result.data["threads"] = found


def bench_lanes(result, tools, count, repeat):
    report.say("starts in the lanes of vectors")
    rates = klarbring.bisector(klarbring.FIG6_FRICTION)
    axes = [str(word) for axis in ("v1", "v2") for word in (*klarbring.GRID[axis], count)]
    found = report.own_run([os.path.join(tools, "amontons_lanes"), repr(klarbring.FIG6_FRICTION), *map(repr, rates), *axes, str(repeat)])
    result.data["lanes"] = found
    if not found["supported"]:
        result.say("The processor has no AVX2: nothing is said about starts in the lanes of vectors.")
        return
    share, saved = found["alone"] / found["whole"], (found["alone"] - found["together"]) / found["whole"]
    rows = [["the whole run, one start after the other", report.time_text(found["whole"] / found["starts"]), "100"],
            ["of that: arithmetic that lanes could share, span by span", report.time_text(found["alone"] / found["starts"]), f"{100 * share:.0f}"],
            [f"the same arithmetic, {found['lanes']} spans of one combination at once (AVX2)", report.time_text(found["together"] / found["starts"]), f"{100 * found['together'] / found['whole']:.0f}"]]
    result.say(f"**Would batches pay?** {found['starts']:,} starts of Fig. 6 with {found['spans']:,} spans, best of {repeat} repetitions; the results of the lanes are "
               f"{'the same bits' if found['same'] else 'DIFFERENT'}. An engine that ran many starts side by side and always found its lanes full would save {100 * saved:.0f} percent (docs/sweep.md):")
    result.table(["work", "per start", "percent"], rows)


def bench_ranks(result, command, count):
    launcher = shutil.which("mpirun")
    if not launcher:
        result.say("MPI is not installed: nothing is said about ranks.")
        return
    rows, same, data = [], True, []
    settings = [word for axis in ("v1", "v2") for word in ("--set", f"analysis.starts.{axis}.count={count}")]
    one_thread = [*settings, "--threads", "1"]
    report.say(f"Fig. 6 by the command, {count} x {count} starts, without MPI")
    _, seconds = command.run(FIG6, "alone", *one_thread)
    rows.append(["no MPI, one thread", report.time_text(seconds), "-"])
    for ranks in RANKS:
        report.say(f"{ranks} ranks")
        _, seconds = command.run(FIG6, "ranks", *one_thread, launcher=[launcher, "--oversubscribe", "-np", str(ranks)])
        equal = command.same("alone", "ranks", ("map.csv",))
        same = same and equal
        data.append({"ranks": ranks, "seconds": seconds, "same": equal})
        rows.append([f"mpirun -np {ranks}, one thread each", report.time_text(seconds), "yes" if equal else "NO"])
    result.say(f"**The same map by the command under MPI** ({count:,} x {count:,} starts, one machine with {os.cpu_count()} cores, figure and files of the whole study included, which rank 0 writes alone):")
    result.table(["run", "time", "`map.csv` the same bytes"], rows)
    result.bar(9, "MPI with 1, 2 and 4 ranks", "the same bits", "the same bytes of all files compared" if same else "DIFFERENT", same)
    result.data["ranks"] = data


# ---- refinement ----

def read_map(folder):
    """beta, Omega, stops and whether a run was made there, from the table of a sweep."""
    return np.loadtxt(os.path.join(folder, "sweep.csv"), delimiter=",", skiprows=1, usecols=(0, 1, 2, 4))


def axis_text(name, count):
    low, high = STOPS_AXES[name]
    return f"{{from: {low}, to: {high}, count: {count}}}"


def list_text(values):
    return "[" + ", ".join(repr(float(value)) for value in values) + "]"


def bench_refinement(result, command, count, lines):
    report.say(f"stop map, {count} x {count} points with refinement")
    axes = {name: axis_text(name, count) for name in STOPS_AXES}
    study = command.write("stops.yaml", STOPS.format(**axes, refine=REFINE.format(coarse=COARSE)))
    summary, seconds = command.run(study, "stops")
    cells = read_map(command.path("stops")).reshape(count, count, 4)
    first, step = CHECKED[1], count // lines
    picked = cells[first::step, first::step]
    report.say(f"the same at every point of {picked.shape[0]} x {picked.shape[1]} of its lines")
    plain = command.write("plain.yaml", STOPS.format(beta=list_text(picked[:, 0, 0]), Omega=list_text(picked[0, :, 1]), refine=""))
    _, plain_seconds = command.run(plain, "plain")
    exact = np.loadtxt(os.path.join(command.path("plain"), "sweep.csv"), delimiter=",", skiprows=1, usecols=(2,)).reshape(picked.shape[:2])
    wrong = int((exact != picked[..., 2]).sum())
    share, difference = summary["evaluated"] / summary["points"], wrong / exact.size
    full = plain_seconds / exact.size * count * count
    result.say(f"**The map of stops** (Papangelo 2017, Fig. 7.5) on {count:,} x {count:,} points with `refine: {{output: stops, coarse: {COARSE}}}`, all cores: {summary['evaluated']:,} of "
               f"{summary['points']:,} points were run ({100 * share:.1f} percent), {summary['failed']} failed, {report.time_text(seconds)} with files; every point would take about {report.time_text(full)}. "
               f"Compared with runs at every point of {exact.shape[0]} x {exact.shape[1]} lines that the coarse grid does not prefer: {wrong} of {exact.size:,} points differ ({100 * difference:.3f} percent).")
    result.bar(9, f"stop map of {count:,} x {count:,} points with refinement", f"at most {100 * LIMITS['share']:.0f} percent of the points run", f"{100 * share:.1f} percent", share <= LIMITS["share"])
    result.bar(9, "the same picture", f"fewer than {100 * LIMITS['picture']:g} percent of points differ", f"{wrong} of {exact.size:,}", difference < LIMITS["picture"],
               "features thinner than the coarse grid are found only where a line of it meets them; `coarse` sets that")
    result.data["refinement"] = {"summary": summary, "seconds": seconds, "wrong": wrong, "compared": exact.size}


# ---- kills ----

def bench_kills(result, command, kills):
    if not os.path.exists(KILLS):
        raise SystemExit("tests/tools/kill_sweep.sh is not there")
    report.say(f"{kills} kills")
    study = command.write("killed.yaml", STOPS.format(beta=axis_text("beta", 90), Omega=axis_text("Omega", 90), refine=""))
    done = subprocess.run(["bash", KILLS, command.program, study, str(kills), command.path("kills")], capture_output=True, text=True, check=False)
    told = (done.stdout if done.returncode == 0 else done.stdout + done.stderr).strip().splitlines()
    same = done.returncode == 0
    result.say(f"**Kills** (`kill -9` at random moments of a sweep of 8,100 points, then the same command again): {told[-1] if told else 'nothing was said'}.")
    result.bar(9, f"{kills} random kills during a sweep, resumed each time", "files identical to an undisturbed run", "identical" if same else "NOT IDENTICAL", same)
    result.data["kills"] = {"kills": kills, "same": same, "told": told}


# ---- a peer ----

def bench_surface(result, command, count, repeat):
    report.say("stability surface by a sweep")
    study, stride = command.write("surface.yaml", SURFACE.format(count=count)), max(1, count // 10)
    seconds = {threads: [command.run(study, f"surface{threads}", "--threads", str(threads))[1] for _ in range(repeat)] for threads in (1, 2)}
    table = np.loadtxt(os.path.join(command.path("surface1"), "sweep.csv"), delimiter=",", skiprows=1, usecols=(2,)).reshape(count, count)
    others = [json.loads(out) for out in (report.run(NUMPY + [str(count), "1000", "1", str(stride)], "", timeout=1200) for _ in range(repeat)) if out]
    head = ["program", "points run", "the whole surface: best (median, worst)", "per point", "ratio (range)", "largest difference"]
    rows = [[f"Amontons, `sweep` by the command, {threads} thread{'s' if threads > 1 else ''}, files included", f"{count * count:,}", report.spread_text(seconds[threads]),
             report.time_text(min(seconds[threads]) / count**2), "1" if threads == 1 else report.spread_of(report.ratio_spread(seconds[2], seconds[1])), "-"] for threads in (1, 2)]
    if others:
        mine = table[::stride, ::stride].ravel()
        difference = float(np.abs(mine - np.array(others[0]["critical"])).max())
        whole = [other["seconds"] / mine.size * count * count for other in others]
        rows.append([f"{others[0]['name']}, a loop with bisection", str(mine.size), f"{report.spread_text(whole)} (scaled)", report.time_text(min(whole) / count**2),
                     report.spread_of(report.ratio_spread(whole, seconds[1])), f"{difference:.0e}"])
        result.ratio("a sweep of stability, files included", f"{others[0]['name']}, a loop with bisection", whole, seconds[1], ("rounding", f"{difference:.0e}"))
    result.say(f"**The stability surface by a sweep** of a study ({count} x {count} points, each built, checked and searched anew), wall-clock time:")
    result.table(head, rows)
    result.data["surface"] = {"seconds": seconds, "peers": others}


def measure(options):
    result = report.Result("sweep")
    quick = options.quick
    with tempfile.TemporaryDirectory() as folder:
        command = Command(options.library, folder)
        bench_threads(result, options.tools, 201 if quick else 2001, 3)
        bench_lanes(result, options.tools, 41, 20 if quick else 200)
        bench_ranks(result, command, 101 if quick else 2001)
        bench_refinement(result, command, 200 if quick else 2000, 50 if quick else CHECKED[0])
        bench_kills(result, command, 3 if quick else 50)
        bench_surface(result, command, 40 if quick else SURFACE_COUNT, 2 if quick else 3)
    return result
