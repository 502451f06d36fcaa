# A federation of one site over a private Grid Engine. Where it is not installed, or can't be started, the test is skipped with
# a word.
#
#   grid_federation NODES LEAD    Grid Engine with so many nodes of 2 CPUs, and a site "ams" over it; node_limits, openings,
#                                 settings: more of its settings for nodes, for openings and for the batch system;
#                                 grid_storage: a storage node of it
#   grid VERB [ONE]               test/batch/gridengine with the test's folder
#   as_account COMMAND…           with the rights of the account whose tasks run there
grid_account=nobody
node_limits=()
openings=("clear = end") settings=("watch = 500ms") actors=alice
for program in /usr/lib/gridengine/sge_qmaster /usr/lib/gridengine/sge_execd qconf; do
  command -v "$program" >/dev/null || { echo "1..0 # SKIP $program is not installed: deploy/packages full"; exit 0; }
done
[ "$(id -u)" -eq 0 ] || { echo "1..0 # SKIP its hosts need names of their own, which only root can give"; exit 0; }
chmod 755 "$work"
eval "$("$root/test/batch/gridengine" env "$work/grid")"
grid () { "$root/test/batch/gridengine" "$1" "$work/grid" "${2:-}"; }
grid_end () {
  [ -z "$federation" ] || musubi down --dir "$federation" >/dev/null 2>&1
  grid stop
  cleanup
}
trap grid_end EXIT

grid_federation () {
  NODES=$1 grid start || { echo "Bail out! no Grid Engine"; exit 1; }
  cat >"$work/one.zpl" <<Z
name = one
directories = g1
planners = 1

sites
    ams
        classes
            any
                nodes = $1
                names = "g[1-$1]"
                cpus_per_node = 2
        lead = $2
        back_end = gridengine
        batch
            queue = batch
$(printf '            %s\n' "${settings[@]}")
        nodes
            attend = 1s
$(printf '            %s\n' "${node_limits[@]}")
        opening
            warning = 1s
            grace = 2s
$(printf '            %s\n' "${openings[@]}")
        accounts
            $grid_account = "$actors"
${grid_storage:+        storage
            nodes = $grid_storage}
Z
  federation "$work/one.zpl"
  hasten 1s # a look is a handful of commands
  comes "the site has its nodes" reserve all now+1m 1s $((2 * $1)) --dry-run
}

as_account () { (cd / && musubi-as "$grid_account" "$@"); }
run () { musubi submit ams --limit 10m "$@" 2>/dev/null; }
of_task () { musubi queue "$1" --json | jq -r ".tasks[0].$2"; } # NAME FIELD
is () { [ "$(of_task "$1" "$2")" = "$3" ]; }
test_over () { musubi queue --over --json | jq -e --arg bag "$1" --argjson count "$2" '.bags[] | select(.bag == $bag) | .over == $count' >/dev/null; }
no_jobs () { [ -z "$(qstat -u '*')" ]; }
queued_jobs () { [ "$(qstat -u '*' -s p -q "$1" | grep -c musubi-)" -eq "$2" ]; }
reserve () { # NAME EARLIEST DURATION CPUS OPTION…: $work/taken
  printf '{"name": "%s", "window": {"earliest": "%s", "deadline": "now+1h"}, "duration": "%s",
    "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' "${@:1:4}" | musubi reserve - --json "${@:5}" >"$work/taken"
}
in_grid () { qconf -sq "musubi-ams-$1" >/dev/null 2>&1; }
opened () { [ "$(qstat -f -q "musubi-ams-$1" | grep -c 'lx-amd64 *$')" -eq "$2" ]; } # ID NODES
kept () { [ "$(qrstat -u '*' -xml | grep -c '<name>musubi-ams-')" -eq "$1" ]; } # HOW MANY advance reservations of ours there are
gone_from_grid () { ! qconf -sql | grep -qx "musubi-ams-$1"; }
spare_queue () { # NODE: another queue on all nodes, which an operator has disabled on that one
  qconf -sq batch | sed 's/^\(qname *\).*/\1spare/' >"$work/spare"
  check "there is another queue" qconf -Aq "$work/spare"
  check "an operator has disabled it on a node" qmod -d "spare@$1"
}
all_of_grid () { # what an operator has there: queues, their configuration, access lists, states of instances
  for queue in $(qconf -sql); do qconf -sq "$queue"; done
  qconf -sul
  qrstat -u '*'
  qstat -f | awk '/@/ {print $1, $6}'
}
tell_more () {
  musubi queue --over
  musubi nodes ams
  qstat -f -u '*'
  tail -n 6 "$work/grid/qmaster/messages" "$work/grid/root/default/common/accounting"
  tail -n 20 "$federation"/log/lis-ams.log "$federation"/log/batch-*.log
}
