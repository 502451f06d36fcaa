#!/usr/bin/env bash
# A planner runs GLPK for the algorithm ip in processes of musubi-solve. Meanwhile it serves other requests; the time limit of a
# solver holds; one that is missing or killed leaves windows unknown; and no solver outlives its planner.
. "$(dirname "$0")/lib.sh"

federation "$root/deploy/federations/s4.zpl" --planners 1
check "the planner ends for one with other settings" \
  slay "$(musubi up --dir "$federation" --pids | awk '$2 ~ /^planner/ {print $1}')"
svc-planner -c "$federation/planner-1.zpl" --set ip/solver=glpk-plain --set ip/workers=2 --set ip/time_limit=20s \
  --set ip/steps_max=1000000000 >"$work/ready" 2>"$work/log" &
planner=$!
trap 'kill -9 $planner 2>/dev/null; cleanup' EXIT
solvers () { pgrep -P "$planner" -x musubi-solve; }
await () { # COMMAND…: until it succeeds, half a minute at most
  for _ in $(seq 300); do
    "$@" >/dev/null && return
    sleep 0.1
  done
  return 1
}
served () { musubi call planner Service.Status 2>/dev/null; }
check "which serves" await served

earliest=$(date -u -d '+2 hours' +%Y-%m-%dT%H:00:00Z)
latest=$(date -u -d '+6 hours' +%Y-%m-%dT%H:00:00Z)
request () { # FILE NEEDS MBIT/S: all linked with each other
  python3 - "$@" "$earliest" "$latest" <<'PY'
import json, sys
needs, mbps = int(sys.argv[2]), int(sys.argv[3])
json.dump({"window": {"earliest": sys.argv[4], "latest": sys.argv[5]}, "duration": "30m", "distinct_sites": True,
  "compute": [{"id": "n%d" % i, "cpus": 2} for i in range(needs)],
  "network": [{"between": ["n%d" % i, "n%d" % k], "mbps": mbps} for i in range(needs) for k in range(i)]},
  open(sys.argv[1], "w"))
PY
}
request "$work/small.json" 2 500
request "$work/large.json" 8 1500 # GLPK would think about each window for hours

exits 0 "a small request is planned by GLPK" musubi --timeout 120s reserve "$work/small.json" --algorithm ip --request-id small
counted=$(served)
check "by processes of their own" python3 -c '
import json, sys
print(sys.argv[1])
sys.exit(not any(c["name"] == "solvers" and int(c["value"]) > 0 for c in json.loads(sys.argv[1])["counters"]))' "$counted"

musubi --timeout 120s explain "$work/large.json" --algorithm ip >"$work/told" 2>&1 &
asking=$!
check "a large one sets solvers to work" await solvers
check "no more than it may" test "$(solvers | wc -l)" -le 2
exits 0 "and meanwhile another request is committed" \
  musubi --timeout 120s reserve "$work/small.json" --algorithm auto --request-id other
check "while they are at work" solvers
their_programs () { for one in $(solvers); do readlink "/proc/$one/exe"; done | sort -u; }
check "they run musubi-solve" test "$(their_programs)" = "$(realpath "$bin/../libexec/musubi/musubi-solve")"
exits 2 "no service is one" svc-planner --solve $$
wait "$asking"
output=$(cat "$work/told")
says "the large one is told what is known when its time is up" 'n7|unknown|not looked at'
check "then no solver is left" await eval '! solvers'

musubi --timeout 120s explain "$work/large.json" --algorithm ip >"$work/told" 2>&1 &
asking=$!
check "once more" await solvers
kill_all () { # until none has begun for the request
  while kill -0 "$asking" 2>/dev/null; do
    pkill -9 -P "$planner" -x musubi-solve
    sleep 0.05
  done
}
check "each is killed" kill_all
output=$(cat "$work/told")
says "what they would have found is unknown, and why is said" 'unknown after .*musubi-solve was ended by signal 9: Killed'

musubi --timeout 120s explain "$work/large.json" --algorithm ip >"$work/told" 2>&1 &
asking=$!
check "and again" await solvers
left=$(solvers)
slay "$planner"
wait "$planner" 2>/dev/null
gone () { for pid in $left; do grep -qsE '^[0-9]+ \(.*\) [^ZX] ' "/proc/$pid/stat" && return 1; done; return 0; }
check "when the planner is killed its solvers die with it" await gone
kill "$asking" 2>/dev/null

# A planner of an installation that is not whole.
mkdir -p "$work/part/bin"
cp "$bin/svc-planner" "$work/part/bin"
"$work/part/bin/svc-planner" -c "$federation/planner-1.zpl" --set ip/solver=glpk >"$work/ready" 2>"$work/log" &
planner=$!
check "a planner without musubi-solve serves" await served
exits 3 "what needs it is unknown" musubi --timeout 120s reserve "$work/small.json" --algorithm ip --request-id missing
says "  … as one that may be had" 'the outcome is unknown; it is safe to ask again'
says "  … and the program that is missing is named" "$work/part/libexec/musubi/musubi-solve is missing: install it there"
check "  … in the log, too" grep "solver failed why=.*$work/part/libexec/musubi/musubi-solve is missing: install it there" "$work/log"
exits 0 "what does not is committed" musubi --timeout 120s reserve "$work/small.json" --algorithm auto --request-id whole
mkdir -p "$work/part/libexec/musubi"
cp "$bin/../libexec/musubi/musubi-solve" "$work/part/libexec/musubi"
exits 0 "as soon as it is there, the same request is committed" \
  musubi --timeout 120s reserve "$work/small.json" --algorithm ip --request-id missing
finish broken
