#!/usr/bin/env bash
# Two sites over one Grid Engine that both name a host, each with a queue of its own; the name of one begins with the other's. The
# one that has reserved the host first has it; the other says so and does not sell it until that is over, whatever times are asked
# for, by what that one keeps there: its advance reservation, and then its open queue. None removes what is the other's.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
NODES=3 grid start || { echo "Bail out! no Grid Engine"; exit 1; }
site () { # NAME HOSTS QUEUE
  cat <<Z
    $1
        classes
            any
                nodes = 2
                names = "$2"
                cpus_per_node = 2
        back_end = gridengine
        batch
            queue = $3
            watch = 500ms
        accounts
            $grid_account = "alice"
Z
}
{
  printf 'name = claim\ndirectories = g1\nplanners = 1\n\nsites\n'
  site ams 'g[1-2]' batch
  site ams-2 'g[2-3]' night
} >"$work/claim.zpl"
qconf -sq batch | sed -e 's/^\(qname *\).*/\1night/' -e 's/^\(hostlist *\).*/\1g2 g3/' >"$work/night"
check "the other site has a queue of its own" qconf -Aq "$work/night"
federation "$work/claim.zpl"
hasten
tell_more () { musubi nodes; qrstat -u '*'; qstat -f; tail -n 12 "$federation"/log/lis-*.log; }
node () { musubi nodes "$1" --json | jq -e ".nodes[] | select(.node == \"$2\") | $3"; } # SITE NODE FILTER
sold () { node "$1" "$2" '.state == "up" and (.drained | not)'; }
ask () { # SITE CPUS START OPTION…
  printf '{"window": {"start": "%s"}, "duration": "20m", "compute": [{"id": "all", "cpus": %s, "site": "%s"}]}' \
    "$(date -u -d "$3" +%FT%TZ)" "$2" "$1" | musubi reserve - --json "${@:4}" >"$work/taken"
}
comes "both have the host" sold ams g2
comes "as long as none has reserved it" sold ams-2 g2
comes "the planner has heard of the hosts of the one" ask ams 4 now+1day --dry-run
comes "and of the other" ask ams-2 4 now+1day --dry-run
all_of_grid >"$work/before"
check "the one reserves it, with its other" ask ams 4 now+14seconds
id=$(jq -r .reservation "$work/taken")
comes "which is an advance reservation in Grid Engine" kept 1
claimed () { node ams-2 g2 '.drained and (.why == "the site ams has it, too, as musubi-ams-'"$id"' says: name it in the classes of one site alone")'; }
comes "to the other it is drained, and why is told" claimed
comes "the reservation opens" opened "$id" 2
check "its queue alone keeps the host then" kept 0
seen=$(node ams-2 g3 .heard)
later () { [ "$(node ams-2 g3 .heard)" != "$seen" ]; }
comes "the other looks again" later
check "the host is still drained for that" claimed
exits 1 "the doctor" musubi doctor
says "  … tells it, too" 'lis/ams-2: 1 of 3 nodes drained .the site ams has it, too.*: g2$'
exits 1 "the other sells it no more, at other times either" ask ams-2 4 now+2days
check "but for its own" ask ams-2 2 now+2days
theirs=$(jq -r .reservation "$work/taken")
in_other () { qrstat -u '*' -xml | grep -q "<name>musubi-ams-2-$theirs</name>"; }
comes "which is in Grid Engine" in_other
check "the one sells both" ask ams 4 now+2days --dry-run
check "the one dies" slay "$(pid_of lis/ams)"
check "and begins again" musubi up --dir "$federation"
bag=$(musubi submit ams --reservation "$id" --limit 5m -- true 2>/dev/null)
comes "its reservation runs tasks" is "$bag" state ended
check "that of the other stands" in_other
check "the one releases its own" musubi release "$id"
comes "the other has the host again" sold ams-2 g2
check "and sells it" ask ams-2 4 now+3days --dry-run
check "its reservation stands" in_other
check "it releases it" musubi release "$theirs"
as_before () { cmp "$work/before" <(all_of_grid); }
comes "Grid Engine is as it was before" as_before
finish
