#!/usr/bin/env bash
# A planner dies for good, its store lost, between the votes and the decision: operators see what is in doubt, learn why,
# and end it by a fence. Others may not.
. "$(dirname "$0")/lib.sh"
MUSUBI_ACTOR=root federation "$root/deploy/federations/s4.zpl" --planners 1

cat >"$work/pair.json" <<'JSON'
{"name": "pair", "window": {"earliest": "now+1h", "deadline": "now+20h"}, "duration": "30m",
 "compute": [{"id": "north", "cpus": 4, "site": "n32"}, {"id": "south", "cpus": 4, "site": "s32"}],
 "network": [{"between": ["north", "south"], "mbps": 1000}]}
JSON
as_root () { MUSUBI_ACTOR=root "$@"; }
pid_of () { as_root musubi up --dir "$federation" --pids | awk -v name="$1" 'index($2, name) == 1 {print $1}'; }
comes () { # FILE WORD: it comes, in a minute
  local _
  for _ in $(seq 600); do
    grep -q "$2" "$1" && return
    read -r -t 0.1 <> <(:)
  done
  return 1
}
in_doubt () { # it is listed so, in a minute: what was decided can't be told before decide_by
  local _
  for _ in $(seq 120); do
    as_root musubi txn list --in-doubt 2>&1 | grep -q 'in doubt' && return
    read -r -t 0.5 <> <(:)
  done
  return 1
}
stop_between () { [ ! -s "$work/between.pid" ] || kill "$(cat "$work/between.pid")"; }
# Domain N is reached at 127.0.0.2 from now on, through a process that cuts at its answer to a hold.
stand_between () {
  local ports
  mapfile -t ports < <(sed -nE 's,^ +(endpoint|events) = "tcp://127[.]0[.]0[.]1:([0-9]+)"$,\2,p' "$federation/nis-N.zpl")
  python3 "$root/test/system/between.py" 127.0.0.2 "${ports[@]}" --to 127.0.0.1 --word Hold --answer --until "$work/join" \
    >"$work/between" 2>&1 &
  echo $! >"$work/between.pid"
  comes "$work/between" ready
}
trap 'stop_between; cleanup' EXIT

check "nothing is under way" as_root musubi txn list
check "  … but the headings" test "$(wc -l <<<"$output")" -eq 1
check "a reservation that nothing happens to" musubi reserve "$work/pair.json" --request-id calm@g1
exits 0 "what is over is listed when asked for" as_root musubi txn list --all
says "  … committed by all" 'committed +reserve .* alice .* lis/n32 .*lis/s32 '
calm=$(awk '$2 == "committed" {print $1}' <<<"$output")
check "it is shown" as_root musubi txn show "$calm"
says "  … with what its coordinator says" 'coordinator +planner/.*: committed, acknowledged by all'
check "to resolve it is to hear that it has ended" as_root musubi txn resolve "$calm" --fence
says "  … in so many words" 'the transaction has ended'
says "  … and how" '^transaction .*: committed'

# Two planners that see the store of a dead one both start a finisher: the second finds that the store is served already.
store=$(echo "$federation"/store/planners/0001*)
zpl=$(echo "$federation"/planner-*.zpl)
exits 0 "a finisher that comes second has nothing to do" \
  bash -c 'MUSUBI_FINISHER_OF=$$ svc-planner --finish "$1" -c "$2"; exit $?' - "$store" "$zpl"
says "  … and raises no alarm" 'info.*not needed: store .* is served by another process'
exits 1 "an operator's finisher says that it can't be one" svc-planner --finish "$store" -c "$zpl"
says "  … with an alarm" 'alarm.*cannot serve: store .* is served by another process'

sed -i 's,^bind$,&\n    host = "127.0.0.2",' "$federation/nis-N.zpl"
slay "$(pid_of nis/N)"
check "somebody stands between the domain and its callers" stand_between
check "the domain returns behind it" as_root musubi up --dir "$federation"
musubi --timeout 5s reserve "$work/pair.json" --request-id doubt@g1 >"$work/reserved" 2>&1 &
asking=$!
check "the domain is cut off when it has voted" comes "$work/between" cut
slay "$(pid_of planner/)"
mv "$federation/store/planners/"0001* "$work/"
touch "$work/join"
check "the domain can be reached again" comes "$work/between" joined
check "a planner with an empty store starts" as_root musubi up --dir "$federation"
wait $asking

check "the transaction is in doubt" in_doubt
exits 0 "it is listed" as_root musubi txn list
says "  … with whom it was for, and who has voted" 'in doubt +reserve .* alice .* planner/[0-9a-f]+ .*lis/n32.* nis/N'
txid=$(awk '/in doubt/ {print $1}' <<<"$output")
check "it is listed for scripts" as_root musubi --json txn list
says "  … with the same" '"status": *"in doubt"'
check "it is shown" as_root musubi txn show "$txid"
says "  … each vote" 'nis/N +prepared '
says "  … that nobody knows the decision" 'Everybody has voted, and only the coordinator.s store has the decision'
says "  … and what could be done" "musubi txn resolve $txid --fence"
says "  … that its coordinator is not there" 'coordinator +planner/[0-9a-f]+: '

exits 1 "who is no administrator may not end it, but see his own" musubi --timeout 5s txn resolve "$txid" --fence
says "  … and is told so" 'alice is not an administrator'
exits 1 "who has no part in it does not see it" env MUSUBI_ACTOR=eve musubi txn show "$txid"
says "  … and is told why" 'no.* record of this transaction'
exits 2 "what is no txid is refused" as_root musubi txn show nonsense
exits 1 "a txid that nobody knows is refused" as_root musubi txn resolve 00000000-1-1 --fence
exits 3 "without a fence it stays in doubt" as_root musubi txn resolve "$txid"
says "  … and why" 'all have voted, and nobody knows the decision'
check "a fence ends it" as_root musubi txn resolve "$txid" --fence
says "  … aborted by all" '^aborted by all'
says "  … at each participant" 'nis/N +aborted .*epoch 1 by planner/'
check "nothing is in doubt any more" as_root musubi txn list
check "  … nothing at all" test "$(wc -l <<<"$output")" -eq 1
check "the same request can be asked again" musubi --timeout 30s reserve "$work/pair.json" --request-id doubt@g1
check "the records agree" as_root musubi check --settle 60s
as_root finish
