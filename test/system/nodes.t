#!/usr/bin/env bash
# TAP: a site that runs tasks on three nodes. Site and agents are killed (-9) at random, one or both, again and again,
# while tasks write down when they begin and end: each runs to its end exactly once. Then what a task may do and what it gets
# (limits, environment, account, output), the tasks of a reservation, and a starter that is killed. At the end nothing is left.
#
#   MUSUBI_KILLS=30 test/system/nodes.t        30 kills; 10 otherwise. MUSUBI_SEED=N repeats the same kills
. "$(dirname "$0")/lib.sh"
kills=${MUSUBI_KILLS:-10}
seed=${MUSUBI_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed"
account=$(id -un)
[ "$account" != root ] || account=nobody
nodes=(thin-001 thin-002 thin-003)

# The account of the tasks must be able to pass through this folder; it holds nothing secret.
chmod 711 "$work"
open=$work/open
mkdir "$open"
mkdir -m 1777 "$open/logs"
cat >"$open/task" <<'S'
#!/bin/sh
echo "begin $MUSUBI_NODE" >>"$LOGS/$MUSUBI_TASK"
sleep "0.$((MUSUBI_TASK_INDEX % 7 + 2))"
echo end >>"$LOGS/$MUSUBI_TASK"
S
chmod 755 "$open/task"

cat >"$work/one.zpl" <<Z
name = one
directories = g1
planners = 1

sites
    ams
        classes
            thin
                nodes = 3
                cpus_per_node = 4
        lead = 1s
        back_end = runner
        opening
            bind = 1s
            grace = 1s
        accounts
            $account = "alice, carol"
            no-such-account = "mallory"
Z
federation "$work/one.zpl"
marked () { # processes of tasks, by what their starters put into their environment
  local one
  for one in /proc/[0-9]*/environ; do
    { tr '\0' '\n' <"$one"; } 2>/dev/null | grep -q "^MUSUBI_RUN_FOLDER=$federation/runs/" && echo "${one//[!0-9]/}"
  done
}
starters () { pgrep -f "starter $federation/runs/"; }
again () { musubi up --dir "$federation" >"$work/up" 2>&1 || sed 's/^/# /' "$work/up"; }
submit () { musubi --timeout 60s submit ams "$@" 2>>"$work/errors"; }
tasks () { musubi --timeout 20s --json queue "$1"; }
over () { tasks "$1" | jq -e '[.tasks [].state] | all (IN ("ended", "stopped", "lost", "cancelled"))' >/dev/null; }
until_over () { # BAG: false when it is not within two minutes
  local patience=600
  until over "$1"; do
    patience=$((patience - 1))
    [ $patience -gt 0 ] || return 1
    sleep 0.2
  done
}
task () { tasks "${1%.*}" | jq -r --arg task "$1" ".tasks [] | select (.task == \$task) | $2"; }

# --- exactly once ---

submissions=()
for bag in $(seq "$kills"); do
  submit --limit 60s --count 12 --env "LOGS=$open/logs" -- "$open/task" >>"$work/bags" &
  submissions+=($!)
  victim=${nodes[RANDOM % 3]}
  what=$((RANDOM % 3))
  sleep "0.$((RANDOM % 6))"
  case $what in
  0) echo "# kill $bag: the site" && slay "$(pid_of lis/ams)" ;;
  1) echo "# kill $bag: $victim" && slay "$(pid_of "node/$victim@ams")" ;;
  2) echo "# kill $bag: the site and $victim" && slay "$(pid_of lis/ams)" && slay "$(pid_of "node/$victim@ams")" ;;
  esac
  sleep "0.$((RANDOM % 6))"
  again
done
wait "${submissions[@]}"
mapfile -t bags <"$work/bags"
check "every submission was answered" test ${#bags[@]} -eq "$kills"
check "each with a bag of its own" test "$(sort -u "$work/bags" | wc -l)" -eq "$kills"
waits=0
for bag in "${bags[@]}"; do until_over "$bag" || waits=$((waits + 1)); done
check "all tasks come to an end" test $waits -eq 0
wrong=0 ended=0 lost=0
for bag in "${bags[@]}"; do
  while read -r name state code why; do
    log=$open/logs/${name#ams/}
    begun=$(grep -cs begin "$log")
    done=$(grep -cs end "$log")
    case $state-$code-$begun-$done in
    ended-0-1-1) ended=$((ended + 1)) ;;
    lost-*-[01]-[01]) [ -n "$why" ] && lost=$((lost + 1)) || wrong=$((wrong + 1)) ;;
    *) wrong=$((wrong + 1)) && echo "# $name: $state exit=$code, began $begun and ended $done times ($why)" ;;
    esac
  done < <(tasks "$bag" | jq -r '.tasks [] | "\(.task) \(.state) \(.exit_code) \(.why // "")"')
done
echo "# $ended ended, $lost lost"
check "each task ran exactly once, or is told lost with the reason" test "$wrong/$((ended + lost))" = "0/$((12 * kills))"
check "killing agents and sites loses none" test $lost -eq 0

# --- what a task may do, and what it gets ---

slow=$(submit --limit 1s -- sleep 1000)
busy=$(submit --limit 60s --cpu-limit 300ms -- sh -c 'while :; do :; done')
told=$(submit --limit 60s --env COLOUR=green --env MUSUBI_SITE=lie -- \
  sh -c 'echo "$COLOUR $MUSUBI_SITE $MUSUBI_TASK_INDEX $(id -un) $HOME_SECRET."; pwd; exit 3')
plain=$(submit --limit 60s -- echo '$(touch evil)' '`id`' '*')
gone=$(submit --limit 60s -- /no/such/program)
full=$(submit --limit 60s --stdout /dev/full -- sh -c 'echo out; exit 4')
rest=$(submit --limit 60s -- sh -c 'setsid sleep 1000 & (trap "" TERM; sleep 1000) & exit 0')
other=$(MUSUBI_ACTOR=mallory submit --limit 60s -- id -un)
exits 1 "who has no account here submits nothing" env MUSUBI_ACTOR=bob musubi submit ams --limit 60s -- true
says "and is told so" 'account'
for bag in "$slow" "$busy" "$told" "$plain" "$gone" "$full" "$rest"; do until_over "$bag"; done
check "one over its wall time is ended" test "$(task "$slow.0" .state)" = stopped
check "and its owner told why" grep -q 'longer than its limit' <<<"$(task "$slow.0" .why)"
check "one over its processor time is ended" test "$(task "$busy.0" .state)" = stopped
check "and its owner told why" grep -q 'processor time' <<<"$(task "$busy.0" .why)"
check "its exit code is told" test "$(task "$told.0" .exit_code)" = 3
check "its output is kept" musubi output "$told.0"
says "environment and account are as they should" "^green ams 0 $account \.\$"
says "its folder was made for it" "^$federation/runs/.*/work\$"
check "arguments reach it" musubi output "$plain.0"
says "and never a shell" '^\$\(touch evil\) `id` \*$'
check "a program that is not there is refused" grep -q '/no/such/program' <<<"$(task "$gone.0" .why)"
check "one that writes to a full disk ends as it decides" test "$(task "$full.0" '"\(.state) \(.exit_code)"')" = "ended 4"
until_over "$other"
check "an account that the node does not have is refused" grep -q 'no-such-account' <<<"$(MUSUBI_ACTOR=mallory task "$other.0" .why)"

# --- tasks of a reservation ---

cat >"$work/request.json" <<'J'
{"window": {"earliest": "now+4s", "latest": "now+5m"}, "duration": "30m", "compute": [{"id": "ocean", "site": "ams", "cpus": 12}]}
J
answer=$(musubi --json reserve "$work/request.json" 2>>"$work/errors")
reservation=$(jq -r .reservation <<<"$answer")
start=$(date +%s%3N -d "$(jq -r .start <<<"$answer")")
mine=$(submit --limit 20m --reservation "$reservation" --env "LOGS=$open/logs" -- \
  sh -c 'date +%s%3N >"$LOGS/reserved"; exec sleep 1000')
exits 1 "others are kept out" env MUSUBI_ACTOR=carol musubi submit --reservation "$reservation" --limit 1s -- true
comes "its task begins" test -s "$open/logs/reserved"
check "the reservation is to end soon" ends_soon "$reservation"
until_over "$mine"
check "its task began at its opening, not before" test "$(cat "$open/logs/reserved")" -ge "$start"
check "and ends with it" test "$(task "$mine.0" .state)" = stopped
check "as its owner is told" grep -q 'reservation' <<<"$(task "$mine.0" .why)"

# --- a starter that is killed ---

last=$(submit --limit 60s --env "LOGS=$open/logs" -- sh -c 'echo begin >>"$LOGS/last"; exec sleep 1000')
patience=300
until [ -s "$open/logs/last" ] || [ $patience -eq 0 ]; do patience=$((patience - 1)); sleep 0.1; done
for one in $(starters); do slay "$one"; done
until_over "$last"
check "a task whose starter was killed is lost" test "$(task "$last.0" .state)" = lost
check "with the reason" grep -q 'starter has died' <<<"$(task "$last.0" .why)"

check "nothing is left of any task" test -z "$(marked)"
check "nor of who has started them" test -z "$(starters)"
finish
