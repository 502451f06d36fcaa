#!/usr/bin/env bash
# Two sites over one Slurm, one called as the other and more: neither touches what is the other's, or of another partition. A class
# that sells more CPUs than Slurm has there is drained. While the partition takes nothing the site promises nothing there and begins
# nothing; what runs goes on, and what waits goes on when it is up again.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
NODES=4 slurm start || { echo "Bail out! no Slurm"; exit 1; }
site () { # NAME NODE
  cat <<Z
    $1
        classes
            any
                nodes = 1
                names = $2
                cpus_per_node = 2
        lead = 4s
        back_end = slurm
        batch
            queue = batch
            watch = 500ms
        nodes
            attend = 1s
        opening
            warning = 1s
            grace = 2s
        accounts
            $slurm_account = "alice"
Z
}
{
  printf 'name = own\ndirectories = g1\nplanners = 1\n\nsites\n'
  site ams n1
  site ams-2 n2 | sed '/classes$/a\            big\n                nodes = 1\n                names = n3\n                cpus_per_node = 8'
} >"$work/own.zpl"
federation "$work/own.zpl"
tell_more () { musubi nodes; musubi show "$id"; scontrol -o show reservation; squeue -t all; tail -n 12 "$federation"/log/*ams*.log; }
node () { musubi nodes ams-2 --json | jq -e ".nodes[] | select(.node == \"$1\") | $2"; } # NODE FILTER
comes "the node that has enough is up" node n2 '.state == "up" and (.drained | not)'

# --- what is sold is there ---

comes "one of a class that sells more than Slurm has is drained" node n3 '.drained and (.why == "it has 2 CPUs in slurm, and class big sells 8: set its cpus_per_node")'
exits 1 "the doctor" musubi doctor
says "  … names it" 'lis/ams-2: 1 of 3 nodes drained .it has 2 CPUs in slurm, and class big sells 8.*: n3'
exits 1 "the doctor of the settings" musubi doctor "$federation/lis-ams-2.zpl"
says "  … too" 'svc-lis: classes: n3 counts as drained: it has 2 CPUs in slurm, and class big sells 8'
ask () { # SITE CPUS START OPTION…: $work/taken
  printf '{"window": {"start": "%s"}, "duration": "20m", "compute": [{"id": "all", "cpus": %s, "site": "%s"}]}' \
    "$(date -u -d "@$3" +%FT%TZ)" "$2" "$1" | musubi reserve - --json "${@:4}" >"$work/taken"
  local code=$?
  [ $code -eq 0 ] || cat "$work/taken"
  return $code
}
soon () { ask ams-2 2 $(($(date +%s) + 60)) --dry-run; }
comes "the planner has heard of its nodes" soon
exits 1 "nothing is granted of that class" ask ams-2 8 $(($(date +%s) + 60))

# --- each its own ---

start=$(($(date +%s) + 10))
check "two CPUs are reserved at the site with the longer name" ask ams-2 2 $start
id=$(jq -r .reservation "$work/taken")
of_slurm () { scontrol -o show reservation "$1" >"$work/seen" && grep -q "${2:-.}" "$work/seen"; } # NAME PATTERN
comes "it opens" of_slurm "musubi-ams-2-$id" State=ACTIVE
ready () { musubi show "$id" --json | jq -e '.openings[] | .ready and .phase == "open"'; }
comes "and is ready" ready
slay "$(pid_of lis/ams)"
check "there is another partition" scontrol create partitionname=other nodes=n4
leave () { scontrol create reservation="$1" nodes="$2" users="$slurm_account" starttime=now+1hour duration=10 partitionname="$3" flags=IGNORE_JOBS; } # NAME NODE PARTITION
check "with a reservation of the first site's name" leave musubi-ams-3fa9c2d10b7e-1-2 n4 other
check "and one is left in the site's own" leave musubi-ams-3fa9c2d10b7e-1-1 n1 batch
check "the first site is back" musubi up --dir "$federation"
left_is_gone () { ! of_slurm musubi-ams-3fa9c2d10b7e-1-1; }
comes "what it does not know of its own is removed" left_is_gone
check "what is in another partition is not" of_slurm musubi-ams-3fa9c2d10b7e-1-2
check "nor is the other site's" of_slurm "musubi-ams-2-$id" State=ACTIVE
check "nor was it, for a moment" test -z "$(grep 'step=watch failed' "$federation"/log/lis-ams-2.log)"
check "that goes" scontrol delete reservation=musubi-ams-3fa9c2d10b7e-1-2
slay "$(pid_of lis/ams-2)"
check "the other site is back, too" musubi up --dir "$federation"
comes "and its reservation as before" ready

# --- a partition that takes nothing ---

mkdir -m 1777 "$work/told"
task () { musubi submit ams-2 --limit 10m "$@" 2>/dev/null; }
runs=$(task --reservation "$id" -- sh -c "while [ ! -e $work/told/gate ]; do sleep 0.1; done; echo on")
comes "a task runs in it" is "$runs" state running
check "the partition is down" scontrol update partitionname=batch state=DOWN
down () { node n2 '.state == "up" and .drained and .why == "Slurm'"'"'s partition batch has the state down"'; }
comes "its nodes count as drained, and why is told" down
trouble () { musubi show "$id" --json | jq -e '.openings[] | (.ready | not) and .degraded and (.trouble | test("node n2 is drained: Slurm.s partition batch has the state '"$1"'"))'; }
comes "the reservation is not ready" trouble down
exits 1 "the doctor" musubi doctor
says "  … says why" "lis/ams-2: .* nodes drained .Slurm's partition batch has the state down"
exits 1 "nothing more is granted" ask ams 2 $(($(date +%s) + 60))
waits=$(task -- echo waited)
check "another task waits at the site" is "$waits" state queued
check "the partition is drained instead" scontrol update partitionname=batch state=DRAIN
comes "which is told" trouble drain
check "the one that ran goes on" is "$runs" state running
check "and is let go" touch "$work/told/gate"
comes "it ends well" is "$runs" exit_code 0
check "the reservation keeps its node" of_slurm "musubi-ams-2-$id" ' Nodes=n2 '
check "the partition is up" scontrol update partitionname=batch state=UP
comes "the reservation is ready" ready
check "the task that waited has not been stopped" test "$(of_task "$waits" state)" != stopped
check "it is released" musubi release "$id"
comes "and the task runs" is "$waits" exit_code 0

# --- one that is gone ---

check "the partition has another name" sed -i 's/PartitionName=batch/PartitionName=prod/' "$SLURM_CONF"
check "and Slurm reads that" scontrol reconfigure
gone () { node n2 '.state != "lost" and .drained and .why == "Slurm has no partition batch with nodes"'; }
comes "the node is not lost, and why nothing is granted is told" gone
finish
