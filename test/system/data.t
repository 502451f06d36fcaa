#!/usr/bin/env bash
# Requests with files and room, on real processes: CPUs at two sites, a circuit, 200 MB at both and room are committed in
# one round. The files are there, verified, before the opening; tasks read them, and what they make is in the catalogue. A
# disk alone refuses a request; then nothing is left anywhere, and the refusal names the bytes, the disk and the time.
#
#   DATA_BYTES=N        the file's size, 200 MB unless given
. "$(dirname "$0")/lib.sh"
chmod 711 "$work"
cd "$work" || exit 1
bytes=${DATA_BYTES:-200000000}
federation "$root/deploy/federations/data.zpl" --planners 1
# A slow machine proves 200 MB in more than the 2 s that plans allow by themselves.
printf 'staging\n    start = 30s\n' >>"$(echo "$federation"/planner-*.zpl)"
slay "$(pid_of planner/1)"
for config in "$federation"/storage-*kyoto*.zpl; do printf 'limits\n    look = 1s\n' >>"$config"; done
slay "$(pid_of storage/disk-1@kyoto)"
check "the planner starts again, with more time for transfers" musubi up --dir "$federation"

json () { musubi --json "$@" 2>/dev/null; }
field () { jq -r "$1" <<<"$answer"; }
quiet () { "$@" 2>/dev/null; }
disks () { [ "$(json sites | jq '[.sites[].storage[] | select(.mib > 0)] | length')" = 5 ]; }
states () { json show "$1" | jq -r '[.staging[]?.state] | unique | join (" ")'; } # ID: of its files
are () { [ "$(states "$1")" = "$2" ]; }
misses () { [ "$(json show "$1" | jq '[.staging[]? | select(.state != "ready")] | length')" -gt 0 ]; } # ID
wall_ms () { date -d "$1" +%s%3N; }
request () { # FILE GB: at kyoto, as long as the first one
  cat >request.json <<JSON
{"window": {"start": "$start"}, "duration": "10m", "compute": [{"id": "a", "cpus": 1, "site": "kyoto"}],
 "data": [{"file": "$1", "at": "a"}], "space": [{"at": "a", "gb": $2}]}
JSON
}
booked () { json list | jq '[.reservations[] | select(.status != "released")] | length'; }
tell_more () { musubi list; musubi show "$id"; musubi replicas; musubi queue --over; tail -n 5 "$federation"/log/replica-*.log; }
id= bag=()

comes "all disks are heard of" disks
head -c "$bytes" /dev/urandom >2020.nc
check "a file is put" musubi put 2020.nc era5/2020.nc --site amsterdam
cat >first.json <<JSON
{"name": "first", "window": {"earliest": "now+12s", "latest": "now+10m"}, "duration": "10m",
 "compute": [{"id": "ocean", "cpus": 2, "site": "berlin"}, {"id": "ice", "cpus": 2, "site": "kyoto"}],
 "network": [{"between": ["ocean", "ice"], "mbps": 100}],
 "data": [{"file": "era5/2020.nc", "at": "ocean", "mbps": 400}, {"file": "era5/2020.nc", "at": "ice", "mbps": 400}],
 "space": [{"at": "ocean", "gb": 0.5}]}
JSON
exits 0 "CPUs, a circuit, files and room are committed" quiet musubi --json reserve first.json
answer=$output
id=$(field .reservation) start=$(field .start)
check "in one round" test "$(field .rounds)" = 1
check "the files' rooms are told, and their circuits" test \
  "$(field '[.data[] | "\(.need) \(.site) \(.source // "-") \(.mbps // 0)"] | sort | join (", ")')" = \
  "data-1 berlin amsterdam 400, data-2 kyoto amsterdam 400, space-1 berlin - 0"
check "each file is due when its need starts" test "$(field '[.data[].due // empty] | unique | .[]')" = "$start"
for site in ocean ice; do
  bag[${#bag[@]}]=$(musubi submit --reservation "$id/$site" --limit 20s --input era5/2020.nc=in --output "out=results/$site" -- \
    sh -c 'sha256sum <in >out' 2>/dev/null)
done

# --- a refusal by the disk alone: kyoto's has 500 MB
request era5/2020.nc 0.4
exits 1 "room that the first has taken is refused" musubi reserve request.json
says "with the bytes" 'space-1: room for 400000000 bytes'
says "the disk" '\[kyoto/disk-1\]|on kyoto/disk-1'
says "and the time" "$(cut -c 1-16 <<<"$start")"
check "nothing is left of it" test "$(booked)" = 1
ended () { json txn list | jq -e '.transactions == []'; }
comes "not at any participant either" ended
exits 1 "explained" musubi explain request.json
says "it says the same" 'kyoto/disk-1'
request era5/2020.nc 0.6
exits 1 "more than any disk is refused" musubi reserve request.json
says "in clear words" 'space-1: room for 600000000 bytes: takes 573 MiB of a storage node; the largest where a could be has 476'
request nobody/has.it 0.1
exits 1 "a name that nobody has is refused" musubi reserve request.json
says "by name" 'data\[0\]\.file: no site has a file nobody/has\.it'
request ../x 0.1
exits 2 "a name that no file can have is bad input" musubi reserve request.json
says "and the field is named" 'data\[0\]\.file'
check "none of them has left anything" test "$(booked)" = 1

# --- the files come ahead of the opening
comes "both files are there, verified" are "$id" ready
proved=$(json replicas era5/2020.nc | jq -r '[.files[].copies[] | select(.site != "amsterdam").proved] | max')
check "since before the opening" test "$(wall_ms "$proved")" -le "$(wall_ms "$start")"
for site in berlin kyoto; do
  check "byte by byte at $site" cmp 2020.nc "$federation/files/storage-disk-1@$site/files/era5%2F2020.nc"
done
exits 3 "they stay while it lasts" musubi evict era5/2020.nc --site kyoto
rm "$federation/files/storage-disk-1@kyoto/files/era5%2F2020.nc"
comes "one that vanishes, and nobody reads, is missed" misses "$id"
comes "  … and brought again" are "$id" ready
check "  … byte by byte" cmp 2020.nc "$federation/files/storage-disk-1@kyoto/files/era5%2F2020.nc"
digest=$(sha256sum <2020.nc)
results () { json replicas results/ocean | grep -q '"sound"' && json replicas results/ice | grep -q '"sound"'; }
comes "tasks read them, and what they make is in the catalogue" results
for site in ocean ice; do
  check "  … got back" musubi get results/$site -o got --site amsterdam
  check "  … it is the digest of what was put" test "$(cat got)" = "$digest"
  rm -f got
done

# --- given back
exits 0 "it is released" musubi release "$id"
check "and nothing is booked" test "$(booked)" = 0
mib_free () { json free "$1" --need "$2" --for 1h | jq -e '.spans | length > 0' >/dev/null; }
comes "all of berlin's disk is free" mib_free berlin/disk-1 1500
evicted () { musubi evict era5/2020.nc --site kyoto || ! json replicas era5/2020.nc | grep -q kyoto; }
comes "its copies may go" evicted

# --- folders, their members, and names with * or ?
mkdir -p fs/sub like
for i in 0 1 2; do
  head -c 300000 /dev/urandom >fs/f$i
  head -c 100000 /dev/urandom >like/$i.nc
done
head -c 2000000 /dev/urandom >fs/sub/large
check "a folder is put" musubi put -r fs run/fs --site amsterdam
check "and some files" musubi put like/0.nc like/1.nc like/2.nc g/ --site amsterdam
needs () { # FILE: at berlin, in half a minute
  cat >request.json <<JSON
{"window": {"earliest": "now+20s", "latest": "now+10m"}, "duration": "1m", "compute": [{"id": "a", "cpus": 1, "site": "berlin"}],
 "data": [{"file": "$1", "at": "a", "id": "d"}]}
JSON
}
rooms () { # FILE: the files that a plan with it has
  needs "$1"
  json reserve --dry-run request.json | jq -r '[.data[].file] | sort | join (" ")'
}
pieces=$(find "$federation"/files/storage-*@amsterdam/files -name 'run%2Ffs%2F.folder*' -printf '%f\n' | sed 's,%2F,/,g' | sort -u | paste -sd ' ')
needs run/fs
answer=$(json reserve request.json)
id=$(field .reservation)
check "a folder that is needed is all of its pieces" test "$(field '[.data[].file] | sort | join (" ")')" = "$pieces"
comes "and ready when all of them are there" are "$id" ready
check "  … at berlin" test "$(find "$federation"/files/storage-*@berlin/files -name 'run%2Ffs%2F.folder*' | wc -l)" = "$(wc -w <<<"$pieces")"
musubi release "$id" >/dev/null 2>&1
check "a member is the piece that it lies in, with the list" test "$(rooms run/fs/f1 | wc -w)" = 2
check "names with * are all that are so called" test "$(rooms 'g/*')" = "g/0.nc g/1.nc g/2.nc"
needs run/fs/nothing
exits 1 "a member that the folder does not have is refused" musubi reserve request.json
says "in clear words" 'the folder has no member nothing'
needs 'h/*'
exits 1 "so are names that nobody has" musubi reserve request.json
says "by what was asked" 'reserve: no file is called like h/\*'
check "a member is got without -r" musubi get run/fs/f1 -o f1 --site kyoto
check "  … as it was" cmp f1 fs/f1
lost=$(grep -o 'run/fs/.folder/pack-[0-9a-f]*' <<<"$pieces")
comes "a piece is lost everywhere" musubi evict "$lost" --kept # a site may still feed the one that was got from
gone () { ! musubi --json replicas "$lost" 2>/dev/null | grep -q pack; }
comes "  … it is gone" gone
needs run/fs
exits 1 "a folder that is not whole can't be had" musubi reserve request.json
nobody_has () { musubi reserve --dry-run request.json >refused 2>&1; grep -q 'no site has a file run/fs/.folder/pack-' refused; }
comes "by the piece that nobody has, when the planner has heard of that" nobody_has
finish
