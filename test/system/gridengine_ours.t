#!/usr/bin/env bash
# What is ours in a Grid Engine, and what is not: a queue that an operator deletes is made again, and its hosts come back at its
# end; a queue whose name begins as ours is somebody else's (gridengine_claim.t has another site's); one that could be ours by its
# name is not, where it has no host of the site's queue. What Grid Engine has closed of the site's queue is not sold, and why is told; nor is what its calendar closes,
# each time to come.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
grid_federation 3 6s
longer=musubi-ams-north elsewhere=musubi-ams-0123456789ab-1-1
queue_over () { # NAME HOST…: a queue of somebody else
  qconf -sq batch | sed -e "s/^\(qname *\).*/\1$1/" -e "s/^\(hostlist *\).*/\1${*:2}/" >"$work/queue"
  qconf -Aq "$work/queue"
}
instance () { [ "$(SGE_LONG_QNAMES=99 qstat -f | awk -v name="$1" '$1 == name {print $6}')" = "$2" ]; } # NAME STATE
state_of () { [ "$(musubi nodes ams --json | jq -r --arg node "$1" '.nodes[] | select(.node == $node) | .state')" = "$2" ]; }
check "somebody has a queue of a longer name" queue_over "$longer" g1 g2
check "a site of the same name has one on a host" queue_over "$elsewhere" g3
check "which is not of our site's queue" qconf -rattr queue hostlist "g1 g2" batch
comes "so that it is lost here" state_of g3 lost
all_of_grid >"$work/before"
as_before () { cmp "$work/before" <(all_of_grid); }

check "both nodes are reserved" reserve both "$(date -u -d '11 seconds' +%FT%TZ)" 20m 4
id=$(jq -r .reservation "$work/taken")
comes "it opens" opened "$id" 2
bag=$(run --reservation "$id" -- true)
comes "it runs tasks" is "$bag" state ended
check "the queue with the longer name has made way" instance "$longer@g1" d
check "the one elsewhere has not" instance "$elsewhere@g3" ""
comes "an operator deletes the reservation's queue, once Grid Engine knows that its job is over" qconf -dq "musubi-ams-$id"
comes "it is made again, and open" opened "$id" 2
bag=$(run --reservation "$id" -- true)
comes "it runs tasks again" is "$bag" state ended

mkdir -m 1777 "$work/told"
ready () { musubi show "$id" --json | jq -e '.openings[] | .ready and .phase == "open"'; }
trouble () { musubi show "$id" --json | jq -e --arg why "$1" '.openings[] | (.ready | not) and .degraded and .trouble == $why'; }
comes "it is ready" ready
runs=$(run --reservation "$id" -- sh -c "while [ ! -e $work/told/gate ]; do sleep 0.1; done")
comes "a task runs in it" is "$runs" state running
check "an operator suspends the site's queue on a host of it" qmod -s batch@g1
comes "it is not ready, and why is told" trouble "node g1 is drained: Grid Engine says ds: disabled, suspended"
check "the task goes on" is "$runs" state running
check "and is let go" touch "$work/told/gate"
comes "it ends well" is "$runs" exit_code 0
check "the operator lets it go on" qmod -us batch@g1
comes "the reservation is ready" ready

check "the site dies" slay "$(pid_of lis/ams)"
check "and comes back" musubi up --dir "$federation"
bag=$(run --reservation "$id" -- true)
comes "its reservation runs tasks" is "$bag" state ended
check "the queue with the longer name is there" in_grid north
check "and the one elsewhere" in_grid "0123456789ab-1-1"

comes "an operator deletes the reservation's queue once more" qconf -dq "musubi-ams-$id"
check "while it is released" musubi release "$id"
comes "all is as it was before" as_before

comes "a short reservation of both" reserve more "$(date -u -d '11 seconds' +%FT%TZ)" 15s 4
id=$(jq -r .reservation "$work/taken")
comes "it opens, too" opened "$id" 2
check "the site dies" slay "$(pid_of lis/ams)"
check "an operator deletes the queue" qconf -dq "musubi-ams-$id"
over () { [ "$(date +%s)" -gt "$(date -d "$(jq -r .end "$work/taken")" +%s)" ]; }
comes "its end passes" over
check "the site comes back" musubi up --dir "$federation"
comes "all is as it was before" as_before

# --- what is closed ---

node () { musubi nodes ams --json | jq -e ".nodes[] | select(.node == \"$1\") | $2"; } # NODE FILTER
comes "both hosts are up" node g1 '.state == "up" and (.drained | not)'
check "an operator suspends the site's queue" qmod -s 'batch@*'
comes "its hosts are drained, and why is told" node g2 '.state == "up" and .drained and .why == "Grid Engine says s: suspended"'
exits 1 "the doctor" musubi doctor
says "  … names them" 'lis/ams: .* nodes drained .Grid Engine says s: suspended'
waits=$(run -- true)
check "a task waits" is "$waits" state queued
check "the operator lets it go on" qmod -us 'batch@*'
comes "the task has run" is "$waits" exit_code 0
check "nothing can be started on a host" qconf -rattr queue prolog "NONE,[g1=root@/nosuch]" batch
as_account qsub -terse -q batch@g1 -wd /tmp -o /dev/null -j y -S /bin/sh <<<true >/dev/null
comes "the error is told as Grid Engine tells it" node g1 '.drained and (.why | test("^Grid Engine says E: queue batch marked QERROR as result of job"))'
qdel -u '*' >/dev/null
check "an operator mends it" qconf -purge queue prolog batch@g1
check "and clears the error" qmod -c batch@g1
comes "the host is the site's again" node g1 '.drained | not'

day=86400 noon=$(date -d "12:00 tomorrow" +%s)
fits () { # START CPUS: ten minutes from that very second
  printf '{"window": {"earliest": "%s", "deadline": "%s"}, "duration": "10m", "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' \
    "$(date -u -d "@$1" +%FT%TZ)" "$(date -u -d "@$(($1 + 600))" +%FT%TZ)" "$2" | musubi reserve - --dry-run --json >"$work/taken" 2>&1
}
fits_not () { ! fits "$@" && grep -qE 'nothing|free|fit|full|refus' "$work/taken"; }
calendar () { # VERB YEAR WEEK
  printf '%s\n' "calendar_name maint" "year $2" "week $3" >"$work/calendar" && qconf "$1" "$work/calendar"
}
weekday=$(LC_ALL=C date -d "@$noon" +%a)
check "there is a calendar for an hour of each week" calendar -Acal NONE "${weekday,}=12-13=suspended"
check "all is free then" fits "$noon" 4
check "a host has it" qconf -rattr queue calendar "NONE,[g2=maint]" batch
comes "its next time is not sold" fits_not "$noon" 4
check "nor the one in ten weeks" fits_not $((noon + 70 * day + 3000)) 4
check "the other host is" fits "$noon" 2
check "and all before and behind it" fits $((noon - 600)) 4
check "on other days, too" fits $((noon + 3600)) 4
check "it is closed now, and tomorrow all day" calendar -Mcal "$(date -d "@$noon" +%-d.%-m.%Y) $(date +%-d.%-m.%Y)" NONE
comes "which is told" node g2 '.why == "Grid Engine says D: disabled by its calendar" and (.drained | not)'
comes "it is not sold" fits_not $((noon + 3600)) 4
check "the week that it had is" fits $((noon + 7 * day)) 4
check "and the day after it" fits $((noon + day)) 4
check "the queue loses its calendar" qconf -purge queue calendar batch@g2
comes "all is free again" fits "$noon" 4
comes "and now" node g2 '.why | not'
finish
