#!/usr/bin/env bash
# Some three thousand schedules of users and faults, two thousand of them with networks, are clean, and the same
# seed gives the same bytes.
#
# So are a thousand of a site that runs tasks, six hundred where tasks have files, four hundred where they are jobs of a batch system, two hundred of files that go down chains, and five hundred of sites that
# share their tasks.
#
# Three hundred are of federations with storage, where requests want files and space.
#
# A thousand more of the wider draw have seeds made from the revision, which are printed, so that each revision searches
# elsewhere: `musubi-sim replay SEED --swarm` shows one.
#
#   MUSUBI_SEEDS=1..1000000 test/sim/faults.t      a longer search; MUSUBI_NODES_SEEDS for sites that run tasks,
#                                               MUSUBI_FILES_SEEDS for tasks with files, MUSUBI_BATCH_FILES_SEEDS for jobs,
#                                               MUSUBI_CHAIN_SEEDS for chains, MUSUBI_BALANCE_SEEDS for sharing,
#                                               MUSUBI_DATA_SEEDS for storage, MUSUBI_SWARM_SEEDS for the wider draw
set -uo pipefail
cd "$(dirname "$0")/../.."
sim=${MUSUBI_BUILD:-$PWD/build}/release/bin/musubi-sim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 bad=0
tell () { # WHETHER SENTENCE
  number=$((number + 1))
  if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; bad=1; fi
}

seeds=${MUSUBI_SEEDS:-1..3100}
"$sim" faults --seeds "$seeds" --jobs "$(nproc)" >"$work/faults" 2>&1
tell $? "schedules $seeds are clean"
sed 's/^/# /' "$work/faults"
for planned in 'bbr or bir' ip; do
  grep -qE "^committed as $planned planned +[1-9]" "$work/faults"
  tell $? "plans of $planned were among those committed"
done
revision=$(git rev-parse --short=8 HEAD 2>/dev/null) || revision=00000001 # not from a clone
first=$((0x${revision:0:8} % 1000000000 + 1))
seeds=${MUSUBI_SWARM_SEEDS:-$first..$((first + 999))}
echo "# the wider draw: musubi-sim faults --swarm --seeds $seeds"
"$sim" faults --swarm --seeds "$seeds" --jobs "$(nproc)" >"$work/swarm" 2>&1
tell $? "schedules $seeds of the wider draw are clean"
grep -E '^seed|crashes|committed|refused|repair|plus|schedules' "$work/swarm" | sed 's/^/# /'
seeds=${MUSUBI_DATA_SEEDS:-1..300}
"$sim" faults --data --seeds "$seeds" --jobs "$(nproc)" >"$work/data" 2>&1
tell $? "schedules $seeds of federations with storage are clean"
grep -E '^seed|crashes|committed|refused|repaired|room|schedules,' "$work/data" | sed 's/^/# /'
grep -qE '^files and space with room +[1-9]' "$work/data"
tell $? "files and space were among what was committed"
seeds=${MUSUBI_NODES_SEEDS:-1..1000}
"$sim" faults --nodes --seeds "$seeds" --jobs "$(nproc)" >"$work/nodes" 2>&1
tell $? "schedules $seeds of a site that runs tasks are clean"
grep -E '^seed|tasks|runs|reservations|lost with|schedules,' "$work/nodes" | sed 's/^/# /'
seeds=${MUSUBI_FILES_SEEDS:-1..600}
"$sim" faults --files --seeds "$seeds" --jobs "$(nproc)" >"$work/files" 2>&1
tell $? "schedules $seeds of tasks with files are clean"
grep -E '^seed|crashes|tasks|runs|outputs|schedules,' "$work/files" | sed 's/^/# /'
for met in 'runs begun with inputs' 'runs suspended' 'outputs that became files'; do
  grep -qE "^$met +[1-9]" "$work/files"
  tell $? "among them were $met"
done
seeds=${MUSUBI_BATCH_SEEDS:-1..1000}
"$sim" faults --batch --seeds "$seeds" --jobs "$(nproc)" >"$work/batch" 2>&1
tell $? "schedules $seeds of a site with a batch system are clean"
grep -E '^seed|tasks|runs|reservations|lost with|schedules,' "$work/batch" | sed 's/^/# /'
grep -qE '^reservations to be opened on nodes +[1-9]' "$work/batch"
tell $? "reservations were among what the batch system had"
seeds=${MUSUBI_BATCH_FILES_SEEDS:-1..400}
"$sim" faults --batch --files --seeds "$seeds" --jobs "$(nproc)" >"$work/batch-files" 2>&1
tell $? "schedules $seeds of jobs with files are clean"
grep -E '^seed|crashes|tasks|runs|outputs|schedules,' "$work/batch-files" | sed 's/^/# /'
for met in 'runs begun with inputs' 'outputs that became files'; do
  grep -qE "^$met +[1-9]" "$work/batch-files"
  tell $? "among them were $met"
done
seeds=${MUSUBI_CHAIN_SEEDS:-1..200}
"$sim" faults --chains --seeds "$seeds" --jobs "$(nproc)" >"$work/chains" 2>&1
tell $? "schedules $seeds of files that go down chains are clean"
grep -E '^seed|crashes|copies|feeders|slow|wrong|schedules,' "$work/chains" | sed 's/^/# /'
for met in 'feeders skipped' 'slow receivers put to the tail' 'files received with wrong bytes' \
  'chunks received with wrong bytes'; do
  grep -qE "^$met +[1-9]" "$work/chains"
  tell $? "among them were $met"
done
seeds=${MUSUBI_BALANCE_SEEDS:-1..500}
"$sim" faults --balance --seeds "$seeds" --jobs "$(nproc)" >"$work/balance" 2>&1
tell $? "schedules $seeds of sites that share their tasks are clean"
grep -E '^seed|crashes|tasks|members|promised|schedules,' "$work/balance" | sed 's/^/# /'
for met in 'members set aside' 'jobs promised a time'; do
  grep -qE "^$met +[1-9]" "$work/balance"
  tell $? "among them were $met"
done
"$sim" replay 7 >"$work/once" 2>&1
"$sim" replay 7 >"$work/again" 2>&1
test -s "$work/once" && cmp -s "$work/once" "$work/again"
tell $? "a replayed schedule is the same to the byte"
"$sim" replay 8 >"$work/other" 2>&1
! cmp -s "$work/once" "$work/other"
tell $? "another seed is another schedule"
echo "1..$number"
exit $bad
