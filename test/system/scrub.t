#!/bin/bash
# A copy that has gone bad on its disk: it is found, kept apart, told of, given as far as it is right, and mended by the MiB:
# from its owner, from another node, from another site; also after restarts. One that has vanished is noticed without a reading.
. "$(dirname "$0")/lib.sh"

federation --planners 1
cd "$work" || exit 1
MiB=$((1 << 20))

endpoint () { sed -n 's/^ready endpoint=\([^ ]*\).*/\1/p' "$1.ready"; }
port () { python3 -c 'import socket; s = socket.socket (); s.bind (("127.0.0.1", 0)); print (s.getsockname () [1])'; }
site () { # NAME NODES SETTING…
  local name=$1 nodes=$2 node
  shift 2
  launch "$name" svc-replica --set name="$name" --set gis="$MUSUBI_GIS" --set nodes="$nodes" --set 'accounts/all=*' \
    --set administrators=alice --set store/folder="$work/store-$name" --set bind/endpoint="tcp://127.0.0.1:$(port)" "$@"
  for node in ${nodes//,/ }; do
    launch "$name-$node" svc-replica node --set name="$node" --set replica="$(endpoint "$name")" \
      --set folder="$work/$name-$node" --set store/folder="$work/store-$name-$node" --set bytes=$((100 * MiB)) --set limits/look=1s
  done
}
stop_all () {
  kill "${pid[@]}" 2>/dev/null
  wait "${pid[@]}" 2>/dev/null
  cleanup
}
trap stop_all EXIT

copies () { # NAME: "site state" of each, on one line
  musubi --json replicas "$1" | python3 -c '
import json, sys
print (" ".join (sorted (c ["site"] + " " + c ["state"] for f in json.load (sys.stdin) ["files"] for c in f ["copies"])))'
}
have () { [[ "$(copies "$1")" == $2 ]]; }
spoil () { head -c 65536 /dev/urandom | dd of="$1" bs=65536 seek="$2" conv=notrunc status=none; }
brought () { # SITE: bytes that came to its nodes since its start
  musubi call "replica/$1" Service.Status '{}' | python3 -c '
import json, sys
print (sum (int (c ["value"]) for c in json.load (sys.stdin) ["counters"] if c ["name"] == "bytes_brought"))'
}

site ams n1
site berlin n1,n2
head -c $((16 * MiB + 4321)) /dev/urandom >x
exits 0 "a file is put" musubi put x --site ams
spoil "$work/ams-n1/files/x" $((12 * 16 + 3))
exits 1 "its only copy goes bad, and a scrub finds it" musubi scrub ams --mbps 4000
says "  … and says where" 'scrub: x at ams/n1 has 1 bad MiB, the first at 12 MiB'
exits 1 "who asks for it then" musubi get x -o got --site berlin
says "is told whose copy it is, what is bad, and what can be done" \
  "ams's only copy of x has 1 bad MiB, at 12 MiB; get --salvage gives the rest, and its owner can put it again"
check "nothing came of it" test ! -e got
check "the copy is kept" have x "ams quarantined"
exits 1 "what is right of it is given" musubi get x -o rest --salvage --site ams
says "  … with what is not" 'x: 1048576 bytes from 12582912 on are bad, and zeros here'
says "  … and never as the file" 'x is not whole in .*rest'
head -c $MiB /dev/zero | cat <(head -c $((12 * MiB)) x) - <(tail -c +$((13 * MiB + 1)) x) >wanted
check "it is all but the bad MiB" cmp wanted rest
slay "${pid[ams]}"
relaunch ams
slay "${pid[ams-n1]}"
relaunch ams-n1
comes "also over restarts" have x "ams quarantined"
exits 0 "its owner puts it again" musubi put x --site ams
check "it is sound" have x "ams sound"
check "and right" cmp x "$work/ams-n1/files/x"
check "the bad MiB alone was sent" test "$(brought ams)" = $MiB
exits 0 "a copy at another site" musubi get x -o got --site berlin
exits 0 "a scrub finds nothing" musubi scrub ams
spoil "$work/ams-n1/files/x" 5
spoil "$work/ams-n1/files/x" $((7 * 16))
musubi scrub ams >/dev/null 2>&1
comes "it is mended from there by itself" have x "ams sound berlin sound"
check "right again" cmp x "$work/ams-n1/files/x"
check "by its two bad MiBs" test "$(brought ams)" = $((3 * MiB))
exits 0 "a copy at each node" musubi get x --at-nodes all --site berlin
slay "${pid[ams]}"
spoil "$work/berlin-n2/files/x" 33
exits 1 "one goes bad while no other site is there" musubi scrub berlin
comes "it is mended from the other node" cmp x "$work/berlin-n2/files/x"
exits 0 "it is to stay at both nodes" musubi rule x --nodes all --site berlin
brought=$(brought berlin)
rm "$work/berlin-n2/files/x"
comes "a copy that vanishes, and nobody reads, is brought again from the other node" cmp x "$work/berlin-n2/files/x"
truncate -s $MiB "$work/berlin-n1/files/x"
comes "one that is cut off is mended" cmp x "$work/berlin-n1/files/x"
comes "both are sound" have x "berlin sound berlin sound"
check "by the bytes that were missing" test "$(brought berlin)" -le $((brought + 33 * MiB))
exits 0 "the rule ends" musubi rule x --copies 0
rm "$work/berlin-n1/files/x"
comes "one that nobody wants there is told gone" have x "berlin sound"
finish broken
