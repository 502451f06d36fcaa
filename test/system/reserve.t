#!/usr/bin/env bash
# A user's day: reserve at three sites, ask again, look, change, give back; every answer also as JSON.
. "$(dirname "$0")/lib.sh"
federation --planners 2

request () { # CPUS-OF-A CPUS-OF-B EARLIEST DURATION
  printf '{"name": "pair", "window": {"earliest": "%s", "deadline": "now+20h"}, "duration": "%s",
    "compute": [{"id": "a", "cpus": %s}, {"id": "b", "cpus": %s}], "distinct_sites": true}' "$3" "$4" "$1" "$2"
}
field () { # PATH of the last JSON output: dots and [n] as jq has them
  python3 -c 'import json, sys
value = json.load(sys.stdin)
for part in sys.argv[1].split("."):
    value = value[int(part)] if part.isdigit() else value[part]
print(value)' "$1" <<<"$answer"
}
ask () { answer=$(musubi --json "$@" 2>"$work/errors"); }

check "three sites at once" musubi reserve "$root/examples/coupled-climate.json"
says "it says committed" 'committed'

request 8 8 now+1h 30m >"$work/pair.json"
ask reserve "$work/pair.json" --request-id pair-1
check "a pair under an id of our own" test "$(field status)" = committed
id=$(field reservation)
check "its two needs lie at different sites" test "$(field compute.0.site)" != "$(field compute.1.site)"
check "the whole request id was printed before it was sent" grep -q 'pair-1@' "$work/errors"

ask reserve "$work/pair.json" --request-id pair-1
check "the same id again gives the same reservation" test "$(field reservation)" = "$id"
request 9 8 now+1h 30m >"$work/other.json"
exits 1 "the same id with another body is refused" musubi reserve "$work/other.json" --request-id pair-1
says "and called a conflict" 'conflict'

ask show "$id"
check "show says committed" test "$(field status)" = committed
check "list has it" musubi list
says "by its id" "$id"
check "the Gantt chart draws it" musubi gantt

ask reserve "$work/pair.json" --dry-run
check "a dry run only plans" test "$(field status)" = planned
before=$(musubi --json list | wc -c)
musubi --json reserve "$work/pair.json" --dry-run >/dev/null 2>&1
check "and leaves nothing behind" test "$(musubi --json list | wc -c)" -eq "$before"

exits 1 "nobody else may release it" musubi --actor mallory release "$id"
echo '{"duration": "1h"}' >"$work/patch.json"
ask modify "$id" "$work/patch.json"
check "a modify is committed" test "$(field status)" = committed
check "and keeps the id" test "$(field reservation)" = "$id"
ask show "$id"
check "version 2 now" test "$(field version)" = 2
exits 0 "its owner releases it" musubi release "$id"
exits 1 "a released reservation can't be changed" musubi modify "$id" "$work/patch.json"
ask show "$id"
check "show says released" test "$(field status)" = released

request 100000 8 now+1h 30m >"$work/large.json"
exits 1 "what fits nowhere is refused" musubi reserve "$work/large.json"
check "free spans of a site" musubi free "$(musubi --json sites | python3 -c 'import json,sys
sites = json.load(sys.stdin)
sites = sites["sites"] if isinstance(sites, dict) else sites
print(sites[0]["name"].split("/")[-1])')" --need 4 --for 30m --between now now+6h
check "the sites' records agree" musubi check
finish
