#!/usr/bin/env bash
# One request over a site with a Slurm, one with a Grid Engine and one with nodes of its own, and a circuit between the first
# two: all or nothing of it is had, the tasks of each begin at or after the one opening by its own clock, and at the end both
# batch systems are as before.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
all_end () {
  [ -z "$federation" ] || musubi down --dir "$federation" >/dev/null 2>&1
  slurm stop
  grid_end
}
trap all_end EXIT
NODES=2 slurm start && NODES=2 grid start || { echo "Bail out! no batch systems"; exit 1; }
site () { # NAME NODES BACK_END
  cat <<Z
    $1
        classes
            any
                nodes = 2
                names = "$2"
                cpus_per_node = 2
        lead = 6s
        back_end = $3
        opening
            warning = 1s
            grace = 2s
        nodes
            attend = 1s
        accounts
            nobody = "alice"
Z
  [ "$3" = runner ] || printf '        batch\n            queue = batch\n            watch = 500ms\n'
}
{
  printf 'name = three\ndirectories = g1\nplanners = 1\n\nsites\n'
  site ams 'n[1-2]' slurm
  site bru 'g[1-2]' gridengine
  site cph 'c[1-2]' runner
  cat <<'Z'

domains
    wire
        sites = "ams, bru"
        links
            fibre
                between = "ams, bru"
                mbps = 100
        provision = start
        lead = 0s
Z
} >"$work/three.zpl"
federation "$work/three.zpl"
tell_more () { musubi show "$id"; slurm_now; qstat -f; tail -n 4 "$federation"/log/*.log; }
known () { for one in ams bru cph; do musubi nodes $one --json | jq -e '[.nodes[] | select(.state == "up" and .class != "")] | length == 2' || return; done; }
comes "all nodes of the three sites are up" known
slurm_now () { scontrol -o show reservation; }
slurm_now >"$work/slurm.before"
all_of_grid >"$work/grid.before"

# --- too much of one of them is nothing of any ---

ask () { # CPUS-AT-BRU START: $work/taken
  printf '{"name": "three", "window": {"start": "%s"}, "duration": "15s", "compute": [{"id": "a", "cpus": 4, "site": "ams"},
    {"id": "b", "cpus": %s, "site": "bru"}, {"id": "c", "cpus": 2, "site": "cph"}], "network": [{"between": ["a", "b"], "mbps": 60}]}' \
    "$2" "$1" | musubi reserve - --json >"$work/taken"
}
time_of () { date -u -d "@$1" +%FT%TZ; }
exits 1 "one that asks a site for too much is refused" ask 6 "$(time_of $(($(date +%s) + 20)))"
check "and is told why" grep -q 'no class has 6 CPUs: the largest has 4' "$work/taken"
check "and nothing of it is at Slurm" cmp "$work/slurm.before" <(slurm_now)
check "nor at Grid Engine" cmp "$work/grid.before" <(all_of_grid)

# --- the one that fits ---

start=$(($(date +%s) + 22))
check "all three and the circuit are reserved by one request" ask 4 "$(time_of $start)"
id=$(jq -r .reservation "$work/taken")
declare -A bags
for one in ams bru cph; do
  check "tasks are submitted for it at $one" submit $one --reservation "$id" --count 2 --limit 5m -- sh -c 'date +%s%3N; sleep 3'
  bags[$one]=$(cat "$work/bag")
done
in_slurm () { slurm_now | grep -q "musubi-ams-$id .*State=$1"; }
in_grid () { qconf -sq "musubi-bru-$id" >/dev/null 2>&1; }
comes "Slurm has its part before the start" in_slurm INACTIVE
comes "Grid Engine too" in_grid
check "before the start" test "$(date +%s)" -lt "$start"
comes "it opens at Slurm" in_slurm ACTIVE
circuit () { musubi show "$id" | grep '^provisioned at wire'; }
comes "the circuit is in use" circuit
for one in ams bru cph; do
  comes "its tasks at $one have run" test_over "${bags[$one]}" 2
  for i in 0 1; do musubi output "${bags[$one]}.$i"; done | sort -n >"$work/starts"
  check "both, and none before the opening" test "$(wc -l <"$work/starts") $(($(head -n 1 "$work/starts") >= start * 1000))" = "2 1"
  echo "# at $one after the opening: $(while read -r ms; do echo -n "$((ms - start * 1000)) "; done <"$work/starts")ms"
done
slurm_same () { cmp "$work/slurm.before" <(slurm_now); }
grid_same () { cmp "$work/grid.before" <(all_of_grid); }
comes "Slurm is as it was before" slurm_same
comes "Grid Engine is as it was before" grid_same
finish
