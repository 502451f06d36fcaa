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
patience=180 # a job whose execution daemon died in its first second is given up by the qmaster after a minute or two
spare_queue g2
batch_kills batch/gridengine@ams qmaster g2
