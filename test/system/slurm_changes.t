#!/usr/bin/env bash
# A reservation is changed while a real Slurm has it: it grows before its start, is prolonged and shrinks while it runs, loses
# a node that is set down and one that is drained, and is released early. Slurm's reservation is equal to it each time.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
slurm_federation 4 4s
scontrol -o show reservation >"$work/before"
modify () { printf '%s' "$1" >"$work/patch.json" && musubi modify "$id" "$work/patch.json" --json >"$work/changed" || { cat "$work/changed"; return 1; }; }
has_nodes () { in_slurm "$id" "$1" && grep -q " NodeCnt=$2 " "$work/seen"; } # STATE COUNT
nodes_of () { scontrol show hostnames "$(grep -oP ' Nodes=\K\S+' "$work/seen")"; }
without () { has_nodes ACTIVE "$1" && ! nodes_of | grep -qx "$2"; } # COUNT NODE
ends () { # as the site has told last: Slurm has the next whole second
  local told
  told=$(date -d "$(jq -r .end "$work/changed")" +%s%3N)
  in_slurm "$id" ACTIVE && [ "$(date -d "$(grep -oP 'EndTime=\K\S+' "$work/seen")" +%s)" = $(((told + 999) / 1000)) ]
}
ours () { squeue -h -t "$1" -o %j | grep ^musubi-; } # STATE
some_wait () { ours R && ours PD; }
job_of () { squeue -h -t R -n "$1" -o %N; } # NAME: the node it runs on

start=$(($(date +%s) + 12))
check "two nodes are reserved" reserve two "$(date -u -d "@$start" +%FT%TZ)" 60s 4
id=$(jq -r .reservation "$work/taken")
comes "Slurm has them before the start" has_nodes INACTIVE 2
check "it grows to three" modify '{"compute": [{"id": "all", "cpus": 6}]}'
comes "it opens, and Slurm has three soon" has_nodes ACTIVE 3
bag=$(run --reservation "$id" -- sleep 600)
comes "a task runs in it" is "$bag" state running
check "it is prolonged" modify '{"duration": "5m"}'
comes "Slurm has the new end" ends
check "the task runs on" is "$bag" state running
for i in 1 2 3; do as_account sbatch "--reservation=musubi-ams-$id" -J "own$i" -o /dev/null -w "$(nodes_of | sed -n "${i}p")" --wrap 'exec sleep 600' >/dev/null; done
all_run () { [ -n "$(job_of own1)" ] && [ -n "$(job_of own2)" ] && [ -n "$(job_of own3)" ]; }
comes "its owner's own jobs run on all three" all_run
check "it shrinks to two" modify '{"compute": [{"id": "all", "cpus": 4}]}'
comes "Slurm has two" has_nodes ACTIVE 2
running () { squeue -h -t R -n own1,own2,own3 -o %i | wc -l; }
two_run () { [ "$(running)" = 2 ]; }
comes "what ran on the one that left has ended, and no more" two_run
check "it ends before" modify '{"duration": "4m"}'
comes "Slurm has the earlier end" ends

down=$(nodes_of | head -n 1)
check "the daemon of a node of it dies" slay "$(slurm pid "$down")"
check "and root sets it down" scontrol update nodename="$down" state=down reason=broken
comes "another takes its place" without 2 "$down"
drained=$(nodes_of | tail -n 1)
check "root drains another" scontrol update nodename="$drained" state=drain reason=broken
squeue -h -w "$drained" -o %i | xargs -r scancel
check "the first one's daemon comes back" slurm start "$down"
comes "when it is idle another takes its place, too" without 2 "$drained"
check "root resumes the second" scontrol update nodename="$drained" state=resume

squeue -h -n own1,own2,own3 -o %i | xargs -r scancel # Slurm has requeued the first with its node
waiting=$(run --reservation "$id" --count 20 -- sleep 600)
comes "tasks fill it, and some wait" some_wait
own=$(as_account sbatch --parsable "--reservation=musubi-ams-$id" -o /dev/null --wrap 'true')
check "behind them waits its owner's own job" test "$(squeue -h -j "$own" -o %T)" = PENDING
check "it is released early" musubi release "$id"
comes "it is gone from Slurm" gone_from_slurm "$id"
check "with all its jobs but the owner's own" test "$(squeue -h -o %i)" = "$own"
check "which is held, in no reservation" test "$(squeue -h -j "$own" -o '%r|%v')" = 'JobHeldUser|(null)'
check "and told why" test "$(squeue -h -j "$own" -o %k)" = "the reservation musubi-ams-$id has ended: release or cancel this job"
check "its owner releases it" as_account scontrol release "$own"
comes "it runs" no_jobs
comes "no task of it waits any more" test_over "$waiting" 20
check "each is told why" test -z "$(musubi queue "$waiting" --json | jq -r '.tasks[].why' | grep -v "its reservation has ended$")"
check "Slurm has the reservations of before" cmp "$work/before" <(scontrol -o show reservation)
finish
