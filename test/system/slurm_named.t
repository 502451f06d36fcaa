#!/usr/bin/env bash
# A site over a real Slurm that has the reservation from its commit on: nobody's job is begun that would run into it, what Slurm
# refuses is told with whose job that is, and what was released, or not confirmed when the site died, is there once or not at all.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
slurm_federation 3 4s
told=$work/told
mkdir -m 1777 "$told"
shows () { musubi show "$1" >"$work/shown" 2>&1 && grep -qE "$2" "$work/shown"; } # ID PATTERN
ours () { scontrol -o show reservation | grep -c "^ReservationName=musubi-ams-"; }
none_of_ours () { [ "$(ours)" -eq 0 ]; }
one_of_ours () { [ "$(ours)" -eq 1 ]; }
job_is () { scontrol -o show job "$1" | grep -qE "JobState=($2)"; } # JOB STATES
begins () { date -u -d "@$(($(date +%s) + $1))" +%FT%TZ; } # SECONDS

# --- nobody begins what would run into it ---

check "all nodes are reserved, a minute and a half ahead" reserve trio "$(begins 90)" 1m 6
id=$(jq -r .reservation "$work/taken")
comes "Slurm has it, long before its start" in_slurm "$id" INACTIVE
check "and does not ignore jobs" test -z "$(grep IGNORE_JOBS "$work/seen")"
short=$(as_account sbatch --parsable -t 1 -o /dev/null --wrap 'sleep 1')
long=$(as_account sbatch --parsable -t 10 -o /dev/null --wrap "date +%s >$told/long; sleep 600")
comes "the site says that it is there" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
comes "a short job of somebody's runs before it" job_is "$short" 'RUNNING|COMPLETED'
check "and one of ten minutes, which would run into it, is not begun" job_is "$long" PENDING
check "released it goes" musubi release "$id"
comes "Slurm has nothing of it" gone_from_slurm "$id"
comes "and begins the long job" test -s "$told/long"

# --- what Slurm refuses ---

check "all nodes are reserved while that runs" reserve trio "$(begins 45)" 1m 6
id=$(jq -r .reservation "$work/taken")
comes "it is degraded, with whose job runs into it" shows "$id" "not there yet, degraded, name: Slurm's job $long of $slurm_account is in its way until 20"
check "and what would fit" grep -qE '^  [0-9]+ nodes of any are free from' "$work/shown"
check "doctor says both" grep -qE "^lis/ams: $id at ams: waiting, .* Slurm's job $long of $slurm_account is in its way until 20[^;]*; [0-9]+ nodes of any" \
  <(musubi doctor)
check "list says so" grep -q degraded <(musubi list)
check "Slurm does not have it" gone_from_slurm "$id"
check "the job lives" job_is "$long" RUNNING
check "the job is ended by its owner" as_account scancel "$long"
comes "then Slurm has it" in_slurm "$id" INACTIVE
comes "and the site knows" shows "$id" 'at ams: waiting, 0 of 3 nodes$'

# --- an operator and the site's death ---

scontrol delete "reservation=musubi-ams-$id"
comes "deleted there it is made again" in_slurm "$id" INACTIVE
check "it is released" musubi release "$id"
comes "and goes" none_of_ours
kill -STOP "$(slurm pid slurmctld)"
check "one is reserved while Slurm hangs" reserve trio "$(begins 600)" 1m 6
id=$(jq -r .reservation "$work/taken")
check "it is told as not there yet" shows "$id" 'not there yet'
slay "$(pid_of lis/ams)"
kill -CONT "$(slurm pid slurmctld)"
check "the site that was killed begins again" musubi up --dir "$federation"
comes "Slurm has the reservation" in_slurm "$id" INACTIVE
comes "the site knows" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
check "it is there once" one_of_ours
slay "$(pid_of lis/ams)"
check "killed once more it begins again" musubi up --dir "$federation"
comes "the site knows" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
check "it is there once, as it was" one_of_ours

# --- a site whose store is lost ---

slay "$(pid_of lis/ams)"
scontrol -o show reservation "musubi-ams-$id" >"$work/before"
rm -rf "$federation/store/lis-ams"
while sleep 0.05; do one_of_ours || echo gone; done >"$work/gone" 2>&1 &
sees=$!
check "the site begins with another store" musubi up --dir "$federation"
comes "the homes tell it what it had promised" grep -q 'readmission done reservations_told=' "$federation/log/lis-ams.log"
comes "the site knows that it is there" shows "$id" 'at ams: waiting, 0 of 3 nodes$'
kill $sees
check "Slurm had it all the time" test ! -s "$work/gone"
check "as it was" cmp "$work/before" <(scontrol -o show reservation "musubi-ams-$id")
check "an operator deletes it" scontrol delete "reservation=musubi-ams-$id"
comes "the site looks after it as before" in_slurm "$id" INACTIVE
check "it is released" musubi release "$id"
comes "and goes" none_of_ours
finish
