#!/usr/bin/env bash
# Many reservations to come in a real Slurm: all of them are there, and one question a watch is all that the site asks for them,
# by Slurm's own count; one that is changed there is seen by it all the same, and no other is touched.
#
#   RESERVATIONS=1000 test/system/slurm_ahead.t      by default 60
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
count=${RESERVATIONS:-60}
settings=("watch = 1s" "ahead = 1000")
slurm_federation 4 4s
base=$(($(date +%s) + 7200))
utc () { date -u -d "@$1" +%FT%TZ; }
order () { # INDEX: of one node, for five minutes; four at a time
  printf '{"window": {"start": "%s"}, "duration": "5m", "compute": [{"id": "all", "cpus": 2, "site": "ams"}]}' "$(utc $((base + $1 / 4 * 600)))" |
    musubi reserve - --json | jq -r .reservation
}
orders () { for i in $(seq "$1" 4 $((count - 1))); do order "$i" >>"$work/ids.$1" || return; done; }
ordered () {
  local each made=()
  for each in 0 1 2 3; do orders $each & made+=($!); done
  for each in "${made[@]}"; do wait "$each" || return; done
  sort -u "$work"/ids.? >"$work/ids"
  [ "$(wc -l <"$work/ids")" = "$count" ]
}
there () { scontrol -o show reservation | grep -oP '^ReservationName=musubi-ams-\K\S+' | sort >"$work/there"; cmp "$work/ids" "$work/there"; }
asked () { sdiag | awk -v what="$1" '$1 == what && split($0, at, "count:") {count = at[2]} END {print count + 0}'; } # WHAT: since it was last set to 0
changed () { echo $(($(asked REQUEST_CREATE_RESERVATION) + $(asked REQUEST_UPDATE_RESERVATION) + $(asked REQUEST_DELETE_RESERVATION))); }
known () { musubi list --json | jq -e --argjson count "$count" '[.reservations[] | select(.degraded | not)] | length == $count'; }

check "$count reservations are made" ordered
comes "Slurm has them all" there
comes "none is degraded" known

# --- one question, each second; its agent looks each half of one ---

began=$(date +%s%3N)
sdiag --reset >/dev/null
watched () { [ "$(asked REQUEST_RESERVATION_INFO)" -ge 18 ]; }
comes "some questions are asked" watched
questions=$(asked REQUEST_RESERVATION_INFO) jobs=$(asked REQUEST_JOB_INFO) took=$(($(date +%s%3N) - began))
echo "# in $took ms: of reservations $questions, of jobs $jobs"
check "they are one a watch, and one a look of its agent" test "$questions" -le $((took / 1000 + took / 500 + 2))
check "nothing else is asked for them" test "$jobs" -le $((took / 500 + 1))
check "and nothing is changed" test "$(changed)" = 0

# --- that sees each ---

one=$(sed -n $((count / 2))p "$work/ids")
check "an operator deletes one" scontrol delete reservation="musubi-ams-$one"
comes "it is made again" there
check "an operator gives it to somebody else" scontrol update reservationname="musubi-ams-$one" users=root
for_us () { scontrol -o show reservation "musubi-ams-$one" | grep -q "Users=$slurm_account "; }
comes "it is its owner's again" for_us
check "no other is touched: one deleted and made, one changed and changed back" test "$(changed)" = 4
finish
