#!/usr/bin/env bash
# A site over a real Grid Engine: tasks are its jobs, a reservation is a queue there before its start, nothing of it starts
# before the opening and nobody else's on its nodes, a job in the way is run again, and at the end Grid Engine is as before.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
grid_storage=disk-1 grid_federation 3 6s
told=$work/told
mkdir -m 1777 "$told"

# --- the queue ---

bag=$(run -- sh -c 'echo "$JOB_NAME on $MUSUBI_NODE, index $MUSUBI_TASK_INDEX"')
comes "a task of the queue runs as a job" is "$bag" state ended
exits 0 "its output is told" musubi output "$bag.0"
says "it was a job of the run's name, on a node of Grid Engine" '^musubi-ams-[0-9a-f]+-1\.0\.1 on g[1-3], index 0$'
odd=(printf '[%s]' 'two words' $'a\nline' '$HOME' '*' '' "it's" '"' ';ls' '\n' '--' '-n' '`id`')
bag=$(run -- "${odd[@]}")
comes "another has odd arguments" is "$bag" state ended
check "they reach it as they are" cmp <("${odd[@]}") <(musubi output "$bag.0")
code=$(run -- sh -c 'exit 7')
comes "an exit code is told" is "$code" exit_code 7
seq 1000 >"$work/numbers"
check "a file is put" musubi put "$work/numbers" numbers --site ams
copied=$(run --input numbers=in/n --output out/n=copied -- sh -c 'mkdir out && cat in/n >out/n; echo worse 2>/dev/null >in/n; [ $? -ne 0 ]')
comes "a task reads it, and can't write it" is "$copied" state ended
exits 0 "what it has left is a file of the federation" musubi get copied -o "$work/copied" --site ams
check "  … with the right bytes" cmp "$work/numbers" "$work/copied"
array=$(run --count 5 -- sh -c 'sleep 0.5')
comes "five tasks of a bag run" test_over "$array" 5
wide=$(run --cpus 2 -- true)
comes "a task of two CPUs runs on one host" is "$wide" state ended
full=$(run --count 3 --cpus 2 -- sleep 600)
running () { musubi queue --json | jq -e --arg bag "$1" '.bags[] | select(.bag == $bag) | .running == 3' >/dev/null; }
comes "three fill all hosts" running "$full"
waits=$(run --cpus 2 -- true)
reason () { musubi queue "$1" --json | jq -e --arg why "$2" '.tasks[0] | .state == "placed" and (.waits | test($why))'; } # BAG PATTERN
comes "one more waits for Grid Engine's own reason" reason "$waits" '^Grid Engine says (All queues dropped|cannot run|queue instance)'
check "they are cancelled" musubi cancel "$full"
comes "and the one that waited runs" is "$waits" state ended
check "the queue gets a limit" qconf -rattr queue h_rt 0:9:0 batch
refused_for () { ! musubi submit ams --limit 10m -- true 2>"$work/refused" && grep -q "$1" "$work/refused"; }
comes "a task that could never start for it is refused" refused_for 'limit_ms: gridengine lets no job there run for longer than 540 s'
check "which goes" qconf -rattr queue h_rt INFINITY batch
long=$(musubi submit ams --limit 5m -- sleep 600 2>/dev/null)
comes "a long one runs" is "$long" state running
check "it is cancelled" musubi cancel "$long"
comes "it has ended, and Grid Engine has no job of it" no_jobs

# --- a reservation ---

spare_queue g2
all_of_grid >"$work/before"
victim=$(as_account qsub -terse -r y -q batch@g1 -wd "$told" -o /dev/null -j y -S /bin/sh <<<"echo start >>$told/victim; sleep 60; echo end >>$told/victim")
comes "somebody's job runs on a node" grep -q start "$told/victim"
start=$(($(date +%s) + 25))
check "all nodes are reserved" reserve trio "$(date -u -d "@$start" +%FT%TZ)" 10m 6
id=$(jq -r .reservation "$work/taken")
check "from the second that was asked for" test "$(date -d "$(jq -r .start "$work/taken")" +%s%3N)" = "${start}000"
bag=$(musubi submit ams --reservation "$id" --count 6 --limit 5m -- sh -c $'date +%s%3N; sleep 2\n#$ -A other\n#$ -p -77')
comes "Grid Engine has its queue before its start" in_grid "$id"
check "before the start" test "$(date +%s)" -lt "$start"
comes "its jobs wait there" queued_jobs "musubi-ams-$id" 6
check "no line of their arguments is an option of qsub" test -z "$(qstat -j '*' | grep -E '^(account: +other|priority: +-77)')"
own=$(as_account qsub -terse -q "musubi-ams-$id" -l "musubi=musubi-ams-$id" -wd "$told" -o "$told/own" -j y -S /bin/sh <<<'date +%s%3N')
check "plain qsub takes a job of its owner" test "$own"
comes "it opens" opened "$id" 3
outsider=$(as_account qsub -terse -wd "$told" -o /dev/null -j y -S /bin/sh <<<"date +%s >$told/outsider")
comes "its tasks have run" test_over "$bag" 6
for i in 0 1 2 3 4 5; do musubi output "$bag.$i"; done | sort -n >"$work/starts"
check "none began before the opening" test "$(head -n 1 "$work/starts")" -ge "${start}000"
echo "# began after the opening: $(while read -r ms; do echo -n "$((ms - start * 1000)) "; done <"$work/starts")ms"
check "the job that was in the way waits to be run again" grep -q Rq <(qstat -u '*' -s p)
check "an outsider's job was kept out" test ! -e "$told/outsider"
check "the owner's own job ran" test "$(cat "$told/own")" -ge "${start}000"
check "it is to end soon" ends_soon "$id"
comes "it closes" gone_from_grid "$id"
comes "the outsider's job $outsider runs now" test -e "$told/outsider"
counted () { musubi show "$id" --json | jq -e '.openings[] | .counted == "accounting" and .cpu_ms > 0'; }
comes "what it used is what Grid Engine's accounting says" counted
exits 0 "and people" musubi show "$id"
says "  … are told so" "used [0-9]+ % by the batch system's accounting"
comes "the job $victim that was in the way has run to its end" grep -q end "$told/victim"
check "Grid Engine is as it was before" cmp "$work/before" <(all_of_grid)
finish
