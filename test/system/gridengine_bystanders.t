#!/usr/bin/env bash
# Jobs of others in a real Grid Engine. By default none ends for a reservation: each has its host until its limit. For an actor that
# is named all make way, and each is told for whom, in its context.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
openings=("end_for = carol") actors="alice, carol"
grid_federation 2 4s
job () { as_account qsub -terse -r "$1" -q "batch@$2" -wd "$work" -o /dev/null -j y -S /bin/sh "${@:3}" <<<'exec sleep 900'; } # AGAIN HOST OPTION…
chmod 1777 "$work"
runs_on () { qstat -u '*' -s r | grep -q "batch@$1 "; }
context () { qstat -j "$1" | grep -q "^context: *musubi=the reservation musubi-ams-$2 of $3 needs its host"; } # JOB RESERVATION ACTOR
at () { # ACTOR SECONDS CPUS OPTION…: for a minute, from then on: $work/taken
  printf '{"window": {"start": "%s"}, "duration": "1m", "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' \
    "$(date -u -d "now+$2 seconds" +%FT%TZ)" "$3" | MUSUBI_ACTOR=$1 musubi reserve - --json "${@:4}" >"$work/taken"
}
refused () { ! at "$@" --dry-run; }
opens () { MUSUBI_ACTOR=$1 musubi show "$id" --json | jq -e '.openings[] | .ready and .phase == "open"'; }

again=$(job y g1 -l h_rt=900)
comes "a job runs on a host" runs_on g1
lost=$(job n g2 -l h_rt=900)
comes "another runs, which may not be run again" runs_on g2
comes "no host can be reserved before their limits" refused alice 60 2
check "behind them all can" reserve later now+20s 1m 4
check "… not before" test "$(date -d "$(jq -r .start "$work/taken")" +%s)" -ge $(($(date +%s) + 600))
check "that is released" musubi release "$(jq -r .reservation "$work/taken")"
check "both jobs are alive" test "$(qstat -u '*' -s r | grep -c batch@)" = 2
check "the actor that is named has all hosts" at carol 14 4
id=$(jq -r .reservation "$work/taken")
comes "it opens" opens carol
check "the one job is to be run again" grep -q " Rq " <(qstat -u '*' -s p)
check "it is told for whom" context "$again" "$id" carol
check "the other has ended" test -z "$(qstat -u '*' | awk -v id="$lost" '$1 == id')"
check "it is released" env MUSUBI_ACTOR=carol musubi release "$id"
comes "it is closed" gone_from_grid "$id"
comes "the first job runs again" runs_on "g[12]"
finish
