#!/bin/bash
# Files at three sites: put, got, fetched once for all that ask; stale, wrong or too big; evicted, pinned, kept by rules;
# while services are killed. The storage nodes are processes of their own.
#
#   REPLICA_FILES=N     N small files instead of 200 (a thousand take a minute or two)
. "$(dirname "$0")/lib.sh"

federation --planners 1
cd "$work" || exit 1
gis=$MUSUBI_GIS
MB=1000000

endpoint () { sed -n 's/^ready endpoint=\([^ ]*\).*/\1/p' "$1.ready"; }
port () { python3 -c 'import socket; s = socket.socket (); s.bind (("127.0.0.1", 0)); print (s.getsockname () [1])'; }
site () { # NAME NODES BYTES SETTING…
  local name=$1 nodes=$2 bytes=$3 node
  shift 3
  launch "$name" svc-replica --set name="$name" --set gis="$gis" --set nodes="$nodes" --set 'accounts/all=*' \
    --set administrators="$MUSUBI_ACTOR" --set store/folder="$work/store-$name" \
    --set bind/endpoint="tcp://127.0.0.1:$(port)" "$@"
  for node in ${nodes//,/ }; do
    launch "$name-$node" svc-replica node --set name="$node" --set replica="$(endpoint "$name")" \
      --set folder="$work/$name-$node" --set store/folder="$work/store-$name-$node" --set bytes="$bytes"
  done
}
stop_all () {
  kill "${pid[@]}" 2>/dev/null
  wait "${pid[@]}" 2>/dev/null
  cleanup
}
trap stop_all EXIT

counter () { # SITE NAME
  musubi call "replica/$1" Service.Status '{}' | python3 -c '
import json, sys
print (sum (int (c ["value"]) for c in json.load (sys.stdin) ["counters"] if c ["name"] == sys.argv [1]))' "$2"
}
copies () { # NAME: "site state" of each, on one line
  musubi --json replicas "$1" | python3 -c '
import json, sys
print (" ".join (sorted (c ["site"] + " " + c ["state"] for f in json.load (sys.stdin) ["files"] for c in f ["copies"])))'
}
until_ () { # COMMAND…: until it succeeds, for half a minute
  for _ in $(seq 300); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  return 1
}
have () { [[ "$(copies "$1")" == $2 ]]; }
nowhere () { [ -z "$(copies "$1" 2>/dev/null)" ]; }
on_disk () { ls "$work/$1"-*/files/"$2" 2>/dev/null | head -n 1; }

launch index svc-replica --set name=i1 --set index=true --set gis="$gis" --set store/folder="$work/store-index"
site ams n1,n2 $((20 * MB))
site berlin n1,n2 $((20 * MB))
site oslo n1 $((6 * MB)) --set mbps=16
head -c $((3 * MB)) /dev/urandom >three
: >nothing

# --- there and back
exits 0 "a file is put" musubi put three era5/2020.nc --site ams
check "it lies there, sound" have era5/2020.nc "ams sound"
exits 0 "it is got at another site" musubi get era5/2020.nc -o got --site berlin
check "byte by byte" cmp three got
check "and has become a replica there" have era5/2020.nc "ams sound berlin sound"
check "having crossed once" test "$(counter berlin crossings) $(counter berlin bytes_brought)" = "1 $((3 * MB))"
exits 0 "got there again" musubi get era5/2020.nc -o again --site berlin
check "it does not cross again" test "$(counter berlin crossings)" = 1
exits 0 "put again it is there" musubi put three era5/2020.nc --site ams
says "and says so" 'was there'
exits 0 "a file of no bytes, with odd letters" musubi put nothing "a b/\$(x) 'q' =%2F/結び" --site berlin
exits 0 "comes back" musubi get "a b/\$(x) 'q' =%2F/結び" -o none --site ams
check "as it was" cmp nothing none
exits 0 "a list for machines" musubi --json replicas
check "is JSON" python3 -c 'import json, sys; json.loads (sys.argv [1])' "$output"

# --- one crossing for two, also at different times: 3 MB take 1.5 s there
musubi get era5/2020.nc -o first --site oslo >first.out 2>&1 &
one=$!
until_ grep -q 'sourcing->running' oslo.log
exits 0 "who asks while it comes" musubi get era5/2020.nc -o second --site oslo
wait $one
check "and who asked first" cmp three first
check "have the same" cmp three second
check "by one crossing" test "$(counter oslo crossings) $(counter oslo bytes_brought)" = "1 $((3 * MB))"

# --- what is refused
exits 2 "a name that climbs" musubi put three ../x --site ams
exits 2 "a name that turns text around" musubi put three "report"$'\xe2\x80\xae'"fdp.exe" --site ams
exits 2 "a folder" musubi put . x --site ams
mkfifo pipe
exits 2 "a pipe" musubi put pipe x --site ams
exits 2 "what never ends" musubi put /dev/zero x --site ams
exits 2 "a file that is not there" musubi put nowhere --site ams
exits 2 "which site?" musubi put three x
exits 1 "an unknown site" musubi put three x --site nowhere
exits 1 "another content under a name that is taken" musubi put nothing era5/2020.nc --site ams
exits 1 "also at another site" musubi put nothing era5/2020.nc --site oslo
says "in clear words" 'another file called era5/2020.nc'
exits 1 "a name that nobody has" musubi get nobody/has.it -o x --site ams
says "in clear words" 'no site has nobody/has.it'
head -c $((30 * MB)) /dev/zero >thirty
exits 1 "more than any disk" musubi put thirty big --site ams
says "in clear words" 'disk full: the file has 30000000 bytes'
check "leaves nothing" nowhere big
MUSUBI_ACTOR=mallory exits 1 "another's file is not his to pin" musubi pin era5/2020.nc --site ams
check "nothing came of what was refused" test ! -e x

# --- stale and wrong
rm "$(on_disk berlin 'era5%2F2020.nc')"
exits 0 "a stale entry is found at use" musubi get era5/2020.nc -o mended --site berlin
check "and mended" cmp three mended
check "with a fresh copy" have era5/2020.nc "ams sound berlin sound oslo sound"
exits 0 "copies are evicted" musubi evict era5/2020.nc --site oslo
check "and gone" until_ have era5/2020.nc "ams sound berlin sound"
printf 'wrong' | dd of="$(on_disk ams 'era5%2F2020.nc')" bs=1 seek=1000 conv=notrunc 2>/dev/null
exits 0 "where a copy has gone bad" musubi get era5/2020.nc -o right --site oslo
check "nobody gets wrong bytes" cmp three right
check "and it is kept apart if it was asked for" until_ have era5/2020.nc "ams *berlin sound oslo sound"

# --- room: oslo has 6 MB
head -c $((2 * MB)) /dev/urandom >two
for i in 1 2 3; do musubi put two "f$i" --site berlin >/dev/null; done
exits 0 "one fills the disk" musubi get f1 --stage --site oslo
exits 0 "pinned, it stays" musubi pin f1 --site oslo
exits 0 "the next one" musubi get f2 --stage --site oslo
check "made the least recently used leave" have era5/2020.nc "*berlin sound"
exits 0 "and the next" musubi get f3 --stage --site oslo
exits 0 "a big one" musubi get era5/2020.nc --stage --site oslo
check "leaves the pinned one" have f1 "berlin sound oslo sound"
check "and never had more than its limit" test "$(du -sb "$work/oslo-n1/files" | cut -f1)" -le $((6 * MB + 8192))

# --- killed in between
slay "${pid[ams]}"
relaunch ams
exits 0 "after a crash of its service a site has what it had" musubi get f1 -o f1 --site ams
check "byte by byte" cmp two f1
head -c $((4 * MB)) /dev/urandom >four
musubi put four four --site berlin >/dev/null
musubi get four -o four.got --site oslo >four.out 2>&1 &
one=$!
until_ grep -q 'name=four sourcing->running' oslo.log
slay "${pid[oslo]}"
relaunch oslo
wait $one
came=$?
check "a transfer goes on when the service is killed in the middle" test $came = 0
check "and brings it whole" cmp four four.got
slay "${pid[index]}"
exits 0 "without an index" musubi get f3 -o f3 --site ams
check "the sites are asked" cmp two f3
relaunch index

# --- a file that changes while it is sent, and a catalogue that is wrong: oslo receives 2 MB a second
head -c $((3 * MB)) /dev/urandom >changing
spoil () { printf 'wrong' | dd of="$1" bs=1 seek=2900000 conv=notrunc 2>/dev/null; }
musubi put changing changing --site oslo >changing.out 2>&1 &
one=$!
until_ grep -q 'put name=changing room->running' oslo.log
spoil changing
wait $one
came=$?
check "a file that changes while it is put is refused" test $came = 1
output=$(cat changing.out)
says "in clear words" 'the file changed while it was sent'
check "nothing is left of it" nowhere changing
head -c $((3 * MB)) /dev/urandom >five
musubi put five five --site berlin >/dev/null
musubi get five -o five.got --site oslo >five.out 2>&1 &
one=$!
until_ grep -q 'name=five sourcing->running' oslo.log
spoil "$(on_disk berlin five)"
wait $one
came=$?
check "one that changes where it comes from is refused where it goes" test $came = 1
output=$(cat five.out)
says "in clear words" 'berlin.*(: its bytes do not match its digests|only copy of five has 1 bad MiB, at 2 MiB)'
check "and comes to nobody" test ! -e five.got
check "its site reads it again, and keeps it quarantined" until_ have five "berlin quarantined"
exits 1 "who asks for it then" musubi get five -o five.got --site ams
says "is told where it is, and what is bad" "berlin's only copy of five has 1 bad MiB, at 2 MiB; get --salvage gives the rest"
exits 0 "its owner can evict it" musubi evict five --kept
check "and it is gone" until_ nowhere five
musubi put three gone --site berlin >/dev/null
rm "$(on_disk berlin gone)"
exits 1 "a catalogue that lies" musubi get gone -o gone.got --site ams
says "is found out" 'no site has gone'
check "and mended" until_ nowhere gone
check "nothing came of it" test ! -e gone.got

# --- lifetimes
exits 0 "a file for four seconds" musubi put two short --site berlin --lifetime 4s
check "is there" have short "berlin sound"
check "and goes when they are over" until_ nowhere short
check "from the disk, too" test -z "$(on_disk berlin short)"
musubi put two pinned --site berlin --lifetime 4s >/dev/null
exits 0 "pinned meanwhile" musubi pin pinned --site berlin
musubi put two after --site berlin --lifetime 4s >/dev/null
until_ nowhere after # lifetimes have been looked at
check "it stays" have pinned "berlin sound"
exits 0 "unpinned" musubi unpin pinned
check "it goes" until_ nowhere pinned

# --- many, eight at a time
files=${REPLICA_FILES:-200}
mkdir many back
for i in $(seq "$files"); do echo "file $i" >"many/$i"; done
several () { seq "$files" | xargs -P 8 -I{} "$@" >several.out 2>&1; }
check "$files small files are put" several musubi put many/{} many/{} --site berlin
crossings=$(counter ams crossings)
check "and got" several musubi get many/{} -o back/{} --site ams
check "each as it was" diff -r many back
check "each has crossed once" test "$(counter ams crossings)" = $((crossings + files))

# --- rules: north has ams and berlin, south has oslo
domain () { # NAME SITES EXCHANGE: each linked to it
  local name=$1 sites=$2 exchange=$3 vertex links=()
  for vertex in ${sites//,/ }; do
    links+=(--set "links/$vertex/between=$vertex,$exchange" --set "links/$vertex/mbps=1000")
  done
  launch "$name" svc-nis --set name="$name" --set gis="$gis" --set sites="$sites" --set exchanges="$exchange" \
    "${links[@]}" --set store/folder="$work/store-$name" --set 'accounts/all=*' \
    --set "administrators=$MUSUBI_ACTOR"
}
domain north ams,berlin ix
domain south oslo ix
two_domains () { musubi call replica/ams Service.Status '{}' >/dev/null && [ "$(musubi --json links | grep -o '"domain"' | wc -l)" -ge 3 ]; }
check "two domains" until_ two_domains
exits 0 "two copies in different domains" musubi rule many/2 --copies 2 --spread domains
check "lie in both" until_ have many/2 "* oslo sound"
exits 0 "a rule" musubi rule many/1 --copies 3
check "brings copies to other sites" until_ have many/1 "ams sound berlin sound oslo sound"
kept () { # NAME: how many copies are kept
  musubi --json replicas "$1" | grep -o '"kept": true' | wc -l
}
kept_all () { [ "$(kept many/1)" = 3 ]; }
check "and has them kept" until_ kept_all
exits 0 "what comes after" musubi get f2 --stage --site oslo
exits 0 "and needs their room" musubi get f3 --stage --site oslo
check "leaves them where they are" have many/1 "ams sound berlin sound oslo sound"

# --- sites beyond this machine
exits 0 "a file is fetched where it is said" musubi put three three --site ams --bind tcp://127.0.0.1:0
exits 1 "an address that is none of this machine's" musubi put four five --site ams --bind tcp://192.0.2.1:0
says "  … is named" '192\.0\.2\.1'
launch far svc-replica --set name=far --set gis="$gis" --set nodes=n1 --set bind/host=far.example --set store/folder="$work/store-far"
known () { musubi call gis Gis.Snapshot '{}' | jq -e '.entries | any(.name == "replica/far")'; }
check "a site on another machine is known" until_ known
exits 1 "nothing leads there" musubi put three six --site far
says "  … as is told" 'tcp://far\.example:[0-9]+: no address of this machine leads there'
kill "${pid[far]}"
unknown () { ! known; }
check "it leaves, and is listed no more" until_ unknown
finish
