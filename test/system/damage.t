#!/usr/bin/env bash
# A store in which bytes were changed, or whose end is missing: the service names the damaged records and serves the
# rest, or ends with a clear message. It never crashes, hangs, or tells a wrong number without a warning.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/s4.zpl" --planners 1

at=$(date -u -d '+2 hours' +%Y-%m-%dT%H:00:00Z)
from=$(date -u -d "$at" +%s)000
until=$((from + 6 * 3600000))
request () { # CPUS MBIT/S
  printf '{"window": {"start": "%s"}, "duration": "1h", "compute": [{"id": "ocean", "cpus": %s, "site": "n64"},
    {"id": "air", "cpus": 4, "site": "n32"}], "network": [{"between": ["ocean", "air"], "mbps": %s}]}' "$at" "$1" "$2" \
    >"$work/request.json"
}
made=0
for cpus in 2 4 6 8 3; do
  request $cpus $((cpus * 10))
  reservation=$(musubi --json reserve "$work/request.json" 2>/dev/null | grep -oP '"reservation": *"\K[^"]+') && made=$((made + 1))
done
check "there are reservations to be damaged" test $made -eq 5
check "one is given back" musubi release "$reservation"
request 100000 10
exits 1 "one is refused" musubi reserve "$work/request.json"
musubi down --dir "$federation" >/dev/null 2>&1

damaged () { # KIND NAME STORE [METHOD BODY]: its TAP lines get our numbers
  local lines=()
  sed '/^ *pool = /d' "$federation/$1-$2.zpl" >"$work/configuration.zpl" # a planner's store is one of a pool
  mapfile -t lines < <(python3 "$(dirname "$0")/damage.py" "$bin/svc-$1" "$work/configuration.zpl" "$3" "${4:-}" "${5:-}" 2>&1)
  for line in "${lines[@]}"; do
    case "$line" in
      "ok - "*) ok "${line#ok - }" ;;
      "not ok - "*) not_ok "${line#not ok - }" ;;
      *) echo "# ${line#\# }" ;;
    esac
  done
  [[ ${lines[*]} == *"ends with a word"* ]] || not_ok "$1 $2: all trials were made"
}
profile="{\"from_ms\": $from, \"until_ms\": $until}"
domain=$(basename -s .zpl "$(ls "$federation"/nis-*.zpl | head -n 1)")
damaged lis n64 "$federation/store/lis-n64" Calendar.Profile "$profile"
damaged nis "${domain#nis-}" "$federation/store/$domain" Calendar.Profile "$profile"
damaged gis g1 "$federation/store/gis-g1"
damaged planner 1 "$federation/store/planners/0001"
finish broken
