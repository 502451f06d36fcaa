# A federation of one site over a private Slurm. Where Slurm is not installed the test is skipped with a word.
#
#   slurm_federation NODES LEAD    Slurm with so many nodes of 2 CPUs, and a site "ams" over it; slurm_charged: what its account has;
#                                  openings, settings: more of its settings for these, and for the batch system;
#                                  others: names of sites beside it, with as many nodes and no batch system
#   slurm VERB [ONE]               test/batch/slurm with the test's folder
#   as_account COMMAND…            with the rights of the account whose tasks run there
. "$(dirname "${BASH_SOURCE[0]}")/batch_lib.sh"
openings=("clear = end") settings=("watch = 500ms") actors=alice others=()
slurm_account=$(id -un)
[ "$(id -u)" -ne 0 ] || slurm_account=nobody
export PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd scontrol munged; do
  command -v "$program" >/dev/null || { echo "1..0 # SKIP $program is not installed: deploy/packages full"; exit 0; }
done
chmod 755 "$work"
export SLURM_CONF=$work/slurm/slurm.conf
slurm () { "$root/test/batch/slurm" "$1" "$work/slurm" "${2:-}"; }
slurm_end () {
  [ -z "$federation" ] || musubi down --dir "$federation" >/dev/null 2>&1
  slurm stop
  cleanup
}
trap slurm_end EXIT

slurm_federation () {
  NODES=$1 slurm start || { echo "Bail out! no Slurm"; exit 1; }
  cat >"$work/one.zpl" <<Z
name = one
directories = g1
planners = 1

sites
    ams
        classes
            any
                nodes = $1
                names = "n[1-$1]"
                cpus_per_node = 2
        lead = $2
        back_end = slurm
        batch
            queue = batch
$(printf '            %s\n' "${settings[@]}")
        nodes
            attend = 1s
        opening
            warning = 1s
            grace = 2s
$(printf '            %s\n' "${openings[@]}")
        accounts
            $slurm_account = "$actors"
${slurm_charged:+                $slurm_charged}
$(for one in "${others[@]}"; do printf '    %s\n        classes\n            any\n                nodes = %s\n                cpus_per_node = 2\n' "$one" "$1"; done)
Z
  federation "$work/one.zpl"
  hasten
  comes "the site has its nodes" ask_for now+1m 1s $((2 * $1)) --dry-run
}

as_account () { (cd / && if [ "$(id -u)" -eq 0 ]; then musubi-as "$slurm_account" "$@"; else "$@"; fi); }
submit () { musubi submit "$@" 2>/dev/null >"$work/bag"; }
test_over () { musubi queue --over --json | jq -e --arg bag "$1" --argjson count "$2" '.bags[] | select(.bag == $bag) | .over == $count' >/dev/null; }
running () { musubi queue --json | jq -e --arg bag "$1" --argjson count "$2" '.bags[] | select(.bag == $bag) | .running == $count' >/dev/null; } # BAG COUNT
refused_for () { ! musubi submit ams --limit 10m -- true 2>"$1" && grep -q "$2" "$1"; } # FILE PATTERN
no_jobs () { [ -z "$(squeue -h)" ]; }
queued_jobs () { [ "$(squeue -h -t PD -o %j | grep -c ^musubi-)" -eq "$1" ]; }
ask_for () { # EARLIEST DURATION CPUS OPTION…: $work/taken
  printf '{"window": {"earliest": "%s", "deadline": "now+1h"}, "duration": "%s",
    "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' "$1" "$2" "$3" | musubi reserve - --json "${@:4}" >"$work/taken" || { cat "$work/taken"; return 1; }
}
reserve () { ask_for "${@:2}"; } # NAME EARLIEST DURATION CPUS
in_slurm () { scontrol -o show reservation "musubi-ams-$1" >"$work/seen" && grep -q "State=$2" "$work/seen"; } # ID STATE
gone_from_slurm () { ! scontrol -o show reservation | grep -q "musubi-ams-$1 "; }
tell_more () {
  musubi queue --over
  musubi nodes ams
  scontrol -o show reservation
  squeue -t all
  tail -n ${lines:-20} "$federation"/log/lis-ams.log "$federation"/log/batch-*.log
}
