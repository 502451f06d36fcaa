#!/usr/bin/env bash
# A reservation is changed while a real Grid Engine has it: it grows before its start, is prolonged and shrinks while it runs,
# loses a host whose daemon has died, and is released early. Its queue is equal to it each time.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
node_limits=("silent = 2s" "lease = 3s")
grid_federation 4 6s
qconf -sconf | sed 's/^max_unheard.*/max_unheard 00:00:06/' >"$work/global" # for a dead daemon to be missed within the test
check "Grid Engine misses a daemon soon" qconf -Mconf "$work/global"
free () { # CPUS: the calendar has them
  printf '{"window": {"earliest": "now+1m", "deadline": "now+1h"}, "duration": "1s", "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' "$1" |
    musubi reserve - --dry-run
}
comes "the site has its nodes" free 8
all_of_grid >"$work/before"
modify () { printf '%s' "$1" >"$work/patch.json" && musubi modify "$id" "$work/patch.json" --json >"$work/changed" || { cat "$work/changed"; return 1; }; }
hosts_of () { qconf -sq "musubi-ams-$id" | sed -n 's/^hostlist *//p' | tr ' ' '\n'; }
has_hosts () { [ "$(hosts_of | grep -c .)" -eq "$1" ]; }
without () { has_hosts "$1" && opened "$id" "$1" && ! hosts_of | grep -qx "$2"; } # COUNT HOST
instance () { [ "$(qstat -f | awk -v name="$1" '$1 == name {print $6}')" = "$2" ]; } # NAME STATE
runs_on () { qstat -u '*' -s r | grep -c "own.* r .*@"; }

start=$(($(date +%s) + 11))
check "two hosts are reserved" reserve two "$(date -u -d "@$start" +%FT%TZ)" 60s 4
id=$(jq -r .reservation "$work/taken")
comes "Grid Engine has them before the start" has_hosts 2
check "it grows to three" modify '{"compute": [{"id": "all", "cpus": 6}]}'
three_open () { has_hosts 3 && opened "$id" 3; }
comes "it opens, and has three soon" three_open
bag=$(run --reservation "$id" -- sleep 600)
comes "a task runs in it" is "$bag" state running
check "it is prolonged" modify '{"duration": "5m"}'
longer () { [ "$(musubi show "$id" --json | jq -r .end)" = "$(jq -r .end "$work/changed")" ]; }
comes "and is told so" longer
for host in $(hosts_of); do
  as_account qsub -terse -N "own$host" -q "musubi-ams-$id@$host" -l "musubi=musubi-ams-$id" -wd /tmp -o /dev/null -j y -S /bin/sh <<<'exec sleep 600' >/dev/null
done
so_many () { [ "$(runs_on)" = "$1" ]; }
comes "its owner's own jobs run on all three" so_many 3
had=$(hosts_of)
check "it shrinks to two" modify '{"compute": [{"id": "all", "cpus": 4}]}'
two_open () { has_hosts 2 && opened "$id" 2; }
comes "it has two" two_open
check "what ran on the one that left has ended, and no more" so_many 2
left=$(comm -23 <(sort <<<"$had") <(hosts_of | sort))
check "which is the other queue's again" grep -qE "^batch@$left .*lx-amd64 *$" <(qstat -f)
check "it is still the prolonged one" longer

restarted=$(qstat -f -q "musubi-ams-$id" | sed -n 's|^musubi[^@]*@\([^ ]*\) .* 0/1/2 .*|\1|p') # the one without the task
check "the daemon of a host dies" slay "$(grid pid "$restarted")"
check "and comes back" grid start "$restarted"
mkdir -m 1777 "$work/told"
as_account qsub -terse -q "musubi-ams-$id@$restarted" -l "musubi=musubi-ams-$id" -wd /tmp -o /dev/null -j y -S /bin/sh <<<"touch $work/told/ran" >/dev/null
comes "it runs a job" test -e "$work/told/ran"
check "the host is the reservation's, as before" instance "musubi-ams-$id@$restarted" ""

# What an operator disables is drained, stays so, and is told; what is enabled again is the reservation's again.
taken=$(hosts_of | head -n 1)
drained () { [ "$(musubi nodes ams --json | jq -r --arg node "$taken" '.nodes[] | select(.node == $node) | .drained // false')" = "$1" ]; }
troubled () { musubi show "$id" --json | jq -e --arg why "$1" '.openings[0] | .degraded and (.trouble | contains ($why))'; }
sound () { musubi show "$id" --json | jq -e '.openings[0] | .degraded | not'; }
check "an operator disables its queue on a host where its job runs" qmod -d "musubi-ams-$id@$taken"
comes "the host is told as drained" drained true
check "with what Grid Engine says" grep -q 'Grid Engine says d' <(musubi nodes ams --json)
comes "the reservation is degraded, and why is told" troubled "node $taken is drained: Grid Engine says d"
check "it stays so" instance "musubi-ams-$id@$taken" d
check "its job goes on" so_many 2
check "the operator enables it" qmod -e "musubi-ams-$id@$taken"
comes "the host is no longer drained" drained false
comes "the reservation is whole" sound
qmod -e "batch@$taken" >/dev/null # everybody would come in
comes "another queue that is enabled there is disabled again" instance "batch@$taken" d
qstat -u '*' -s r | awk -v host="@$taken" '$0 ~ host {print $1}' | xargs qdel >/dev/null
check "an operator deletes the jobs there, and disables all queues on that host" qmod -d "*@$taken"
comes "another takes its place" without 2 "$taken"
comes "it is the operator's" drained true
check "and is left as it was" instance "batch@$taken" d
check "the operator enables it" qmod -e "batch@$taken"
comes "it is the site's again" drained false

down=$(hosts_of | head -n 1)
check "the daemon of a host of it dies" slay "$(grid pid "$down")"
state_of () { [ "$(musubi nodes ams --json | jq -r --arg node "$1" '.nodes[] | select(.node == $node) | .state')" = "$2" ]; }
comes "the host is silent, and with it" state_of "$down" silent
check "it is still the reservation's" grep -qx "$down" <(hosts_of)
comes "another takes its place" without 2 "$down"
check "the daemon comes back" grid start "$down"
check "it is released early" musubi release "$id"
comes "its queue is gone" gone_from_grid "$id"
comes "with all its jobs" no_jobs
same () { all_of_grid | cmp "$work/before" -; }
comes "Grid Engine is as it was before" same
finish
