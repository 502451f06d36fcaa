#!/usr/bin/env bash
# SIGKILL of the site, its agent, the qmaster or an execution daemon: batch_kill_lib.sh says what must hold. An operator has
# disabled another queue's instance, which stays so.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
grid_federation 3 6s
submit () { musubi submit "$@" 2>/dev/null >"$work/bag"; }
daemon () { grid "$@"; }
outside () { as_account qsub -terse -r y -q batch -a "$(date -d '30 seconds' +%Y%m%d%H%M.%S)" -wd "$told" -o /dev/null -j y -S /bin/sh <<<"$1"; }
all_there () { all_of_grid; }
gone () { gone_from_grid "$1"; }
KILLS=${KILLS:-4}
. "$(dirname "$0")/batch_kill_lib.sh"
# A qmaster that was killed hears no host for half a minute after its start. What runs there goes on. That it takes its hosts back
# is not changed by another cell on this machine that came and went: each has addresses of its own.
second () { PORT=17000 NODES=1 "$root/test/batch/gridengine" "$1" "$work/second"; }
trap 'second stop; grid_end' EXIT
are () { musubi nodes ams --json | jq -e --arg state "$1" '[.nodes[] | select(.class != "" and .state == $state)] | length == 3'; }
tasks_are () { musubi queue "$bag" --json | jq -e --arg state "$1" '[.tasks[] | select(.state == $state)] | length == 3'; }
check "all nodes are reserved" reserve life "$(date -u -d '11 seconds' +%FT%TZ)" 20m 6
id=$(jq -r .reservation "$work/taken")
bag=$(run --reservation "$id" --cpus 2 --count 3 -- sh -c "while [ ! -e $work/gate ]; do sleep 0.2; done; echo lived")
check "another cell is there beside it" second start
check "and ends" second stop
comes "a task runs on each" tasks_are running
check "the qmaster is killed" slay "$(grid pid qmaster)"
check "it begins again" grid start qmaster
comes "its hosts are silent" are silent
comes "then they are heard" are up
check "no task has ended for it" tasks_are running
check "they are let go" touch "$work/gate"
comes "the tasks end" tasks_are ended
for i in 0 1 2; do check "by themselves" grep -qx lived <(musubi output "$bag.$i"); done
check "the reservation was open all the time" opened "$id" 3
check "it is released" musubi release "$id"
comes "and is gone" gone "$id"

patience=180 # a job whose execution daemon died in its first second is given up by the qmaster after a minute or two
spare_queue g2
forgotten () { false; } # it stores a job before it answers
batch_kills batch/gridengine@ams qmaster g2
