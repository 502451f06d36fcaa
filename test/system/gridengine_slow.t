#!/usr/bin/env bash
# A Grid Engine whose qsub takes longer than a command may: its tasks are submitted all the same, one by one and with more time,
# each once.
[ -n "${slow_own:-}" ] || slow_own=yes exec unshare --mount "$0" "$@" # qsub is another in here alone
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
settings=("limit = 4s")
grid_federation 2 6s
mkdir "$work/bin"
printf '#!/bin/sh\nsleep 5\nexec %s "$@"\n' "$(command -v qsub)" >"$work/bin/qsub"
chmod 755 "$work/bin/qsub"
check "qsub takes five seconds" mount --bind "$work/bin" /usr/local/bin # where commands are looked for first
bag=$(run --count 5 -- true)
late () { grep -q 'has not answered within 4000 ms' "$federation"/log/batch-*.log; }
comes "submissions are given up after four" late
comes "all five tasks have run" test_over "$bag" 5
one_job_each () { [ "$(grep -c ":musubi-ams-" "$work/grid/root/default/common/accounting")" -eq 5 ]; } # which is written now and then
comes "each was one job" one_job_each
finish
