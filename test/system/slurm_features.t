#!/usr/bin/env bash
# A federation described by what runs here: Slurm's nodes, alike ones a class, with their features and GPUs. It is taken as it is; requests
# ask for these, and tasks have GPUs. What is described and not there is drained and named.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
NODES=12 SPECIAL=2 AS="Features=haswell,ib Gres=gpu:a100:2" slurm start || { echo "Bail out! no Slurm"; exit 1; }
from () { musubi federation from-slurm "$@"; }

# --- what can't be described ---

exits 2 "without a partition nothing is described" from
says "  … and how is said" 'say --queue'
exits 2 "nor an unknown one" from --queue none --out "$work/none.zpl"
says "  … but named" 'Slurm has no partition none; it has batch'
check "  … and no file is left" test ! -e "$work/none.zpl"
check "there is a partition without nodes" scontrol create partitionname=empty
exits 2 "nor that" from --queue empty
says "  … which is said" 'slurm has no nodes in empty'
exits 3 "nor a Slurm that does not answer" env SLURM_CONF="$work/no.conf" musubi federation from-slurm --queue batch

# --- what can ---

exits 0 "the partition is described" from --queue batch --name ams --out "$work/ams.zpl"
check "alike nodes are a class, their names a range" diff - <(sed -n '/classes$/,/back_end/p' "$work/ams.zpl") <<'Z'
        classes
            node-1
                nodes = 10
                names = "n[1-10]"
                cpus_per_node = 2
            node-2
                nodes = 2
                names = "n[11-12]"
                cpus_per_node = 2
                attributes
                    haswell = "feature"
                    ib = "feature"
                    gpu = "a100"
                    gpus = 2
        back_end = slurm
Z
exits 2 "no file is written over" from --queue batch --out "$work/ams.zpl"
accounts () { sed 's/^    #   /        /; s/climate = .*/'"$slurm_account"' = "alice"/; s/ *# as which.*//' "$1"; }
exits 2 "to configure members the accounts are to be named" musubi federation configure "$work/ams.zpl" "$work/members" --trusted
check "the lines are there" accounts "$work/ams.zpl" && accounts "$work/ams.zpl" >"$work/named.zpl"
check "with them they are configured" musubi federation configure "$work/named.zpl" "$work/members" --trusted

# --- asked for, and used ---

federation "$work/named.zpl"
tell_more () { musubi nodes; scontrol -o show job; tail -n 12 "$federation"/log/*ams*.log; }
up () { [ "$(musubi nodes ams --json | jq '[.nodes[] | select(.class != "" and .state == "up" and (.drained | not))] | length')" = "$1" ]; }
comes "its nodes are up" up 12
needs () { # REQUIRE OPTION…: $work/taken
  printf '{"window": {"earliest": "now+10s", "deadline": "now+1h"}, "duration": "10m", "compute": [{"id": "all", "cpus": 2, "require": %s}]}' "$1" |
    musubi reserve - --json "${@:2}" >"$work/taken" || { cat "$work/taken"; return 1; }
}
comes "a feature of theirs is offered" needs '{"ib": "feature"}' --dry-run
exits 1 "a feature that no node has can't be had" needs '{"skylake": "feature"}' --dry-run
exits 1 "nor more GPUs than one has" needs '{"gpus": {"min": 3}}' --dry-run
check "two A100 of a node with InfiniBand can" needs '{"ib": "feature", "gpu": "a100", "gpus": {"min": 2}}'
id=$(jq -r .reservation "$work/taken")
named () { scontrol -o show reservation "musubi-ams-$id" >"$work/seen" && grep -qE ' Nodes=n1[12] ' "$work/seen"; }
comes "it is on one of the two" named
has () { run "$@" --reservation "$id" -- sh -c 'echo "$SLURM_JOB_ID ${SLURM_GPUS_ON_NODE:-none}"'; }
both=$(has --gpus 2) none=$(has)
comes "a task that asks for two" is "$both" state ended
comes "and one that does not have run in it" is "$none" state ended
job=$(musubi output "$both.0")
check "the one has both" test "${job#* }" = 2
check "so Slurm says" grep -q 'TresPerNode=gres:gpu:2' <(scontrol -o show job "${job% *}")
check "the other none" grep -q ' none$' <(musubi output "$none.0")
exits 2 "a task for three is refused" musubi submit ams --limit 1m --gpus 3 -- true
says "  … with what there is" 'gpus: a task runs on one node, and none of slurm gives a job more than 2 GPUs, not 3'

# --- described, and not there ---

check "it is released" musubi release "$id"
check "the site stops" slay "$(pid_of lis/ams)"
sed 's/gpus = "2"/gpus = "4"/' "$federation/lis-ams.zpl" >"$work/more.zpl"
exits 1 "the doctor of settings with more GPUs" musubi doctor "$work/more.zpl"
says "  … names them" 'svc-lis: classes: n12 counts as drained: class node-2 sells gpus = 4, and in slurm it has gpu = .a100., gpus = 2, features .haswell,ib.: change'
check "its settings have a feature that nobody has" sed -i 's/haswell = "feature"/skylake = "feature"/' "$federation/lis-ams.zpl"
exits 1 "the doctor of the settings" musubi doctor "$federation/lis-ams.zpl"
says "  … names it" 'svc-lis: classes: n11 counts as drained: class node-2 sells skylake = feature, and in slurm it has gpu = .a100., gpus = 2, features .haswell,ib.: change'
check "the site is back" musubi up --dir "$federation"
drained () { musubi nodes ams --json | jq -e '[.nodes[] | select(.drained) | select(.why | test("class node-2 sells skylake = feature")) | .node] == ["n11", "n12"]'; }
comes "both of that class are drained, and why is told" drained
exits 1 "the doctor" musubi doctor
says "  … says so, too" 'lis/ams: 2 of 13 nodes drained .class node-2 sells skylake = feature, .*: n11, n12$'
exits 1 "it is not sold" needs '{"skylake": "feature"}' --dry-run
for node in n11 n12; do check "Slurm gives $node that feature" scontrol update nodename=$node availablefeatures=ib,skylake activefeatures=ib,skylake; done
comes "then it is there" up 12
finish
