#!/usr/bin/env bash
# The storage node that has the only copy of a file is killed. Who wants the file gets it when the node is back, and is
# refused with the reason when limits/patience is over, and so is who puts another one. Nobody waits for ever.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
endpoint () { sed -n 's/^ready endpoint=\([^ ]*\).*/\1/p' "$1.ready"; }
any=tcp://127.0.0.1:0
launch gis svc-gis --set name=g1 --set recall/wait=0s --set bind/endpoint=$any --set bind/events=$any --set store/folder="$work/gis"
MUSUBI_GIS=$(endpoint gis)
export MUSUBI_GIS
launch ams svc-replica --set name=ams --set gis="$MUSUBI_GIS" --set nodes=n1 --set 'accounts/all=*' --set bind/endpoint=$any \
  --set bind/events=$any --set store/folder="$work/ams" --set limits/patience=10s
launch n1 svc-replica node --set name=n1 --set replica="$(endpoint ams)" --set bytes=1000000000 --set folder="$work/n1" \
  --set store/folder="$work/n1.store" --set bind/endpoint=$any --set bind/data=$any
tell_more () { tail -n 20 ams.log; }

head -c 3000000 /dev/urandom >run1
check "a file is put" musubi put run1 run1 --site ams
slay "${pid[n1]}"
{ musubi get run1 -o copy --site ams >get.out 2>&1; echo $? >get.exit; } &
comes "its node is killed, and the site says for whom a get waits" grep -q 'storage node n1 of ams has been silent for [0-9]* s' ams.log
relaunch n1
comes "the node comes back, and the get ends" test -s get.exit
check "with the file" cmp run1 copy
slay "${pid[n1]}"
exits 1 "the node stays away: a get is refused" timeout 60 musubi get run1 -o late --site ams
says "with the reason" 'storage node n1 of ams has been silent for [0-9]+ s, and no other site has run1'
comes "its site gives it nothing new" grep -q 'storage node n1 up->silent' ams.log
exits 1 "nor is there room for another file" timeout 60 musubi put run1 run2 --site ams
says "and it is said whose" 'storage node n1 of ams has been silent for [0-9]+ s; limits/patience is over'
finish
