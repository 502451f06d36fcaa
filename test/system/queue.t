#!/usr/bin/env bash
# The queue of a site, as real processes: bags, their order, backfill and preemption, limits, output, rights, and a site that
# is killed meanwhile. Every task of this test writes down when it starts and ends, by its own clock.
. "$(dirname "$0")/lib.sh"
chmod 711 "$work"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody
export MUSUBI_ACTOR=alice

cat >"$work/two.zpl" <<Z
name = two
directories = g1
planners = 1

sites
    ams
        classes
            thin
                nodes = 3
                cpus_per_node = 4
                attributes
                    size = thin
            fat
                nodes = 1
                cpus_per_node = 8
                attributes
                    size = fat
        lead = 1s
        back_end = runner
        nodes
            attend = 1s
        opening
            bind = 500ms
            warning = 2s
            grace = 1s
            lend = 1s
        accounts
            $account = "alice, bob"
    ber
        classes
            thin
                nodes = 1
        lead = 1s
Z
federation "$work/two.zpl"

# The files that tasks write, and the gates that they wait for.
shared=$work/shared
mkdir -m 777 "$shared" "$shared/a folder"
cat >"$shared/task" <<'T'
#!/bin/sh
# task NAME [GATE]: writes down "NAME.INDEX start|warned|told|end MS"; with a gate it runs until that file exists.
say () { echo "$name.$MUSUBI_TASK_INDEX $1 $(date +%s%3N)" >>"$(dirname "$0")/log"; }
name=$1 gate=$2
trap 'say warned' USR1
trap 'say told; exit 9' TERM
say start
while [ "$gate" ] && ! [ -e "$gate" ]; do sleep 0.05; done
say end
echo done
T
chmod 755 "$shared/task"
: >"$shared/log"
chmod 666 "$shared/log"

submit () { musubi submit "$@" 2>/dev/null; }
run () { submit ams --limit 10m "$@"; }
of_task () { musubi queue "$1" --json | jq -r ".tasks[0].$2"; } # NAME FIELD
state () { of_task "$1" state; }
is () { [ "$(of_task "$1" "$2")" = "$3" ]; }
all_over () { musubi queue --over --json | jq -e --arg bag "$1" '.bags[] | select(.bag == $bag) | .over == .tasks' >/dev/null; }
tell_more () { musubi queue --over; cat "$shared/log"; }
said () { awk -v who="$1" -v what="$2" '$1 == who && $2 == what {print $3; exit}' "$shared/log"; } # NAME.INDEX WORD
has_said () { [ "$(said "$1" "$2")" ]; }
times () { awk -v who="$1" -v what="$2" '$1 == who && $2 == what' "$shared/log" | wc -l; }
test_runs () { [ "$(wc -l <"$shared/runs")" -ge "$1" ]; }
test_nothing () { musubi queue --json | jq -e '.bags == []' >/dev/null; }
test_no_starter () { ! pgrep -f "starter $federation" >/dev/null; }
before () { [ -n "$1" ] && [ -n "$2" ] && [ "$1" -le "$2" ]; }
reserve () { # SIZE CPUS START DURATION: its id
  printf '{"name": "r", "window": {"earliest": "%s", "deadline": "now+20h"}, "duration": "%s",
    "compute": [{"id": "all", "cpus": %s, "site": "ams", "require": {"size": "%s"}}]}' "$3" "$4" "$2" "$1" |
    musubi reserve - --json 2>/dev/null | jq -r .reservation
}
start_ms () { date -d "$(musubi show "$1" --json | jq -r '.start')" +%s%3N; }

# --- what a program is given ---

odd=(printf '[%s]' 'two words' $'a\nline' '$HOME' '*' '' "it's" '"' ';ls' '\n' 'käse' '--' '-n' '`id`' '#')
bag=$(run -- "${odd[@]}")
comes "a program runs" is "$bag" state ended
check "its arguments reach it as they are, by no shell" cmp <("${odd[@]}") <(musubi output "$bag.0")
export ONLY_HERE=yes
bag=$(run --env 'ODD=a "b" $c' --env HOME=/nowhere -- env)
comes "its environment" is "$bag" state ended
exits 0 "is told" musubi output "$bag"
says "as it was ordered" '^ODD=a "b" \$c$'
says "over what is given to all" '^HOME=/nowhere$'
says "with its place in the bag" '^MUSUBI_TASK_INDEX=0$'
check "and with nothing of the client's" test -z "$(grep ONLY_HERE <<<"$output")"
bag=$(run --folder "$shared/a folder" --stdout out --errors err -- sh -c 'pwd; id -un; echo oops >&2')
comes "its folder and its files" is "$bag" state ended
check "are where it says" cmp <(printf '%s\n' "$shared/a folder" "$account") "$shared/a folder/out"
check "output is told from there" cmp "$shared/a folder/out" <(musubi output "$bag")
check "and standard error from its own" test "$(musubi output "$bag" --errors)" = oops

# --- how it ends ---

code=$(run -- sh -c 'exit 7')
killed=$(run -- sh -c 'kill -9 $$')
wall=$(submit ams --limit 1s -- sleep 600)
cpu=$(run --cpu-limit 1s -- sh -c 'while :; do :; done')
missing=$(run -- /no/such/program)
nowhere=$(run --folder /no/such/folder -- true)
comes "one that ends with a code" is "$code" exit_code 7
check "has ended by itself" is "$code" state ended
comes "one that ends by a signal" is "$killed" signal 9
check "has ended by itself, too" is "$killed" state ended
comes "one over its time is stopped" is "$wall" state stopped
check "and why is told" grep -q limit <(of_task "$wall" why)
comes "one over its processor time is stopped" is "$cpu" state stopped
check "and why is told as well" grep -q 'processor time' <(of_task "$cpu" why)
comes "a command that does not exist is not run" is "$missing" state stopped
check "and named" grep -q '/no/such/program: No such file' <(of_task "$missing" why)
comes "nor one whose folder does not" is "$nowhere" state stopped
check "that is named as well" grep -q '/no/such/folder: No such file' <(of_task "$nowhere" why)
check "neither has an exit code" test "$(of_task "$missing" exit_code) $(of_task "$nowhere" exit_code)" = "null null"
failed () { musubi queue --over --json | jq -r --arg bag "$1" '.bags[] | select(.bag == $bag) | .failed'; }
for bag in "$code" "$killed" "$wall" "$missing"; do
  check "it counts as failed" test "$(failed "$bag")" = 1
done
check "what ended well does not" test "$(failed "${missing%/*}/1")" = 0
exits 0 "the queue" musubi queue --over
says "tells so" '>?FAILED'
exits 1 "one that failed is followed to its end" musubi output "$code" --follow
says "which is told" "output: task $code.0 ended with exit code 7"
exits 1 "so is one that was killed" musubi output "$killed" --follow
says "by its signal" "output: task $killed.0 ended by signal 9"
exits 1 "and one that was stopped" musubi output "$wall" --follow
says "with the reason" "output: task $wall.0 stopped: .*limit"
exits 1 "and one that was never started" musubi output "$missing" --follow
says "with its own" 'could not be started: .*/no/such/program: No such file'
exits 0 "without --follow its output is told" musubi output "$code"

exits 0 "what would be sent can be seen" musubi submit --dry-run --limit 1m --count 3 -- true
says "and where to" 'nothing is sent; ams would be asked for 3 tasks of 1 CPU$'

# --- what is not passed on ---

mkfifo "$work/input"
exec 9<>"$work/input"
echo data >&9
output=$(musubi submit ams --limit 1m -- cat 2>&1 <&9)
got=$? refused=$output
check "input in a pipe is refused" test $got -eq 2
output=$refused
says "with what to do" 'tasks get no standard input.*</dev/null'
read -r -u 9 line
check "it is still there" test "$line" = data
check "an empty pipe is no input" test -n "$(musubi submit ams --limit 1m -- true 2>/dev/null <&9)"
exec 9>&-

# --- order ---

fat=(run --class fat --cpus 8)
first=$("${fat[@]}" -- "$shared/task" first "$shared/first")
comes "one takes all of the fat node" is "$first" state running
a=$("${fat[@]}" -- "$shared/task" a)
b=$("${fat[@]}" -- "$shared/task" b)
low=$("${fat[@]}" --priority -5 -- "$shared/task" low)
high=$("${fat[@]}" --priority 5 -- "$shared/task" high)
check "others wait" is "$a" state queued
exits 0 "the queue tells of them" musubi queue ams
says "with their priority, and when they are expected" "^$high +alice .* 5  20..-..-..T"
musubi output "$a" --follow >"$work/early" 2>&1 &
early=$!
touch "$shared/first"
comes "all have run" all_over "$low"
wait $early
check "one that waited could be followed" test $? -eq 0 -a "$(cat "$work/early")" = done
check "higher priority first, then as they came" \
  test "$(awk '$1 ~ /^(a|b|low|high)\.0$/ && $2 == "start" {printf "%s ", $1}' "$shared/log")" = 'high.0 a.0 b.0 low.0 '

# --- following ---

lines=$(run -- sh -c "echo one; while ! [ -e $shared/two ]; do sleep 0.05; done; echo two; exit 3")
musubi output "$lines.0" --follow >"$work/followed" 2>"$work/ended" &
follower=$!
comes "what is written is told while it runs" grep -q one "$work/followed"
check "it does run" is "$lines" state running
touch "$shared/two"
wait $follower
check "following ends with the task, which did not end well" test $? -eq 1
check "how is told" grep -q "task $lines.0 ended with exit code 3" "$work/ended"
check "and has told all" cmp <(printf 'one\ntwo\n') "$work/followed"
bag=$(run -- sh -c 'yes 0123456789abcde | head -n 100000')
comes "a long output" is "$bag" state ended
check "is told whole, piece by piece" cmp <(yes 0123456789abcde | head -n 100000) <(musubi output "$bag")

# --- cancelled ---

four=$(run --class thin --cpus 4 --count 4 -- "$shared/task" four "$shared/never")
comes "three of four run on three nodes" is "$four.2" state running
exits 0 "one that waits is cancelled" musubi cancel "$four.3"
says "as such" ': 1 cancelled before they started, 0 told to end'
exits 0 "one that runs is told to end" musubi cancel "$four.1"
says "as such" ': 0 cancelled before they started, 1 told to end'
comes "it has ended" is "$four.1" state stopped
check "by SIGTERM, which it may answer" is "$four.1" exit_code 9
check "it is told who did it" is "$four.1" why 'cancelled by alice'
check "so is the one that waited" is "$four.3" why 'cancelled by alice'
exits 0 "the rest goes with the bag" musubi cancel "$four"
says "both" ': 0 cancelled before they started, 2 told to end'
comes "all are over" all_over "$four"
check "and the one that was cancelled first never ran" test -z "$(said four.3 start)"
exits 1 "it can't be followed" musubi output "$four.3" --follow
says "and why is told" 'cancelled before it began'

# --- around a reservation ---

reserved=$(reserve fat 8 now+25s 4s)
opening=$(start_ms "$reserved")
tells=$(submit --reservation "$reserved" --limit 1m -- "$shared/task" reserved)
long=$("${fat[@]}" -- "$shared/task" long)
short=$(submit ams --class fat --cpus 8 --limit 1s -- "$shared/task" short)
comes "what is short enough goes ahead of a reservation" is "$short" state ended
check "what is not waits" is "$long" state queued
check "until the reservation's end, as it is told" \
  before $((opening + 4000)) "$(date -d "$(musubi queue --json | jq -r --arg bag "$long" '.bags[] | select(.bag == $bag) | .expected')" +%s%3N)"

# --- preempted: meanwhile, on the other nodes ---

again=$(run --class thin --cpus 4 --preemptible --requeue --count 2 -- "$shared/task" again "$shared/never")
once=$(run --class thin --cpus 4 --preemptible -- "$shared/task" once "$shared/never")
comes "preemptible tasks have all thin nodes" is "$once" state running
thin=$(reserve thin 12 now+12s 10m)
check "which are reserved all the same" test "$thin" != null
thin_opening=$(start_ms "$thin")
mine=$(submit --reservation "$thin/all" --limit 5m --cpus 4 -- "$shared/task" mine "$shared/mine")
check "a task may be submitted before the opening" is "$mine" state queued
MUSUBI_ACTOR=bob exits 1 "by nobody else" musubi submit ams --reservation "$thin" --limit 1m -- true
says "whose it is not" 'belongs to another owner than bob'
exits 1 "of a need that it has" musubi submit --reservation "$thin/none" --limit 1m -- true

# --- what is refused ---

exits 1 "an unknown site" musubi submit nowhere --limit 1m -- true
exits 1 "a site that runs nothing" musubi submit ber --limit 1m -- true
says "is called so" 'runs no tasks'
exits 1 "an unknown reservation" musubi submit --reservation nobodys --limit 1m -- true
exits 1 "at a site as well" musubi submit ams --reservation nobodys --limit 1m -- true
exits 1 "an unknown class" musubi submit --class thick --limit 1m -- true
exits 2 "more CPUs than a node has" musubi submit --cpus 9 --limit 1m -- true
says "are told how many it has" '8 CPUs, not 9'
exits 2 "more than those of its class" musubi submit --class thin --cpus 5 --limit 1m -- true
exits 2 "no CPU" musubi submit --cpus 0 --limit 1m -- true
exits 2 "no task" musubi submit --count 0 --limit 1m -- true
exits 2 "too many" musubi submit --count 1000001 --limit 1m -- true
exits 2 "no limit" musubi submit -- true
exits 2 "a limit below zero" musubi submit --limit -1s -- true
exits 2 "one beyond all bounds" musubi submit --limit 400d -- true
says "is told the bound's name" 'task_limit'
exits 2 "more processor time than there is" musubi submit --limit 1m --cpu-limit 2m -- true
exits 2 "an unknown priority" musubi submit --limit 1m --priority 1001 -- true
exits 2 "no program" musubi submit --limit 1m
exits 2 "a variable without a value" musubi submit --limit 1m --env ODD -- true
exits 2 "a folder that is relative" musubi submit --limit 1m --folder here -- true
exits 2 "too much to say" musubi submit --limit 1m -- echo "$(head -c 70000 /dev/zero | tr '\0' x)"
exits 1 "a bag that there is not" musubi cancel ams/999999
exits 1 "a task that a bag has not" musubi output "$code.1"
exits 2 "a name that is none" musubi queue ams/0

# --- both reservations open ---

comes "it starts at the opening" is "$mine" state running
comes "and says so" has_said mine.0 start
check "not before" before "$thin_opening" "$(said mine.0 start)"
for borrower in again.0 again.1 once.0; do
  check "$borrower was warned" has_said $borrower warned
  check "$borrower was told to end later" before "$(said $borrower warned)" "$(said $borrower told)"
  check "$borrower had ended before the opening" before "$(said $borrower told)" "$thin_opening"
done
touch "$shared/mine"
comes "its task ends" is "$mine" state ended
check "one that was preempted ends for good" is "$once" state stopped
check "and is told why" grep -q 'reserv' <(of_task "$once" why)
comes "the others borrow what its owner leaves idle" is "$again.1" state running
check "for the second time" is "$again.1" tries 2
both=$(submit --reservation "$thin" --limit 5m --cpus 4 --count 2 -- "$shared/task" both "$shared/never")
comes "until its owner wants it" is "$both.1" state running
check "who borrowed was told to end" test $(($(times again.0 told) + $(times again.1 told))) -ge 3
check "and waits" grep -q queued <(musubi queue "$again")
exits 0 "a reservation given back" musubi release "$thin"
comes "ends what runs there" is "$both.1" state stopped
comes "and the nodes are everybody's" is "$again.1" tries 3
musubi cancel "$again" >/dev/null
comes "the reservation beside has opened meanwhile" is "$tells" state ended
check "not early" before "$opening" "$(said reserved.0 start)"
check "nor late: the queue had left its node" before "$(said short.0 end)" "$opening"
comes "and what was too long for it has run" is "$long" state ended
check "when it was over" before $((opening + 4000)) "$(said long.0 start)"

# --- who may ---

bobs=$(MUSUBI_ACTOR=bob submit ams --limit 1m -- echo bobs)
alices=$(run -- echo alices)
comes "two owners' tasks" is "$bobs" state ended
comes "have run" is "$alices" state ended
MUSUBI_ACTOR=bob exits 1 "somebody else's output is not told" musubi output "$alices"
MUSUBI_ACTOR=bob exits 1 "nor its tasks" musubi queue "$alices"
MUSUBI_ACTOR=bob exits 1 "nor is it cancelled" musubi cancel "$alices"
MUSUBI_ACTOR=bob exits 0 "nor listed" musubi queue --over
check "but for one's own" test "$(awk '/^ams/ {print $2}' <<<"$output" | sort -u)" = bob
exits 0 "an administrator is shown all" musubi output "$bobs"
MUSUBI_ACTOR=carol exits 1 "nobody without an account submits" musubi submit ams --limit 1m -- true
says "and is told so" 'no local account'

# --- full disks ---

small () { mkdir -p "$1" && mount -t tmpfs -o "size=$2,mode=$3" tmpfs "$1" 2>/dev/null; } # DIR SIZE MODE
own=$work/small node=$federation/runs/node-fat-001@ams
trap 'umount -l "$own" "$node" 2>/dev/null; cleanup' EXIT
if [ "$(id -u)" -eq 0 ] && small "$own" 64k 777 && small "$node" 256k 711; then
  full=$(run --class thin --stdout "$own/out" -- sh -c 'yes | head -c 1000000 && echo unnoticed >&2')
  comes "one whose output fills its disk ends" all_over "$full"
  check "as its program takes it" is "$full" exit_code 1
  check "with what there was room for" test "$(musubi output "$full" | wc -c)" -gt 1000
  full=$(run --class fat -- sh -c 'yes | head -c 1000000 && exit 3')
  comes "output never takes the room that its node's disk needs, and the task goes on" is "$full" exit_code 3
  check "what was dropped is told with the task" is "$full" dropped 1000000
  musubi queue "$full" >"$work/told"
  check "for people, too" grep -q '1000000 bytes of output were dropped' "$work/told"
  exits 0 "and with its output" musubi output "$full"
  says "with the limit's name" '1000000 more bytes were dropped.*limits/output'
  full=$(run --class fat -- sh -c 'yes >fill 2>/dev/null; exit 4')
  comes "the end of one that fills its node's disk is recorded there all the same" is "$full" exit_code 4
  next=$(run --class fat -- true)
  rests () { musubi nodes ams --json | jq -r '.nodes[] | select(.node == "fat-001").resting'; }
  comes "nothing can be started there then, and why is told" eval 'rests | grep -q "No space left"'
  check "what was to be waits" is "$next" state queued
  umount -l "$own" "$node"
  comes "until there is room again" is "$next" state ended
else
  ok "full disks # SKIP only root may mount small ones"
fi

# --- the site is killed ---

many=$(run --class thin --count 40 --request-id many -- sh -c "echo \$MUSUBI_TASK_INDEX.\$MUSUBI_RUN >>$shared/runs; sleep 0.3")
for ran in 3 13 23; do
  comes "$ran have begun" test_runs $ran
  [ $ran -lt 23 ] || printf 'limits\n    bags_max = 2\n' >>"$federation/lis-ams.zpl"
  slay "$(pid_of lis/ams)"
  check "the site is killed, and returns" musubi up --dir "$federation"
done
check "the same submission is the same bag" test "$(run --class thin --count 40 --request-id many -- sh -c "echo \$MUSUBI_TASK_INDEX.\$MUSUBI_RUN >>$shared/runs; sleep 0.3")" = "$many"
exits 2 "another one under its id is none" musubi submit ams --limit 10m --request-id many -- true
says "and told whose id that is" "bag ${many#ams/}"
comes "all come to their end" all_over "$many"
check "nothing is lost" test "$(musubi queue "$many" --json | jq '[.tasks[] | select(.state == "ended" and .tries == 1)] | length')" = 40
check "nothing has run twice" cmp <(seq -f '%.0f.1' 0 39) <(sort -n "$shared/runs")

# --- limits, since the site was started last: two bags in all, one of each owner ---

held=$(run -- "$shared/task" held "$shared/never")
exits 1 "one's second is refused" musubi submit ams --limit 1m -- true
says "by its limit's name" "a tenth of limits/bags_max"
check "somebody else's is not" env MUSUBI_ACTOR=bob musubi submit ams --limit 1m -- "$shared/task" held "$shared/never"
MUSUBI_ACTOR=bob exits 1 "but the third in all" musubi submit ams --limit 1m -- true
says "by the other's" limits/bags_max:
musubi cancel "$held" >/dev/null
comes "one that is over" all_over "$held"
check "leaves room" musubi submit ams --limit 1m -- true
for bag in $(musubi queue --json | jq -r '.bags[].bag'); do musubi cancel "$bag" >/dev/null; done
comes "with all cancelled" test_nothing
comes "nothing runs" test_no_starter
finish
