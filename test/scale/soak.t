#!/usr/bin/env bash
# A soak of real processes: a directory, two sites and a planner with a short retention, under a steady load of reservations that are
# modified, given back, or end by themselves, while one process after the other is killed (-9) and started again. Every request
# ends with a final answer; what was promised before all of it stands at the end; of the rest nothing is left, in memory or on
# disk; the ledgers prove it.
#
#   test/scale/soak.t                                small: ten seconds of load, a retention of one
#   SECONDS_LONG=900 RETENTION=30 KILLS=0 EVERY_MS=5   a day's cycles, compressed (README.md)
#   STANDING=0                                       so many reservations are made before and stand all the time, default 5
#   KILLS=20                                         so many deaths, spread over that time, default 3
#   MUSUBI_SEED=7                                    who dies when; without it a seed is drawn and printed
. "$(dirname "$0")/../system/lib.sh"
long=${SECONDS_LONG:-10}
retention=${RETENTION:-1}
kills=${KILLS:-3}
standing=${STANDING:-5}
every=${EVERY_MS:-10}
seed=${MUSUBI_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed"

at () { echo "tcp://127.3.0.$1:5600"; }
MUSUBI_GIS=$(at 1)
export MUSUBI_GIS
declare -A address=([g1]=$(at 1) [a]=$(at 2) [b]=$(at 3) [planner]=$(at 4))
serve () { # NAME PROGRAM SETTING…
  local name=$1 program=$2 set=()
  shift 2
  for one in administrators=alice store/folder="$work/$name" bind/endpoint="${address[$name]}" ledger/retention="${retention}s" \
    ledger/segments=4294967296 "$@"; do set+=(--set "$one"); done
  launch "$name" "$program" "${set[@]}"
}
serve g1 svc-gis name=g1 homes=g1 recall/wait=0s limits/retention="${retention}s"
for site in a b; do
  serve $site svc-lis name=$site gis="$MUSUBI_GIS" accounts/user='*' lead=1s classes/node/nodes=4096 limits/retention="${retention}s"
done
serve planner svc-planner gis="$MUSUBI_GIS" margin=0s limits/retention="${retention}s"

# --- what must outlast all
cat >"$work/far.json" <<'J'
{"window": {"earliest": "now+2d", "deadline": "now+3d"}, "duration": "1h", "compute": [{"id": "a", "cpus": 4}, {"id": "b", "cpus": 4}],
 "distinct_sites": true}
J
reserve () { musubi --json reserve "$work/far.json" 2>>"$work/said" | jq -er .reservation >>"$work/standing"; }
: >"$work/standing"
for n in $(seq "$standing"); do comes "reservation $n is made" reserve; done

# --- the load
cycles "${address[planner]}" g1 "$every" "$seed" >"$work/told" 2>&1 &
pid[load]=$!
services=(g1 a b planner)
tell () { # what each process takes now, kB: memory, store, segments of its ledger
  local name memory store segments
  for name in "${services[@]}"; do
    memory=$(awk '/^RssAnon/ {print $2}' "/proc/${pid[$name]}/status")
    store=$(du -k "$work/$name/store.mdb" | cut -f1)
    segments=$(du -sk "$work/$name/ledger" 2>>"$work/said" | cut -f1)
    echo "$((SECONDS - began)) $name $memory $store ${segments:-0}"
  done | tee -a "$work/sizes" | awk '{line = line "  " $2 " " $3 "/" $4 "/" $5} END {print "# " $1 " s, kB of memory/store/segments:" line}'
}
began=$SECONDS killed=0 told=$SECONDS
while [ $((SECONDS - began)) -lt "$long" ]; do
  sleep 0.2 # the load goes on
  if [ $killed -lt "$kills" ] && [ $((SECONDS - began)) -ge $((long * (2 * killed + 1) / (2 * kills))) ]; then
    victim=${services[RANDOM % 4]}
    slay "${pid[$victim]}"
    wait "${pid[$victim]}" 2>>"$work/said" # all its threads have let go of the store
    relaunch "$victim"
    killed=$((killed + 1))
    echo "# $((SECONDS - began)) s: $victim was killed"
  fi
  [ $((SECONDS - told)) -lt "$retention" ] || { tell; told=$SECONDS; }
done
kill "${pid[load]}"
wait "${pid[load]}"
check "every request has had its answer" grep '^cycles ' "$work/told"
sed 's/^/# /' "$work/told"

# --- what is left
remembers () { # NAME METHOD LIST NUMBER
  musubi --json call "${address[$1]}" "$2" '{}' | jq -e "(.$3 // [] | length) == $4"
}
for name in a b; do
  comes "$name has no other parts than of what stands" remembers $name Participant.List records "$standing"
  comes "  … and no other commands" remembers $name Participant.Commands commands "$standing"
done
stands () { musubi --json show "$1" | jq -e '.status == "committed" and .state == "reserved" and (.compute | length == 2)'; }
while read -r id; do check "$id stands" stands "$id"; done <"$work/standing"
comes "the home has no other claims" remembers g1 Participant.Commands commands "$standing"
check "the ledgers prove it sound" musubi audit --settle 60s

# --- growth: the last third of the time against the third before it; segments too, unless something stands: they keep what it needs
flat () {
  awk -v from=$((long / 3)) -v last=$((2 * long / 3)) -v standing="$standing" '
    $1 >= from {
      for (i = 3; i <= (standing > 0 ? 4 : 5); i++) {
        at = $2 " " (i == 3 ? "memory" : i == 4 ? "store" : "segments")
        if ($1 < last && $i > middle[at]) middle[at] = $i
        if ($1 >= last && $i > end[at]) end[at] = $i
      }
    }
    END {
      for (at in end) {
        print at ": " middle[at] " kB, then " end[at]
        if (end[at] > 1.1 * middle[at] + 1024) { print "  grows"; grows = 1 }
      }
      exit grows
    }' "$work/sizes"
}
if [ $((long / retention)) -ge 20 ] && [ "$long" -ge 300 ]; then
  check "nothing grows" flat
  sed 's/^/# /' <<<"$output"
fi
finish ended 2>>"$work/said"
