#!/usr/bin/env bash
# A reservation is released while one of its sites is dead. The other sites give back at once; the user, show and list are told
# that the dead site is awaited. It gives its part back when it returns, although every planner was killed meanwhile.
. "$(dirname "$0")/lib.sh"
printf 'name = release\ndirectories = g1, g2\nplanners = 2\nsites\n' >"$work/two.zpl"
for name in a b; do
  printf '    %s\n        classes\n            node\n                nodes = 8\n' $name >>"$work/two.zpl"
done
federation "$work/two.zpl"

field () { python3 -c 'import json, sys
print(eval(sys.argv[1], {"a": json.load(sys.stdin)}))' "$1"; }
shows () { [ "$(musubi --json show "$id" 2>/dev/null | field 'a["status"]')" = "$1" ]; }
back () { musubi up --dir "$federation" >/dev/null 2>&1; }
start=$(date -u -d '+2 hours' +%Y-%m-%dT%H:00:00Z)
for name in a b; do
  printf '{"window": {"start": "%s"}, "duration": "1h", "compute": [{"id": "n", "cpus": 8, "site": "%s"}]}' "$start" $name >"$work/$name.json"
done
printf '{"window": {"start": "%s"}, "duration": "1h", "compute": [{"id": "m", "cpus": 8, "site": "a"}, {"id": "n", "cpus": 8, "site": "b"}]}' \
  "$start" >"$work/both.json"

id=$(musubi --json reserve "$work/both.json" 2>>"$work/errors" | field 'a["reservation"]')
check "there is a reservation at two sites" test -n "$id"
slay "$(pid_of lis/b)"
exits 0 "it is released though one of them is dead" musubi release "$id" --request-id r@g1
says "  … who gives back now is told" '^  given back at: site a$'
says "  … and who is awaited" '^  lis/b: site b does not answer: it will give its part back once it does$'
check "asked again, it is told the same" test "$(musubi --json release "$id" --request-id r@g1 2>/dev/null | field 'a["awaited"]')" = "['lis/b']"
check "show says that it is not over" shows releasing
exits 0 "  … and on whom it waits" musubi show "$id"
says "  … by name" '^not given back yet by lis/b$'
exits 3 "so does the list" musubi list
says "  … of reservations" "$id.*releasing"
echo '{"duration": "2h"}' >"$work/longer.json"
exits 1 "it can't be changed any more" musubi modify "$id" "$work/longer.json"
exits 0 "what was given back is free" musubi reserve "$work/a.json"

for planner in $(musubi up --dir "$federation" --pids | awk '/planner/ {print $1}'); do
  slay "$planner"
done
back
comes "with every planner killed, and the site back, it comes to be released" shows released
exits 0 "its part there is free, too" musubi reserve "$work/b.json"
exits 1 "a second release has nothing left to do" musubi release "$id"

# What it was stays known: whose, where, from when and until when.
was () { "$@" 2>/dev/null | jq -ce '(if .reservations then .reservations[] else . end) | select(.reservation == "'"$id"'") |
  [.status, .owner, .start, .end, ([.compute[].site] | sort)]'; }
wanted='["released","alice","'$start'","'$(date -u -d "$start + 1 hour" +%Y-%m-%dT%H:%M:%S)'Z",["a","b"]]'
check "it is shown with what it was" test "$(was musubi --json show "$id")" = "$wanted"
check "  … and listed so" test "$(was musubi --json list)" = "$wanted"
slay "$(pid_of lis/a)"
back
comes "  … after a restart, too" eval '[ "$(was musubi --json show "$id")" = "$wanted" ]'
finish
