#!/usr/bin/env bash
# What an operator sets for the algorithm ip in the planner's configuration: which sites come first, and how much of the free
# capacity each actor sees.
. "$(dirname "$0")/lib.sh"

federation "$root/deploy/federations/s4.zpl" --planners 1
check "the planner ends for one with other settings" \
  slay "$(musubi up --dir "$federation" --pids | awk '$2 ~ /^planner/ {print $1}')"
planner=
trap 'kill -9 $planner 2>/dev/null; cleanup' EXIT
served () { # half a minute at most
  for _ in $(seq 300); do
    musubi call planner Service.Status >/dev/null 2>&1 && return
    sleep 0.1
  done
  return 1
}
begin () { # SETTING…: a planner of its own store
  local settings=()
  for setting in "$@"; do settings+=(--set "$setting"); done
  svc-planner -c "$federation/planner-1.zpl" "${settings[@]}" >"$work/ready" 2>"$work/log" &
  planner=$!
}
request () { # CPUS [SITE]
  printf '{"window": {"start": "%s"}, "duration": "30m", "compute": [{"id": "a", "cpus": %s%s}]}' \
    "$(date -u -d '+2 hours' +%Y-%m-%dT%H:00:00Z)" "$1" "${2:+, \"site\": \"$2\"}" >"$work/request.json"
}

others=(ip/weights/n64=200) # where service levels are tried below: nothing is booked there
for site in n8 n16 n32 s8 s16 s32 u8 u32; do others+=("ip/weights/$site=100"); done
begin ip/balance=weights "${others[@]}"
check "a planner with weights" served
request 6
for id in first second; do
  exits 0 "the $id request is committed" musubi --json --timeout 60s reserve "$work/request.json" --algorithm ip --request-id $id
  says "  … where weights are least" '"site": *"u16"'
done
exits 0 "the next one" musubi --json --timeout 60s reserve "$work/request.json" --algorithm ip --request-id third
check "  … does not fit there any more" eval '! grep -q "\"site\": *\"u16\"" <<<"$output"'
check "that planner ends" slay "$planner"

begin ip/levels/low/visible=50 ip/levels/low/users=alice
check "a planner with a service level" served
request 33 n64
exits 1 "half of 64 CPUs are too few" musubi --timeout 60s explain "$work/request.json" --algorithm ip
request 32 n64
exits 0 "32 are not" musubi --timeout 60s explain "$work/request.json" --algorithm ip
request 33 n64
MUSUBI_ACTOR=bob exits 0 "who has no level sees all" musubi --timeout 60s explain "$work/request.json" --algorithm ip
check "that planner ends, too" slay "$planner"

exits 2 "nobody has two levels" svc-planner -c "$federation/planner-1.zpl" --set ip/levels/low/users=alice \
  --set ip/levels/high/users="bob alice"
says "  … and it is said where" 'ip/levels/[a-z]+/users: alice has a level already'
exits 2 "nor asks one directory twice" svc-planner -c "$federation/planner-1.zpl" --set "gis=$MUSUBI_GIS,$MUSUBI_GIS"
says "  … which is said, too" 'gis: .* is named twice'
finish broken
