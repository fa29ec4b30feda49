"""Instructions that a study costs, by callgrind: a number that a busy machine does not change. Used by check.py and cost.py."""
import concurrent.futures
import json
import os
import platform
import re
import subprocess
import tempfile

import report

WORKLOADS = os.path.join(report.ROOT, "bench", "workloads")
BUILD = os.path.join(report.ROOT, "build", "bench", "counted")
# The code must not depend on the machine that builds it or runs it: a fixed instruction set for the library, for OpenBLAS and for the C library.
MARCH = {"x86_64": ["-march=x86-64"]}.get(platform.machine(), [])
PINNED = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "LD_BIND_NOW": "1", "LC_ALL": "C", "PATH": "/usr/bin:/bin"}
if platform.machine() == "x86_64":
    PINNED.update(OPENBLAS_CORETYPE="Nehalem", GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2,-AVX,-FMA,-FMA4")
FUNCTIONS_KEPT = 25
TIMEOUT = 900


def version_of(command, pattern):
    try:
        found = re.search(pattern, subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    except OSError:
        found = None
    return found.group(1) if found else "unknown"


def circumstances():
    """What counts depend on besides the program: (what decides whether they can be compared, what else to know)."""
    fixed = {"architecture": platform.machine(), "compiler": "gcc " + version_of(["gcc", "-dumpfullversion"], r"^(\d+)")}
    also = {"openblas": version_of(["pkg-config", "--modversion", "openblas"], r"(\S+)"), "libc": platform.libc_ver()[1],
            "valgrind": version_of(["valgrind", "--version"], r"valgrind-(\S+)")}
    return fixed, also


def call(words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words[:4])} ... failed:\n{(done.stdout + done.stderr)[-3000:]}")


def build():
    """The library and the driver, optimised as released, for a fixed instruction set; the driver's path."""
    report.say("building the library whose instructions are counted (build/bench/counted)")
    flags = " ".join(MARCH)
    call(["cmake", "-S", report.ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG",
          f"-DCMAKE_C_FLAGS={flags}", "-DAMONTONS_TESTS=OFF", *(["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if os.path.exists("/usr/bin/ccache") else [])])
    call(["cmake", "--build", BUILD])
    program = os.path.join(BUILD, "amontons_counts")
    source = os.path.join(report.ROOT, "bench", "amontons_counts.c")
    call(["gcc", "-O2", "-std=c17", "-D_POSIX_C_SOURCE=200809L", *MARCH, "-I", os.path.join(report.ROOT, "include"), source, "-o", program, "-L", BUILD, "-lamontons",
          f"-Wl,-rpath,{BUILD}"])
    return program


def functions_of(path):
    """The dearest functions and their own instructions, as callgrind_annotate lists them."""
    done = subprocess.run(["callgrind_annotate", "--threshold=99", "--auto=no", path], capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        match = re.match(r"\s*([\d,]+)\s+\(\s*[\d.]+%\)\s+\S*?:(\S+)", line)
        if match and not line.rstrip().endswith("PROGRAM TOTALS"):
            name = match.group(2).split("'")[0]
            found[name] = found.get(name, 0) + int(match.group(1).replace(",", ""))
    return dict(sorted(found.items(), key=lambda item: -item[1])[:FUNCTIONS_KEPT])


def count(program, study, settings=(), functions=False):
    """Instructions of one run of a study, its summary, and on demand where they were spent; or {"problem": why}."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        # studies called write_... are about their files
        writing = ["--write", os.path.join(folder, "results")] if os.path.basename(study).startswith("write_") else []
        words = ["valgrind", "--tool=callgrind", "--toggle-collect=counted_run", f"--callgrind-out-file={out}", program, *writing, study, *settings]
        try:
            done = subprocess.run(words, capture_output=True, text=True, env=PINNED, timeout=TIMEOUT, check=False)
        except OSError as problem:
            return {"problem": f"valgrind: {problem}"}
        except subprocess.TimeoutExpired:
            return {"problem": f"did not end within {TIMEOUT} s"}
        total = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode != 0 or not total:
            own = "\n".join(line for line in done.stderr.splitlines() if not line.startswith("=="))
            unmet = "its expectations are not met" if done.returncode == 1 else ""
            return {"problem": (own or unmet or done.stderr)[-1000:].strip()}
        found = {"instructions": int(total.group(1)), "summary": json.loads(done.stdout)["summary"]}
        if functions:
            found["functions"] = functions_of(out)
        return found


def count_all(program, jobs, functions=False):
    """Several counts side by side (counts do not mind): jobs are (study, settings); results in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda job: count(program, job[0], job[1], functions), jobs))
