#!/usr/bin/env bash
# The papers' experiments in their short form: every criterion holds, every invariant, and the result is the
# same to the byte whatever the number of workers.
#
#   test/experiments/experiments.t E0.1 E4.5            only these
#   MUSUBI_FULL=yes test/experiments/experiments.t      the full forms (an hour)
set -uo pipefail
cd "$(dirname "$0")/../.."
sim=${MUSUBI_BUILD:-$PWD/build}/release/bin/musubi-sim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
form=(--small)
[ -z "${MUSUBI_FULL:-}" ] || form=()
number=0 bad=0
names=("$@")
tell () { # WHETHER SENTENCE
  number=$((number + 1))
  if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; bad=1; fi
}

[ $# -gt 0 ] || mapfile -t names < <("$sim" experiment --list | cut -d' ' -f1)
for name in "${names[@]}"; do
  "$sim" experiment "$name" ${form[@]+"${form[@]}"} --revision test --out "$work/$name.json" \
    --plot "$work/$name.svg" >"$work/$name" 2>&1
  tell $? "$name: every criterion holds"
  grep -E '^(REJECT|broken)' "$work/$name" | sed 's/^/# /'
  python3 - "$name" "$work/$name.json" >"$work/read" 2>&1 <<'CHECK'
import json, sys
name, path = sys.argv[1:]
result = json.load(open(path))
assert result["experiment"] == name and result["revision"] == "test", "another run"
assert result["accept"] is True and all(one["accept"] is True for one in result["criteria"]), "not accepted"
assert len(result["criteria"]) > 1 and len(result["arms"]) > 1, "nothing was compared"
for arm in result["arms"]:
    for metric in arm["metrics"].values():
        values = [value for value in metric["values"] if value is not None]
        assert len(metric["values"]) == arm["plays"] and len(values) == metric["count"], "values are missing"
        if values:
            mean = sum(values) / len(values)
            low, high = metric["interval"]
            assert abs(mean - metric["mean"]) <= 1e-6 * max(1, abs(mean)) and low <= metric["mean"] <= high, "mean"
CHECK
  tell $? "$name: the result can be read, says the same, and its means are those of its values"
  python3 -c 'import sys, xml.dom.minidom as x; assert x.parse(sys.argv[1]).documentElement.tagName == "svg"' \
    "$work/$name.svg" 2>"$work/lint"
  tell $? "$name: the picture is well formed"
done

"$sim" experiment E3.3 --seeds 4 --jobs 1 --revision test --out "$work/one.json" >/dev/null 2>&1
"$sim" experiment E3.3 --seeds 4 --jobs 3 --revision test --out "$work/three.json" >/dev/null 2>&1
[ -s "$work/one.json" ] && cmp -s "$work/one.json" "$work/three.json"
tell $? "one worker or three: the same bytes"
python3 - "$work/one.json" "$work/marked.json" <<'MARK'
import json, sys
result = json.load(open(sys.argv[1]))
next(iter(result["arms"][0]["metrics"].values()))["values"][0] = 12345
json.dump(result, open(sys.argv[2], "w"))
MARK
"$sim" experiment E3.3 --seeds 5 --jobs 1 --revision test --take "$work/marked.json" --out "$work/taken.json" >/dev/null 2>&1
python3 - "$work/taken.json" 2>"$work/read" <<'CHECK'
import json, sys
values = next(iter(json.load(open(sys.argv[1]))["arms"][0]["metrics"].values()))["values"]
assert values[0] == 12345 and len(values) == 5 and 12345 not in values[1:]
CHECK
tell $? "plays are taken from an earlier result, and those that it has not are played"
"$sim" experiment E3.3 --seeds 4 --jobs 1 --revision other --take "$work/one.json" >/dev/null 2>"$work/none"
[ $? -eq 1 ] && grep -q 'revision: must be other' "$work/none"
tell $? "of another revision they are refused"
"$sim" experiment E9.9 >/dev/null 2>"$work/none"
[ $? -eq 2 ] && grep -q 'experiment --list' "$work/none"
tell $? "an unknown experiment is refused, and where to find their names is told"
echo "1..$number"
exit $bad
