#!/usr/bin/env bash
# What users are told when they make a mistake, or when something they name does not exist.
. "$(dirname "$0")/lib.sh"

federation "$root/deploy/federations/files.zpl"
gis=${MUSUBI_GIS#tcp://}
gis=${gis%%,*}
cd "$work" || exit 1

exits 0 "a directory without tcp://" env -u MUSUBI_GIS musubi --gis "$gis" sites
exits 0 "a timeout in seconds" musubi --timeout 5 sites
exits 0 "a duration in seconds" musubi free kyoto --need 1 --for 90
exits 1 "a site that is none" musubi free kioto --need 1 --for 90s
says "the nearest name comes first" 'no site "kioto"; the sites are: kyoto '
echo '{"window": {"earliest": "now"}, "duration": "1h", "compute": [{"id": "a", "cpus": 1, "site": "kioto"}]}' >kioto.json
exits 1 "nor can it be reserved" musubi reserve kioto.json
says "the nearest name comes first, too" 'no site "kioto"; the sites are: kyoto '

echo '{"window": {"earliest": "now"}, "duration": "1h", "compute": [{"id": "a", "cpus": 2, "site": "kyoto"}]}' >two.json
id=$(musubi reserve two.json --json 2>/dev/null | jq -r .reservation)
musubi show "$id" >before
echo '{"compute": [{"id": "a", "cpus": 5}]}' >patch.json
exits 0 "a change is planned" musubi modify "$id" patch.json --dry-run
says "and shown" '^a +kyoto +node +5 '
says "as a plan" '^planned'
check "it is as it was" cmp before <(musubi show "$id")
echo '{"compute": [{"id": "a", "cpus": 65}]}' >patch.json
exits 1 "one that can't be had is refused" musubi modify "$id" patch.json --dry-run
check "it is as it was, still" cmp before <(musubi show "$id")
check "it can be released" musubi release "$id"

echo x >x
comes "a file is put" musubi put x a/x --site kyoto
sites=$(musubi sites --json | jq '.sites | length')
exits 0 "more copies than there are sites" musubi rule a/x --copies $((sites + 4))
says "are told of" "rule: only $sites sites keep files; the other 4 copies are made as soon as more sites do"

for node in $(musubi up --dir "$federation" --pids | sed -n 's|.* \(storage/.*@kyoto\)$|\1|p'); do slay "$(pid_of "$node")"; done
slay "$(pid_of replica/kyoto)"
launch kyoto svc-replica -c "$federation/replica-kyoto.zpl"
comes "the site is asked again" musubi replicas a/x --site kyoto
exits 3 "a copy that can't be reached is not evicted" musubi evict a/x --kept --site kyoto
says "as is told" 'kyoto keeps its copy for now'
check "and says nothing of eviction" test "$(grep -c evicted <<<"$output")" = 0
kill "${pid[kyoto]}"
wait "${pid[kyoto]}"
check "all are there again" musubi up --dir "$federation"
comes "then it is" eval "musubi evict a/x --kept --site kyoto | grep -q 'evicted at kyoto'"

cpus=$(musubi sites --json | jq '[.sites[] | select(.name == "kyoto") | .classes[].cpus] | max')
all='"duration": "1h", "compute": [{"id": "a", "cpus": '$cpus', "site": "kyoto"}]'
echo "{\"window\": {\"earliest\": \"now\"}, $all}" >all.json
echo "{\"window\": {\"earliest\": \"now\", \"latest\": \"now+25s\"}, $all}" >again.json
check "a site is taken" musubi reserve all.json
exits 1 "one that waits for it in vain" musubi reserve again.json --wait
says "is told so" 'the last possible start has passed; this was in the way'
says "and what that was" 'kyoto/[a-z]+.* free'

slay "$(pid_of planner/1)"
for pid in $(pgrep -f "^[^ ]*svc-planner -c $federation/"); do slay "$pid"; done
exits 3 "without planners" musubi reserve all.json --timeout 1s
says "nothing was asked" 'the request was not sent, and nothing has changed; it is safe to ask again'
check "that is not called unknown" test "$(grep -c 'outcome is unknown' <<<"$output")" = 0
exits 3 "under an id that may have been used" musubi reserve all.json --timeout 1s --request-id used@g1
says "it is" 'the outcome is unknown'
finish broken
