#!/usr/bin/env bash
# A Grid Engine that can't serve a site as it is set: the start is refused with what is wrong, and what to do. The doctor tells it
# before.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
grid_federation 1 6s
site () { timeout 30 svc-lis -c "$federation/lis-ams.zpl" --set "store/folder=$work/stray" --set bind/endpoint=tcp://127.0.0.1:0 --set bind/events=tcp://127.0.0.1:0 "$@"; }
doctor () { # SED COMMAND: of the site's file, changed so
  sed "$1" "$federation/lis-ams.zpl" >"$work/changed.zpl"
  musubi doctor "$work/changed.zpl"
}
exits 0 "the doctor finds nothing wrong with a good one" musubi doctor "$federation/lis-ams.zpl" "$federation/batch-gridengine@ams.zpl"
exits 2 "a site over a queue that there is not" site --set batch/queue=nosuch
says "  … is told so" 'back_end: Grid Engine has no queue nosuch'
exits 1 "the doctor" doctor 's/^\( *queue = \).*/\1nosuch/'
says "  … tells it, too" 'changed.zpl: svc-lis: .*back_end: Grid Engine has no queue nosuch'
exits 1 "the doctor over a qmaster that is not there" env SGE_QMASTER_PORT=1 musubi doctor "$federation/lis-ams.zpl"
says "  … tells it" 'svc-lis: back_end: .*commlib error'
exits 1 "the doctor tells a node that is in no queue" doctor 's/^\( *names = \).*/\1g7/'
says "  … by name" 'changed.zpl: svc-lis: classes: gridengine has no node g7 in batch, so it counts as lost'
exits 0 "the site begins with it all the same" site --set classes/any/names=g7 --check
says "  … and tells it" 'svc-lis: classes: gridengine has no node g7 in batch'
check "the queue loses its parallel environments" qconf -rattr queue pe_list NONE batch
exits 0 "a site begins without one over hosts" site --check
says "  … and tells it" "^svc-lis: Grid Engine's queue batch has no parallel environment with allocation_rule .round_robin or .fill_up, which an advance"
exits 1 "the doctor" musubi doctor "$federation/lis-ams.zpl" "$federation/batch-gridengine@ams.zpl"
says "  … tells it, too" 'lis-ams.zpl: svc-lis: .*round_robin or .fill_up, which an advance reservation of hosts needs: name one in its pe_list'
says "  … and the one on a host" 'batch-gridengine@ams.zpl: svc-lis: .*pe_slots, which a task of several CPUs needs: name one in its pe_list'
check "it has them again" qconf -rattr queue pe_list "smp make" batch
exits 2 "a site that charges a project that there is not" site --set "accounts/$grid_account/account=physics" --check
says "  … is told so" "accounts/$grid_account.*: Grid Engine has no project physics"
exits 2 "a site that names no queue" site --set batch/queue=
says "  … is told to name one" 'batch/queue: with the back end gridengine name the partition or queue'
mkdir -m 777 "$work/others"
install -m 644 "$federation/lis-ams.zpl" "$work/others/lis.zpl"
exits 2 "a site of an account that is no manager" as_account "$bin/svc-lis" -c "$work/others/lis.zpl" --set "store/folder=$work/others/store"
says "  … is told who has the right" 'this account may not make reservations in Grid Engine .*as one of its managers'
qconf -sc >"$work/complexes"
sed '/^musubi /d' "$work/complexes" >"$work/fewer"
check "the complex is taken away" qconf -Mc "$work/fewer"
exits 2 "a site without it" site
says "  … is told which line to add" 'no forced complex musubi, .*add the line "musubi musubi RESTRING == FORCED NO NONE 0" by qconf -mc'
finish
