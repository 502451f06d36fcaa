#!/usr/bin/env bash
# A balancer and the sites that have joined it, as real processes. Bags at one site are spread over all; each task is run
# once, and its end is told to its home, whichever process is killed meanwhile. The client tells and draws how much each site
# gave and gained. A site that does much less work than its CPUs promise is set aside.
. "$(dirname "$0")/lib.sh"
chmod 711 "$work"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody
export MUSUBI_ACTOR=alice

site () { # NAME
  cat <<Z
    $1
        classes
            thin
                nodes = 1
                cpus_per_node = 2
        lead = 1s
        back_end = runner
        nodes
            attend = 500ms
            silent = 10m
            lease = 11m
        opening
            bind = 500ms
            warning = 2s
            grace = 1s
        accounts
            $account = "alice, bob"
        administrators = root
Z
}
{
  printf 'name = shared\ndirectories = g1\nplanners = 1\n\nbalancers\n    blue\n        step = 500ms\n    green\n        coalition = 8s\n'
  printf '        step = 500ms\n\nsites\n'
  for one in ams ber osa; do site $one; done
} >"$work/shared.zpl"
federation "$work/shared.zpl"

shared=$work/shared
mkdir -m 777 "$shared"
: >"$shared/log"
chmod 666 "$shared/log"
cat >"$shared/task" <<'T2'
#!/bin/sh
# The task writes down where it is begun, and prints that place.
echo "$1.$MUSUBI_TASK_INDEX $MUSUBI_SITE" >>"$(dirname "$0")/log"
sleep "$2"
echo "$MUSUBI_TASK_INDEX at $MUSUBI_SITE"
exit $((MUSUBI_TASK_INDEX % 3))
T2
chmod 755 "$shared/task"

as_root () { MUSUBI_ACTOR=root musubi "$@"; }
status () { musubi balance status green --json; }
holds () { status | jq -e "$1"; }
ended () { [ "$(musubi queue "$1" --json | jq '[.tasks[] | select(.state == "ended")] | length')" = "$2" ]; }
begun () { [ "$(grep -c "^$1\." "$shared/log")" -ge "$2" ]; }
begun_at () { grep -q "^$1\..* $2$" "$shared/log"; }
once () { # LABEL COUNT
  [ "$(grep "^$1\." "$shared/log" | cut -d' ' -f1 | sort | uniq -c | awk '$1 == 1' | wc -l)" = "$2" ] &&
    [ "$(grep -c "^$1\." "$shared/log")" = "$2" ]
}
tell_more () { musubi balance status green --all; musubi queue --over; cat "$shared/log"; }

exits 2 "who joins says how far" as_root balance join ams
says "  … by --level" '--level'
exits 2 "a level that is none" as_root balance join ams --level often
exits 2 "an automatic level can't begin at 0" as_root balance join ams --level auto:0s
exits 1 "a balancer that is not there" as_root balance join ams --balancer red --level 10m
says "  … and there are" 'there are: blue, green'
exits 2 "of two balancers one is named" as_root balance join ams --level 10m
says "  … which" 'there are several balancers; name one: blue, green'
exits 1 "a user does not join" env MUSUBI_ACTOR=bob musubi balance join ams --balancer green --level 10m
says "  … being no administrator" 'administrator'
exits 1 "who has not joined has no level" as_root balance level ams 10m
for one in ams ber; do check "$one joins" as_root balance join $one --balancer balancer/green --level 10m; done
check "osa joins, and its level adapts" as_root balance join osa --balancer green --level auto:5m
comes "they are a coalition" holds '[.members[].site] == ["ams", "ber", "osa"]'
check "with levels as they said" holds '[.members[].level_s] | .[0] == 600 and .[1] == 600 and .[2] > 0'
check "and speeds as their nodes" holds '[.members[].cpus] == [2, 2, 2]'

bag=$(musubi submit ams --shared --count 40 --limit 10s -- "$shared/task" first 0.8 2>/dev/null)
comes "a bag at one site is begun at the others" eval "begun_at first ber && begun_at first osa"
comes "its owner is promised when it is complete" holds ".guarantees | length == 1 and .[0].bag == \"$bag\" and .[0].promised"
check "another is not told" env MUSUBI_ACTOR=bob sh -c "musubi balance status green --json | jq -e '.guarantees == []'"
check "but asks for all" env MUSUBI_ACTOR=bob sh -c "musubi balance status green --all --json | jq -e '.guarantees | length == 1'"
check "who gave is told" holds '.members | .[0].taken_s > 0 and .[1].given_s > 0 and .[2].given_s > 0 and .[0].given_s == 0'
exits 0 "as a table, too" musubi balance status green
says "  … with who takes part" '^ams +10m'
says "  … and the promise" "^$bag "
slay "$(pid_of balancer/green)"
exits 3 "a balancer that was killed is silent" musubi --timeout 1s balance status green
comes "work goes on meanwhile" begun first 20
slay "$(pid_of lis/ber)"
check "both return" musubi up --dir "$federation"
comes "all tasks are over at home" ended "$bag" 40
check "each was begun once" once first 40
check "each has its exit code" test "$(musubi queue "$bag" --json | jq '[.tasks[] | .exit_code] | add')" = 39
away=$(musubi queue "$bag" --json | jq -r '[.tasks[] | select(.site)][0].task')
comes "output of one that was away is read at home" eval "musubi output $away | grep -Eq '^${away#*.} at (lis/)?(ber|osa)$'"

check "a level is changed" as_root balance level ams auto
comes "which the next coalition knows" holds '.members[0].automatic and .members[0].level_s > 0'
check "a site leaves" as_root balance leave ber
comes "and is not in the next one" holds '[.members[].site] == ["ams", "osa"]'

# osa still says that it has two CPUs, but does no work: the agent of its node is stopped.
agent=$(pid_of node/thin-001@osa)
check "a site's only node stands still" kill -STOP "$agent"
own=$(musubi submit osa --count 4 --limit 20s -- "$shared/task" own 0.2 2>/dev/null)
lie=$(musubi submit osa --shared --count 6 --limit 20s -- "$shared/task" lie 0.2 2>/dev/null)
comes "it is set aside, and told why" holds '.members[] | select(.site == "osa") | .aside // "" | length > 0'
output=$(status | jq -r '.members[] | select(.site == "osa") | .aside')
says "  … by what it has done" 'CPU'
kill -CONT "$agent"
comes "its owner's work is done all the same" ended "$lie" 6
check "each once" once lie 6
comes "what was not shared, too" ended "$own" 4
check "where it was" test "$(grep "^own" "$shared/log" | cut -d' ' -f2 | uniq)" = osa

comes "past coalitions are told" eval "musubi balance history green --json | jq -e '.coalitions | length >= 2'"
musubi balance history green --json >"$work/history.json"
check "what some gave others took" jq -e '[.coalitions[].members[] | .given_s - .taken_s] | add | fabs < 0.001' "$work/history.json"
check "ams gained most" jq -e '[.coalitions[].members[]] | group_by (.site) | map ({site: .[0].site, taken: (map (.taken_s) | add)}) | max_by (.taken).site == "ams"' "$work/history.json"
check "it is drawn" musubi balance history green
says "  … with bars" '▒+│'
check "and as a picture" musubi balance history green --svg "$work/history.svg"
check "  … well-formed" python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse (sys.argv [1])" "$work/history.svg"
# A coalition of blue's lasts an hour, but a site that leaves is gone before that.
check "two sites join another balancer" eval "as_root balance leave osa && as_root balance join osa --balancer blue --level 1m && as_root balance join ber --balancer blue --level 1m"
blue () { musubi balance status blue --json | jq -e "$1"; }
comes "they are a coalition" blue '[.members[].site] == ["ber", "osa"] and .coalition == 1'
check "one leaves" as_root balance leave ber
comes "it is set aside before the coalition has ended" blue '.coalition == 1 and (.members[] | select(.site == "ber") | .aside == "it has left")'
check "the other is not" blue '.members[] | select(.site == "osa") | .aside == null'
check "speeds that sites say they have are not believed unless it is said" eval "svc-balancer --help | grep -A1 '^ *reschedule' | grep -q false"
finish
