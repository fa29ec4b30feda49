"""bench/bench --check: instructions of small fixed workloads, one or more for every engine, against the committed baseline."""
import json
import os
import shutil

import counting
import report

BASELINE = os.path.join(report.ROOT, "bench", "baseline.json")
GROWTH = 0.10  # more than this fails
NOTICE = 0.01  # less than this is nothing to speak of


def names():
    return sorted(name[:-5] for name in os.listdir(counting.WORKLOADS) if name.endswith(".yaml"))


def chosen(wanted):
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        raise SystemExit(f"there is no workload {', '.join(unknown)}; there are {', '.join(names())}")
    return list(wanted) or names()


def load():
    if not os.path.exists(BASELINE):
        return {"made_with": {}, "workloads": {}}
    with open(BASELINE, encoding="utf-8") as file:
        return json.load(file)


def not_comparable(baseline):
    """Why counts made here say nothing about the baseline, or None."""
    fixed, _ = counting.circumstances()
    made = baseline["made_with"]
    if not made:
        return "there is no baseline yet"
    different = [f"{key} {made.get(key)} there, {value} here" for key, value in fixed.items() if made.get(key) != value]
    return f"the baseline was made with something else ({'; '.join(different)})" if different else None


def grown(old, new):
    """The functions that account for most of a growth."""
    more = {name: count - old.get(name, 0) for name, count in new.items()}
    return [(name, extra, old.get(name, 0)) for name, extra in sorted(more.items(), key=lambda item: -item[1])[:5] if extra > 0]


def judge(name, found, before):
    """One line of the table, and what is wrong with it (None: nothing)."""
    if "problem" in found:
        return [name, "-", "-", "FAILED"], f"{name} did not run: {found['problem']}"
    now = found["instructions"]
    if before is None:
        return [name, f"{now:,}", "-", "not in the baseline"], f"{name} is not in the baseline; put it there with --check --update"
    change = (now - before["instructions"]) / before["instructions"]
    verdict = "GROWN" if change > GROWTH else "less" if change < -NOTICE else "more" if change > NOTICE else "same"
    problem = None
    if change > GROWTH:
        where = "".join(f"\n    {extra:+,} in {function} (was {old:,})" for function, extra, old in grown(before.get("functions", {}), found["functions"]))
        problem = f"{name} grew by {100 * change:.1f} percent, from {before['instructions']:,} to {now:,} instructions:{where or ' spread over many functions'}"
    return [name, f"{now:,}", f"{100 * change:+.2f} %", verdict], problem


def update(baseline, wanted, results):
    failed = [f"{name}: {found['problem']}" for name, found in zip(wanted, results) if "problem" in found]
    if failed:
        raise SystemExit("the baseline stays as it is, because workloads did not run:\n" + "\n".join(failed))
    fixed, also = counting.circumstances()
    if len(wanted) < len(names()) and not_comparable(baseline):
        raise SystemExit(f"{not_comparable(baseline)}: update it as a whole")
    workloads = {name: value for name, value in baseline["workloads"].items() if name in names()}
    workloads.update({name: {"instructions": found["instructions"], "functions": found["functions"]} for name, found in zip(wanted, results)})
    with open(BASELINE, "w", encoding="utf-8") as file:
        json.dump({"made_with": {**fixed, **also}, "workloads": dict(sorted(workloads.items()))}, file, indent=1)
        file.write("\n")
    report.say("bench/baseline.json: updated")


def main(wanted, updating, listing):
    """Exit status: 0 nothing grew, 1 something grew or did not run, 2 nothing can be said here."""
    wanted = chosen(wanted)
    if listing:
        print("\n".join(wanted))
        return 0
    baseline = load()
    reason = not_comparable(baseline)
    if reason and not updating:
        print(f"Instructions cannot be compared: {reason}. `bench/bench --check --update` makes a new baseline, from a state that is known to be good.")
        return 2
    if not shutil.which("valgrind"):
        print("Instructions cannot be counted: valgrind is not installed.")
        return 2
    results = counting.count_all(counting.build(), [(os.path.join(counting.WORKLOADS, f"{name}.yaml"), ()) for name in wanted], functions=True)
    if updating:
        update(baseline, wanted, results)
        baseline = load()
    rows, problems = [], []
    for name, found in zip(wanted, results):
        row, problem = judge(name, found, baseline["workloads"].get(name))
        rows.append(row)
        problems += [problem] if problem else []
    print(report.markdown(["workload", "instructions", "change", "verdict"], rows))
    also = {key: (baseline["made_with"].get(key), value) for key, value in counting.circumstances()[1].items() if baseline["made_with"].get(key) != value}
    for key, (there, here) in also.items():
        print(f"\nNote: the baseline was made with {key} {there}, here is {here}; what is spent in there may differ.")
    print("\n" + ("\n".join(problems) if problems else f"Nothing grew by more than {100 * GROWTH:.0f} percent."))
    return 1 if problems else 0
