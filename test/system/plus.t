#!/usr/bin/env bash
# TAP: S3's commands on real sites: every option, one phase and two, two actors, crashes between the steps.
. "$(dirname "$0")/lib.sh"

cat >"$work/two.zpl" <<'Z'
name = two
directories = g1
indexes = i1
planners = 1

sites
    ams
        classes
            thin
                nodes = 8
                cpus_per_node = 4
        storage
            nodes = "d1"
            bytes = 40000000
        lead = 1s
    ber
        classes
            thin
                nodes = 4
        lead = 1s
Z
federation "$work/two.zpl"
export MUSUBI_GIS

state () { plus_status -r "$1" --json | jq -r '.[0].state'; }
nodes () { plus_status -r "$1" --json | jq -r '.[0].nodes'; }

exits 0 "one phase: reserve prints the id" plus_reserve -R ams -s now+30m -e now+60m -n 2
id=$(grep -o 'plus-[0-9a-f]*$' <<<"$output" | tail -1)
check "it is committed" test "$(state "$id")" = reserved
check "the federation knows it, too" musubi show "$id"
says "with the CPUs of its nodes" 'ams +thin +8 '
exits 0 "two phases: a modify waits" plus_modify -r "$id" -n 5 -T
check "until it is committed the old stands" test "$(nodes "$id")" = 2
exits 1 "another change meanwhile is refused" plus_modify -r "$id" -n 3 -T
says "and told what is in the way" 'busy'
exits 0 "abort" plus_abort -r "$id"
check "the old stands" test "$(nodes "$id")" = 2
exits 1 "a second abort finds nothing" plus_abort -r "$id"
exits 0 "again" plus_modify -r "$id" -n 5 -s now+40m -T
exits 0 "commit" plus_commit -r "$id"
check "the new stands" test "$(nodes "$id")" = 5
echo '{"duration": "10m"}' >"$work/patch.json"
exits 0 "a planner changes it as any other" musubi modify "$id" "$work/patch.json"
MUSUBI_ACTOR=bob exits 1 "somebody else may not" plus_cancel -r "$id" -R ams
exits 0 "cancel waits, too" plus_cancel -r "$id" -T
check "it still stands" test "$(state "$id")" = reserved
exits 0 "and is committed" plus_commit -r "$id" -R ams
check "it is released" test "$(state "$id")" = released

now=$(date +%s)
from=$(date -u -d "@$((now + 7200))" +%Y%m%d%H%M)
until=$(date -u -d "@$((now + 10800))" +%Y-%m-%dT%H:%M:00Z)
two=(-s "$from" -e "$until" -n 8 -R ams -T)
exits 0 "the same as words of musubi" musubi plus reserve "${two[@]}" --request-id first
one=$(grep -o 'plus-[0-9a-f]*$' <<<"$output" | tail -1)
exits 0 "while it waits it shows" plus_status -r "$one"
says "from when to when, and how many nodes" "created +$(date -u -d "$until -1 hour" +%FT%H:%M:00Z) +$until +8 +thin +prepared"
exits 0 "and so does the federation" musubi show "$one"
says "from when to when" "$(date -u -d "$until -1 hour" +%FT%H:%M:00Z) to $until"
says "with its CPUs" 'nodes +ams +- +32'
exits 0 "in JSON" plus_status -r "$one" --json
check "times are RFC 3339" jq -e --arg until "$until" '.[0] | .end == $until and .state == "created" and .nodes == 8 and .command == "prepared" and (.waits_until | test("Z$")) and has("from_ms") == false' <<<"$output"
exits 0 "asked again under its id" plus_reserve "${two[@]}" --request-id first
says "it is the same" "^$one\$"
exits 2 "with other times under that id it is refused" plus_reserve "${two[@]}" -n 7 --request-id first
says "in clear words" 'was used for another request'
exits 1 "nobody else has the nodes while it waits" plus_reserve -s now+2h -e now+3h -n 1 -R ams
says "the refusal says what is short" ' short: '

slay "$(pid_of lis/ams)"
exits 3 "with the site down nothing is known" plus_commit -r "$one" -R ams --timeout 2s
exits 3 "nor which site has it" plus_modify -r "$one" -n 7 --timeout 2s
says "the silent site is named" 'site ams does not answer'
check "the site returns" musubi up --dir "$federation"
check "it waits still" grep -q '"command": "prepared"' <(plus_status -r "$one" -R ams --json)
exits 0 "and is committed" plus_commit -r "$one" -R ams
slay "$(pid_of lis/ams)"
check "the site returns again" musubi up --dir "$federation"
check "it is reserved" test "$(state "$one")" = reserved
exits 0 "asked again under its id it is the same" plus_reserve "${two[@]}" --request-id first
says "by its name" "^$one\$"

exits 1 "a window in the past is refused" plus_reserve -s now-2h -e now-1h -n 1 -R ams
says "as such" 'too-near|late'
exits 1 "more nodes than there are" plus_reserve -s now+5h -e now+6h -n 9 -R ams
exits 1 "an unknown reservation" plus_modify -r plus-0 -n 2 -R ams
exits 1 "an unknown site" plus_reserve -s now+5h -e now+6h -n 1 -R nowhere
exits 2 "two sites and none named" plus_reserve -s now+5h -e now+6h -n 1
exits 2 "an end before the start" plus_reserve -s now+6h -e now+5h -n 1 -R ams
exits 2 "a time that is none" plus_reserve -s noon -e now+5h -n 1 -R ams
check "what was refused is not listed" test -z "$(plus_status | grep ' created ')"
late=$(plus_reserve -R ber -s now+10s -e now+5m -n 1 -T)
begun () { ! plus_status -r "$late" --json | grep -q prepared; }
comes "its window begins" begun
exits 1 "a commit after the window began comes too late" plus_commit -r "$late"
says "nothing waits any more" 'no command waits for a commit or abort; it is created at ber'
cat >"$work/both.json" <<'J'
{"window": {"earliest": "now+1h", "latest": "now+2h", "deadline": "now+4h"}, "duration": "10m",
 "compute": [{"id": "a", "cpus": 1}, {"id": "b", "cpus": 1}], "distinct_sites": true}
J
both=$(musubi reserve "$work/both.json" --json | jq -r .reservation)
exits 2 "what has parts at two sites is left to planners" plus_modify -r "$both" -n 2
says "as is told" 'use musubi modify'

# --- room on a disk
room_free () { musubi call replica/ams Free "{\"amount\": 30, \"duration_ms\": 3600000, \"from_ms\": $(date +%s)000, \"until_ms\": $(date -d '+4 hours' +%s)000}"; }
comes "the disk is known" grep -q spans <(room_free)
disk=(-s now+2h -e now+3h -R ams)
exits 0 "room on a disk waits, too" plus_reserve "${disk[@]}" --gb 0.03 -T
room=$(grep -o 'plus-[0-9a-f]*$' <<<"$output" | tail -1)
exits 1 "nobody else has it meanwhile" plus_reserve "${disk[@]}" --gb 0.03
says "the refusal names the disk" 'ams/d1'
slay "$(pid_of replica/ams)"
check "the storage returns" musubi up --dir "$federation"
exits 0 "and the room is committed" plus_commit -r "$room"
exits 0 "it shows" plus_status -r "$room"
says "in whole MiB of its disk" '29 MiB +d1'
exits 0 "the federation knows it, too" musubi show "$room"
exits 2 "nodes of it are refused" plus_modify -r "$room" -n 2
exits 0 "less of it" plus_modify -r "$room" --gb 0.01
exits 0 "leaves room for others" plus_reserve "${disk[@]}" --gb 0.02 --class d1
exits 1 "of a disk that is there" plus_reserve "${disk[@]}" --gb 0.001 --class d2
says "as the refusal says" 'no storage node d2'
exits 2 "nodes or room, not both" plus_reserve "${disk[@]}" --gb 0.001 -n 1
exits 0 "it is given back as any other" musubi release "$room"
check "and is released" test "$(state "$room")" = released

names=0
for name in plus_reserve plus_cancel plus_modify plus_status plus_commit plus_abort; do
  grep -qx '.so man1/plus.1' "$bin/../cli/$name.1" && names=$((names + 1))
done
check "each name has its manual" test $names -eq 6
exits 0 "status lists all of them" plus_status
says "with their sites" "^$one +ams +alice +reserved"
finish
