#!/usr/bin/env bash
# The benches' own machinery, without measuring anything: lists, what --check decides, what is kept of results, and how the page is filled.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
[ -x /usr/bin/python3 ] || {
    echo 'python3 is not installed: the benches were not checked'
    exit 77
}

[ "$(bench/bench --list | wc -l)" -ge 11 ]
workloads=$(bench/bench --check --list)
grep -qx motion <<<"$workloads"
if bench/bench --page nonsense 2>/dev/null; then
    echo 'a bench that does not exist was accepted'
    exit 1
fi
for name in $(bench/bench --list); do
    [ "$(readlink "bench/$name")" = bench ] || {
        echo "bench/$name is no link to bench/bench"
        exit 1
    }
done

PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - <<'END'
import json
import sys

sys.path.insert(0, "bench")
import check
import page
import report

# every workload is in the baseline and nothing else is: otherwise --check says nothing about it
assert sorted(check.load()["workloads"]) == check.names(), "bench/baseline.json: update it (bench/bench --check --update)"

# growth: 10 percent passes, more fails and names the function; a run that failed fails; one without a baseline fails
before = {"instructions": 1000, "functions": {"steady": 600, "growing": 400}}
assert check.judge("w", {"instructions": 1100, "functions": {}}, before)[1] is None
row, problem = check.judge("w", {"instructions": 1101, "functions": {"steady": 600, "growing": 501}}, before)
assert row[-1] == "GROWN" and "growing" in problem and "steady" not in problem
assert check.judge("w", {"problem": "refused"}, before)[1] and check.judge("w", {"instructions": 1, "functions": {}}, None)[1]
assert check.judge("w", {"instructions": 500, "functions": {}}, before)[1] is None

# another compiler or architecture is no comparison
same = check.load()
assert check.not_comparable({"made_with": {}}) and check.not_comparable({"made_with": {**same["made_with"], "compiler": "gcc 1"}})

# ratios: the best times, and from the least to the most favourable pair
result = report.Result("one")
result.ratio("work", "peer", [10.0, 12.0], [1.0, 2.0], ("a", "b"))
assert (result.ratios[0]["ratio"], result.ratios[0]["low"], result.ratios[0]["high"]) == (10.0, 5.0, 12.0)
result.bar(1, "bar", "limit", "measured", False, "a reason")
result.bar(1, "other", "limit", "measured", True, "not needed")
assert [report.verdict(bar) for bar in result.bars] == ["NOT MET: a reason", "met"]
assert abs(report.slope([(n, 3 * n**1.5) for n in (2, 4, 8)]) - 1.5) < 1e-12

# one bench measured again replaces itself alone
kept = {"machine": "m", "parts": ["text"], "ratios": result.ratios, "bars": result.bars}
old = {"one": {**kept, "parts": ["old"]}, "two": kept}
merged = page.merge(old, "one", kept)
assert merged == {"one": kept, "two": kept} and old["one"]["parts"] == ["old"]
assert json.loads(json.dumps(merged)) == merged

# the page: blocks between markers and nothing else
text = "before\n<!-- bench/one: begin -->\nold\n<!-- bench/one: end -->\nafter\n"
assert page.fill(text, {"one": r"new \1"}) == "before\n<!-- bench/one: begin -->\nnew \\1\n<!-- bench/one: end -->\nafter\n"
try:
    page.fill(text, {"two": "x"})
    raise AssertionError("a block without markers was accepted")
except SystemExit:
    pass
with open("docs/performance.md", encoding="utf-8") as file:
    whole = file.read()
page.fill(whole, page.blocks(page.load()))
END
echo 'lists, verdicts, results and page are sound'
