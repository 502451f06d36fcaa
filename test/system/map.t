#!/usr/bin/env bash
# A log replayed over real networks: twenty sites on SINET's map and on GEANT's, every co-allocation with bandwidth
# between its sites, three planners. By the records of the sites and domains every reservation must be complete and as asked,
# and no class or link overbooked. Then domains are killed (-9) and started again under load. Where MUSUBI_DATA is not set,
# map and log are made up.
. "$(dirname "$0")/lib.sh"

log=$root/examples/made-up.swf
maps=("$root/examples/made-up.graphml")
requests=300 killed_requests=150
if [ -n "${MUSUBI_DATA:-}" ]; then
  log=$MUSUBI_DATA/SDSC-BLUE-2000-10weeks.swf.gz
  maps=("$MUSUBI_DATA/topologies/Sinet.graphml" "$MUSUBI_DATA/topologies/Geant2010.graphml")
  requests=2000 killed_requests=400
fi

# part FILE KEY: prints one figure of a JSON file; a key is like "network.links".
part () { python3 -c 'import json, sys; value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."): value = value[key]
print(value)' "$@"; }

# figures FILE: prints the results of a replay as TAP comments.
figures () { python3 - "$1" <<'PYTHON'
import json, sys
run = json.load(open(sys.argv[1]))
total = run["committed"] + run["refused"] + run["unknown"]
print("# committed %d of %d (%.1f %%), refused for want of nodes %d, of a path %d, for neither alone %d" % (
    run["committed"], total, 100 * run["committed"] / total, *(run["refused_by"][by] for by in ("class", "link", "none"))))
for reason in run["reasons"]:
    print("#   refused %5d  %s" % (reason["count"], reason["reason"]))
print("# %(connections)d connections of %(asked)d asked, %(circuits)d circuits, %(links)d links" % run["network"])
print("# %.1f co-allocations a second, p50 %.0f ms, p99 %.0f ms, %d planners, %.1f s" % (
    run["committed_per_second"], run["latency_ms"]["p50"], run["latency_ms"]["p99"], run["planners"], run["seconds"]))
PYTHON
}

# replay NAME REQUESTS OPTION…: many co-allocations with links; the summary in NAME.json, the answers in NAME.jsonl.
replay () {
  local name=$1 count=$2
  shift 2
  musubi --json workload "$log" --requests "$count" --seed 1 --clients 16 --links all --answers "$work/$name.jsonl" "$@" \
    >"$work/$name.json"
}

# sound NAME SENTENCE OPTION…: the records are complete, and hold every connection that users were told they have.
sound () {
  local name=$1 sentence=$2
  shift 2
  check "$sentence" bash -c 'musubi --json check --answers "$1.jsonl" "${@:2}" >"$1.check"' bash "$work/$name" "$@" || {
    head -c 3000 "$work/$name.check" | sed 's/^/# /'
    return 1
  }
  check "nobody was silent, every request is on record" test \
    "$(part "$work/$name.check" silent) $(part "$work/$name.check" unjudged) $(part "$work/$name.check" unasked)" = "[] 0 0"
  check "they hold the connections and circuits that were told" test \
    "$(part "$work/$name.check" connections)/$(part "$work/$name.check" circuits)" = \
    "$(part "$work/$name.json" network.connections)/$(part "$work/$name.json" network.circuits)"
}

# anew NAME: ends the federation, and starts one from the map of that name.
anew () {
  [ -z "$federation" ] || musubi down --dir "$federation" >/dev/null
  rm -rf "$work/federation"
  federation "$work/$1.zpl" --planners 3
}

for map in "${maps[@]}"; do
  name=$(basename "$map" .graphml)
  check "$name: a federation of 20 sites" musubi federation from-graphml "$map" --sites 20 --seed 1 --out "$work/$name.zpl" ||
    continue
  anew "$name"
  echo "# $name: $(musubi --json links | python3 -c 'import json, sys; links = json.load(sys.stdin)["links"]
print(len(links), "links in", len({link["domain"] for link in links}), "domains")')"
  started=$SECONDS
  check "$name: $requests co-allocations, none unknown" replay "$name" "$requests" --as-fast
  figures "$work/$name.json"
  check "$name: all answered" test "$(wc -l <"$work/$name.jsonl")" -eq "$requests"
  check "$name: connections were committed" test "$(part "$work/$name.json" network.connections)" -gt 0
  sound "$name" "$name: every committed one complete at every participant, no class or link overbooked"
  check "$name: the ledgers prove it sound" musubi audit --settle 60s
  echo "# $name: $((SECONDS - started)) s"
done

# Domains die while requests come and go: whatever was answered is true, and nothing is half done.
anew "$name"
replay killed "$killed_requests" --rate 40 2>"$work/killed.errors" &
load=$!
kills=0
while kill -0 $load 2>/dev/null; do
  mapfile -t domains < <(musubi up --dir "$federation" --pids | grep -E ' nis/')
  if [ ${#domains[@]} -gt 0 ]; then
    victim=${domains[RANDOM % ${#domains[@]}]}
    slay "${victim%% *}" && kills=$((kills + 1)) && echo "# kill $kills: ${victim#* }"
  fi
  musubi up --dir "$federation" >"$work/up" 2>&1 || sed 's/^/# /' "$work/up"
  sleep 1
done
wait $load
ended=$?
figures "$work/killed.json"
check "domains were killed under load" test $kills -gt 0
check "none unknown" test $ended -eq 0
sound killed "the records hold nothing half done or overbooked, and every answer is true" --settle 90s
finish
