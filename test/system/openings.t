#!/usr/bin/env bash
# Reservations on five sites with nodes of their own, as real processes. Tasks that were submitted earlier start when a
# co-allocated reservation opens, on all its sites and never before; other tasks are kept out; at the end nothing is left.
# Nodes are lost, are drained and return. Unused nodes are lent and given back. A site that is cut off opens and closes
# its part without the others.
. "$(dirname "$0")/lib.sh"
chmod 711 "$work"
told=$work/told # what tasks tell, by the clocks of their nodes
mkdir -m 1777 "$told"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody

# A lease is short here, so that a node counts as lost 21 s after its last word.
sed -e "s/^        back_end = runner/&\n        lead = 3s\n        accounts\n            $account = \"alice, bob\"\n        nodes\n            attend = 1s\n            silent = 2s\n            lease = 6s\n            lost = 21s\n        queue\n            life = 2s/" \
  -e 's/^        opening/&\n            bind = 3s\n            lend = 4s/' -e 's/warning = 10s/warning = 3s/' -e 's/grace = 5s/grace = 2s/' \
  -e '/^    oslo/,/^    quito/s/^            grace = 2s/&\n            release = 8s/' \
  "$root/deploy/federations/five-runners.zpl" >"$work/five.zpl"
federation "$work/five.zpl" --planners 2

json () { musubi --json "$@" 2>/dev/null; }
now_ms () { date +%s%3N; }
wall_ms () { date -d "$1" +%s%3N; }
until_wall () { # MS: rests until then
  local left=$(($1 - $(now_ms)))
  [ $left -le 0 ] || sleep "$(printf '%d.%03d' $((left / 1000)) $((left % 1000)))"
}
# within SECONDS COMMAND…: repeats the command until it succeeds; false when it has not succeeded by then.
within () {
  local until=$(($(now_ms) + $1 * 1000))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$(now_ms)" -lt $until ] || { "$@"; return 1; }
    sleep 0.1
  done
}
at_site () { json show "$1" | jq -r --arg site "$2" ".openings[] | select(.site == \$site) | $3"; } # ID SITE FILTER
stands () { [ "$(at_site "$1" "$2" '"\(.phase) \(.nodes) of \(.wanted) \(if .ready then "ready" else "" end)\(if .degraded then "degraded" else "" end)"')" = "$3" ]; }
nodes_of () { json nodes "$2" | jq -r --arg id "$1" '.nodes[] | select(.reservation == $id) | .node'; } # ID SITE
promised () { json call "lis/$1" Site '{}' | jq --arg class "$2" '.site.classes[] | select(.name == $class).nodes'; } # SITE CLASS
task_state () { json queue "${1%.*}" | jq -r --arg task "$1" '.tasks[] | select(.task == $task) | .state'; }
is_state () { [ "$(task_state "$1")" = "$2" ]; }
why () { json queue "${1%.*}" | jq -r --arg task "$1" '.tasks[] | select(.task == $task) | .why'; }
endpoint_of () { jq -r --arg site "$1" '.members[] | select(.kind == "lis" and .name == $site).endpoint' "$federation/members.json"; }
submit () { musubi submit "$@" >"$work/bag"; }
bag () { cat "$work/bag"; }
starters () { pgrep -f "^svc-lis starter $federation/runs/node-$1/" || true; }

# reserve NAME EARLIEST DURATION NEEDS; then taken: sets id, start and end (wall ms).
reserve () {
  printf '{"name": "%s", "window": {"earliest": "%s", "deadline": "now+1h"}, "duration": "%s", "compute": [%s]}' "$@" >"$work/$1.json"
  musubi --json reserve "$work/$1.json" >"$work/taken"
}
taken () {
  id=$(jq -r .reservation "$work/taken")
  start=$(wall_ms "$(jq -r .start "$work/taken")")
  end=$(wall_ms "$(jq -r .end "$work/taken")")
}

# --- bad input ---
exits 1 "tasks for a reservation that nobody has" musubi submit amsterdam --reservation no-such --limit 1m -- true
says "  … and which" 'no-such'
reserve_bad () { printf '%s' "$1" | musubi reserve -; }
exits 1 "more nodes than a site has" reserve_bad '{"window": {"earliest": "now+5s", "deadline": "now+10m"}, "duration": "1m", "compute": [{"id": "a", "cpus": 100, "site": "quito"}]}'
exits 2 "a window in the past" reserve_bad '{"window": {"earliest": "now-2h", "deadline": "now-1h"}, "duration": "1m", "compute": [{"id": "a", "cpus": 2, "site": "quito"}]}'
exits 1 "a node that the site does not have can't be drained" musubi nodes kyoto --drain n99
says "  … and is told" 'site has no node n99'
MUSUBI_ACTOR=bob exits 1 "nodes are drained by administrators alone" musubi nodes kyoto --drain n01
exits 2 "a node of no site" musubi nodes --drain n01
wrong_up () { sed "$1" "$work/five.zpl" >"$work/wrong.zpl"; musubi up "$work/wrong.zpl" --dir "$work/wrong"; }
exits 2 "a back end that is none" wrong_up '0,/back_end = runner/s//back_end = rnner/'
says "  … and where" 'wrong.zpl: sites/amsterdam/back_end: "rnner": should be none or runner'
exits 2 "two nodes of one name" wrong_up 's/n\[01-02\]/n01, n01/'
says "  … and which" 'sites/kyoto/classes: two nodes are called n01'
exits 2 "nodes without names" wrong_up 's/n\[01-02\]/n01/'
says "  … and how many" 'sites/kyoto/classes/node/names: names 2 nodes, should be 3'
check "nothing was started" test ! -e "$work/wrong/members.json"
agent () { timeout 20 svc-lis node -c "$federation/node-n01@kyoto.zpl" --set bind/endpoint=tcp://127.0.0.1:0 --set bind/events=tcp://127.0.0.1:0 --set "store/folder=$work/stray" --set "runs=$work/stray-runs" "$@"; }
refused () { # WORDS SETTING…: the agent is told why it is not wanted
  local words=$1 process
  shift
  rm -rf "$work/stray"
  agent "$@" >"$work/stray.out" 2>"$work/stray.log" &
  process=$!
  within 10 grep -E -- "$words" "$work/stray.log"
  local found=$?
  pkill -TERM -P $process
  wait $process
  [ $found -eq 0 ] || cat "$work/stray.log"
  return $found
}
check "an agent under a name that the site does not know" refused 'site kyoto has no node n99' --set name=n99
check "an agent of another site" refused 'site berlin has no node n01' --set "lis=$(endpoint_of berlin)"
check "an agent with other CPUs" refused 'cpus: nodes of class node have 4, not 3' --set cpus=3
check "an agent in the place of one that lives" refused 'node n01 has an agent with another store'

# --- a co-allocated reservation, its tasks submitted before ---
check "nodes at three sites" reserve trio now+7s 40s '{"id": "ocean", "cpus": 4, "site": "amsterdam"}, {"id": "air", "cpus": 4, "site": "berlin"}, {"id": "ice", "cpus": 8, "site": "kyoto"}'
taken
trio=$id trio_start=$start trio_end=$end
check "unused nodes at a fourth" reserve idle now+7s 24s '{"id": "idle", "cpus": 4, "site": "oslo"}'
taken
idle=$id idle_start=$start
left=86$$ # tells what this test leaves behind from all else
cat >"$told/stay" <<'SH'
#!/bin/sh
# The task writes down when it begins, is warned and is told to end; it leaves children behind in a session of their own.
note () { echo "$1 $(date +%s%3N)" >>"$TOLD/$MUSUBI_SITE-$MUSUBI_NODE-$MUSUBI_TASK_INDEX"; }
note start
trap 'note warned' USR1
trap 'note term' TERM
setsid sleep "$LEFT" &
while :; do sleep 1 & wait $!; done
SH
cat >"$told/stamp" <<'SH'
#!/bin/sh
echo "$MUSUBI_NODE $(date +%s%3N)" >>"$TOLD/$1"
sleep "$2"
SH
chmod 755 "$told/stay" "$told/stamp"
for need in ocean/amsterdam air/berlin ice/kyoto; do
  cpus=2; [ "$need" != ice/kyoto ] || cpus=4
  check "tasks for ${need#*/} before the opening" submit --reservation "$trio/${need%/*}" --count 2 --cpus $cpus --limit 5m --env "TOLD=$told" --env "LEFT=$left" -- "$told/stay"
done
kyoto_bag=$(bag)
check "a task that computes more than it may" submit --reservation "$trio/ice" --limit 5m --cpu-limit 2s -- sh -c 'while :; do :; done' # waits for its place
greedy=$(bag).0
check "a task that would run longer than its limit" submit --reservation "$trio/air" --class thin --limit 2s --env "TOLD=$told" -- "$told/stamp" limited 60 # waits for its place
limited=$(bag).0
MUSUBI_ACTOR=bob exits 1 "an outsider's task does not get in" musubi submit amsterdam --reservation "$trio" --limit 1m -- true
export MUSUBI_ACTOR=bob
check "an outsider's work in the queue" submit amsterdam --class thin --count 6 --limit 20s --env "TOLD=$told" -- "$told/stamp" outside 15
outside=$(bag)
export MUSUBI_ACTOR=alice
check "it waits for its opening" stands "$trio" kyoto "waiting 0 of 2 "
until_wall $((trio_start - 1500))
check "its nodes are bound before" stands "$trio" kyoto "binding 2 of 2 ready"
until_wall "$trio_start"
all_began () { [ "$(grep -l '^start' "$told"/*-*-[01] | wc -l)" -eq 6 ]; }
check "its tasks begin at all three sites" within 10 all_began
began_after () { ! grep -h '^start' "$told"/*-*-[01] | awk -v from="$trio_start" '$2 < from {bad = 1; print} END {exit !bad}'; }
check "never before the opening" began_after
check "each on a node of its own" test "$(ls "$told" | sed -n 's/-[01]$//p' | sort -u | wc -l)" -eq 6
check "open on all" stands "$trio" amsterdam "open 2 of 2 ready"
export MUSUBI_ACTOR=bob
check "preemptible work where nodes are reserved and unused" submit oslo --preemptible --count 3 --cpus 2 --limit 1m --env "TOLD=$told" -- "$told/stamp" borrowed 60
borrowed=$(bag)
check "ordinary work there" submit oslo --count 2 --cpus 2 --limit 8s --env "TOLD=$told" -- "$told/stamp" given 6 # the third node may be free for the first of them
given=$(bag)
export MUSUBI_ACTOR=alice

# --- a node lost, one drained ---
berlin_lost=$(nodes_of "$trio" berlin | head -n 1)
amsterdam_lost=$(nodes_of "$trio" amsterdam | head -n 1)
amsterdam_spare=$(json nodes amsterdam | jq -r --arg id "$trio" '.nodes[] | select(.class == "thin" and .reservation != $id) | .node')
amsterdam_kept=$(nodes_of "$trio" amsterdam | tail -n 1)
# lose NODE@SITE: the machine is gone, with all that runs on it.
lose () {
  local starter mark
  slay "$(pid_of "node/$1")"
  for starter in $(starters "$1"); do slay "$starter"; done
  for mark in /proc/[0-9]*/environ; do
    ! grep -qs -- "MUSUBI_RUN_FOLDER=$federation/runs/node-$1/" "$mark" || slay "$(cut -d / -f 3 <<<"$mark")" 2>/dev/null
  done
}
lose "$berlin_lost@berlin"
lose "$amsterdam_lost@amsterdam"
lose "$amsterdam_spare@amsterdam"
lost_at=$(now_ms)
kyoto_drained=$(nodes_of "$trio" kyoto | head -n 1)
kyoto_task=$(json queue "$kyoto_bag" | jq -r --arg node "$kyoto_drained" '.tasks[] | select(.node == $node).task')
check "a node is drained" musubi nodes kyoto --drain "$kyoto_drained"
check "what runs there goes on" is_state "$kyoto_task" running
check "the site has one node less to promise" test "$(promised kyoto node)" -eq 2
check "its task is cancelled" musubi cancel "$kyoto_task"
without_drained () { [ "$(nodes_of "$trio" kyoto | grep -cvx "$kyoto_drained")" -eq 2 ]; }
check "then another node takes its place" within 8 without_drained
check "  … and it is whole" stands "$trio" kyoto "open 2 of 2 ready"
check "it is resumed" musubi nodes kyoto --resume "$kyoto_drained"
check "and counts again" test "$(promised kyoto node)" -eq 3

# --- unused ---
until_wall $((idle_start + 4500))
check "what is not used is lent" within 6 test "$(at_site "$idle" oslo .lent)" = true
nodes_of "$idle" oslo >"$work/idle-nodes"
runs_borrowed () { [ "$(wc -l <"$told/borrowed")" -ge 3 ]; }
check "to preemptible tasks" within 6 runs_borrowed
check "show says so" musubi show "$idle"
says "  … in words" 'at oslo: open, 2 of 2 nodes.*lent while it is not used'
MUSUBI_ACTOR=bob check "who borrows may go" musubi cancel "$borrowed"
until_wall $((idle_start + 8500))
check "later it is given back" within 6 test "$(at_site "$idle" oslo .given_back)" = true
check "it is accounted to its owner: offered, and not used" test "$(json call lis/oslo Lis.Use "{\"reservation\": \"$idle\"}" | jq '.cpu_ms == 0 and .offered_ms > 16000')" = true
both_ended () { is_state "$given.0" ended && is_state "$given.1" ended; }
check "and serves the queue" within 8 both_ended
check "  … not before" awk -v from="$((idle_start + 8000))" 'NR == FNR {idle [$1]; next} {n++} $1 in idle {served++; if ($2 < from) bad = 1} END {exit bad || n != 2 || !served}' "$work/idle-nodes" "$told/given"
MUSUBI_ACTOR=bob exits 1 "nobody else is told what it has used" musubi call lis/oslo Lis.Use "{\"reservation\": \"$idle\"}"

# --- lost nodes are counted out ---
until_wall $((lost_at + 21000))
check "the lost node has another in its place" within 8 stands "$trio" berlin "open 2 of 2 ready"
check "  … which is not the lost one" test -z "$(nodes_of "$trio" berlin | grep -x "$berlin_lost")"
check "where none is left it is degraded" within 8 stands "$trio" amsterdam "open 1 of 2 degraded"
check "the lost ones are told" musubi nodes amsterdam
says "  … by name" "amsterdam +$amsterdam_lost +thin +lost "
check "show tells what would do instead" musubi show "$trio"
says "  … another class" '1 nodes of fat are free from'
check "so does JSON" test "$(at_site "$trio" amsterdam '.alternatives | map(.class) | index("fat") != null')" = true
check "list says degraded" musubi list
says "  … beside its state" "$trio.*, degraded"
check "and the chart draws it" musubi gantt
check "nodes that are gone are not promised" test "$(promised amsterdam thin)" -eq 1
lost_told () { json queue amsterdam/1 | jq -e '[.tasks[] | select(.state == "lost" and (.why | test("not been heard")))] | length == 1'; }
check "the task that ran there is lost, and why" lost_told
check "nodes return" musubi up --dir "$federation"
check "it is whole again" within 8 stands "$trio" amsterdam "open 2 of 2 ready"
healed_at=$(now_ms)
amsterdam_new=$(nodes_of "$trio" amsterdam | grep -vx "$amsterdam_kept")
check "a task over its time was ended" within 8 is_state "$limited" stopped
check "  … and is told why" grep 'ran longer than its limit of 2s' <(why "$limited")
check "so was one over its processor time" within 8 is_state "$greedy" stopped
check "  … and is told why" grep 'more processor time than its limit of 2s' <(why "$greedy")
check "what it has used is told" test "$(at_site "$trio" kyoto '.cpu_ms >= 1500 and .offered_ms > .cpu_ms')" = true
check "show says so" musubi show "$trio"
says "  … in words" 'at kyoto: open, 2 of 2 nodes, ready, used [1-9][0-9]* %'
check "the chart, too" musubi gantt --from "$(date -u -d "@$((trio_start / 1000 - 10))" +%FT%TZ)" --until "$(date -u -d "@$((trio_end / 1000 + 10))" +%FT%TZ)"
says "  … beside its bar" ' [1-9][0-9]*%'

# --- the end of the reservation ---
until_wall $((trio_end - 2500))
check "it is warned" within 3 stands "$trio" berlin "warned 2 of 2 ready"
until_wall $((trio_end + 2500))
over () { [ "$(json show "$trio" | jq -r '[.openings[].phase] | unique | join(" ")')" = over ]; }
check "over at all its sites, with grace and cleaning" within 8 over
check "its tasks were warned before its end" awk -v end="$trio_end" '$1 == "warned" && $2 >= end - 3200 && $2 < end {n++} END {exit n != 3}' "$told"/*-*-[01]
check "told to end at it, not before" awk -v end="$trio_end" '$1 == "term" {n++; if ($2 < end) bad = 1} END {exit n != 2 || bad}' "$told"/amsterdam-*-[01] "$told"/berlin-*-[01]
check "nothing of it runs any more" test -z "$(grep -ls "MUSUBI_RESERVATION=$trio" /proc/[0-9]*/environ)"
check "nor what it has left behind" test -z "$(pgrep -f "^sleep $left\$")"
check "its nodes are nobody's" test -z "$(nodes_of "$trio" amsterdam; nodes_of "$trio" berlin; nodes_of "$trio" kyoto)"
outside_kept_out () { # nobody else began on a node while it was the reservation's
  printf '%s %s %s\n' "$amsterdam_lost" "$trio_start" "$lost_at" "$amsterdam_kept" "$trio_start" "$trio_end" \
    "$amsterdam_new" "$healed_at" "$trio_end" >"$work/reserved"
  awk 'NR == FNR {from [NR] = $2; until [NR] = $3; node [NR] = $1; n = NR; next}
    {for (i = 1; i <= n; i++) if ($1 == node [i] && $2 >= from [i] && $2 < until [i]) {print; bad = 1}} END {exit bad || FNR == 0}' \
    "$work/reserved" "$told/outside"
}
check "outsiders were kept out of them" outside_kept_out
musubi --actor bob cancel "$outside" >/dev/null 2>&1

# --- capacity ---
check "a reservation of all nodes" reserve all now+10m 1m '{"id": "a", "cpus": 4, "site": "quito"}'
taken
check "an administrator takes one away" musubi call lis/quito Capacity '{"resource": "thin", "quantity": 1}'
says "  … and is told whom it hits" "$id"
check "who is degraded before it has begun" test "$(at_site "$id" quito .degraded)" = true
check "it is given back" musubi call lis/quito Capacity '{"resource": "thin", "quantity": 2}'
check "and nobody is degraded" test "$(at_site "$id" quito .degraded)" = false
check "the reservation is given up" musubi release "$id"

# --- cut off from everybody ---
alone () { # its id, start and end, as one site's users reserve
  id=$(plus_reserve -R quito -s now+4s -e now+9s -n 1) && json show "$id" >"$work/taken" && jq -e --arg id "$id" '.reservation == $id' "$work/taken"
}
check "a reservation at one site" alone
taken
check "its task" submit --reservation "$id" --limit 1m --env "TOLD=$told" -- "$told/stamp" alone 60
alone_task=$(bag).0
for one in gis/g1 gis/g2 planner/1 planner/2; do slay "$(pid_of $one)"; done
on_its_own () { musubi --json call "$(endpoint_of quito)" Participant.Show "{\"reservation\": \"$id\"}" | jq -e '[.. | objects | select(.disconnected == true)] | length == 1'; }
until_wall "$start"
check "with every directory and planner dead it opens" within 5 test -s "$told/alone"
check "  … in time, not before" awk -v from="$start" '$2 < from {bad = 1} END {exit bad}' "$told/alone"
check "it tells who asks that it hears nobody" within 12 on_its_own
until_wall $((end + 500))
check "and closes" within 6 test -z "$(starters thin-001@quito; starters thin-002@quito)"
check "everybody is back" musubi up --dir "$federation"
check "its task was ended with it" within 5 is_state "$alone_task" stopped
finish
