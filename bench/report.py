"""What the benches share: running a program, tables, and the form of what they find."""
import json
import math
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


def ratio_spread(peer, own):
    """Of the best times; then from the least to the most favourable pair of repetitions."""
    return min(peer) / min(own), min(peer) / max(own), max(peer) / min(own)


def spread_of(ratio):
    """(ratio, least, greatest) as text."""
    value, low, high = ratio
    return ratio_text(value) if low == high else f"{ratio_text(value)} ({ratio_text(low)} to {ratio_text(high)})"


def slope(points):
    """Least squares through (log n, log cost): the exponent with which a cost grows."""
    x, y = [math.log(n) for n, _ in points], [math.log(cost) for _, cost in points]
    mx, my = statistics.fmean(x), statistics.fmean(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


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


class Result:
    """What a bench found, in the form that all of them share: text and tables for the page, ratios to peers, bars met or missed, and all numbers."""

    def __init__(self, name):
        self.name, self.parts, self.ratios, self.bars, self.data = name, [], [], [], {}

    def say(self, text):
        """A paragraph of the page."""
        if text:
            self.parts.append(text)

    def table(self, head, rows):
        self.parts.append(markdown(head, rows))

    def ratio(self, work, peer, seconds, own, accuracy=("", "")):
        """A peer's times beside Amontons' for the same work (lists of repetitions); accuracy of Amontons and of the peer, in words."""
        value, low, high = ratio_spread(seconds, own)
        self.ratios.append({"work": work, "peer": peer, "ratio": value, "low": low, "high": high, "repeats": [len(own), len(seconds)],
                            "accuracy": list(accuracy)})

    def bar(self, group, what, limit, measured, met, reason=None):
        """One promise about speed and what came of it; `reason`: why there is a gap, when it was missed and the reason is known. Bars stand on the page in the order of their groups."""
        self.bars.append({"group": group, "bar": what, "limit": limit, "measured": measured, "met": bool(met), "reason": None if met else reason})

    def text(self):
        return "\n\n".join(self.parts + ([bars_table(self.bars)] if self.bars else []))

    def kept(self):
        """What results.json keeps of it."""
        return {"machine": machine(), "parts": self.parts, "ratios": self.ratios, "bars": self.bars}

    def save(self):
        """All numbers, beside the drivers."""
        folder = os.path.join(ROOT, "build", "bench")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{self.name}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"machine": machine(), "ratios": self.ratios, "bars": self.bars, "data": self.data}, file, indent=1)
        say(f"all numbers: {os.path.relpath(path, ROOT)}")


def verdict(bar):
    return "met" if bar["met"] else f"NOT MET{': ' + bar['reason'] if bar['reason'] else ''}"


def bars_table(bars):
    return markdown(["goal", "limit", "measured", "verdict"], [[bar["bar"], bar["limit"], bar["measured"], verdict(bar)] for bar in bars])


def own_run(command, text="", timeout=3600):
    """Amontons' own driver: without it there is nothing to compare with."""
    out = run(command, text, timeout)
    if out is None:
        raise SystemExit("Amontons' own run failed: nothing to compare with")
    return json.loads(out)
