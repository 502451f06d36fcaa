#!/usr/bin/env bash
# A reservation is changed while a real Grid Engine has it: it grows before its start, is prolonged and shrinks while it runs,
# loses a host whose daemon has died, and is released early. Its queue is equal to it each time.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/gridengine_lib.sh"
grid_federation 4 6s
qconf -sconf | sed 's/^max_unheard.*/max_unheard 00:00:06/' >"$work/global" # for a dead daemon to be missed within the test
check "Grid Engine misses a daemon soon" qconf -Mconf "$work/global"
free () { # CPUS: the calendar has them
  printf '{"window": {"earliest": "now+1m", "deadline": "now+1h"}, "duration": "1s", "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' "$1" |
    musubi reserve - --dry-run
}
comes "the site has its nodes" free 8
all_of_grid >"$work/before"
modify () { printf '%s' "$1" >"$work/patch.json" && musubi modify "$id" "$work/patch.json" --json >"$work/changed" || { cat "$work/changed"; return 1; }; }
hosts_of () { qconf -sq "musubi-ams-$id" | sed -n 's/^hostlist *//p' | tr ' ' '\n'; }
has_hosts () { [ "$(hosts_of | grep -c .)" -eq "$1" ]; }
without () { has_hosts "$1" && opened "$id" "$1" && ! hosts_of | grep -qx "$2"; } # COUNT HOST
runs_on () { qstat -u '*' -s r | grep -c "own.* r .*@"; }

start=$(($(date +%s) + 14))
check "two hosts are reserved" reserve two "$(date -u -d "@$start" +%FT%TZ)" 60s 4
id=$(jq -r .reservation "$work/taken")
comes "Grid Engine has them before the start" has_hosts 2
check "it grows to three" modify '{"compute": [{"id": "all", "cpus": 6}]}'
three_open () { has_hosts 3 && opened "$id" 3; }
comes "it opens, and has three soon" three_open
bag=$(run --reservation "$id" -- sleep 600)
comes "a task runs in it" is "$bag" state running
check "it is prolonged" modify '{"duration": "5m"}'
longer () { [ "$(musubi show "$id" --json | jq -r .end)" = "$(jq -r .end "$work/changed")" ]; }
comes "and is told so" longer
for host in $(hosts_of); do
  as_account qsub -terse -N "own$host" -q "musubi-ams-$id@$host" -l "musubi=musubi-ams-$id" -wd /tmp -o /dev/null -j y -S /bin/sh <<<'exec sleep 600' >/dev/null
done
so_many () { [ "$(runs_on)" = "$1" ]; }
comes "its owner's own jobs run on all three" so_many 3
had=$(hosts_of)
check "it shrinks to two" modify '{"compute": [{"id": "all", "cpus": 4}]}'
two_open () { has_hosts 2 && opened "$id" 2; }
comes "it has two" two_open
check "what ran on the one that left has ended, and no more" so_many 2
left=$(comm -23 <(sort <<<"$had") <(hosts_of | sort))
check "which is the other queue's again" grep -qE "^batch@$left .*lx-amd64 *$" <(qstat -f)
check "it is still the prolonged one" longer

down=$(hosts_of | head -n 1)
check "the daemon of a host of it dies" slay "$(grid pid "$down")"
comes "another takes its place" without 2 "$down"
check "the daemon comes back" grid start "$down"
check "it is released early" musubi release "$id"
comes "its queue is gone" gone_from_grid "$id"
comes "with all its jobs" no_jobs
same () { all_of_grid | cmp "$work/before" -; }
comes "Grid Engine is as it was before" same
finish
