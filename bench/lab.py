"""The lab: from a number that is dragged to the results, and memory over many runs, over a connection that stays open; and in its
page, from the hand to the drawn curve, in Chromium."""
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

import report

sys.path.insert(0, os.path.join(report.ROOT, "tests", "support"))

# Klarbring's mass, nine changes of state, with so many samples as a page of 1000 pixels draws.
STUDY = """model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 0.25, load_rate: [-1.0, -0.99]}
analysis: {kind: motion, until: 38, samples: 1001}
"""
# Which of 100 x 100 starts end in stick.
BASIN = """model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], mass: 1, friction: 1.25, load_rate: bisector}
analysis: {kind: attractors, starts: {v1: {from: -8, to: 8, count: 100}, v2: {from: 0, to: 8, count: 100}}}
figure: {kind: map, table: map, x: v1, y: v2, value: state}
"""
FIRST_PICTURE = 150e-3
RUNS, FRAME, GROWTH = 10000, 16e-3, 8 << 20 # bytes that memory may grow by, after the first thousand runs


class Lab:
    def __init__(self, command, folder=None):
        self.process = subprocess.Popen([command, "lab", "--no-browser", *([folder] if folder else [])], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        place = urllib.parse.urlsplit(self.address)
        self.base, self.port = place.path, place.port
        self.socket = socket.create_connection(("127.0.0.1", place.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")

    def close(self):
        self.stream.close()
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def run(self, friction, accept):
        """(seconds here, seconds of the work, bytes of the answer)"""
        body = STUDY.encode()
        head = (f"POST {self.base}run?set=model.friction={friction!r} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                f"Accept: {accept}\r\nContent-Length: {len(body)}\r\n\r\n")
        begun = time.perf_counter()
        self.socket.sendall(head.encode() + body)
        if b" 200 " not in self.stream.readline():
            raise SystemExit("a run of the lab failed")
        length = work = 0
        for line in iter(self.stream.readline, b"\r\n"):
            name, _, value = line.decode().partition(": ")
            if name == "Content-Length":
                length = int(value)
            elif name == "Server-Timing":
                work = 1e-3 * float(value.split("work;dur=")[1].split(",")[0])
        self.stream.read(length)
        return time.perf_counter() - begun, work, length

    def memory(self):
        """Bytes of the server and its workers that are their own."""
        total = 0
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == self.process.pid or int(folder.name) == self.process.pid:
                    total += sum(1024 * int(line.split()[1]) for line in (folder / "smaps_rollup").read_text().splitlines() if line.startswith("Private_"))
            except OSError:
                pass # it has just ended
        return total


def drag(lab, runs, accept):
    """So many runs with as many coefficients of friction, and memory after each tenth of them."""
    times, grown = [], []
    for i in range(runs):
        times.append(lab.run(0.2 + 0.2 * i / runs, accept))
        if (i + 1) % (runs // 10) == 0:
            grown.append(lab.memory())
    return times, grown


def slide(browser, address, name, steps):
    """Seconds from each step of the slider of friction to what is drawn of it, as the page tells them."""
    page = browser.page(f"{address}#study=folder%2F{name}.yaml")
    page.wait("document.body?.dataset.ready && !!document.querySelector('input[type=range][aria-label=friction]')")
    page.wait("document.getElementById('running').textContent.includes('computed')")
    page.ask("document.querySelector('input[type=range][aria-label=friction]').focus()")
    took = []
    for _ in range(steps):
        page.ask("document.getElementById('latency').dataset.ms = ''")
        page.press("ArrowRight")
        took.append(1e-3 * float(page.wait("document.getElementById('latency').dataset.ms")))
        page.wait("!document.getElementById('running').textContent.startsWith('A first')")  # the whole map, before the next step
    page.close()
    return took


def in_the_page(command, result, steps):
    if not shutil.which("chromium"):
        report.say("no chromium: the page is left out")
        return
    from browser import Browser
    report.say("page")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("motion", STUDY), ("basin", BASIN)):
            (pathlib.Path(folder) / f"{name}.yaml").write_text(text)
        lab = Lab(command, folder)
        try:
            with Browser() as browser:
                for name, words, most in (("motion", "the curve of a motion of two coordinates", FRAME), ("basin", "the first picture of a basin of 100 x 100", FIRST_PICTURE)):
                    took = slide(browser, lab.address, name, steps if name == "motion" else steps // 10)
                    rows.append([words, *(report.time_text(share) for share in (min(took), statistics.median(took), max(took)))])
                    result.data[name] = took
                    result.bar(23, f"from the hand to {words}", f"at most {report.time_text(most)}", report.time_text(statistics.median(took)), statistics.median(took) <= most)
        finally:
            lab.close()
    result.say("**From the hand to what is drawn**, in the page itself (headless Chromium, 1400 x 900), one step of a slider after the other.")
    result.table(["", "least", "median", "most"], rows)


def measure(options):
    result, runs = report.Result("lab"), RUNS // (10 if options.quick else 1)
    command = os.path.join(options.library, "amontons")
    if subprocess.run([command, "lab", "--help"], capture_output=True).returncode != 0:
        raise SystemExit("the command has no lab")
    rows, worst, growth = [], 0.0, 0
    for name, accept in (("JSON", "application/json"), ("binary columns", "application/octet-stream")):
        report.say(name)
        lab = Lab(command)
        try:
            lab.run(0.3, accept)
            times, grown = drag(lab, runs, accept)
        finally:
            lab.close()
        there, work = sorted(t[0] for t in times), sorted(t[1] for t in times)
        rows.append([name, f"{times[-1][2] / 1e3:.0f} kB", report.time_text(statistics.median(work)), report.time_text(statistics.median(there)),
                     report.time_text(there[99 * runs // 100]), f"{grown[0] / 1e6:.1f} MB", f"{grown[-1] / 1e6:.1f} MB"])
        worst, growth = max(worst, statistics.median(there)), max(growth, grown[-1] - grown[0])
        result.data[name] = {"seconds": there[:: max(1, runs // 100)], "work": work[:: max(1, runs // 100)], "memory": grown}
    result.say(f"**{runs:,} runs of two coordinates** one after the other, each with another coefficient of friction: nine changes of state, 1001 "
               "samples, from the request to the last byte of the answer. Memory: what belongs to the server and its workers alone.")
    result.table(["answer", "size", "work (median)", "there and back (median)", "99 of 100", f"memory after {runs // 10:,} runs", f"after {runs:,}"], rows)
    result.bar(23, "from a number to its curve, two coordinates", f"at most {report.time_text(FRAME)}", report.time_text(worst), worst <= FRAME)
    result.bar(23, f"memory over {runs:,} runs of the lab", f"grows by at most {GROWTH / 1e6:.0f} MB", f"{growth / 1e6:+.1f} MB", growth <= GROWTH)
    in_the_page(command, result, 20 if options.quick else 200)
    return result
