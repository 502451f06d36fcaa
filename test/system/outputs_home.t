#!/usr/bin/env bash
# Tasks with outputs that a balancer has moved to another site: whoever ran them, their outputs are kept at home before the bag
# is over.
. "$(dirname "$0")/lib.sh"
chmod 711 "$work"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody
export MUSUBI_ACTOR=alice

site () { # NAME NODES
  cat <<Z
    $1
        classes
            thin
                nodes = $2
                cpus_per_node = 1
        storage
            nodes = disk-1
            bytes = 200000000
        back_end = runner
        nodes
            attend = 1s
        accounts
            $account = alice
        administrators = root
Z
}
{
  printf 'name = two\ndirectories = g1\nplanners = 1\nindexes = i1\n\nbalancers\n    green\n        coalition = 1m\n        step = 1s\n\nsites\n'
  site ams 1
  site ber 3
} >"$work/two.zpl"
federation "$work/two.zpl"
as_root () { MUSUBI_ACTOR=root "$@"; }
json () { musubi --json "$@" 2>/dev/null; }
tell_more () { musubi queue --over; musubi replicas; as_root musubi balance status; tail -n 15 "$federation"/log/lis-*.log "$federation"/log/replica-*.log; }
disks () { [ "$(json sites | jq '[.sites[].storage[] | select(.mib > 0)] | length')" = 2 ]; }
comes "the disks are heard of" disks
for one in ams ber; do check "$one joins" as_root musubi balance join "$one" --level 10m; done
bag=$(musubi submit ams --shared --count 16 --limit 30s --output "out=home/%i" -- sh -c 'echo $MUSUBI_TASK_INDEX $MUSUBI_SITE >out; sleep 2' 2>/dev/null)
over () { json queue --over | jq -e --arg bag "$bag" '.bags[] | select(.bag == $bag) | .over == 16' >/dev/null; }
comes "its tasks are over" over
kept () { json replicas | jq '[.files[] | select(.name | startswith ("home/")) | select(any (.copies[]; .site == "ams" and .state == "sound"))] | length'; }
check "then their outputs are at home" test "$(kept)" = 16
away=0
for i in {0..15}; do
  musubi get "home/$i" -o "$work/got$i" --site ams >/dev/null 2>&1
  read -r index where <"$work/got$i" && [ "$index" = "$i" ] || not_ok "output $i is that of task $i"
  [ "$where" = ams ] || away=$((away + 1))
done
check "some of them were made at the other site" test $away -gt 0
echo "# $away of 16 made at ber"
finish
