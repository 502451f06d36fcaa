#!/usr/bin/env bash
# A federation of many sites over the real bus: two directories, a planner and a client as processes, the sites a farm in a few
# processes (farm.c). Who starts all at once is served; reserve and release ask few; a directory that is killed is followed again
# by all. It prints what that took. Pass or fail is by counts and outcomes, not by seconds.
#
#   SITES=10000 test/scale/farm.t      default 200
#   DIRECTORIES=1                      default 2
#   QUIET=30                           seconds for which it is measured doing nothing, default 2
#   TIMES=100                          reservations of which the mean is taken, default 10
. "$(dirname "$0")/../system/lib.sh"
sites=${SITES:-200}
directories=${DIRECTORIES:-2}
quiet=${QUIET:-2}
times=${TIMES:-10}
each=400 # sites of one process: libzmq has so many sockets
patience=${PATIENCE:-300}

at () { echo "tcp://127.2.0.$1:5600"; }
all=()
for n in $(seq "$directories"); do all+=("$(at "$n")"); done
MUSUBI_GIS=$(IFS=,; echo "${all[*]}")
export MUSUBI_GIS

now_ms () { local up; read -r up _ </proc/uptime; echo "${up/./}0"; }
cpu_ms () { # NAME: processor time so far, ms
  awk '{sub (/^.*\) /, ""); print ($12 + $13) * 10}' "/proc/${pid[$1]}/stat"
}
rss_kb () { awk '/^VmRSS/ {print $2}' "/proc/${pid[$1]}/status"; }
counter () { # ENDPOINT NAME
  musubi --json call "$1" Service.Status |
    jq -e --arg name "$2" '[.counters[] | select(.name == $name) | .value | tonumber][0]'
}
dropped () { # by the system, because too many waited to be accepted
  awk '/^TcpExt:/ {split ($0, v); for (i in v) if (h[i] == "ListenOverflows") print v[i]; split ($0, h)}' /proc/net/netstat
}
tell () { printf '# %-58s %s\n' "$1" "$2"; }
lists () { [ "$(counter "$(at "$1")" entries)" -ge $((sites + directories + 1)) ]; }
whole () { [ "$(grep -c '^whole' "$work/follower.ready")" -ge "$1" ]; }
whole_ms () { sed -nE 's/^whole .*mono_ms=([0-9]+)$/\1/p' "$work/follower.ready" | tail -n 1; }
serve () { # N: directory N
  local others=() n homes
  for n in $(seq "$directories"); do [ "$n" = "$1" ] || others+=("$(at "$n")"); done
  homes=$(seq -s , -f 'g%.0f' "$directories")
  launch "g$1" svc-gis --set name="g$1" --set gis="$(IFS=,; echo "${others[*]}")" --set homes="$homes" \
    --set administrators=alice --set store/folder="$work/g$1" --set recall/wait=0s \
    --set bind/endpoint="$(at "$1")" --set bind/events="tcp://127.2.0.$1:5601"
}

# --- from nothing to serving
for n in $(seq "$directories"); do serve "$n"; done
launch planner svc-planner --set gis="$MUSUBI_GIS" --set administrators=alice --set store/folder="$work/planner"
planner=$(sed -nE 's/^ready endpoint=(\S+).*/\1/p' "$work/planner.ready")
launch follower farm follow "$sites" "${all[@]}"
before_kb=$(rss_kb planner)
began_ms=$(now_ms)
farms=()
for first in $(seq 0 "$each" $((sites - 1))); do
  count=$((sites - first < each ? sites - first : each))
  farms+=("farm$first")
  setsid farm sites "$first" "$count" "${all[@]}" >"$work/farm$first.ready" 2>"$work/farm$first.log" </dev/null &
  pid[farm$first]=$!
done
for n in $(seq "$directories"); do comes "directory $n lists $sites sites" lists "$n"; done
comes "who follows is told of all" whole 1
tell "from nothing to serving, ms" "$(($(whole_ms) - began_ms))"
for n in $(seq "$directories"); do tell "  processor of directory $n, ms" "$(cpu_ms "g$n")"; done
tell "  connections of this machine dropped, so far" "$(dropped)"
tell "  processor of the planner, ms" "$(cpu_ms planner)"
for one in "${farms[@]}"; do kill -0 "${pid[$one]}" || not_ok "$one has ended: $(tail -n 1 "$work/$one.log")"; done
tell "planner's memory an entry, bytes" $((($(rss_kb planner) - before_kb) * 1024 / sites))

# --- nothing to do
gis_ms=$(cpu_ms g1) planner_ms=$(cpu_ms planner)
sleep "$quiet" # this is what is measured
tell "idle: directory 1, ms of processor a second" $((($(cpu_ms g1) - gis_ms) / quiet))
tell "idle: planner, ms of processor a second" $((($(cpu_ms planner) - planner_ms) / quiet))

# --- listed, reserved, released
all_sites () { [ "$(musubi --json sites | jq '.sites | length')" = "$sites" ]; }
check "musubi sites shows all" all_sites
cat >"$work/one.json" <<'J'
{"window": {"earliest": "now+1h", "deadline": "now+20h"}, "duration": "30m", "compute": [{"id": "a", "cpus": 4}]}
J
reserve () { musubi --json reserve "$work/one.json" 2>>"$work/said" | jq -r .reservation >>"$work/made"; }
spends () { # SENTENCE TIMES COMMAND…: messages and processor of the planner, each time
  local sentence=$1 times=$2 sent planner_ms
  shift 2
  sent=$(counter "$planner" messages_sent) planner_ms=$(cpu_ms planner)
  for _ in $(seq "$times"); do "$@" || return; done
  tell "$sentence: messages of the planner" $((($(counter "$planner" messages_sent) - sent) / times))
  tell "$sentence: its processor, ms" "$(awk "BEGIN {print ($(cpu_ms planner) - $planner_ms) / $times}")"
}
release () { local id; id=$(tail -n 1 "$work/made"); sed -i '$d' "$work/made"; musubi release "$id" >"$work/released"; }
spends reserve "$times" reserve && ok "one need is reserved" || not_ok "one need is reserved"
spends release "$times" release && ok "  … and released" || not_ok "  … and released"

# --- a directory is killed
followed=$(sed -nE 's/^follows .*//p' "$work/follower.ready" | wc -l)
slay "${pid[g1]}"
wait "${pid[g1]}" # all its threads have let go of the store
began_ms=$(now_ms)
relaunch g1
ready_ms=$(now_ms)
comes "directory 1, killed and started again, lists all" lists 1
tell "killed: ready again, ms" $((ready_ms - began_ms))
tell "killed: lists all again, ms" $(($(now_ms) - began_ms))
tell "  processor of the directory, ms" "$(cpu_ms g1)"
comes "who followed it is told of all again" whole 2
tell "killed: its follower whole again, ms" $(($(whole_ms) - began_ms))
tell "  followed" "$(grep -c '^follows' "$work/follower.ready") (before: $followed)"
tell "  processor of the directory, ms" "$(cpu_ms g1)"
check "a reservation is made afterwards" reserve
tell "load" "$(cut -d' ' -f1-3 /proc/loadavg)"
finish ended 2>/dev/null
