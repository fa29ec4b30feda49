"""docs/performance.md and its figure, written from bench/results.json as a whole."""
import json
import os
import re
import shutil
import subprocess
import textwrap

import check
import report

RESULTS = os.path.join(report.ROOT, "bench", "results.json")
PAGE = os.path.join(report.ROOT, "docs", "performance.md")
FIGURE = os.path.join(report.ROOT, "docs", "performance.svg")


def load():
    if not os.path.exists(RESULTS):
        return {}
    with open(RESULTS, encoding="utf-8") as file:
        return json.load(file)


def merge(old, name, kept):
    """The results with one bench measured again; the others stay."""
    return dict(sorted({**old, name: kept}.items()))


def keep(result):
    """Puts one bench into results.json; a bench that was stopped in the middle leaves the old ones alone."""
    merged = merge(load(), result.name, result.kept())
    with open(RESULTS + ".new", "w", encoding="utf-8") as file:
        json.dump(merged, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(RESULTS + ".new", RESULTS)


def bars_block(results):
    rows = [[f"{bar['group']}", f"`{name}`", bar["bar"], bar["limit"], bar["measured"], report.verdict(bar)] for name, found in results.items() for bar in found["bars"]]
    rows.sort(key=lambda row: int(row[0]))
    met = sum(row[-1] == "met" for row in rows)
    return f"{met} of {len(rows)} are met.\n\n" + report.markdown(["bar", "limit", "measured", "verdict", "bench"], [[*row[2:], row[1]] for row in rows])


def ratios_block(results):
    rows = [[f"`{name}`", ratio["work"], ratio["peer"], report.spread_of((ratio["ratio"], ratio["low"], ratio["high"])), " and ".join(map(str, ratio["repeats"])), *ratio["accuracy"]]
            for name, found in results.items() for ratio in found["ratios"]]
    return report.markdown(["bench", "work", "peer", "peer's time over Amontons' (range)", "repetitions", "error of Amontons", "error of the peer"], rows)


def counts_block():
    baseline = check.load()
    made = ", ".join(f"{key} {value}" for key, value in baseline["made_with"].items())
    rows = []
    for name, found in baseline["workloads"].items():
        dearest = [function for function in found["functions"] if not re.match(r"0x|\W", function)][:3]
        rows.append([f"`{name}`", f"{found['instructions']:,}", ", ".join(f"`{function}`" for function in dearest)])
    return f"Made with {made}.\n\n" + report.markdown(["workload", "instructions", "most of them in"], rows)


def label_of(work, peer):
    """Short, and harmless in gnuplot's strings: versions and what every peer of a kind does are left to the table."""
    for pattern, new in ((r"\b(SciPy|NumPy|CVODE|CalculiX|Siconos|AUTO-07p|Octave) \d[\w.+]*", r"\1"), (r" solve_ivp\(([^)]*)\)", r" \1"), (r" with (events|root finding)", ""), (r'[`"\\]', "")):
        peer = re.sub(pattern, new, peer)
    return f"{re.sub(r'[`]', '', work)} — {peer}"


def figure_script(rows, svg):
    """A bar for every (label, ratio, least, greatest)."""
    lines = "\n".join(f'"{label}" {index} {ratio} {low} {high}' for index, (label, ratio, low, high) in enumerate(rows))
    least, greatest = min(row[2] for row in rows), max(row[3] for row in rows)
    return f"""set terminal svg size 1000,{90 + 18 * len(rows)} dynamic background rgb "white" font "sans,11"
set output "{svg}"
set encoding utf8
$ratios << END
{lines}
END
set logscale x
set xrange [{min(0.8, least / 1.2)}:{greatest * 2}]
set yrange [{len(rows) - 0.4}:-0.6]
set format x "10^{{%L}}"
set xtics 10
unset mxtics
set lmargin at screen 0.56
set rmargin at screen 0.98
set ytics noenhanced font "sans,10"
set xlabel "a peer's time / Amontons' time (line: range over repetitions)"
set grid xtics lc rgb "#dddddd"
set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb "#888888" front
set style fill solid 0.9 noborder
set tics nomirror out
unset key
plot $ratios using 3:2:(1):3:($2-0.36):($2+0.36):ytic(1) with boxxyerror lc rgb "#0072b2", \\
     $ratios using 3:2:4:5 with xerrorbars pt 0 lw 1.5 lc rgb "#222222"
"""


def draw(results):
    rows = [(label_of(ratio["work"], ratio["peer"]), ratio["ratio"], ratio["low"], ratio["high"]) for found in results.values() for ratio in found["ratios"]]
    if not rows or not shutil.which("gnuplot"):
        report.say("docs/performance.svg: not drawn (no ratios, or no gnuplot)")
        return
    rows.sort(key=lambda row: -row[1])
    done = subprocess.run(["gnuplot"], input=figure_script(rows, FIGURE), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"gnuplot: {done.stderr[-1000:]}")
    report.say("docs/performance.svg: drawn")


def wrapped(text):
    """Paragraphs as wide as those of docs/; tables and lists as they are."""
    return "\n\n".join(part if re.match(r"[|\-<]", part) else textwrap.fill(part, 120, break_long_words=False, break_on_hyphens=False)
                       for part in text.split("\n\n"))


def blocks(results):
    found = {name: wrapped("\n\n".join([f"Measured on: {one['machine']}.", *one["parts"]])) for name, one in results.items()}
    found.update(bars=bars_block(results), ratios=ratios_block(results), counts=counts_block())
    return found


def fill(text, found):
    """The page with every block between its markers replaced; a block without markers is an error, markers without a block stay."""
    for name, block in found.items():
        begin, end = f"<!-- bench/{name}: begin -->", f"<!-- bench/{name}: end -->"
        text, count = re.subn(f"(?s){re.escape(begin)}.*?{re.escape(end)}", lambda _, b=block, x=begin, y=end: f"{x}\n{b}\n{y}", text)
        if count != 1:
            raise SystemExit(f"docs/performance.md: expected one block {begin}")
    return text


def write():
    results = load()
    with open(PAGE, encoding="utf-8") as file:
        text = fill(file.read(), blocks(results))
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    report.say("docs/performance.md: written")
    draw(results)
