#!/usr/bin/env bash
# A reservation ends in Slurm, by root's hand, while the site is dead: what waits in it is held by Slurm and runs nowhere else.
# When the site is back the reservation is made again, and its tasks run in it; its owner's own job is left to its owner.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
slurm_federation 2 4s
mkdir -m 1777 "$work/told"
gate=$work/told/gate

start=$(($(date +%s) + 12))
check "one node is reserved" reserve one "$(date -u -d "@$start" +%FT%TZ)" 20m 2
id=$(jq -r .reservation "$work/taken")
comes "it opens" in_slurm "$id" ACTIVE
first=$(run --reservation "$id" --cpus 2 -- sh -c "while [ ! -e $gate ]; do sleep 0.1; done")
comes "a task runs on all of it" is "$first" state running
second=$(run --reservation "$id" -- sh -c 'echo "in $SLURM_JOB_RESERVATION"')
own=$(as_account sbatch --parsable "--reservation=musubi-ams-$id" -o /dev/null --wrap true)
comes "another waits, and its owner's own job" queued_jobs 1
slay "$(pid_of lis/ams)"
check "the site is dead, and root ends the reservation" scontrol update reservationname="musubi-ams-$id" endtime=now+1second
end=$(date -d "$(scontrol -o show reservation "musubi-ams-$id" | grep -oP 'EndTime=\K\S+')" +%s)
past () { [ "$(date +%s)" -gt "$end" ]; }
comes "its end passes" past
check "the task that ran is let go" touch "$gate"
comes "Slurm forgets it" gone_from_slurm "$id"
held () { [ "$(squeue -h -j "$own" -o %T)" = RESV_DEL_HOLD ]; }
comes "and holds what its owner has queued" held
check "nothing runs" test -z "$(squeue -h -t R -o %i)"
leave () { scontrol create reservation="$1" nodes=n2 users="$slurm_account" starttime=now+1hour duration=10 partitionname=batch flags=IGNORE_JOBS,OVERLAP; } # NAME
check "Slurm has one of the site's that the site does not know" leave musubi-ams-3fa9c2d10b7e-1-1
check "and one of somebody else" leave musubi-amstel
check "and one of a site whose name begins with this one's" leave musubi-ams-2-3fa9c2d10b7e-1-1
check "the site is back" musubi up --dir "$federation"
comes "it is made again" in_slurm "$id" ACTIVE
comes "what the site does not know is removed" gone_from_slurm 3fa9c2d10b7e-1-1
check "what is somebody else's is not" scontrol show reservation musubi-amstel
check "and goes" scontrol delete reservation=musubi-amstel
check "nor is the other site's" scontrol show reservation musubi-ams-2-3fa9c2d10b7e-1-1
check "and goes" scontrol delete reservation=musubi-ams-2-3fa9c2d10b7e-1-1
comes "the task that waited has run" is "$second" exit_code 0
check "in the reservation" test "$(musubi output "$second.0")" = "in musubi-ams-$id"
comes "the one that ran has ended" is "$first" exit_code 0
check "its owner's own job is still held" held
check "its owner moves it back" as_account scontrol update jobid="$own" reservationname="musubi-ams-$id"
check "  … and releases it" as_account scontrol release "$own"
comes "it has run" no_jobs
check "the reservation is released" musubi release "$id"
comes "nothing is left in Slurm" gone_from_slurm "$id"
finish
