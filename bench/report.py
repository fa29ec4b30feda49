"""What the benches share: running a program, tables, and the pages and files they leave behind."""
import json
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, text, timeout=600):
    """Standard output of a program, or None (and why, on stderr) if it is missing or fails."""
    if not os.path.exists(command[0]):
        say(f"{os.path.basename(command[0])}: not there, left out")
        return None
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        say(f"{' '.join(os.path.basename(word) for word in command[:2])}: failed\n{done.stderr[-1000:]}")
        return None
    return done.stdout


def instructions(command, text, out):
    """Instructions executed in `counted_run` by callgrind, a number that a busy machine does not change; None (and why) on failure."""
    words = ["valgrind", "--tool=callgrind", "--toggle-collect=counted_run", f"--callgrind-out-file={out}", *command]
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as problem:
        say(f"callgrind: {problem}")
        return None
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        say(f"callgrind failed: {done.stderr[-500:]}")
        return None
    return int(found.group(1))


def time_text(seconds):
    for limit, unit, scale in ((1e-3, "µs", 1e6), (1.0, "ms", 1e3), (float("inf"), "s", 1.0)):
        if seconds < limit:
            return f"{seconds * scale:.3g} {unit}"


def spread_text(seconds):
    return f"{time_text(min(seconds))} ({time_text(statistics.median(seconds))}, {time_text(max(seconds))})"


def ratio_text(ratio):
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def markdown(head, rows):
    """A table that reads well as plain text, too."""
    cells = [head] + rows
    width = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(width[i]) for i, cell in enumerate(row)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in width) + "|")
    return "\n".join(lines)


def machine():
    """Processor, its clock, and the compiler: what times depend on."""
    model, clocks = "unknown processor", []
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
            if line.startswith("cpu MHz"):
                clocks.append(float(line.split(":", 1)[1]))
    clock = f", {statistics.median(clocks) / 1000:.2g} GHz" if clocks else ""
    compiler = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    return f"{model}{clock}, gcc {compiler}"


def save(name, data, text, write):
    """JSON beside the drivers; with --write also the text between the bench's markers in docs/performance.md."""
    folder = os.path.join(ROOT, "build", "bench")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
    say(f"all numbers: {os.path.relpath(path, ROOT)}")
    if not write:
        return
    page = os.path.join(ROOT, "docs", "performance.md")
    with open(page, encoding="utf-8") as file:
        old = file.read()
    begin, end = f"<!-- bench/{name}: begin -->", f"<!-- bench/{name}: end -->"
    new, count = re.subn(f"(?s){re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}\n{text}\n{end}", old)
    if count != 1:
        raise SystemExit(f"docs/performance.md: expected one block {begin}")
    with open(page, "w", encoding="utf-8") as file:
        file.write(new)
    say("docs/performance.md: updated")
