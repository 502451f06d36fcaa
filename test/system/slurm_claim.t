#!/usr/bin/env bash
# Two sites over one Slurm that both name a node. The one that has reserved it first has it; the other says so and does not sell it
# until that is over, whatever times are asked for. Before Slurm was there nobody is told no.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
NODES=3 slurm start || { echo "Bail out! no Slurm"; exit 1; }
site () { # NAME NODES
  cat <<Z
    $1
        classes
            any
                nodes = 2
                names = "$2"
                cpus_per_node = 2
        back_end = slurm
        batch
            queue = batch
        accounts
            $slurm_account = "alice"
Z
}
{
  printf 'name = claim\ndirectories = g1\nplanners = 1\n\nsites\n'
  site ams 'n[1-2]'
  site osa 'n[2-3]'
} >"$work/claim.zpl"
kill -9 "$(slurm pid slurmctld)"
federation "$work/claim.zpl"
tell_more () { musubi nodes; scontrol -o show reservation; tail -n 12 "$federation"/log/lis-*.log; }
node () { musubi nodes "$1" --json | jq -e ".nodes[] | select(.node == \"$2\") | $3"; } # SITE NODE FILTER
sold () { node "$1" "$2" '.state == "up" and (.drained | not)'; }
ask () { # SITE CPUS DAYS OPTION…
  printf '{"window": {"start": "%s"}, "duration": "20m", "compute": [{"id": "all", "cpus": %s, "site": "%s"}]}' \
    "$(date -u -d "now+$3 days" +%FT%TZ)" "$2" "$1" | musubi reserve - --json "${@:4}" >"$work/taken"
}
exits 3 "as long as nobody has seen Slurm what is free is unknown" ask ams 4 1
check "  … as the planner was told" grep -q 'site ams left out why=.*never been looked at' "$federation"/log/planner*.log
check "Slurm is there" slurm start slurmctld
comes "both have the node" sold ams n2
comes "as long as none has reserved it" sold osa n2
check "the one reserves it, with its other" ask ams 4 1
id=$(jq -r .reservation "$work/taken")
claimed () { node osa n2 '.drained and (.why == "the site ams has it, too, as musubi-ams-'"$id"' says: name it in the classes of one site alone")'; }
comes "to the other it is drained, and why is told" claimed
exits 1 "the doctor" musubi doctor
says "  … tells it, too" 'lis/osa: 1 of 3 nodes drained .the site ams has it, too.*: n2$'
exits 1 "the other sells it no more, at other times either" ask osa 4 2
check "but for its own" ask osa 2 2
theirs=$(jq -r .reservation "$work/taken")
in_slurm () { scontrol -o show reservation "musubi-$1" | grep -q " Nodes=$2 "; }
comes "which is in Slurm" in_slurm "osa-$theirs" n3
check "the one has both" in_slurm "ams-$id" 'n\[1-2\]'
check "and sells them" ask ams 4 2 --dry-run
check "it releases them" musubi release "$id"
comes "the other has the node again" sold osa n2
check "and sells it" ask osa 4 3
finish
