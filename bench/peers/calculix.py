"""What the problems solved with CalculiX share: sets of nodes, the run itself, results on the contact."""
import os
import re
import resource
import subprocess
import tempfile


def listed(name, nodes):
    return [f"*NSET, NSET={name}"] + [", ".join(map(str, nodes[k:k + 8])) for k in range(0, len(nodes), 8)]


def contact_results(path):
    """Places of the nodes, and for every increment its time and the contact's numbers by node."""
    places, found, reading, rows, time = {}, [], None, {}, 0.0
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("  100CL"):
                time = float(line[12:24])
            elif line.startswith("    2C"):
                reading = "places"
            elif line.startswith(" -4  CONTACT"):
                reading, rows = "contact", {}
            elif line.startswith(" -3"):
                if reading == "contact":
                    found.append((time, rows))
                reading = None
            elif line.startswith(" -1") and reading:
                numbers = [float(line[k:k + 12]) for k in range(13, len(line.rstrip()), 12)]
                (places if reading == "places" else rows)[int(line[3:13])] = numbers
    return places, found


def solve(lines, ccx, timeout, read):
    """`read(path)` of the finished job, what CalculiX printed, and its name and processor time for the table."""
    with tempfile.TemporaryDirectory() as folder:
        job = os.path.join(folder, "job")
        with open(job + ".inp", "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([ccx, "-i", "job"], cwd=folder, capture_output=True, text=True, timeout=timeout, env=dict(os.environ, OMP_NUM_THREADS="1"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0 or "Job finished" not in done.stdout:
            raise SystemExit(f"ccx failed: {done.stdout[-600:]} {done.stderr[-300:]}")
        results = read(job)
    version = re.search(r"CalculiX Version (\d+\.\d+)", done.stdout)
    return results, done.stdout, {"name": f"CalculiX {version.group(1) if version else ''}".strip(), "whole": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}
