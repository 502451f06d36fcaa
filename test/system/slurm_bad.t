#!/usr/bin/env bash
# A Slurm that is not as it should be: settings that it can't serve are named at the start; one that hangs is told as silent
# and loses nothing; a reservation that root has deleted or changed is told and made again; drained nodes are told.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
slurm_federation 3 4s
ctld=$(slurm pid slurmctld)

# --- settings ---

site () { timeout 30 svc-lis -c "$federation/lis-ams.zpl" --set "store/folder=$work/stray" --set bind/endpoint=tcp://127.0.0.1:0 --set bind/events=tcp://127.0.0.1:0 "$@"; }
exits 2 "a site over a partition that there is not" site --set batch/queue=nosuch
says "  … is told which there are" 'back_end: Slurm has no partition nosuch; it has batch'
sed 's/^\( *queue = \).*/\1nosuch/' "$federation/lis-ams.zpl" >"$work/nosuch.zpl"
exits 1 "the doctor" musubi doctor "$work/nosuch.zpl"
says "  … tells it, too" 'nosuch.zpl: svc-lis: .*back_end: Slurm has no partition nosuch'
exits 2 "a site that names no partition" site --set batch/queue=
says "  … is told to name one" 'batch/queue: with the back end slurm name the partition or queue'
exits 2 "an agent of another batch system" timeout 30 svc-lis batch -c "$federation/batch-slurm@ams.zpl" --set system=nosuch
says "  … is told which there are" 'system: "nosuch" should be one of slurm, gridengine'
if [ "$(id -u)" -eq 0 ]; then
  mkdir -m 777 "$work/others"
  install -m 644 "$federation/lis-ams.zpl" "$work/others/lis.zpl"
  exits 2 "a site without the right to make reservations" musubi-as nobody "$bin/svc-lis" -c "$work/others/lis.zpl" --set "store/folder=$work/others/store"
  says "  … is told who has it" 'this account may not make reservations in Slurm .*run the site as SlurmUser'
  exits 77 "nobody becomes root" musubi-as root id
  says "  … and is told" 'there is no account root that may be become'
  exits 0 "another account" musubi-as nobody id -un
  says "  … is become" '^nobody$'
  old () { # with a Slurm that says it is older
    unshare --mount sh -c 'mount -t tmpfs none /usr/local/bin && printf "#!/bin/sh\necho slurm 19.05.3\n" >/usr/local/bin/sinfo &&
      chmod 755 /usr/local/bin/sinfo && exec "$@"' sh "$bin/svc-lis" -c "$federation/lis-ams.zpl" --set "store/folder=$work/stray"
  }
  exits 2 "a site over an old Slurm" old
  says "  … is told the least version" 'back_end: Slurm is 19.05.3: it should be 20.11 or newer'
fi
scontrol update partitionname=batch AllowGroups=nosuch
bag=$(run -- true)
refused () { grep -q 'not permitted to use this partition' "$federation"/log/batch-*.log; }
comes "a task whose account the partition is closed to is refused by Slurm" refused
check "and waits for that to end" test "$(of_task "$bag" state)" != stopped
scontrol update partitionname=batch AllowGroups=ALL
comes "which it does" is "$bag" exit_code 0
echo EnforcePartLimits=ALL >>"$SLURM_CONF"
check "Slurm keeps to its limits" scontrol reconfigure
# Accepted by the site before it can know of the limit: else it is refused at submit.
scontrol update partitionname=batch AllowGroups=nosuch
bag=$(run -- true)
scontrol update partitionname=batch MaxTime=1 AllowGroups=ALL
comes "a task that it refuses for good is not run" is "$bag" state stopped
check "and why is told" grep -q 'sbatch: .*time limit' <(of_task "$bag" why)
scontrol update partitionname=batch MaxTime=INFINITE

# --- lies ---

start=$(($(date +%s) + 16))
check "a reservation of two nodes" reserve two "$(date -u -d "@$start" +%FT%TZ)" 20m 4
id=$(jq -r .reservation "$work/taken")
comes "opens" in_slurm "$id" ACTIVE
nodes=$(grep -oP ' Nodes=\K\S+' "$work/seen")
has_both () { in_slurm "$id" ACTIVE && grep -qF " Nodes=$nodes " "$work/seen"; }
logged () { grep -q "$1" "$federation/log/lis-ams.log"; }
trouble () { musubi show "$id" --json | jq -r '.openings[] | select(.degraded) | .trouble' | grep -q "$1"; }
whole () { musubi show "$id" --json | jq -e '.openings[] | .degraded | not'; }
ready () { musubi show "$id" --json | jq -e '.openings[] | .ready and .phase == "open"'; }
comes "the site, too, is done with opening it" ready
check "root deletes it" scontrol delete reservation="musubi-ams-$id"
comes "it is made again, of the same nodes" has_both
comes "and seen to stand" ready
check "root takes a node from it" scontrol update reservationname="musubi-ams-$id" nodes="$(scontrol show hostnames "$nodes" | head -n 1)"
comes "it has both again" has_both
comes "which is told" logged "reservation=$id step=watch failed .* has the nodes n[1-3] instead of n[1-3],n[1-3]; it was made again"
taken () { # before the site makes it again
  scontrol delete reservation="musubi-ams-$id"
  scontrol create reservation=roots nodes=ALL users=root starttime=now duration=60 flags=IGNORE_JOBS
}
comes "root deletes it and keeps all nodes for himself" taken
comes "it is told as degraded, and whose that is" trouble "Slurm's reservation roots of root is in its way until 20"
check "root gives them back" scontrol delete reservation=roots
comes "it is made again" has_both
comes "and is told as whole" whole
check "root gives it to somebody else" scontrol update reservationname="musubi-ams-$id" users=root
for_us () { in_slurm "$id" ACTIVE && grep -q "Users=$slurm_account " "$work/seen"; }
comes "it is the account's again" for_us
scontrol update partitionname=batch AllowGroups=nosuch
comes "a partition that is closed to the account is told" trouble 'closed to .*: only the groups nosuch may use it'
scontrol update partitionname=batch AllowGroups=ALL
comes "and it is whole" ready
check "root drains a node" scontrol update nodename=n3 state=drain reason=broken
drained () { musubi nodes ams --json | jq -e '.nodes[] | select(.node == "n3") | .drained'; }
comes "it is told as drained" drained
check "root resumes it" scontrol update nodename=n3 state=resume

# --- silence ---

bag=$(run --reservation "$id" -- sh -c 'sleep 12; echo done')
comes "a task runs" is "$bag" state running
silent () { musubi nodes ams --json | jq -e '[.nodes[] | select(.state == "silent")] | length > 0'; }
heard () { ! silent; }
kill -STOP "$ctld"
comes "a Slurm that hangs is told as silent" silent
check "its tasks are not lost" is "$bag" state running
kill -CONT "$ctld"
comes "it is heard again" heard
comes "the task has ended meanwhile, and well" is "$bag" exit_code 0
check "it ends" musubi release "$id"
comes "nothing is left in Slurm" gone_from_slurm "$id"
finish
