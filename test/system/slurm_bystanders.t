#!/usr/bin/env bash
# Jobs of others in a real Slurm. By default none ends for a reservation: each has its node until its limit, and what does not fit
# is placed elsewhere or refused. With `requeue` those that Slurm may run again make way; for an actor that is named all do, and
# each is told for whom.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
openings=("end_for = carol") actors="alice, carol"
slurm_federation 3 4s
job () { # NODE LIMIT OPTION…: $job
  job=$(as_account sbatch --parsable -w "$1" -t "$2" "${@:3}" -o /dev/null --wrap 'exec sleep 900') && comes "a job runs on $1" job_is "$job" RUNNING
}
job_is () { [ "$(squeue -h -t all -j "$1" -o %T)" = "$2" ]; } # ID STATE
told () { scontrol -o show job "$1" | grep -q "AdminComment=the reservation musubi-ams-$2 of $3 needs its node"; } # JOB RESERVATION ACTOR
at () { # ACTOR SECONDS CPUS OPTION…: for a minute, from then on: $work/taken
  printf '{"window": {"start": "%s"}, "duration": "1m", "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' \
    "$(date -u -d "now+$2 seconds" +%FT%TZ)" "$3" | MUSUBI_ACTOR=$1 musubi reserve - --json "${@:4}" >"$work/taken"
}
taken () { id=$(jq -r .reservation "$work/taken"); }
refused () { ! at "$@" --dry-run; }
opens () { MUSUBI_ACTOR=$1 musubi show "$id" --json | jq -e '.openings[] | .ready and .phase == "open"'; }

# --- none ends ---

job n1 10 --no-requeue
first=$job
job n2 10 --no-requeue
second=$job
comes "all nodes can't be reserved before their limits" refused alice 60 6
behind () { # those limits, of which Slurm may tell another one a moment after a job's start
  ask_for now+20s 1m 6 "$@" &&
    [ "$(date -d "$(jq -r .start "$work/taken")" +%s)" -ge "$(date -d "$(squeue -h -j "$second" -o %e)" +%s)" ]
}
comes "with a later deadline they can" behind --dry-run
check "and are" behind
check "that is released" musubi release "$(jq -r .reservation "$work/taken")"
check "one node is granted at once" at alice 8 2
taken
comes "it opens" opens alice
check "where no job is" in_slurm "$id" ACTIVE
check "… on the third" grep -q ' Nodes=n3 ' "$work/seen"
check "the first job is alive" job_is "$first" RUNNING
check "and the second" job_is "$second" RUNNING
check "it is released" musubi release "$id"
comes "it is closed" gone_from_slurm "$id"

# --- but for whom that is said ---

check "the actor that is named has all of them" at carol 10 6
taken
check "both jobs run until then" job_is "$second" RUNNING
comes "it opens" opens carol
check "the first job has ended" job_is "$first" CANCELLED
check "it was told for whom" told "$first" "$id" carol
check "and the second" told "$second" "$id" carol
check "it is released" env MUSUBI_ACTOR=carol musubi release "$id"
comes "it is closed" gone_from_slurm "$id"

# --- those that may be run again ---

slay "$(pid_of lis/ams)"
check "the site has another setting" sed -i 's/^\( *\)end_for = .*/\1clear = requeue/' "$federation/lis-ams.zpl"
check "it is back" musubi up --dir "$federation"
job n1 UNLIMITED --no-requeue
first=$job
job n2 UNLIMITED --requeue
second=$job
comes "the node of a job that may not be run again is not reserved" refused alice 60 6
comes "the others are" at alice 10 4
taken
comes "they open" opens alice
check "the one job is alive" job_is "$first" RUNNING
check "the other waits" job_is "$second" PENDING
check "it was told for whom" told "$second" "$id" alice
check "it is released" musubi release "$id"
comes "it is closed" gone_from_slurm "$id"

# --- a site that is full ---

comes "the job that made way runs again" job_is "$second" RUNNING
job n3 UNLIMITED --no-requeue
check "the second one is ended" scancel "$second"
as_account srun -w n2 -t UNLIMITED sleep 900 >/dev/null 2>&1 & # which Slurm can't run again, though it says Requeue=1
full () { musubi nodes ams --json | jq -e '.nodes[] | select(.node == "slurm") | .why | test("on all of 3 nodes, so nothing can be reserved: .* set opening/clear = end$")'; }
comes "the site tells that nothing can be reserved, and what to do" full
exits 1 "the doctor" musubi doctor
says "  … tells it, too" 'lis/ams: 1 of 4 nodes in trouble .*nothing can be reserved.*: slurm$'
finish
