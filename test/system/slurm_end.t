#!/usr/bin/env bash
# The end of a reservation in a real Slurm: its tasks are warned, then told to end, and killed when they do not.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
slurm_federation 1 4s

start=$(($(date +%s) + 9))
check "a node is reserved" reserve one "$(date -u -d "@$start" +%FT%TZ)" 20m 2
id=$(jq -r .reservation "$work/taken")
stubborn=$(run --reservation "$id" -- sh -c 'trap "echo warned" USR1; trap "echo told to end" TERM; while :; do sleep 0.1; done')
polite=$(run --reservation "$id" -- sh -c 'trap "echo warned; saved=yes" USR1; trap "echo saved=\$saved; exit 0" TERM; while :; do sleep 0.1; done')
comes "one task that heeds its end runs" is "$polite" state running
comes "one that does not runs" is "$stubborn" state running
said () { musubi output "$1.0" | grep -xE 'warned|told to end|saved=.*' | uniq; } # BAG: Slurm's words and the shell's left out
check "neither is warned" test -z "$(said "$stubborn")$(said "$polite")"
shorten () {
  printf '{"duration": "%ss"}' $(($(date +%s) - start + 8)) >"$work/patch.json"
  musubi modify "$id" "$work/patch.json" --json >"$work/changed"
}
check "its end is brought near" shorten
end=$(date -d "$(jq -r .end "$work/changed")" +%s)
comes "the one ends" test_over "$polite" 1
check "it was warned before it was told to end" test "$(said "$polite")" = $'warned\nsaved=yes'
comes "the other ends" test_over "$stubborn" 1
check "it was warned, and told to end" test "$(said "$stubborn")" = $'warned\ntold to end'
check "and killed" is "$stubborn" signal 9
check "both are told why" test "$(of_task "$stubborn" why)" = "its reservation has ended"
for bag in "$polite" "$stubborn"; do
  check "not before the reservation's end" test "$(date -d "$(of_task "$bag" ended)" +%s)" -ge "$end"
done
comes "nothing of it is left in Slurm" gone_from_slurm "$id"
check "and no job" no_jobs
finish
