"""Joints: nonlinear modes and responses of structures with many sliders, in Amontons, NLvib and TMDSimPy."""
import json
import math
import os
import random
import resource
import shutil
import subprocess
import tempfile

import report

# Neither peer is packaged: variables name the folders that a user has put them in (https://github.com/maltekrack/NLvib,
# https://github.com/tmd-lab/tmdsimpy). Steps are the longest with which each follows the mode to its end.
NLVIB, NLVIB_SCRIPT = os.environ.get("NLVIB"), os.path.join(report.ROOT, "bench", "peers", "nlvib_joints.m")
NLVIB_STEP, NLVIB_SAMPLES = 0.05, 1024
TMDSIMPY, TMDSIMPY_SCRIPT = os.environ.get("TMDSIMPY"), os.path.join(report.ROOT, "bench", "peers", "tmdsimpy_joints.py")
TMDSIMPY_STEP, TMDSIMPY_SAMPLES = 0.1, 4096
GALLERY = os.path.join(report.ROOT, "gallery", "joints")
HARMONICS, FROM, TO, SLIDER, SPRING, LIMIT = 7, -5, -3, 9, 1e8, 106
# what this bench is there to show
FASTER, BEAM_SECONDS, SECTOR_SECONDS, CORES = 50, 1.0, 60.0, 2


# ---- studies ----

def write_matrix(path, terms, n):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {len(terms)}\n")
        file.writelines(f"{i + 1} {j + 1} {value!r}\n" for (i, j), value in sorted(terms.items()))


def slider(at, spring, limit):
    return f"{{law: held, hold: {{constant: 1}}, friction: {limit:.6g}, tangential_stiffness: {spring:g}, tangent: {{q{at + 1}: 1}}}}"


def write_study(folder, matrices, n, contacts, load, analysis):
    for name, terms in matrices.items():
        write_matrix(os.path.join(folder, f"{name}.mtx"), terms, n)
    files = "".join(f"  {name}: {{file: {name}.mtx}}\n" for name in matrices)
    listed = "".join(f"    - {contact}\n" for contact in contacts)
    loads = f"  loads: [{{direction: {{q{load[0] + 1}: 1}}, sine: {{amplitude: {load[1]}, multiple: 1}}}}]\n"
    path = os.path.join(folder, "study.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"title: t\nmodel:\n  kind: structure\n  Omega: 3\n{files}  contacts:\n{listed}{loads}analysis: {analysis}\n")
    return path


def add(terms, i, j, value):
    """Into the lower triangle; coordinates below zero are held."""
    if i >= j >= 0:
        terms[i, j] = terms.get((i, j), 0.0) + value


def damped(mass, stiffness, a, b):
    return {key: a * mass.get(key, 0.0) + b * stiffness.get(key, 0.0) for key in {*mass, *stiffness}}


def beam(folder, elements=100, every=2):
    """A cantilever of length, density and bending stiffness 1, with sliders at every second node."""
    h, mass, stiffness = 1.0 / elements, {}, {}
    k = [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2], [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]
    m = [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2], [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]
    for e in range(elements):
        for i in range(4):
            for j in range(4):
                add(stiffness, 2 * e - 2 + i, 2 * e - 2 + j, k[i][j] / h**3)
                add(mass, 2 * e - 2 + i, 2 * e - 2 + j, m[i][j] * h / 420)
    matrices = {"mass": mass, "stiffness": stiffness, "damping": damped(mass, stiffness, 0.0035, 1e-5)}
    sliders = [slider(2 * node, 2.0, 0.02 * (1 + 0.3 * math.sin(7.0 * node))) for node in range(0, elements, every)]
    return write_study(folder, matrices, 2 * elements, sliders, (2 * elements - 2, 0.3), "{kind: response, harmonics: 3, over: Omega, from: 2, to: 9}")


def membrane(folder, width=20, height=16, sliders=300):
    """Masses and springs in a grid, held at one edge and loaded at the other, with a slider under all masses but those of the last row."""
    mass, stiffness, rows = {}, {}, range(height)
    for i in rows:
        for j in range(width):
            here = i * width + j
            add(mass, here, here, 1.0)
            add(stiffness, here, here, 100.0 if i == 0 else 0.0)
            for there in [here + width] * (i + 1 < height) + [here + 1] * (j + 1 < width):
                for a, b, sign in ((here, here, 1), (there, there, 1), (there, here, -1)):
                    add(stiffness, a, b, sign * 100.0)
    matrices = {"mass": mass, "stiffness": stiffness, "damping": damped(mass, stiffness, 0.01, 1e-4)}
    analysis = "{kind: response, harmonics: 7, over: Omega, from: 0.8, to: 1.3, largest_step: 0.02, most_points: 100}"
    return write_study(folder, matrices, width * height, [slider(at, 1.0, 0.02) for at in range(sliders)], (width * height - width // 2, 1.0), analysis)


def sector(folder, contacts=300, modes=40):
    """Contact elements (a normal and a tangent each), pressed together, on springs between them and to the modes of a sector; near a resonance some lift off at every turn, others slip."""
    mass, stiffness, draw, first = {}, {}, random.Random(5), 2 * contacts
    for i in range(first):
        add(stiffness, i, i, 0.2 / contacts)
        add(mass, i, i, 0.02 / contacts)
        for j in range(i % 2, i, 2):  # along normals, and along tangents
            k = draw.uniform(1.0, 3.0) / contacts / (1.0 + 0.25 * (i - j) ** 2)
            for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1)):
                add(stiffness, a, b, sign * k)
    shape = [[math.cos(math.pi * ((m % 7 + 0.5) * s if i % 2 == 0 else (m % 5 + 1) * s) + 0.3 * m * (i % 2)) / (1 + m / 7) for m in range(modes)]
             for i in range(first) for s in [(i // 2 + 0.5) / contacts]]
    for m in range(modes):
        add(mass, first + m, first + m, 1.0)
        add(stiffness, first + m, first + m, (1.0 + 0.45 * m) ** 2)
    for i in range(first):  # a spring from every contact coordinate to what the modes do there
        ends = {i: 1.0, **{first + m: -shape[i][m] for m in range(modes)}}
        for a, x in ends.items():
            for b, y in ends.items():
                add(stiffness, a, b, 4.0 / contacts * x * y)
    listed = [f"{{law: kelvin-voigt, contact_stiffness: {8 / contacts:.6g}, tangential_stiffness: {6 / contacts:.6g}, friction: 0.3, gap: {-0.9 - 0.2 * draw.random():.6g}, normal: {{q{2 * c + 1}: 1}}, tangent: {{q{2 * c + 2}: 1}}}}" for c in range(contacts)]
    analysis = f"{{kind: response, harmonics: 7, over: Omega, from: 0.9, to: 2.5, largest_step: 0.016, most_points: 100, coordinate: q{first + 1}, stability: none, contact_cycles: true}}"
    return write_study(folder, {"mass": mass, "stiffness": stiffness, "damping": damped(mass, stiffness, 0.01, 1e-4)}, first + modes, listed, (first, 0.95), analysis)


def mode(folder, most_points=10000):
    for name in ("mass", "stiffness"):
        shutil.copy(os.path.join(GALLERY, f"cantilever.{name}.mtx"), folder)
    path = os.path.join(folder, "study.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("title: t\nmodel:\n  kind: structure\n  mass: {file: cantilever.mass.mtx}\n  stiffness: {file: cantilever.stiffness.mtx}\n"
                   f"  contacts: [{{tangent: {{q{SLIDER}: 1}}, law: held, hold: {{constant: {LIMIT}}}, friction: 1, tangential_stiffness: {SPRING:.1e}}}]\n"
                   f"analysis: {{kind: backbone, mode: 1, from: {10.0**FROM}, to: {10.0**TO}, values: [{10.0**((FROM + TO) / 2)}], harmonics: {HARMONICS}, stability: none, "
                   f"most_points: {most_points}}}\n")
    return path


def beginning(folder):
    """The same study, given up after a few points: what the command costs besides following the mode."""
    return mode(folder, 3)


# ---- runs ----

def own(library, write, repeat):
    """Processor times of the whole command, from study to tables, and what it printed."""
    seconds, found = [], None
    with tempfile.TemporaryDirectory() as folder:
        study = write(folder)
        for _ in range(repeat):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            found = report.own_run([os.path.join(library, "amontons"), "run", study, "--json", "--out", os.path.join(folder, "out")])
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return seconds, found


def peer(name, variable, folder, words, step, samples):
    program = shutil.which(words[0])
    if not folder or not program:
        report.say(f"{name}: not there, left out ({variable}=/where/it/is)")
        return None
    report.say(f"{name}: a minute or so")
    files = [os.path.join(GALLERY, f"cantilever.{matrix}.mtx") for matrix in ("mass", "stiffness")]
    words = [program, *words[1:], folder, *files, *map(str, (SLIDER, SPRING, LIMIT, HARMONICS, samples, FROM, TO, step))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800)  # some versions of Octave fail when they end
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return {**json.loads(lines[-1]), "samples": samples} if lines else None


def peers():
    found = (peer("NLvib", "NLVIB", NLVIB, ["octave-cli", "--no-gui", "--quiet", NLVIB_SCRIPT], NLVIB_STEP, NLVIB_SAMPLES),
             peer("TMDSimPy", "TMDSIMPY", TMDSIMPY, ["/usr/bin/python3", TMDSIMPY_SCRIPT], TMDSIMPY_STEP, TMDSIMPY_SAMPLES))
    return [other for other in found if other]


def bench_mode(options, result):
    report.say("nonlinear mode of a cantilever with one slider")
    repeat = 1 if options.quick else 9
    whole, found = own(options.library, mode, repeat)
    start = min(own(options.library, beginning, repeat)[0])
    seconds = [value - start for value in whole]
    table = found["tables"]["backbone"]
    rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
    middle = min(rows, key=lambda row: abs(row["amplitude"] - 10.0**((FROM + TO) / 2)))
    cells = [["Amontons, the whole command", str(len(rows)), report.spread_text(whole), f"{middle['frequency']:.5f}", f"{middle['damping']:.7f}"],
             ["Amontons, following the mode", str(len(rows)), report.spread_text(seconds), f"{middle['frequency']:.5f}", f"{middle['damping']:.7f}"]]
    result.data["mode"] = {"seconds": whole, "start": start, "middle": middle, "peers": peers()}
    for other in result.data["mode"]["peers"]:
        cells.append([f"{other['name']}, {other['samples']} samples", str(other["points"]), report.time_text(other["seconds"]), f"{other['frequency']:.5f}", f"{other['damping']:.7f}"])
        distance, ratio = abs(other["frequency"] / middle["frequency"] - 1), other["seconds"] / min(seconds)
        result.ratio("a nonlinear mode, one slider, 28 coordinates", other["name"], [other["seconds"]], seconds, ("rounding, of the balance", f"{distance:.0e} from that"))
        result.bar(9, f"a nonlinear mode with friction beside {other['name']}", f"{FASTER} times faster", f"{ratio:.0f} times", ratio >= FASTER)
    result.say(f"**The first mode of a cantilever with one slider** (28 coordinates, {HARMONICS} harmonics), modal amplitudes from 1e{FROM} to 1e{TO}; frequency and damping at 1e{(FROM + TO) // 2}. "
               f"Times of the peers are those of their continuation alone, and so is that of Amontons where it is compared: {report.time_text(start)}, which the command takes to begin, read and write "
               "the same study with a few points only, are taken off:")
    result.table(["program", "points", "processor time", "frequency", "damping"], cells)


WORKS = (("50 sliders on a beam of 200 coordinates, 3 harmonics", beam, 3, 1193, BEAM_SECONDS, "Newton's matrix of 200 unknowns at every point, and tables of 200 coordinates that are written"),
         ("300 sliders under a membrane of 320 coordinates, 7 harmonics", membrane, 1, 100, SECTOR_SECONDS, None),
         ("300 contacts that lift off, on a reduced sector, 7 harmonics", sector, 1, 100, CORES * SECTOR_SECONDS, "Factors of what the contacts that switch leave to be solved together"))


def bench_many(options, result):
    rows = []
    for name, write, repeat, count, most, reason in WORKS[:1] if options.quick else WORKS:
        report.say(name)
        seconds, found = own(options.library, write, 1 if options.quick else repeat)
        summary = found["summary"]
        time = min(seconds) / summary["points"] * count
        rows.append([name, f"{summary['points']}", summary["stability"], report.spread_text(seconds), report.time_text(min(seconds) / summary["points"])])
        result.data[write.__name__] = {"seconds": seconds, "summary": summary}
        result.bar(9, f"{name}: {count} points{'' if summary['stability'] == 'none' else ' with verdicts'}", f"under {report.time_text(most)}", report.time_text(time), time < most, reason)
    result.say("**Many contacts**: whole responses, from study to tables, with verdicts on stability where all sliders have given normal forces, processor time:")
    result.table(["structure", "points", "stability", "time: best (median, worst)", "a point"], rows)


def measure(options):
    result = report.Result("joints")
    bench_mode(options, result)
    bench_many(options, result)
    return result
