#!/usr/bin/env bash
# A planner may open 200 files, and a program leaves 400 connections to it idle. The planner closes some to make room, logs
# that, and goes on serving, also when they are gone. A client asks more sites than it may open files.
. "$(dirname "$0")/lib.sh"
federation --planners 1
slay "$(pid_of planner/1)"

few () { bash -c 'ulimit -n "$0" && exec "$@"' "$@"; }
launch crowded bash -c 'ulimit -n 200 && exec "$@"' - svc-planner \
  --set gis="$MUSUBI_GIS" --set administrators=alice --set store/folder="$work/crowded"
endpoint=$(sed -nE 's/^ready endpoint=(\S+) .*/\1/p' "$work/crowded.ready")
port=${endpoint##*:}

status () { musubi --json call "$endpoint" Service.Status; }
counter () { status | jq -e --arg name "$1" '[.counters[] | select(.name == $name) | .value | tonumber][0]'; }
cat >"$work/pair.json" <<'JSON'
{"window": {"earliest": "now+1h", "deadline": "now+20h"}, "duration": "30m",
 "compute": [{"id": "a", "cpus": 4}, {"id": "b", "cpus": 4}], "distinct_sites": true}
JSON
# Connections that were not accepted yet: while one waits and can't be accepted, the accepting thread uses a whole CPU.
nobody_waits () { [ "$(ss -Hltn "sport = :$port" | awk '{print $2}')" = 0 ]; }
descriptors () { find "/proc/${pid[crowded]}/fd" -mindepth 1 | wc -l; }

check "the planner serves" status
coproc idle { exec python3 "$root/test/system/idle.py" "$port" 400; }
read -r line <&"${idle[0]}"
check "400 connections are made" [ "$line" = dialled ]
comes "none of them waits to be accepted" nobody_waits
check "with all of them there it answers" status
closed () { [ "$(counter connections_closed)" -ge 200 ]; }
comes "  … and has closed some" closed
check "  … and tells how many there are" [ "$(counter connections_in)" -gt 10 ]
check "  … and how much memory it has" [ "$(counter memory_bytes)" -gt 1000000 ]
check "  … and can reach all the sites" musubi reserve "$work/pair.json"
check "  … and counts no more than it may open" [ "$(descriptors)" -lt 200 ]
comes "  … and says so" grep -q 'connections closed count=.* open_files_max=200 .*ulimit -n' "$work/crowded.log"

exec {idle[1]}>&-
wait "$idle_PID"
check "when they are gone it plans on" musubi reserve "$work/pair.json"
check "it is the same process" kill -0 "${pid[crowded]}"
check "the other planner returns" musubi up --dir "$federation"
exits 0 "a client with 40 files asks all of them" few 40 musubi doctor
finish
