#!/usr/bin/env bash
# What an administrator's day does to a site over a real Slurm: its controller hangs over a start, so does the site; an operator
# deletes a reservation with a job inside, drains the node of a task, names the partition otherwise, has maintenance over what is
# promised. Nothing is lost, each is told in words, and what was promised is there when it is over.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
settings=("watch = 500ms" "limit = 3s")
slurm_federation 3 4s
mkdir -m 1777 "$work/told"
opening () { musubi show "$1" --json | jq -e ".openings[] | $2"; } # ID FILTER
ready () { opening "$1" '.ready and .phase == "open" and (.degraded | not)'; }
trouble () { opening "$1" ".degraded and (.trouble | test(\"$2\"))"; } # ID PATTERN
past () { [ "$(date +%s)" -ge "$1" ]; }

# --- its controller hangs over a start ---

ask () { # START CPUS: twenty minutes from that second on
  printf '{"window": {"start": "%s"}, "duration": "20m", "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' "$(date -u -d "@$1" +%FT%TZ)" "$2" |
    musubi reserve - --json >"$work/taken"
}
start=$(($(date +%s) + 12))
check "all nodes are reserved, twenty minutes later" ask $((start + 1200)) 6
waits=$(jq -r .reservation "$work/taken")
check "two nodes are until then" ask $start 4
id=$(jq -r .reservation "$work/taken")
comes "Slurm has both" in_slurm "$waits" INACTIVE
gate=$work/told/gate
bag=$(musubi submit ams --reservation "$id" --limit 30m -- sh -c "date +%s >$work/told/began; while [ ! -e $gate ]; do sleep 0.1; done; echo whole" 2>/dev/null)
comes "a task waits in Slurm, whose limit is beyond the end" queued_jobs 1
comes "the start is near" past $((start - 4))
kill -STOP "$(slurm pid slurmctld)"
comes "a controller that hangs is told" trouble "$id" "has not answered within 3000 ms"
comes "over the start" past $((start + 2))
check "the task is not lost" test "$(of_task "$bag" state)" = placed
kill -CONT "$(slurm pid slurmctld)"
comes "the task runs when it goes on, though its limit runs into the next reservation" is "$bag" state running
comes "and the reservation is ready" ready "$id"
check "it did not begin before" test "$(cat "$work/told/began")" -ge "$start"

# --- an operator ---

exits 1 "an operator deletes it, with a job inside" scontrol delete reservation="musubi-ams-$id"
check "Slurm has it still" in_slurm "$id" ACTIVE
node=$(squeue -h -t R -o %N)
check "the node of its task is drained" scontrol update nodename="$node" state=drain reason="fan|left"
comes "which is told with the operator's words" trouble "$id" "node $node is drained: fan.left"
check "the task goes on" is "$bag" state running
check "it is let go" touch "$gate"
comes "and ends well" is "$bag" exit_code 0
check "the node is resumed" scontrol update nodename="$node" state=resume
comes "it is ready" ready "$id"
named () { sed -i "s/PartitionName=$1/PartitionName=$2/" "$SLURM_CONF" && scontrol reconfigure; } # FROM TO
check "the partition has another name" named batch prod
comes "Slurm has none of both then" gone_from_slurm "$id"
comes "the open one is degraded, and why is told" trouble "$id" "[Ii]nvalid partition"
comes "so is the other" trouble "$waits" "partition"
check "the partition has its name again" named prod batch
comes "the open one is ready" ready "$id"
comes "the other waits in Slurm" in_slurm "$waits" INACTIVE
whole () { musubi show "$1" | grep -q 'at ams: waiting, 0 of 3 nodes$'; }
comes "and is whole" whole "$waits"

# --- maintenance over what is promised ---

maintenance () { # NODES
  scontrol create reservation=maint nodes="$1" users=root starttime="$(date -d "@$((start + 1200))" +%FT%T)" duration=20 flags=MAINT,OVERLAP,IGNORE_JOBS
}
check "an operator has maintenance over two nodes of the other" maintenance n1,n2
told () { musubi show "$waits" >"$work/shown" && grep -q 'degraded, maint has n[12] there until 20' "$work/shown"; }
comes "it is degraded, with whose reservation that is" told
check "and what would fit" grep -qE '^  3 nodes of any are free from 20' "$work/shown"
third () { in_slurm "$waits" INACTIVE && grep -q ' Nodes=n3 ' "$work/seen"; }
comes "it keeps the third node" third
exits 1 "the doctor" musubi doctor
says "  … tells it" 'there is less than was promised: 1 reservation'
check "it is deleted" scontrol delete reservation=maint
comes "it is whole again" whole "$waits"
check "it is released" musubi release "$waits"

# --- the site is dead over a start ---

start=$(($(date +%s) + 9))
check "a node is reserved" ask $start 2
id=$(jq -r .reservation "$work/taken")
bag=$(run --reservation "$id" -- sh -c "date +%s >$work/told/third; sleep 1")
comes "its task waits in Slurm" queued_jobs 1
comes "the start is near" past $((start - 2))
slay "$(pid_of lis/ams)"
comes "its task begins without the site" test -s "$work/told/third"
check "not before the start" test "$(cat "$work/told/third")" -ge "$start"
check "the site is back" musubi up --dir "$federation"
comes "it is ready" ready "$id"
comes "the task has ended well" is "$bag" exit_code 0
finish
