"""All benches, by one command. Called by bench/bench, which builds the programs."""
import argparse
import importlib
import os

import check
import page
import report

BENCHES = ("klarbring", "grazing", "orbits", "laws", "path", "stability", "squeal", "response", "joints", "slip", "blocks", "sweep", "cost", "python", "lab")


def arguments():
    parser = argparse.ArgumentParser(prog="bench/bench", description="Amontons beside other programs: the same work, times, ratios and errors.",
                                     epilog="Exit status: 0; 1 where a goal was missed and no reason is known, or instructions grew; 2 where nothing can be said.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"benches to run: {', '.join(BENCHES)}; with --check: workloads. All when left out")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions and sizes: to see that everything runs, not for the page")
    parser.add_argument("--write", action="store_true", help="keep the results in bench/results.json and write docs/performance.md and its figure again")
    parser.add_argument("--page", action="store_true", help="measure nothing; write docs/performance.md and its figure from bench/results.json")
    parser.add_argument("--offline", action="store_true", help="install nothing; leave out peers that are not there")
    parser.add_argument("--list", action="store_true", help="only list the benches, or with --check the workloads")
    parser.add_argument("--check", action="store_true", help="compare instruction counts with bench/baseline.json; a growth of more than 10 percent fails")
    parser.add_argument("--update", action="store_true", help="with --check: make a new baseline")
    parser.add_argument("--tools", default="", help=argparse.SUPPRESS)
    parser.add_argument("--library", default="", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    if options.update and not options.check:
        parser.error("--update goes with --check")
    if options.quick and options.write:
        parser.error("--quick is not for the page: leave out --write")
    unknown = [name for name in options.names if name not in BENCHES]
    if unknown and not options.check:
        parser.error(f"there is no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    return options


def measure(options):
    """Runs the benches; those that failed, and whether a bar was missed without a known reason."""
    failed, missed = [], False
    for name in options.names or BENCHES:
        report.say(f"== {name}")
        try:
            result = importlib.import_module(name).measure(options)
        except SystemExit as problem:
            report.say(f"{name}: {problem}")
            failed.append(name)
            continue
        print(f"## {name}\n\n{result.text()}\n", flush=True)
        result.save()
        missed = missed or any(not bar["met"] and not bar["reason"] for bar in result.bars)
        if options.write:
            page.keep(result)
    return failed, missed


def main():
    options = arguments()
    if options.check:
        raise SystemExit(check.main(options.names, options.update, options.list))
    if options.list:
        print("\n".join(BENCHES))
        return
    failed, missed = ([], False) if options.page else measure(options)
    if options.write or options.page:
        page.write()
    if failed:
        raise SystemExit(f"not finished: {', '.join(failed)}")
    raise SystemExit(1 if missed and not options.quick else 0)


if __name__ == "__main__":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    main()
