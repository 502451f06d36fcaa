#!/usr/bin/env bash
# Directories die and return: whatever runs goes on. A dead home stops only the requests that name it, and users are told so.
. "$(dirname "$0")/lib.sh"
federation --planners 2

cat >"$work/pair.json" <<'JSON'
{"window": {"earliest": "now+1h", "deadline": "now+20h"}, "duration": "30m",
 "compute": [{"id": "a", "cpus": 4}, {"id": "b", "cpus": 4}], "distinct_sites": true}
JSON

check "a request whose home is g1" musubi reserve "$work/pair.json" --request-id first@g1
kill -9 "$(pid_of gis/g1)"
check "with g1 dead, a request whose home is g2" musubi reserve "$work/pair.json" --request-id second@g2
check "with g1 dead, a request with a fresh id" musubi reserve "$work/pair.json"
exits 3 "a request whose home is g1 is unknown" musubi --timeout 4s reserve "$work/pair.json" --request-id third@g1
says "  … and says how to ask again" 'third@g1'
check "reservations are listed all the same" musubi list
kill -9 "$(pid_of gis/g2)"
exits 3 "with no directory at all nobody is found" musubi --timeout 3s sites
still=$(pid_of lis/berlin)
kill -STOP "$still"
{ sleep 4; kill -CONT "$still"; } & # the length of the pause is what is tried
check "both return, and a site that stands still meanwhile is waited for" musubi up --dir "$federation"
check "the unknown request is settled by asking again" musubi --timeout 20s reserve "$work/pair.json" --request-id third@g1
musubi --json reserve "$work/pair.json" --request-id first@g1 >"$work/again" 2>/dev/null
check "g1 still knows the answer it kept" grep -q '"committed"' "$work/again"
check "sites have announced themselves again" bash -c "musubi sites | grep -q berlin"
check "the records agree" musubi check --settle 60s
finish
