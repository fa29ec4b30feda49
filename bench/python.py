"""What Python costs beside C: a small study, a long column, many starts. Processor time of one thread, in turns."""
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc

import report

# Klarbring's mass, nine changes of state (gallery/klarbring/fig4b.yaml) with 1001 samples; and an oscillator with two
# coordinates whose contact sticks and slips under a sine.
STUDY = {"model": {"kind": "klarbring", "stiffness": [[1, 1], [1, 2]], "mass": 1, "friction": 0.25, "load_rate": [-1.0, -0.99]},
         "analysis": {"kind": "motion", "until": 38}}
OSCILLATOR = {"model": {"kind": "structure", "mass": [[1, 0], [0, 1]], "stiffness": [[2, -1], [-1, 2]],
                        "contacts": [{"law": "held", "hold": 1, "tangent": [1, 0], "friction": 0.3}],
                        "loads": [{"direction": [1, 0], "sine": {"amplitude": 2.0, "frequency": 0.7}}]},
              "analysis": {"kind": "motion", "until": 1}}
UNTIL, STARTS, ROWS = 20.0, 10000, 1000000
LIMITS = {"study": 0.5e-3, "column": 4096, "starts": 1.1}


def package(library):
    """The Python library of this tree with the C library that is measured."""
    os.environ["AMONTONS_LIBRARY"] = os.path.join(library, "libamontons.so")
    sys.path.insert(0, os.path.join(report.ROOT, "python"))
    try:
        import amontons
    except ImportError as problem:
        raise SystemExit(f"the Python library cannot be loaded: {problem}")
    return amontons


def from_c(options, *words):
    """Seconds, by bench/amontons_calls.c with the same shared library."""
    environment = dict(os.environ, LD_LIBRARY_PATH=options.library)
    done = subprocess.run([os.path.join(options.tools, "amontons_calls"), *map(str, words)], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"amontons_calls {words[0]}: {done.stderr}")
    return float(done.stdout)


def least_of_three(work, rounds=1):
    """Mean seconds of processor time of so many rounds, the best of three."""
    found = []
    for _ in range(3):
        begun = time.process_time()
        for _ in range(rounds):
            work()
        found.append((time.process_time() - begun) / rounds)
    return min(found)


def in_turns(c, python, repeat):
    """Both, again and again: what else happens on the machine meets both."""
    pairs = [(c(), python()) for _ in range(repeat)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def written(folder, study):
    path = os.path.join(folder, "study.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(study, file)
    return path


def bench_study(result, options, amontons, folder, repeat):
    path, rounds = written(folder, STUDY), 20 if options.quick else 200
    c, python = in_turns(lambda: from_c(options, "study", path, rounds),
                         lambda: least_of_three(lambda: amontons.run(STUDY, progress=False, threads=1), rounds), repeat)
    result.say("**A study with two coordinates**, read and run: nine changes of state, 1001 samples, all summary values as Python objects.")
    result.table(["from", "time: best (median, worst)"], [["C", report.spread_text(c)], ["Python", report.spread_text(python)]])
    result.bar(10, "a study with two coordinates from Python", f"at most {report.time_text(LIMITS['study'])}", report.time_text(min(python)), min(python) <= LIMITS["study"])
    result.data["study"] = {"c": c, "python": python}


def bench_column(result, amontons, rows):
    made = amontons.run(STUDY, progress=False, **{"analysis.samples": rows})
    made.tables.numpy("samples")["u1"]  # what is made once is not the column
    tracemalloc.start()
    begun = time.process_time()
    column = made.tables.numpy("samples")["t"]
    seconds, peak = time.process_time() - begun, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    good = len(column) == rows and column[-1] == STUDY["analysis"]["until"]
    result.say(f"**A column of {rows:,} rows** as a NumPy array: {report.time_text(seconds)}, {peak:,} bytes of memory.")
    result.bar(10, f"a column of {rows:,} rows", f"no copy: at most {LIMITS['column']:,} bytes", f"{peak:,} bytes", good and peak <= LIMITS["column"])
    result.data["column"] = {"seconds": seconds, "bytes": peak}


def bench_starts(result, options, amontons, folder, repeat):
    import numpy

    path, count = written(folder, OSCILLATOR), STARTS // (10 if options.quick else 1)
    starts = numpy.random.default_rng(1).normal(size=(count, 4))
    begin, end = os.path.join(folder, "starts"), os.path.join(folder, "ends")
    starts.tofile(begin)
    system = amontons.System(**{key: value for key, value in OSCILLATOR["model"].items() if key != "kind"})
    many = []
    c, python = in_turns(lambda: from_c(options, "starts", path, begin, end, UNTIL),
                         lambda: least_of_three(lambda: many.append(system.motions(starts, UNTIL, threads=1))), repeat)
    same = bool((many[-1].ends == numpy.fromfile(end).reshape(starts.shape)).all())
    ratio = min(python) / min(c)
    result.say(f"**{count:,} starts** of an oscillator with a contact that sticks and slips, up to t = {UNTIL:g}: "
               f"{int(many[-1].events.sum()):,} changes of state, the same bits from both.")
    result.table(["from", "time: best (median, worst)", "ratio of the best"],
                 [["C", report.spread_text(c), "1"], ["Python", report.spread_text(python), f"{ratio:.3f}"]])
    result.bar(10, f"{count:,} starts from Python beside C", "the same bits, at most 10 percent more",
               f"{100 * (ratio - 1):+.1f} percent" if same else "OTHER BITS", same and ratio <= LIMITS["starts"])
    result.data["starts"] = {"c": c, "python": python, "same": same}


def measure(options):
    amontons, result, repeat = package(options.library), report.Result("python"), 2 if options.quick else 7
    with tempfile.TemporaryDirectory() as folder:
        report.say("a small study")
        bench_study(result, options, amontons, folder, repeat)
        report.say("a long column")
        bench_column(result, amontons, ROWS)
        report.say("many starts")
        bench_starts(result, options, amontons, folder, repeat)
    return result
