#!/usr/bin/env bash
# What is ours in a Grid Engine, and what is not: a queue that an operator deletes is made again, and its hosts come back at its
# end; a queue of a site with a longer name is somebody else's; one that could be ours by its name is not, where it has no host
# of the site's queue.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
grid_federation 3 6s
longer=musubi-ams-north-0123456789ab-1-1 elsewhere=musubi-ams-0123456789ab-1-1
queue_over () { # NAME HOST…: a queue of somebody else
  qconf -sq batch | sed -e "s/^\(qname *\).*/\1$1/" -e "s/^\(hostlist *\).*/\1${*:2}/" >"$work/queue"
  qconf -Aq "$work/queue"
}
instance () { [ "$(SGE_LONG_QNAMES=99 qstat -f | awk -v name="$1" '$1 == name {print $6}')" = "$2" ]; } # NAME STATE
state_of () { [ "$(musubi nodes ams --json | jq -r --arg node "$1" '.nodes[] | select(.node == $node) | .state')" = "$2" ]; }
check "a site with a longer name has a queue" queue_over "$longer" g1 g2
check "a site of the same name has one on a host" queue_over "$elsewhere" g3
check "which is not of our site's queue" qconf -rattr queue hostlist "g1 g2" batch
comes "so that it is lost here" state_of g3 lost
all_of_grid >"$work/before"
as_before () { cmp "$work/before" <(all_of_grid); }

check "both nodes are reserved" reserve both "$(date -u -d '14 seconds' +%FT%TZ)" 20m 4
id=$(jq -r .reservation "$work/taken")
comes "it opens" opened "$id" 2
bag=$(run --reservation "$id" -- true)
comes "it runs tasks" is "$bag" state ended
check "the queue with the longer name has made way" instance "$longer@g1" d
check "the one elsewhere has not" instance "$elsewhere@g3" ""
check "an operator deletes the reservation's queue" qconf -dq "musubi-ams-$id"
comes "it is made again, and open" opened "$id" 2
bag=$(run --reservation "$id" -- true)
comes "it runs tasks again" is "$bag" state ended

check "the site dies" slay "$(pid_of lis/ams)"
check "and comes back" musubi up --dir "$federation"
bag=$(run --reservation "$id" -- true)
comes "its reservation runs tasks" is "$bag" state ended
check "the queue with the longer name is there" in_grid "north-0123456789ab-1-1"
check "and the one elsewhere" in_grid "0123456789ab-1-1"

check "an operator deletes the reservation's queue once more" qconf -dq "musubi-ams-$id"
check "while it is released" musubi release "$id"
comes "all is as it was before" as_before

comes "a short reservation of both" reserve more "$(date -u -d '14 seconds' +%FT%TZ)" 15s 4
id=$(jq -r .reservation "$work/taken")
comes "it opens, too" opened "$id" 2
check "the site dies" slay "$(pid_of lis/ams)"
check "an operator deletes the queue" qconf -dq "musubi-ams-$id"
over () { [ "$(date +%s)" -gt "$(date -d "$(jq -r .end "$work/taken")" +%s)" ]; }
comes "its end passes" over
check "the site comes back" musubi up --dir "$federation"
comes "all is as it was before" as_before
finish
