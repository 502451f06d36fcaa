#!/usr/bin/env bash
# What an administrator's day does to a site over a real Grid Engine: its qmaster hangs over a start, so does the site; an operator
# deletes the queue of a reservation with a job inside, or takes a host from it. Nothing is lost, and what was promised is there.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
settings=("watch = 500ms" "limit = 5s")
grid_federation 2 10s
mkdir -m 1777 "$work/told"
opening () { musubi show "$1" --json | jq -e ".openings[] | $2"; } # ID FILTER
ready () { opening "$1" '.ready and .phase == "open" and (.degraded | not)'; }
trouble () { opening "$1" ".degraded and (.trouble | test(\"$2\"))"; } # ID PATTERN
past () { [ "$(date +%s)" -ge "$1" ]; }

# --- its qmaster hangs over a start ---

start=$(($(date +%s) + 12))
check "both hosts are reserved" reserve both "$(date -u -d "@$start" +%FT%TZ)" 20m 4
id=$(jq -r .reservation "$work/taken")
gate=$work/told/gate
bag=$(run --reservation "$id" -- sh -c "date +%s >$work/told/began; while [ ! -e $gate ]; do sleep 0.1; done; echo whole")
comes "a task waits there" queued_jobs "musubi-ams-$id" 1
comes "the start is near" past $((start - 3))
kill -STOP "$(grid pid qmaster)"
comes "a qmaster that hangs is told" trouble "$id" "has not answered within 5000 ms"
comes "over the start" past $((start + 2))
check "the task is not lost" test "$(of_task "$bag" state)" = placed
kill -CONT "$(grid pid qmaster)"
comes "it runs when that goes on" is "$bag" state running
comes "and the reservation is ready" ready "$id"
check "it did not begin before" test "$(cat "$work/told/began")" -ge "$start"

# --- an operator ---

exits 1 "an operator deletes the queue, with a job inside" qconf -dq "musubi-ams-$id"
check "Grid Engine has it still" opened "$id" 2
free=$(qstat -f -q "musubi-ams-$id" | sed -n 's|^musubi[^@]*@\([^ ]*\) .* 0/0/2 .*|\1|p')
busy=$(qstat -f -q "musubi-ams-$id" | sed -n 's|^musubi[^@]*@\([^ ]*\) .* 0/1/2 .*|\1|p')
check "the operator takes the other host from it" qconf -rattr queue hostlist "$busy" "musubi-ams-$id"
comes "it has $free again" opened "$id" 2
check "the task goes on" is "$bag" state running
check "it is let go" touch "$gate"
comes "and ends well" is "$bag" exit_code 0
check "it is released" musubi release "$id"
comes "and goes" gone_from_grid "$id"

# --- the site is dead over a start ---

start=$(($(date +%s) + 12))
comes "a host is reserved" reserve one "$(date -u -d "@$start" +%FT%TZ)" 20m 2
id=$(jq -r .reservation "$work/taken")
bag=$(run --reservation "$id" -- sh -c "date +%s >$work/told/third; sleep 1")
comes "its task waits there" queued_jobs "musubi-ams-$id" 1
slay "$(pid_of lis/ams)"
comes "the start passes without the site" past $((start + 1))
check "it is back" musubi up --dir "$federation"
comes "it is ready" ready "$id"
comes "the task has ended well" is "$bag" exit_code 0
check "it did not begin before the start" test "$(cat "$work/told/third")" -ge "$start"
finish
