#!/usr/bin/env bash
# A site whose batch system is a folder of programs (svc-lis/commands): with the example's it reserves, runs tasks in the
# reservation, and gives it back. Programs that die, hang, lie or stop half-way are told in words; nothing is lost for it,
# done twice, or left half done.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/batch_lib.sh"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody
chmod 755 "$work"
programs=$work/programs spool=$work/spool
mkdir -m 777 "$work/ran"
mkdir "$programs" "$spool" "$spool/reservations" "$spool/jobs"
chmod 1777 "$spool/jobs"
install -m 755 "$root"/svc-lis/commands/example/* "$programs"
echo "$spool" >"$programs/spool"
printf 'c%s 2 up\n' 1 2 >"$spool/nodes"
for one in list reserve state submit; do # each says something else as long as there is a lie about it
  mv "$programs/$one" "$programs/$one.true"
  printf '#!/bin/sh\n[ ! -e "$0.lie" ] || . "$0.lie"\nexec "$0.true" "$@"\n' >"$programs/$one"
  chmod 755 "$programs/$one"
done
lie () { cat >"$programs/$1.new" && mv "$programs/$1.new" "$programs/$1.lie"; }
truth () { rm -f "$programs/$1.lie"; }
cat >"$work/one.zpl" <<Z
name = one
directories = g1
planners = 1

sites
    ams
        classes
            any
                nodes = 2
                names = "c[1-2]"
                cpus_per_node = 2
        lead = 3s
        back_end = commands
        batch
            queue = all
            programs = "$programs"
            limit = 4s
            watch = 500ms
        nodes
            attend = 1s
        opening
            warning = 1s
            grace = 2s
        accounts
            $account = "alice"
Z
end_jobs () { for one in "$spool"/jobs/*/pid; do [ ! -e "$one" ] || kill -9 -- "-$(cat "$one")" 2>/dev/null; done; }
trap 'end_jobs; cleanup; end_jobs' EXIT
tell_more () {
  musubi queue --over
  musubi nodes ams
  "$programs/list.true" all
  tail -n 12 "$federation"/log/lis-ams.log "$federation"/log/batch-*.log
}
ask () { # EARLIEST CPUS OPTION…: $work/taken
  printf '{"window": {"earliest": "%s", "deadline": "now+1h"}, "duration": "20m",
    "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' "$1" "$2" | musubi reserve - --json "${@:3}" >"$work/taken"
}
nodes_are () { musubi nodes ams --json | jq -e --arg state "$1" '[.nodes[] | select(.class != "" and .state == $state)] | length == 2'; }
why () { musubi nodes ams --json | jq -r '.nodes[].why' | grep -qE -- "$1"; }

# --- settings ---

site () { timeout 30 svc-lis -c "$federation/lis-ams.zpl" --set "store/folder=$work/stray" --set bind/endpoint=tcp://127.0.0.1:0 --set bind/events=tcp://127.0.0.1:0 "$@"; }
federation "$work/one.zpl"
hasten
exits 2 "a site that names no folder" site --set batch/programs=
says "  … is told to name one" 'back_end: programs: should be an absolute path'
mkdir "$work/few"
exits 2 "a site whose folder lacks a program" site --set "batch/programs=$work/few"
says "  … is told which" "back_end: $work/few/list: No such file"
cp -r "$programs" "$work/open"
chmod 777 "$work/open"
exits 2 "a site whose folder anybody may write" site --set "batch/programs=$work/open"
says "  … is told so" 'back_end: .*/open should be a folder of this account or root that nobody else may write'
chmod 755 "$work/open"
chmod g+w "$work/open/remove"
exits 2 "a site with a program that others may write" site --set "batch/programs=$work/open"
says "  … is told which" 'back_end: .*/open/remove should be a program of this account or root'
chmod g-w "$work/open/remove"
echo 'echo "refused there is no queue $1"; exit' >"$work/open/list.lie"
exits 2 "a site over a queue that there is not" site --set batch/queue=nowhere --set "batch/programs=$work/open"
says "  … has its program's word" 'back_end: list: there is no queue nowhere'

# --- a reservation ---

comes "the site has its nodes" ask now+9s 4 --dry-run
check "one over both nodes is reserved" ask now+9s 4
id=$(jq -r .reservation "$work/taken")
start=$(date -d "$(musubi show "$id" --json | jq -r .start)" +%s)
file=$spool/reservations/musubi-ams-$id
lie submit <<'L'
"$0.true" "$@"
echo "it breaks off" >&2
exit 3
L
bag=$(run --reservation "$id" -- sh -c "echo ran >>$work/ran/once; date +%s%3N; until [ -e $work/ran/go ]; do sleep 0.1; done; echo done")
comes "the programs know it" test -s "$file"
check "  … before its start" test "$(date +%s)" -lt "$start"
check "with its account, its times and both nodes" grep -Eqx "$account ($start|$((start + 1))) [0-9]+ (c1,c2|c2,c1)" "$file"
comes "its task runs, though its submission was cut short" is "$bag" state running
truth submit
begun () { musubi output "$bag.0" >"$work/output" && [ -s "$work/output" ]; }
comes "it has written when" begun
check "  … and that is not before the start" test "$(head -n 1 "$work/output")" -ge $((start * 1000))
check "it was begun once" test "$(wc -l <"$work/ran/once")" = 1
ready () { musubi show "$id" --json | jq -e '.openings[] | .ready and .phase == "open"'; }
comes "the reservation is ready" ready

# --- those of others ---

others=musubi-ams-2-left # not quite a name of a site
later=$((start + 3000))
echo "root $later $((later + 600)) c1" >"$spool/reservations/$others"
echo "root $later $((later + 600)) c1,c2" >"$spool/reservations/maint"
free_then () { printf '{"window": {"start": "%s"}, "duration": "5m", "compute": [{"id": "a", "cpus": %s, "site": "ams"}]}' \
  "$(date -u -d "@$((later + 60))" +%FT%TZ)" "$1" | musubi reserve - --json --dry-run; }
taken () { ! free_then 2; }
comes "what others have reserved is not granted" taken
rm "$spool/reservations/maint"
comes "  … until it goes" free_then 2
check "but for what is left" eval '! free_then 4'

# --- somebody changes ours ---

of_both () { grep -Eq ' (c1,c2|c2,c1)$' "$file"; }
echo "$account $start $((start + 1200)) c1" >"$file"
comes "one that was given other nodes has both again" of_both
logged () { grep -q "$1" "$federation/log/lis-ams.log"; }
comes "which is told" logged "step=watch failed .* has other nodes than the site's; it was made again"
lie reserve <<'L'
"$0.true" "$@" >/dev/null
exit 1
L
rm "$file"
comes "one that was removed is made again, though its program dies" of_both
truth reserve
comes "and is ready again" ready

# --- lies ---

silent () { # SENTENCE WORDS: the lie is on standard input
  lie list
  comes "$1: nodes are silent" nodes_are silent
  comes "  … and why is told" why "$2"
  check "  … its task is not lost, nor its reservation" test "$(of_task "$bag" state)" = running -a -s "$file"
  truth list
  comes "  … and they are up again" nodes_are up
}
silent "a list that dies" 'list: out of order' <<'L'
echo "out of order" >&2
exit 9
L
silent "a list that hangs" 'list has not answered within 4000 ms' <<'L'
sleep 1000
L
silent "a list that is cut short" 'list: its answer was cut short: its last line should be "end"' <<'L'
"$0.true" "$@" | sed '$d'
exit
L
silent "an empty list" 'list: it tells no node' <<'L'
printf 'version 1\nend\n'
exit
L
silent "a node told twice" 'list: it tells node c1 twice' <<'L'
printf 'version 1\nnode c1 up 2 0\nnode c2 up 2 0\nnode c1 down 2 0\nend\n'
exit
L
silent "a number that can't be" 'list: line 2: cpus: "-2" should be a whole number from 0 to 1000000' <<'L'
printf 'version 1\nnode c1 up -2 0\nnode c2 up 2 0\nend\n'
exit
L
silent "another protocol" 'list: line 1: "version 2" should be version 1' <<'L'
printf 'version 2\nnode c1 up 2 0\nend\n'
exit
L
lie list <<'L'
printf 'version 1\nnode x1 up 2 0\nnode x2 up 2 0\nend\n'
exit
L
comes "nodes of other names: ours are silent" nodes_are silent
comes "  … and why is told" why 'the batch system does not tell it'
check "  … and not lost" is "$bag" state running
truth list
comes "  … and they are up again" nodes_are up
check "the reservation of others is still there" test -s "$spool/reservations/$others"
lie state <<'L'
echo end
exit
L
untold () { grep -hq 'state: it does not tell run' "$federation"/log/batch-*.log; }
comes "a run that is not told is named" untold
check "  … and not lost" is "$bag" state running
truth state
touch "$work/ran/go"
comes "the task ends, and well" is "$bag" exit_code 0

# --- its end ---

bag=$(run --reservation "$id" -- sh -c 'trap "" TERM; while :; do sleep 1; done')
comes "another task runs" is "$bag" state running
check "it is released" musubi release "$id"
gone () { [ ! -e "$file" ]; }
comes "and gone" gone
comes "its task was ended, and killed as it did not end" is "$bag" signal 9
no_jobs () { ! "$programs/list.true" all | grep -q ^job; }
comes "nothing runs any more" no_jobs
left=$spool/reservations/musubi-ams-3fa9c2d10b7e-1-1
echo "root $later $((later + 600)) c2" >"$left"
slay "$(pid_of lis/ams)"
check "after a start of the site" musubi up --dir "$federation"
closed () { [ ! -e "$left" ]; }
comes "what is of its name and has no order is removed" closed
check "and nothing else" test -s "$spool/reservations/$others"
rm "$spool/reservations/$others"
comes "what others give up is free" free_then 4
finish
