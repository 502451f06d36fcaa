#!/usr/bin/env bash
# One request over a site with a Slurm, one with a Grid Engine and one with nodes of its own, and a circuit between the first
# two, which two routers in namespaces shape: all or nothing of it is had, the tasks of each begin at or after the one opening
# by its own clock, and at the end both batch systems and both routers are as before.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
spaces=(a r1 r2 b)
all_end () {
  kill "${pid[@]}" 2>/dev/null
  for one in "${spaces[@]}"; do ip netns del "mu$$-$one" 2>/dev/null; done
  [ -z "$federation" ] || musubi down --dir "$federation" >/dev/null 2>&1
  slurm stop
  grid_end
}
trap all_end EXIT
cable () { # SPACE INTERFACE SPACE INTERFACE
  ip -n "mu$$-$1" link add name "$2" type veth peer name "$4" netns "mu$$-$3" && ip -n "mu$$-$1" link set dev "$2" up &&
    ip -n "mu$$-$3" link set dev "$4" up
}
network () { # a ── r1 ══ r2 ── b
  for one in "${spaces[@]}"; do ip netns add "mu$$-$one" && ip -n "mu$$-$one" link set dev lo up || return; done
  cable r1 to-a a eth0 && cable r1 wan r2 wan && cable r2 to-b b eth0
}
disciplines () { for one in r1 r2; do tc -n "mu$$-$one" qdisc show; ip -n "mu$$-$one" -o link show | cut -d: -f2; done; }
network 2>"$work/network" || { echo "1..0 # SKIP no network namespaces: $(tail -n 1 "$work/network")"; exit 0; }
disciplines >"$work/disciplines.before"
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
        routers = "r1, r2"
        links
            ams
                between = "ams, r1"
                mbps = 100
                interfaces
                    r1 = to-a
            fibre
                between = "r1, r2"
                mbps = 100
                interfaces
                    r1 = wan
                    r2 = wan
            bru
                between = "r2, bru"
                mbps = 100
                interfaces
                    r2 = to-b
        back_end = agents
        prefixes
            ams = "10.60.1.0/24"
            bru = "10.60.4.0/24"
        provision = start
        lead = 0s
Z
} >"$work/three.zpl"
federation "$work/three.zpl"
hasten
# Agents in namespaces reach svc-nis by a path.
slay "$(pid_of nis/wire)"
sed -i "s|$(sed -n 's/^    endpoint = "\(.*\)"/\1/p' "$federation/nis-wire.zpl")|ipc://$work/wire|" "$federation/nis-wire.zpl" "$federation/members.json"
check "the domain starts again, and listens at a path" musubi up --dir "$federation"
for one in r1 r2; do
  launch $one ip netns exec "mu$$-$one" svc-nis agent --set name=$one --set "nis=ipc://$work/wire" --set interfaces=to-a,to-b,wan --set look=1s \
    --set bind/endpoint=tcp://127.0.0.1:0 --set bind/events=tcp://127.0.0.1:0 --set store/folder="$work/agent-$one"
done
tell_more () { musubi show "$id"; slurm_now; qstat -f; tail -n 4 "$federation"/log/*.log "$work"/r?.log; }
known () { for one in ams bru cph; do musubi nodes $one --json | jq -e '[.nodes[] | select(.state == "up" and .class != "")] | length == 2' || return; done; }
comes "all nodes of the three sites are up" known
slurm_now () { scontrol -o show reservation; }
slurm_now >"$work/slurm.before"
all_of_grid >"$work/grid.before"

# --- too much of one of them is nothing of any ---

ask () { # CPUS-AT-BRU START OPTION…: $work/taken
  printf '{"name": "three", "window": {"start": "%s"}, "duration": "10m", "compute": [{"id": "a", "cpus": 4, "site": "ams"},
    {"id": "b", "cpus": %s, "site": "bru"}, {"id": "c", "cpus": 2, "site": "cph"}], "network": [{"between": ["a", "b"], "mbps": 60}]}' \
    "$2" "$1" | musubi reserve - --json "${@:3}" >"$work/taken"
}
time_of () { date -u -d "@$1" +%FT%TZ; }
soon () { ask 4 "$(time_of $(($(date +%s) + 60)))" --dry-run; }
comes "the planner has heard of all nodes" soon
exits 1 "one that asks a site for too much is refused" ask 6 "$(time_of $(($(date +%s) + 20)))"
check "and is told why" grep -q 'no class has 6 CPUs: the largest has 4' "$work/taken"
check "and nothing of it is at Slurm" cmp "$work/slurm.before" <(slurm_now)
check "nor on the routers" cmp "$work/disciplines.before" <(disciplines)
check "nor at Grid Engine" cmp "$work/grid.before" <(all_of_grid)

# --- the one that fits ---

start=$(($(date +%s) + 15))
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
circuit () { [[ $(musubi show "$id") == *'circuits at wire active'* ]]; }
comes "the circuit is active" circuit
shaped () { # ROUTER DEVICE…: 60 Mbit/s, and no more
  local device
  for device in "${@:2}"; do [[ $(tc -n "mu$$-$1" class show dev "$device") == *'rate 60Mbit ceil 60Mbit'* ]] || return; done
}
check "the first router shapes it, both ways" shaped r1 to-a wan
check "so does the second" shaped r2 wan to-b
for one in ams bru cph; do
  comes "its tasks at $one have run" test_over "${bags[$one]}" 2
  for i in 0 1; do musubi output "${bags[$one]}.$i"; done | sort -n >"$work/starts"
  check "both, and none before the opening" test "$(wc -l <"$work/starts") $(($(head -n 1 "$work/starts") >= start * 1000))" = "2 1"
  echo "# at $one after the opening: $(while read -r ms; do echo -n "$((ms - start * 1000)) "; done <"$work/starts")ms"
done
check "it is to end soon" ends_soon "$id"
slurm_same () { cmp "$work/slurm.before" <(slurm_now); }
grid_same () { cmp "$work/grid.before" <(all_of_grid); }
comes "Slurm is as it was before" slurm_same
comes "Grid Engine is as it was before" grid_same
disciplines_same () { cmp "$work/disciplines.before" <(disciplines); }
comes "the routers are as they were before" disciplines_same
finish
