#!/usr/bin/env bash
# A site over a real Slurm: tasks are its jobs, a reservation is made there before its start, nothing of it starts before the
# opening and nobody else's on its nodes, a job in the way is requeued, and at the end Slurm is as it was before.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
slurm_federation 3 4s
told=$work/told
mkdir -m 1777 "$told"

# --- the queue ---

bag=$(run -- sh -c 'echo "$SLURM_JOB_NAME on $MUSUBI_NODE, index $MUSUBI_TASK_INDEX"')
odd=(printf '[%s]' 'two words' $'a\nline' '$HOME' '*' '' "it's" '"' ';ls' '\n' '--' '-n' '`id`')
strange=$(run -- "${odd[@]}")
plain=$(run -- env)
code=$(run -- sh -c 'exit 7')
killed=$(run -- sh -c 'kill -9 $$')
refused=$(run --folder /no/such/folder -- true)
comes "a task of the queue runs as a job" is "$bag" state ended
exits 0 "its output is told" musubi output "$bag.0"
says "it was a job of the run's name, on a node of Slurm" '^musubi-ams-[0-9a-f]+-1\.0\.1 on n[1-3], index 0$'
comes "another has odd arguments" is "$strange" state ended
check "they reach it as they are" cmp <("${odd[@]}") <(musubi output "$strange.0")
comes "a third tells its environment" is "$plain" state ended
check "it has its path" grep -qx 'PATH=/usr/local/bin:/usr/bin:/bin' <(musubi output "$plain.0")
check "neither our clock's zone nor our language" test -z "$(musubi output "$plain.0" | grep -E '^(TZ|LC_ALL)=')"
check "and no node looked for its account's, which takes a second" test -z "$(musubi output "$plain.0" | grep ^SLURM_GET_USER_ENV=)"
comes "an exit code is told" is "$code" exit_code 7
comes "a signal is told" is "$killed" signal 9
comes "one without its folder does not run" is "$refused" exit_code 126
array=$(run --count 5 -- sh -c 'sleep 0.5')
comes "five tasks of a bag run" test_over "$array" 5
full=$(run --count 3 --cpus 2 -- sleep 600)
comes "three fill all nodes" running "$full" 3
waits=$(run --cpus 2 -- true)
reason () { musubi queue "$1" --json | jq -e --arg why "$2" '.tasks[0] | .state == "placed" and (.waits | test($why))'; } # BAG PATTERN
comes "one more waits for Slurm's own reason" reason "$waits" '^Slurm says PENDING, (Resources|Priority)$'
counted () { musubi queue --json | jq -e --arg bag "$1" '.bags[] | select(.bag == $bag) | .queued == 1 and .running == 0 and (.why | test("PENDING"))'; }
check "it is not counted as running" counted "$waits"
exits 0 "and people" musubi queue "$waits"
says "  … are told, too" 'placed .*Slurm says PENDING, '
check "they are cancelled" musubi cancel "$full"
comes "and the one that waited runs" is "$waits" state ended
check "the partition gets a limit" scontrol update partitionname=batch MaxTime=9
comes "a task that could never start for it is refused" refused_for "$work/refused" 'limit_ms: slurm lets no job there run for longer than 540 s, and this one asks for 600 s'
check "which goes" scontrol update partitionname=batch MaxTime=INFINITE
long=$(musubi submit ams --limit 5m -- sleep 600 2>/dev/null)
comes "a long one runs" is "$long" state running
check "it is cancelled" musubi cancel "$long"
comes "it has ended, and Slurm has no job of it" no_jobs

# --- a reservation ---

scontrol -o show reservation >"$work/before"
victim=$(as_account sbatch --parsable -w n1 -o /dev/null --wrap "echo start \$SLURM_RESTART_COUNT >>$told/victim; [ \$SLURM_RESTART_COUNT ] || sleep 600; echo end >>$told/victim")
comes "somebody's job runs on a node" grep -q start "$told/victim"
again=$(run --requeue -- sh -c '[ "$MUSUBI_RUN" -gt 1 ] || exec sleep 500')
comes "a task of the queue that may be tried again runs, too" is "$again" state running
start=$(($(date +%s) + 12))
check "all nodes are reserved" reserve trio "$(date -u -d "@$start" +%FT%TZ)" 10m 6
id=$(jq -r .reservation "$work/taken")
check "from the second that was asked for" test "$(date -d "$(jq -r .start "$work/taken")" +%s%3N)" = "${start}000"
check "tasks are submitted for it" submit ams --reservation "$id" --count 6 --limit 5m -- sh -c 'date +%s%3N; sleep 2'
bag=$(cat "$work/bag")
comes "Slurm has the reservation before its start" in_slurm "$id" INACTIVE
check "before the start" test "$(date +%s)" -lt "$start"
check "it has all its nodes, for its account" grep -q "Nodes=n\[1-3\] NodeCnt=3 .* Users=$slurm_account " "$work/seen"
comes "its jobs wait in Slurm" queued_jobs 6
outsider=$(as_account sbatch --parsable -o /dev/null -t 10 --wrap "date +%s >$told/outsider")
own=$(as_account sbatch --parsable "--reservation=musubi-ams-$id" -o "$told/own" --wrap 'date +%s%3N')
check "plain sbatch takes a job of its owner" test "$own"
comes "it opens" in_slurm "$id" ACTIVE
comes "its tasks have run" test_over "$bag" 6
for i in 0 1 2 3 4 5; do musubi output "$bag.$i"; done | sort -n >"$work/starts"
check "none began before the opening" test "$(head -n 1 "$work/starts")" -ge "${start}000"
echo "# began after the opening: $(while read -r ms; do echo -n "$((ms - start * 1000)) "; done <"$work/starts")ms"
check "the job that was in the way was requeued" grep -q 'JobState=PENDING.* Restarts=1' <(scontrol -o show job "$victim")
check "an outsider's job was kept out" test ! -e "$told/outsider"
comes "the owner's own job has a CPU when one of the six has ended" test -s "$told/own"
check "not before the opening either" test "$(cat "$told/own")" -ge "${start}000"
check "it is to end soon" ends_soon "$id"
comes "it closes" gone_from_slurm "$id"
check "Slurm has the reservations of before" cmp "$work/before" <(scontrol -o show reservation)
comes "the outsider's job runs now" test -e "$told/outsider"
comes "the job that was in the way has run to its end" grep -q end "$told/victim"
comes "the task of the queue is tried again" is "$again" tries 2
comes "and ends" is "$again" state ended
finish
