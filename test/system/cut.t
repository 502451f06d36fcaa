#!/usr/bin/env bash
# The connection to a domain is cut after its vote, while the commit is on its way. Until the domain has acknowledged, no user
# is told "committed", and every user is told that this domain is missing; in the end there is one answer. Then the same with
# a domain that dies at that moment and returns.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/s4.zpl" --planners 1

cat >"$work/pair.json" <<'JSON'
{"name": "pair", "window": {"earliest": "now+1h", "deadline": "now+20h"}, "duration": "30m",
 "compute": [{"id": "north", "cpus": 4, "site": "n32"}, {"id": "south", "cpus": 4, "site": "s32"}],
 "network": [{"between": ["north", "south"], "mbps": 1000}]}
JSON
comes () { # FILE WORD: it comes, in a minute
  local _
  for _ in $(seq 600); do
    grep -q "$2" "$1" && return
    read -r -t 0.1 <> <(:)
  done
  return 1
}
comes_twice () { until [ "$(grep -c cut "$work/between")" -eq 2 ]; do kill -0 "$asking" || return; sleep 0.1; done; }
stop_between () { [ ! -s "$work/between.pid" ] || kill "$(cat "$work/between.pid")"; }
# Domain N is reached at 127.0.0.2 from now on, through a process that cuts at the next Commit, until $work/join is there.
stand_between () {
  local ports
  mapfile -t ports < <(sed -nE 's,^ +(endpoint|events) = "tcp://127[.]0[.]0[.]1:([0-9]+)"$,\2,p' "$federation/nis-N.zpl")
  python3 "$root/test/system/between.py" 127.0.0.2 "${ports[@]}" --to 127.0.0.1 --word Commit --until "$work/join" \
    >"$work/between" 2>&1 &
  echo $! >"$work/between.pid"
  comes "$work/between" ready
}
trap 'stop_between; cleanup' EXIT

sed -i 's,^bind$,&\n    host = "127.0.0.2",' "$federation/nis-N.zpl"
slay "$(pid_of nis/N)"
check "somebody stands between the domain and its callers" stand_between
check "the domain returns behind it" musubi up --dir "$federation"

exits 3 "cut off between its vote and the commit: unknown" \
  musubi --timeout 60s reserve "$work/pair.json" --request-id cut@g1
says "  … and who is missing" 'network domain N has not acknowledged'
says "  … and how to ask again" 'cut@g1'
check "  … it was cut at the commit" comes "$work/between" cut
exits 3 "it is listed, and who is silent" musubi list
says "  … as committing, not as committed" ' (committing|unknown) '
id=$(awk '/pair/ {print $1}' <<<"$output")
check "it is shown" musubi show "$id"
says "  … and who is silent" 'nis/N'
touch "$work/join"
check "the connection is back" comes "$work/between" joined
check "asking again has the one answer" musubi --timeout 60s reserve "$work/pair.json" --request-id cut@g1
says "  … committed, the same reservation" "committed $id"
check "the records agree" musubi check --settle 60s

rm "$work/join"
musubi --timeout 30s reserve "$work/pair.json" --request-id died@g1 >"$work/died" 2>&1 &
asking=$!
check "cut at the commit again" comes_twice
slay "$(pid_of nis/N)"
check "the domain has died meanwhile: the request is not told committed" bash -c "! grep -q committed '$work/died'"
touch "$work/join"
check "it returns" musubi up --dir "$federation"
wait "$asking"
check "asking again has the one answer" musubi --timeout 60s reserve "$work/pair.json" --request-id died@g1
says "  … committed" '^committed '
check "both are listed as committed" musubi list
check "  … both" test "$(grep -c ' committed ' <<<"$output")" -eq 2
check "the records agree" musubi check --settle 60s
finish
