#!/usr/bin/env bash
# A federation described by a Grid Engine: its hosts with what complexes say of them. Requests ask for that, tasks have GPUs, which
# take nothing from what a host is sold as. What is described and not there is drained and named.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
NODES=3 grid start || { echo "Bail out! no Grid Engine"; exit 1; }
has () { qconf -rattr exechost complex_values "$1" "$2"; } # VALUES HOST
more_complexes () {
  { qconf -sc; printf '%s\n' 'gpu gpu INT <= YES JOB 0 0' 'gpu_type gpu_type RESTRING == YES NO NONE 0' 'haswell haswell BOOL == YES NO 0 0'; } >"$work/complexes"
  qconf -Mc "$work/complexes"
}
check "there are complexes" more_complexes
check "a host has two GPUs" has gpu=2,gpu_type=a100,haswell=TRUE g3
exits 2 "an unknown queue is not described" musubi federation from-gridengine --queue none
says "  … but named" 'Grid Engine has no queue none'
exits 0 "the queue is described" musubi federation from-gridengine --queue batch --name ams --out "$work/ams.zpl"
check "alike hosts are a class" diff - <(sed -n '/classes$/,/back_end/p' "$work/ams.zpl") <<'Z'
        classes
            node-1
                nodes = 2
                names = "g[1-2]"
                cpus_per_node = 2
            node-2
                nodes = 1
                names = "g3"
                cpus_per_node = 2
                attributes
                    haswell = "feature"
                    gpu = "a100"
                    gpus = 2
        back_end = gridengine
Z
sed -i 's/^    #   /        /; s/climate = .*/'$grid_account' = "alice"/; s/ *# as which.*//' "$work/ams.zpl"
federation "$work/ams.zpl"
node () { musubi nodes ams --json | jq -e ".nodes[] | select(.node == \"$1\") | $2"; } # NODE FILTER
comes "the host with GPUs is up" node g3 '.state == "up" and (.drained | not)'
needs () { # REQUIRE OPTION…: $work/taken
  printf '{"window": {"earliest": "now+10s", "deadline": "now+1h"}, "duration": "10m", "compute": [{"id": "all", "cpus": 2, "require": %s}]}' "$1" |
    musubi reserve - --json "${@:2}" >"$work/taken" || { cat "$work/taken"; return 1; }
}
comes "and is offered" needs '{"gpu": "a100"}' --dry-run
exits 1 "more GPUs than a host has can't be had" needs '{"gpus": {"min": 3}}' --dry-run
check "two A100 can" needs '{"haswell": "feature", "gpu": "a100", "gpus": {"min": 2}}'
id=$(jq -r .reservation "$work/taken")
comes "it opens" opened "$id" 1
bag=$(run --reservation "$id" --gpus 2 -- sleep 600)
comes "a task for both GPUs runs" is "$bag" state running
check "Grid Engine has given them" grep -q 'hc:gpu=0' <(qhost -F gpu)
seen=$(musubi nodes ams --json | jq -r '.nodes[] | select(.class == "") | .heard')
again () { [ "$(musubi nodes ams --json | jq -r '.nodes[] | select(.class == "") | .heard')" != "$seen" ]; }
comes "the agent looks again" again
check "the host has them all the same" node g3 '.drained | not'
exits 2 "a task for three is refused" musubi submit ams --limit 1m --gpus 3 -- true
says "  … with what there is" 'none of gridengine gives a job more than 2 GPUs, not 3'
check "it is cancelled" musubi cancel "$bag"
check "the host is no Haswell any more" has gpu=2,gpu_type=a100,haswell=FALSE g3
comes "so it is drained, and why is told" node g3 '.drained and (.why | test("class node-2 sells haswell = feature, and in gridengine it has gpu = .a100., gpus = 2, features ..: change"))'
check "it is one again" has gpu=2,gpu_type=a100,haswell=TRUE g3
comes "then it is sold again" node g3 '.drained | not'
finish
