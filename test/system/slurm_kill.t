#!/usr/bin/env bash
# SIGKILL of the site, its agent, slurmctld or a slurmd: batch_kill_lib.sh says what must hold.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
slurm_federation 3 4s
. "$(dirname "$0")/batch_kill_lib.sh"
daemon () { slurm "$@"; }
outside () { as_account sbatch --parsable -o /dev/null -t 10 --begin=now+30 --wrap "$1"; }
all_there () { scontrol -o show reservation; }
gone () { gone_from_slurm "$1"; }
forgotten () { grep -q "Purged files for defunct batch JobId=$1\$" "$work/slurm/log/slurmctld"; } # it stores jobs within 5 s
batch_kills batch/slurm@ams slurmctld n2
