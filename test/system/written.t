#!/bin/bash
# What commands write: to standard output, to files, to devices and pipes; and what they say when it can't be written.
. "$(dirname "$0")/lib.sh"

federation --planners 1
cd "$work" || exit 1
launch index svc-replica --set name=i1 --set index=true --set gis="$MUSUBI_GIS" --set store/folder="$work/store-index"
port=$(python3 -c 'import socket; s = socket.socket (); s.bind (("127.0.0.1", 0)); print (s.getsockname () [1])')
launch ams svc-replica --set name=ams --set gis="$MUSUBI_GIS" --set nodes=n1 --set 'accounts/all=*' \
  --set administrators="$MUSUBI_ACTOR" --set store/folder="$work/store-ams" --set bind/endpoint="tcp://127.0.0.1:$port"
launch ams-n1 svc-replica node --set name=n1 --set folder="$work/ams-n1" --set store/folder="$work/store-n1" \
  --set replica="$(sed -n 's/^ready endpoint=\([^ ]*\).*/\1/p' ams.ready)" --set bytes=20000000
stop_all () {
  kill "${pid[@]}" 2>/dev/null
  wait "${pid[@]}" 2>/dev/null
  cleanup
}
trap stop_all EXIT

# --- a device or pipe that exists is written to, not replaced
head -c 300000 /dev/urandom >three
comes "a file is put" musubi put three a/three --site ams
musubi get a/three -o - --site ams >came 2>told
check "- is standard output" cmp three came
check "what is told goes elsewhere" grep -q 'a/three: 300 kB to -' told
check "no file is called so" test ! -e ./-
mkfifo pipe
cat pipe >came &
exits 0 "a pipe is written to" musubi get a/three -o pipe --site ams
wait $!
check "with the whole file" cmp three came
check "it is still a pipe" test -p pipe
ln -s /dev/null null
exits 0 "a device is written to" musubi get a/three -o null --site ams
check "and stays" test -L null -a -c null
echo before >target
ln -s target link
exits 0 "where a link leads the file is written" musubi get a/three -o link --site ams
check "all of it" cmp three target
check "the link stays" test -L link
ln -s /dev/full full
exits 3 "a device that is full is told" musubi get a/three -o full --site ams
says "by its name" 'full: can.t be written: No space left'
check "nothing is left aside" test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'musubi-??????' -newer three -user "$(id -u)" 2>/dev/null)"

cat >request.json <<'J'
{"window": {"start": "now+1h"}, "duration": "1h", "compute": [{"id": "a", "cpus": 1}]}
J
check "something is reserved" musubi reserve request.json
musubi gantt --svg - >chart.svg 2>told
check "a chart is drawn onto standard output" grep -q '</svg>' chart.svg
check "no file is called so" test ! -e ./-
exits 0 "or onto a device" musubi gantt --svg null
exits 3 "which may be full" musubi gantt --svg full
exits 2 "or in no folder" musubi gantt --svg nowhere/chart.svg
cat >log.swf <<'L'
1 0 1 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1
2 5 1 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1
3 9 1 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1
L
musubi workload log.swf --requests 1 --dry-run - >requests 2>told
check "requests go there, too" jq -e '.request // . | length > 0' requests
check "no file is called so" test ! -e ./-

# --- standard output that can't be written
full () { # SENTENCE COMMAND…
  local sentence=$1
  shift
  exits 3 "$sentence" bash -c '"$@" >/dev/full' - "$@"
  says "is told" "musubi: standard output can't be written(: No space left)?"
}
full "help" musubi --help
full "a command's help" musubi list --help
full "the help of several" musubi plus --help
full "the version" musubi --version
full "a list" musubi list
full "as JSON" musubi list --json
full "sites" musubi sites
full "a chart" musubi gantt --svg -
full "a file" musubi get a/three -o - --site ams
full "an answer, though it is done" musubi reserve request.json --json
musubi watch --json --every 100ms >/dev/full 2>told &
watch=$!
comes "something changes while one watches" eval "musubi reserve request.json && ! kill -0 $watch 2>/dev/null"
wait $watch
check "the watch ends" test $? = 3

# --- spans that are open on one side
exits 0 "from a time on" musubi list --from now
says "what is there is found" committed
exits 0 "up to a time" musubi list --until now+3h
says "it is found, too" committed
exits 0 "long past it" musubi list --from now+900d
check "nothing is found" test "$(grep -c committed <<<"$output")" = 0
finish
