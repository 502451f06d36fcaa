#!/usr/bin/env bash
# A site over a real Grid Engine that keeps the hosts of a reservation from its commit on, by an advance reservation: nobody's job
# is begun that would run into it, what Grid Engine refuses is told with whose job that is, its own queue opens without a gap, an
# operator's own advance reservation over it is refused, or waits until it has ended, and what was released, or not confirmed when the site died, is there once or not at all.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
grid_federation 3 4s
told=$work/told
mkdir -m 1777 "$told"
shows () { musubi show "$1" >"$work/shown" 2>&1 && grep -qE "$2" "$work/shown"; } # ID PATTERN
submits () { as_account qsub -terse -wd "$told" -o /dev/null -j y -S /bin/sh "$@"; }
job_is () { qstat -u '*' | awk -v id="$1" '$1 == id {print $5}' | grep -qx "$2"; } # JOB STATE
begins () { date -u -d "@$(($(date +%s) + $1))" +%FT%TZ; } # SECONDS
kept_not () { seen=$(qrstat -u '*' -xml) && ! grep -q '<name>musubi-ams-' <<<"$seen"; } # so Grid Engine says; a failed question says nothing
never_seen () { cat "$1"; [ ! -s "$1" ]; } # FILE
kept_as () { qrstat -u '*' -xml | grep -q "<name>musubi-ams-$1</name>"; } # ID

# --- nobody begins what would run into it ---

check "all nodes are reserved, some minutes ahead" reserve trio "$(begins 300)" 1m 6
id=$(jq -r .reservation "$work/taken")
comes "Grid Engine has it, long before its start" kept_as "$id"
comes "the site says that it is there" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
long=$(submits -l h_rt=600 <<<"date +%s >$told/long; sleep 600")
free=$(submits <<<'sleep 600')
submits -l h_rt=1 <<<"date +%s >$told/short" >"$work/short"
comes "a short job of somebody's runs before it" test -s "$told/short"
check "and one of ten minutes, which would run into it, is not begun" job_is "$long" qw
check "nor is one without a limit" job_is "$free" qw
check "that one is deleted" as_account qdel "$free"
refused () { ! (cd / && musubi-as daemon qsub -terse -ar "$(qrstat -u '*' | awk '/ musubi-/ {print $1}')" -S /bin/sh <<<true); }
check "and nobody but its owner may use it" refused
native () { qrsub -N native -a "$(date -d "@$1" +%Y%m%d%H%M.%S)" -d 600 -q batch@g1 -pe make 2 >"$work/native" 2>&1; } # START: an operator's, of a host
native_of () { qrstat -u '*' | awk '$2 == "native" {print $1}'; }
exits 1 "Grid Engine gives an operator none over it" native "$(date -d "$(jq -r .start "$work/taken")" +%s)"
check "for want of a host" grep -q 'no suitable queues' "$work/native"
check "released it goes" musubi release "$id"
comes "Grid Engine has nothing of it" kept 0
comes "and begins the long job" test -s "$told/long"

# --- what Grid Engine refuses, and its opening ---

check "all nodes are reserved while that runs" reserve trio "$(begins 300)" 10m 6
id=$(jq -r .reservation "$work/taken")
comes "it is degraded, with whose job runs into it" \
  shows "$id" "not there yet, degraded, name: Grid Engine's job $long of $grid_account is in its way until 20"
check "and what would fit" grep -qE '^  [0-9]+ nodes of any are free from' "$work/shown"
musubi doctor >"$work/doctor" 2>&1
check "doctor says so, too" \
  grep -qE "^lis/ams: $id at ams: waiting, .*degraded, name: Grid Engine's job $long of .* until 20[^;]*; [0-9]+ nodes of any are free" "$work/doctor"
check "Grid Engine does not have it" kept 0
check "the job lives" job_is "$long" '[rt]'
check "the job is ended by its owner" as_account qdel "$long"
comes "then Grid Engine has it" kept_as "$id"
comes "and the site knows" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
check "no problem is left" musubi doctor
check "it is released" musubi release "$id"
comes "all nodes are reserved, for soon" reserve trio "$(begins 14)" 10m 6
id=$(jq -r .reservation "$work/taken")
comes "Grid Engine has it" kept_as "$id"
outsider=$(submits -l h_rt=600 <<<"date +%s >$told/outsider; sleep 600")
closed () { [ "$(qstat -f -q batch | grep -c 'lx-amd64 *d$')" -eq 3 ]; } # the site's queue
while sleep 0.05; do ! kept_not || closed || echo gap; done >"$work/gap" 2>/dev/null &
sees=$!
comes "it opens" opened "$id" 3
kill "$sees"
check "its hosts were kept all the time" never_seen "$work/gap"
check "by its own queue alone now" kept 0
check "the outsider's job was not begun" job_is "$outsider" qw
check "Grid Engine gives an operator one over its closed hosts" native $(($(date +%s) + 3))
theirs=$(qsub -terse -wd "$told" -o /dev/null -j y -S /bin/sh -ar "$(native_of)" <<<"date +%s >$told/native")
failed () { qrstat -ar "$(native_of)" | grep -q 'reserved queue batch@g1 is disabled'; }
begun () { [ "$(qrstat -u '*' | awk '$2 == "native" {print $4}')" = E ]; }
comes "its time comes" begun
check "Grid Engine has told him what is wrong with it" failed
shown () { musubi doctor >"$work/doctor" 2>&1; grep -q "$1" "$work/doctor"; }
comes "the site says that its hosts are promised twice" shown 'there is less than was promised: 1 reservation'
bag=$(run --reservation "$id" --cpus 2 --count 3 -- true)
comes "on all of them tasks run, as was promised" test_over "$bag" 3
check "the reservation is ready" shows "$id" 'open, 3 of 3 nodes, ready'
check "and what the operator has there is not begun" job_is "$theirs" qw
check "it is released" musubi release "$id"
comes "and closed" gone_from_grid "$id"
comes "then that job begins" test -s "$told/outsider"
check "and is ended" as_account qdel "$outsider"
comes "so does the operator's" test -s "$told/native"
check "whose reservation is deleted" qrdel native

# --- an operator and the site's death ---

comes "all nodes can be reserved for later" reserve trio "$(begins 600)" 10m 6
id=$(jq -r .reservation "$work/taken")
comes "Grid Engine has it" kept_as "$id"
check "an operator deletes it" qrdel "musubi-ams-$id"
comes "it is made again" kept_as "$id"
kill -STOP "$(pid_of lis/ams)"
check "the operator deletes it while the site hangs" qrdel "musubi-ams-$id"
check "and has one of his own there" native "$(date -d "$(jq -r .start "$work/taken")" +%s)"
kill -CONT "$(pid_of lis/ams)"
comes "it is degraded, with whose reservation that is" shows "$id" "degraded, (ar-$(native_of) has g1 there|.*Grid Engine's advance reservation $(native_of) of root is in its way) until 20"
check "the operator's is deleted" qrdel native
comes "it is made again" kept_as "$id"
comes "and is whole" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
modify () { printf '{"window": {"earliest": "%s"}}' "$1" >"$work/patch.json" && musubi modify "$id" "$work/patch.json"; }
check "it is moved by less than its duration" modify "$(begins 900)"
moved () { qrstat -u '*' -xml | grep -q "<start_time>$(date -u -d "$(musubi show "$id" --json | jq -r .start)" +%FT%T)<"; }
comes "and so is Grid Engine's" moved
check "it is there once" kept 1
check "it is released" musubi release "$id"
comes "and goes" kept 0
kill -STOP "$(grid pid qmaster)"
check "one is reserved while Grid Engine hangs" reserve trio "$(begins 600)" 1m 6
id=$(jq -r .reservation "$work/taken")
check "it is told as not there yet" shows "$id" 'not there yet'
slay "$(pid_of lis/ams)"
kill -CONT "$(grid pid qmaster)"
check "the site that was killed begins again" musubi up --dir "$federation"
comes "Grid Engine has the reservation" kept_as "$id"
comes "the site knows" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
check "it is there once" kept 1

# --- a site whose store is lost ---

slay "$(pid_of lis/ams)"
rm -rf "$federation/store/lis-ams"
while sleep 0.05; do ! kept_not || echo "$seen"; done >"$work/gone" 2>/dev/null &
sees=$!
check "the site begins with another store" musubi up --dir "$federation"
comes "the homes tell it what it had promised" grep -q 'readmission done reservations_told=' "$federation/log/lis-ams.log"
comes "the site knows that it is there" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
kill "$sees"
check "Grid Engine had it all the time" never_seen "$work/gone"
check "it is released" musubi release "$id"
comes "and goes" kept 0
finish
