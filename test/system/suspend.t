#!/usr/bin/env bash
# A machine of two CPUs computes while the input of a more important task comes; then what it runs is stopped, all its processes, and
# goes on where it was, also when svc-lis is killed meanwhile, and it ends right (SPEC 30, 38).
. "$(dirname "$0")/lib.sh"
chmod 711 "$work"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody
export MUSUBI_ACTOR=alice

cat >"$work/one.zpl" <<Z
name = one
directories = g1
planners = 1
indexes = i1
sites
    ams
        classes
            thin
                nodes = 1
                cpus_per_node = 2
        storage
            nodes = disk-1
            bytes = 200000000
        lead = 1s
        back_end = runner
        nodes
            attend = 1s
        accounts
            $account = alice
        administrators = root
    ber
        classes
            thin
                nodes = 1
                cpus_per_node = 1
        storage
            nodes = disk-1
            bytes = 200000000
        accounts
            $account = alice
        administrators = root
Z
federation "$work/one.zpl"

mkdir -m 1777 "$work/shared"
shared=$work/shared
cat >"$shared/computes" <<T
#!/bin/bash
# Counts in a process of its own until it is enough.
(n=0; while [ ! -e "$shared/enough" ]; do n=\$((n + 1)); echo >>"$shared/count"; done; echo \$n >"$shared/last") &
echo "\$\$ \$!" >"$shared/processes.new"
mv "$shared/processes.new" "$shared/processes"
wait
echo "counted \$(cat "$shared/last")"
T
cat >"$shared/reads" <<T
#!/bin/bash
while [ -e "$shared/gate" ]; do sleep 0.05; done
sha256sum <data
T
printf '#!/bin/bash\nwhile [ ! -e "%s/enough" ]; do sleep 0.05; done\n' "$shared" >"$shared/naps"
chmod 755 "$shared/computes" "$shared/reads" "$shared/naps"
head -c 70000000 /dev/urandom >"$work/data" # more than queue/data_bound
touch "$shared/gate"

task_is () { musubi queue "$1" --json | jq -e --arg state "$2" '.tasks[0].state == $state' >/dev/null; }
tell_more () { musubi queue --over; musubi queue "$low"; musubi nodes ams; tail -n 20 "$federation"/log/*lis-ams*; }
each_is () { # STATES: every process of the task is in one of these
  local one all=0
  for one in $(cat "$shared/processes"); do
    grep -q "^State:[[:space:]][$1]" "/proc/$one/status" || return
    all=$((all + 1))
  done
  [ $all -eq 2 ]
}

check "a file is put at ber" musubi put "$work/data" data --site ber
low=$(musubi submit ams --limit 5m -- "$shared/computes" 2>/dev/null)
comes "a task computes at ams, in two processes" test -s "$shared/processes"
naps=$(musubi submit ams --limit 5m --count 6 -- "$shared/naps" 2>/dev/null)
count_is () { musubi queue "$naps" --json | jq -e --arg state "$1" --argjson n "$2" '[.tasks[] | select (.state == $state)] | length == $n' >/dev/null; }
comes "  … and the first of six narrow ones beside it" count_is running 1
high=$(musubi submit ams --limit 5m --priority 5 --cpus 2 --input data -- "$shared/reads" 2>/dev/null)
comes "one of higher priority with an input runs on both CPUs" task_is "$high" running
check "  … and both processes of the first are stopped" each_is T
counted () { wc -l <"$shared/count"; }
count=$(counted)
check "  … and none of the narrow ones got a CPU that was freed for it" count_is queued 5
check "  … which is told" bash -c 'musubi queue "$1" | grep -q "suspended for a task of higher priority"' _ "$low"
slay "$(pid_of lis/ams)"
check "svc-lis is killed, and returns" musubi up --dir "$federation"
comes "  … the one runs" task_is "$high" running
check "  … and the other is stopped" each_is T
check "  … where it was" test "$(counted)" = "$count"
rm "$shared/gate"
comes "the more important one ends" task_is "$high" ended
check "  … with the right bytes" bash -c 'musubi output "$1.0" | grep -q "$2"' _ "$high" "$(sha256sum <"$work/data" | cut -d' ' -f1)"
comes "the other goes on" each_is RSD
touch "$shared/enough"
comes "  … and ends" task_is "$low" ended
check "  … right" test "$(musubi output "$low.0")" = "counted $(counted)"
comes "  … and all narrow ones end" count_is ended 6
check "  … having counted on" test "$(counted)" -gt "$count"
finish
