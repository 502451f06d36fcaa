#!/usr/bin/env bash
# Sites of a coalition, as real processes: tasks that wait at one site are run at others, each once, and their ends and output
# come home, while sites are killed. Here an administrator gives the orders, not a balancer.
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
            attend = 1s
        opening
            bind = 500ms
            warning = 2s
            grace = 1s
        accounts
            $account = alice
        administrators = root
Z
}
{
  printf 'name = three\ndirectories = g1\nplanners = 1\n\nsites\n'
  for one in ams ber osa; do site $one; done
} >"$work/three.zpl"
federation "$work/three.zpl"

shared=$work/shared
mkdir -m 777 "$shared"
: >"$shared/log"
chmod 666 "$shared/log"
cat >"$shared/task" <<'T'
#!/bin/sh
# The task writes down where it is begun, waits until the gate is open, and prints that place; every third task fails.
folder=$(dirname "$0")
echo "$MUSUBI_TASK_INDEX $MUSUBI_SITE" >>"$folder/log"
while ! [ -e "$folder/gate" ]; do sleep 0.05; done
echo "$MUSUBI_TASK_INDEX at $MUSUBI_SITE"
exit $((MUSUBI_TASK_INDEX % 3))
T
chmod 755 "$shared/task"

as_root () { MUSUBI_ACTOR=root musubi "$@"; }
party () { # SITE: as a Move names it
  as_root call gis Gis.Snapshot --json | jq -c --arg name "lis/$1" '.entries[] | select(.name == $name) | {name, store, endpoint}'
}
move () { # FROM TO BAG COUNT
  as_root call "lis/$1" Sharing.Move "{\"round\": $(date +%s%N), \"to\": $(party "$2"), \"bag\": $3, \"count\": $4}" --json
}
moved () { [ "$(move "$@" | jq .moved)" = "$4" ]; }
tasks () { musubi queue "$1" --json; }
tell_more () { musubi queue --over; cat "$shared/log"; }
count () { tasks "$1" | jq --arg state "$2" '[.tasks[] | select(.state == $state)] | length'; } # BAG STATE
counts () { [ "$(count "$1" "$2")" = "$3" ]; }
logged () { [ "$(wc -l <"$shared/log")" -ge "$1" ]; }

for one in ams ber osa; do
  check "$one joins" as_root call "lis/$one" Sharing.Join '{"balancer": "balancer/green", "level_s": 60}'
done
exits 1 "a user does not" env MUSUBI_ACTOR=bob musubi call lis/ams Sharing.Join '{"balancer": "balancer/green"}'

bag=$(musubi submit ams --shared --count 9 --limit 10m -- "$shared/task" 2>/dev/null)
comes "what has room begins" logged 2
check "three tasks that wait move" moved ams ber "${bag#*/}" 3
check "and two to a third site" moved ams osa "${bag#*/}" 2
comes "two of them are begun at each" logged 6
check "they are away" counts "$bag" away 5
slay "$(pid_of lis/ber)"
slay "$(pid_of lis/ams)"
printf 'sharing\n    lost = 1s\n' >>"$federation/lis-ams.zpl"
check "their home and a host are killed, and return" musubi up --dir "$federation"
touch "$shared/gate"
comes "all are over at home" eval "[ \$(tasks $bag | jq '[.tasks[] | select(.state == \"ended\")] | length') = 9 ]"
check "each has the exit code that it ended with" \
  test "$(tasks "$bag" | jq -c '[.tasks[].exit_code]')" = '[0,1,2,0,1,2,0,1,2]'
check "each was begun once" test "$(cut -d' ' -f1 "$shared/log" | sort -n | tr '\n' ' ')" = '0 1 2 3 4 5 6 7 8 '
check "the last ones at the sites they went to" \
  test "$(awk '$1 >= 4 {print $2}' "$shared/log" | sort | uniq -c | awk '{print $1 $2}' | tr '\n' ' ')" = '3ber 2osa '
check "and home knows where" test "$(tasks "$bag" | jq -c '[.tasks[] | .site // ""]')" = \
  '["","","","","lis/osa","lis/osa","lis/ber","lis/ber","lis/ber"]'
for index in 0 4 8; do
  comes "output of task $index is read at home" eval "musubi output $bag.$index | grep -q '^$index at '"
done

rm "$shared/gate"
fill=$(musubi submit ber --count 2 --limit 10m -- "$shared/task" 2>/dev/null)
bag=$(musubi submit ams --shared --count 4 --limit 10m -- "$shared/task" 2>/dev/null)
comes "a host that is full" counts "$fill" running 2
check "takes guests" moved ams ber "${bag#*/}" 2
comes "which wait there" eval "as_root queue ber --json | jq -e '.bags[] | select(.home == \"lis/ams\" and .queued == 2)'"
check "as guests" grep -q "guest of ams" <(as_root queue ber)
check "it leaves" as_root call lis/ber Sharing.Leave
comes "and they wait at home again" counts "$bag" queued 2
check "a site that is no member takes none" moved ams ber "${bag#*/}" 1
comes "they are back" counts "$bag" away 0
check "cancelled, they never begin" musubi cancel "$bag"
touch "$shared/gate"
comes "what runs ends" eval "[ \$(tasks $bag | jq '[.tasks[] | select(.state == \"queued\" or .state == \"running\")] | length') = 0 ]"
check "the ledgers prove it sound" musubi audit --settle 60s

rm "$shared/gate"
: >"$shared/log"
bag=$(musubi submit ams --shared --requeue --count 3 --limit 10m -- "$shared/task" 2>/dev/null)
comes "two begin at home" logged 2
check "one moves" moved ams osa "${bag#*/}" 1
comes "and begins" logged 3
slay "$(pid_of lis/osa)"
rm -r "$federation/store/lis-osa"
check "its host loses its store, and returns" musubi up --dir "$federation"
comes "what was there is lost" counts "$bag" lost 1
check "and says why" test "$(tasks "$bag" | jq -r '.tasks[2].why')" = \
  "lis/osa, where the task was, has lost its store; the task may have been run there"
touch "$shared/gate"
comes "what was at home ends there" counts "$bag" ended 2
check "nothing was begun twice" test "$(cut -d' ' -f1 "$shared/log" | sort | tr '\n' ' ')" = '0 1 2 '
finish broken
