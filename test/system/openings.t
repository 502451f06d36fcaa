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

# A lease is short here, so that a node counts as lost 36 s after its last word.
sed -e "s/^        back_end = runner/&\n        lead = 3s\n        accounts\n            $account = \"alice, bob\"\n        nodes\n            attend = 1s\n            silent = 2s\n            lease = 6s/" \
  -e 's/^        opening/&\n            bind = 3s\n            lend = 4s/' -e 's/warning = 10s/warning = 3s/' -e 's/grace = 5s/grace = 2s/' \
  -e '/^    oslo/,/^    quito/s/^            grace = 2s/&\n            release = 20s/' \
  "$root/deploy/federations/five-runners.zpl" >"$work/five.zpl"
federation "$work/five.zpl" --planners 2

json () { musubi --json "$@" 2>/dev/null; }
now_ms () { date +%s%3N; }
wall_ms () { date -d "$1" +%s%3N; }
at_site () { json show "$1" | jq -r --arg site "$2" ".openings[] | select(.site == \$site) | $3"; } # ID SITE FILTER
is_at () { [ "$(at_site "$@")" = true ]; }
stands () { [ "$(at_site "$1" "$2" '"\(.phase) \(.nodes) of \(.wanted) \(if .ready then "ready" else "" end)\(if .degraded then "degraded" else "" end)"')" = "$3" ]; }
nodes_of () { json nodes "$2" | jq -r --arg id "$1" '.nodes[] | select(.reservation == $id) | .node'; } # ID SITE
# promised SITE CLASS: the nodes that are free at a time for which nothing is booked.
promised () {
  local far_ms=$(($(now_ms) + 6 * 3600000))
  json call "lis/$1" Profile "{\"resources\": [\"$2\"], \"from_ms\": $far_ms, \"until_ms\": $((far_ms + 60000)), \"without_work\": true}" |
    jq '.profiles[0].steps[0].free | tonumber'
}
task_state () { json queue "${1%.*}" | jq -r --arg task "$1" '.tasks[] | select(.task == $task) | .state'; }
is_state () { [ "$(task_state "$1")" = "$2" ]; }
why () { json queue "${1%.*}" | jq -r --arg task "$1" '.tasks[] | select(.task == $task) | .why'; }
endpoint_of () { jq -r --arg site "$1" '.members[] | select(.kind == "lis" and .name == $site).endpoint' "$federation/members.json"; }
submit () { musubi submit "$@" >"$work/bag"; }
bag () { cat "$work/bag"; }
entered () { # ID SITE PHASE: when, by its log
  local at
  at=$(grep -m 1 "opening $1 .*->$3 " "$federation/log/lis-$2.log") && wall_ms "${at%% *}"
}
tell_more () { musubi list; musubi show "$trio"; musubi nodes; musubi queue --over; grep -h opening "$federation"/log/lis-*.log; }
starters () { pgrep -f "^svc-lis starter $federation/runs/node-$1/" || true; }

# reserve NAME EARLIEST DURATION NEEDS; then taken: sets id, start and end (wall ms).
reserve () {
  printf '{"name": "%s", "window": {"earliest": "%s", "deadline": "now+1h"}, "duration": "%s", "compute": [%s]}' "$@" >"$work/$1.json"
  musubi --json reserve "$work/$1.json" >"$work/taken"
}
change () { # ID PATCH
  printf '%s' "$2" | musubi --json modify "$1" - >"$work/taken"
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
says "  … and where" "wrong.zpl:[0-9]+: sites/amsterdam/back_end: 'rnner' is not none, runner, "
exits 2 "two nodes of one name" wrong_up 's/n\[01-02\]/n01, n01/'
says "  … and which" 'sites/kyoto/classes: two nodes are called n01'
exits 2 "nodes without names" wrong_up 's/n\[01-02\]/n01/'
says "  … and how many" 'sites/kyoto/classes/node/names: names 2 nodes, should be 3'
check "nothing was started" test ! -e "$work/wrong/members.json"
agent () { timeout 120 svc-lis node -c "$federation/node-n01@kyoto.zpl" --set bind/endpoint=tcp://127.0.0.1:0 --set bind/events=tcp://127.0.0.1:0 --set "store/folder=$work/stray" --set "runs=$work/stray-runs" "$@"; }
refused () { # SENTENCE WORDS SETTING…: the agent is told why it is not wanted
  local process
  rm -rf "$work/stray"
  agent "${@:3}" >"$work/stray.out" 2>"$work/stray.log" &
  process=$!
  comes "$1" grep -E -- "$2" "$work/stray.log" || sed 's/^/# /' "$work/stray.log"
  pkill -TERM -P $process
  wait $process
}
refused "an agent under a name that the site does not know" 'site kyoto has no node n99' --set name=n99
refused "an agent of another site" 'site berlin has no node n01' --set "lis=$(endpoint_of berlin)"
refused "an agent with other CPUs" 'cpus: nodes of class node have 4, not 3' --set cpus=3
refused "an agent in the place of one that lives" 'node n01 has an agent with another store'

# --- a co-allocated reservation, its tasks submitted before ---
check "nodes at three sites" reserve trio now+10m 30m '{"id": "ocean", "cpus": 4, "site": "amsterdam"}, {"id": "air", "cpus": 4, "site": "berlin"}, {"id": "ice", "cpus": 8, "site": "kyoto"}'
taken
trio=$id
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
check "they wait for their opening" stands "$trio" kyoto "waiting 0 of 2 "
# Now that all is prepared it is moved to where it opens soon.
check "it is to open sooner" change "$trio" '{"window": {"earliest": "now+10s", "deadline": "now+1h"}}'
taken
trio_start=$start
check "unused nodes at a fourth site" reserve idle now+10s 30m '{"id": "idle", "cpus": 4, "site": "oslo"}'
taken
idle=$id idle_start=$start
MUSUBI_ACTOR=bob exits 1 "an outsider's task does not get in" musubi submit amsterdam --reservation "$trio" --limit 1m -- true
export MUSUBI_ACTOR=bob
check "an outsider's work in the queue" submit amsterdam --class thin --count 6 --limit 20s --env "TOLD=$told" -- "$told/stamp" outside 15
outside=$(bag)
export MUSUBI_ACTOR=alice
all_began () { [ "$(grep -l '^start' "$told"/*-*-[01] | wc -l)" -eq 6 ]; }
comes "its tasks begin at all three sites" all_began
bound_before () { [ "$(entered "$trio" kyoto binding)" -lt "$trio_start" ] && grep -q "opening $trio binding->open nodes=2" "$federation/log/lis-kyoto.log"; }
check "its nodes were bound before the opening" bound_before
began_after () { ! grep -h '^start' "$told"/*-*-[01] | awk -v from="$trio_start" '$2 < from {bad = 1; print} END {exit !bad}'; }
check "never before the opening" began_after
check "each on a node of its own" test "$(ls "$told" | sed -n 's/-[01]$//p' | sort -u | wc -l)" -eq 6
comes "open on all" stands "$trio" amsterdam "open 2 of 2 ready"
comes "an outsider's task has the node that is left" test -s "$told/outside"
comes "unused nodes are open, too" stands "$idle" oslo "open 2 of 2 ready"
nodes_of "$idle" oslo >"$work/idle-nodes"
export MUSUBI_ACTOR=bob
check "preemptible work where nodes are reserved and unused" submit oslo --preemptible --count 3 --cpus 2 --limit 20m --env "TOLD=$told" -- "$told/stamp" borrowed 1200
borrowed=$(bag)
export MUSUBI_ACTOR=alice

# --- unused ---
comes "what is not used is lent" is_at "$idle" oslo .lent
runs_borrowed () { [ "$(wc -l <"$told/borrowed")" -eq 3 ]; }
comes "to preemptible tasks" runs_borrowed
began_on_idle () { awk -v from="$2" 'NR == FNR {idle [$1]; next} $1 in idle {n++; if ($2 < from) bad = 1} END {exit bad || n != 2}' "$work/idle-nodes" "$told/$1"; } # FILE MS
check "  … when it was unused for a while" began_on_idle borrowed $((idle_start + 4000))
check "show says so" musubi show "$idle"
says "  … in words" 'at oslo: .*lent while it is not used'
export MUSUBI_ACTOR=bob
check "ordinary work there" submit oslo --count 3 --cpus 2 --limit 20m --env "TOLD=$told" -- "$told/stamp" given 1200 # one has the third node
given=$(bag)
check "who borrows may go" musubi cancel "$borrowed"
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
lost_at=$(now_ms)
lose "$amsterdam_spare@amsterdam"
kyoto_drained=$(nodes_of "$trio" kyoto | head -n 1)
kyoto_task=$(json queue "$kyoto_bag" | jq -r --arg node "$kyoto_drained" '.tasks[] | select(.node == $node).task')
check "a node is drained" musubi nodes kyoto --drain "$kyoto_drained"
check "what runs there goes on" is_state "$kyoto_task" running
check "the site has one node less to promise" test "$(promised kyoto node)" -eq 2
check "its task is cancelled" musubi cancel "$kyoto_task"
without_drained () { [ "$(nodes_of "$trio" kyoto | grep -cvx "$kyoto_drained")" -eq 2 ]; }
comes "then another node takes its place" without_drained
comes "  … and it is whole" stands "$trio" kyoto "open 2 of 2 ready"
check "it is resumed" musubi nodes kyoto --resume "$kyoto_drained"
check "and counts again" test "$(promised kyoto node)" -eq 3

# --- given back ---
comes "later it is given back" is_at "$idle" oslo .given_back
check "it is accounted to its owner: offered, and not used" test "$(json call lis/oslo Lis.Use "{\"reservation\": \"$idle\"}" | jq '.cpu_ms == 0 and .offered_ms > 40000')" = true
all_given () { [ "$(wc -l <"$told/given")" -eq 3 ]; }
comes "and serves the queue" all_given
check "  … not before" began_on_idle given $((idle_start + 20000))
MUSUBI_ACTOR=bob exits 1 "nobody else is told what it has used" musubi call lis/oslo Lis.Use "{\"reservation\": \"$idle\"}"
musubi --actor bob cancel "$given" >/dev/null 2>&1

# --- lost nodes are counted out ---
node_is () { [ "$(json nodes "$1" | jq -r --arg node "$2" '.nodes[] | select(.node == $node).state')" = "$3" ]; } # SITE NODE STATE
comes "a node that is not heard is lost" node_is berlin "$berlin_lost" lost
comes "the lost node has another in its place" stands "$trio" berlin "open 2 of 2 ready"
check "  … which is not the lost one" test -z "$(nodes_of "$trio" berlin | grep -x "$berlin_lost")"
comes "where none is left it is degraded" stands "$trio" amsterdam "open 1 of 2 degraded"
comes "  … first for its silence, then as it is lost" node_is amsterdam "$amsterdam_lost" lost
check "the lost ones are told" musubi nodes amsterdam
says "  … by name" "amsterdam +$amsterdam_lost +thin +lost "
another_class () { [ "$(at_site "$trio" amsterdam '.alternatives | map(.class) | index("fat") != null')" = true ]; }
comes "JSON tells what would do instead" another_class
check "so does show" musubi show "$trio"
says "  … another class" '1 nodes of fat are free from'
check "list says degraded" musubi list
says "  … beside its state" "$trio.*, degraded"
check "and the chart draws it" musubi gantt
two_gone () { [ "$(promised amsterdam thin)" -eq 1 ]; }
comes "nodes that are gone are not promised" two_gone
lost_told () { json queue amsterdam/1 | jq -e '[.tasks[] | select(.state == "lost" and (.why | test("not been heard")))] | length == 1'; }
comes "the task that ran there is lost, and why" lost_told
check "nodes return" musubi up --dir "$federation"
comes "it is whole again" stands "$trio" amsterdam "open 2 of 2 ready"
healed_at=$(now_ms)
amsterdam_new=$(nodes_of "$trio" amsterdam | grep -vx "$amsterdam_kept")
comes "a task over its time was ended" is_state "$limited" stopped
check "  … and is told why" grep 'ran longer than its limit of 2s' <(why "$limited")
comes "so was one over its processor time" is_state "$greedy" stopped
check "  … and is told why" grep 'more processor time than its limit of 2s' <(why "$greedy")
check "what it has used is told" test "$(at_site "$trio" kyoto '.cpu_ms >= 1500 and .offered_ms > .cpu_ms')" = true
check "show says so" musubi show "$trio"
says "  … in words" 'at kyoto: open, 2 of 2 nodes, ready, used [0-9]+ %'
check "the chart, too" musubi gantt --from "$(date -u -d "@$((trio_start / 1000 - 10))" +%FT%TZ)" --until "$(date -u -d '+1 hour' +%FT%TZ)"
says "  … beside its bar" ' [0-9]+%'

# --- the end of the reservation ---
check "it is to end soon" ends_soon "$trio"
musubi --json show "$trio" >"$work/taken"
taken
trio_end=$end
over () { [ "$(json show "$trio" | jq -r '[.openings[].phase] | unique | join(" ")')" = over ]; }
comes "over at all its sites, with grace and cleaning" over
check "its tasks were warned, not sooner than they should be" awk -v end="$trio_end" '$1 == "warned" {n++; if ($2 < end - 3200) bad = 1} END {exit n != 3 || bad}' "$told"/*-*-[01]
check "each before it was told to end" awk '$1 == "warned" {warned [FILENAME]} $1 == "term" && !(FILENAME in warned) && FILENAME !~ /kyoto/ {bad = 1} END {exit bad}' "$told"/*-*-[01]
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
alone () { # as one site's users reserve
  plus_reserve -R quito -s now+10m -e now+40m -n 1 >"$work/alone" && musubi show "$(cat "$work/alone")"
}
moved () { # to where it opens soon, for five seconds
  plus_modify -r "$id" -R quito -s "$1" -e "$2"
}
check "a reservation at one site" alone
id=$(cat "$work/alone")
check "its task" submit --reservation "$id" --limit 10m --env "TOLD=$told" -- "$told/stamp" alone 600
alone_task=$(bag).0
for one in planner/1 planner/2; do slay "$(pid_of $one)"; done
start=$(($(date +%s) + 8)) end=$(($(date +%s) + 13))
check "it is to open soon" moved "$(date -u -d "@$start" +%FT%TZ)" "$(date -u -d "@$end" +%FT%TZ)"
for one in gis/g1 gis/g2; do slay "$(pid_of $one)"; done
on_its_own () { musubi --json call "$(endpoint_of quito)" Participant.Show "{\"reservation\": \"$id\"}" | jq -e '[.. | objects | select(.disconnected == true)] | length == 1'; }
comes "with every directory and planner dead it opens" test -s "$told/alone"
check "  … in time, not before" awk -v from="${start}000" '$2 < from {bad = 1} END {exit bad}' "$told/alone"
comes "it tells who asks that it hears nobody" on_its_own
closed () { [ -z "$(starters thin-001@quito; starters thin-002@quito)" ]; }
comes "and closes" closed
check "  … at its end, not before" test "$(now_ms)" -ge "${end}000"
check "everybody is back" musubi up --dir "$federation"
comes "its task was ended with it" is_state "$alone_task" stopped
finish
