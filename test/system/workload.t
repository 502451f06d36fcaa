#!/usr/bin/env bash
# A log replayed over five sites with three planners: every co-allocation is committed or refused, and the sites' own
# records hold no half-done reservation and no overbooking. Where MUSUBI_DATA is set it is the real log, else a made-up one.
. "$(dirname "$0")/lib.sh"
federation --planners 3

log=$root/examples/made-up.swf
requests=300
if [ -n "${MUSUBI_DATA:-}" ]; then
  log=$MUSUBI_DATA/SDSC-BLUE-2000-10weeks.swf.gz
  requests=2000
fi
echo "# $log"
check "$requests co-allocations" musubi workload "$log" --requests $requests --seed 1 --clients 16 --as-fast \
  --plot "$work/replay.svg" --answers "$work/answers.jsonl"
sed 's/^/# /' <<<"$output"
check "all answered" test "$(wc -l <"$work/answers.jsonl")" -eq $requests
check "none unknown" bash -c "! grep -q '\"unknown\"' '$work/answers.jsonl'"
check "some committed" grep -q '"committed"' "$work/answers.jsonl"
check "the plot is well-formed" python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse('$work/replay.svg')"
check "every committed one complete, no class overbooked" musubi check --answers "$work/answers.jsonl"
sed 's/^/# /' <<<"$output"
check "the same seed makes the same requests" bash -c "
  musubi workload '$log' --requests 50 --seed 1 --dry-run '$work/one.jsonl' >/dev/null &&
  musubi workload '$log' --requests 50 --seed 1 --dry-run '$work/two.jsonl' >/dev/null && cmp '$work/one.jsonl' '$work/two.jsonl'"
written () { musubi workload "$log" --requests 50 --seed 1 --dry-run "$work/$1.jsonl" --links "$1" >/dev/null; }
check "with links, without, and as one likes" bash -c "$(declare -f written); log='$log' work='$work'
  written all && written none && written auto && cmp '$work/all.jsonl' '$work/auto.jsonl'"
check "links are between needs, in Mbit/s" grep -qE '"network": \[\{"between": \["a", "b"\], "mbps": (500|1000|2000)\}' "$work/all.jsonl"
check "without them nothing else changes" python3 - "$work/all.jsonl" "$work/none.jsonl" <<'PYTHON'
import json, sys
linked, bare = ([json.loads(line) for line in open(name)] for name in sys.argv[1:])
for request in linked:
    assert request.pop("network")
assert linked == bare
PYTHON
exits 2 "no such way to link" musubi workload "$log" --links some
says "what would be right" "auto, all or none"
finish
