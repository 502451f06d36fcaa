#!/bin/bash
# Files that a site's svc-lis wants at a storage node, and outputs that its tasks have left there: by hand, with real disks.
. "$(dirname "$0")/lib.sh"

federation --planners 1
cd "$work" || exit 1
gis=$MUSUBI_GIS

endpoint () { sed -n 's/^ready endpoint=\([^ ]*\).*/\1/p' "$1.ready"; }
storage () { # SITE NODE BYTES: one that is started again has the folders of the one before
  launch "$1-$2" svc-replica node --set name="$2" --set replica="$(endpoint "$1")" --set folder="$work/$1-$2" \
    --set store/folder="$work/store-$1-$2" --set bytes="$3"
}
site () { # NAME NODES BYTES
  local node
  launch "$1" svc-replica --set name="$1" --set gis="$gis" --set nodes="$2" --set 'accounts/all=*' --set administrators=alice \
    --set store/folder="$work/store-$1"
  for node in ${2//,/ }; do storage "$1" "$node" "$3"; done
}
stop_all () {
  kill "${pid[@]}" 2>/dev/null
  wait "${pid[@]}" 2>/dev/null
  cleanup
}
trap stop_all EXIT
site ams n1 200000000
site oslo n1,n2,n3 60000000

stay () { # NODE FILE MS
  MUSUBI_ACTOR=lis/oslo musubi call replica/oslo Stay "{\"name\": \"$2\", \"node\": \"$1\", \"who\": \"lis/oslo\", \"stay_ms\": $3}"
}
take () { # NODE PATH FILE
  MUSUBI_ACTOR=lis/oslo musubi call replica/oslo TakeIn \
    "{\"name\": \"$3\", \"node\": \"$1\", \"path\": \"$2\", \"owner\": \"alice\"}"
}
stays () { stay "$1" "$2" 60000 | tee told | grep -q 'STAGED_READY\|"state": "ready"'; }
late () { stay "$1" "$2" 60000 | tee told | grep -q 'LATE\|"state": "late"'; }
crossed_once () {
  musubi call replica/oslo Service.Status '{}' | jq -e '[.counters[] | select(.name == "crossings").value | tonumber] == [1]'
}
taken () { take "$@" | tee told | grep -q 'STAGED_READY\|"state": "ready"'; }
refused () { take "$@" | tee told | grep -q 'LATE\|"state": "late"'; }

head -c 20000000 /dev/urandom >in
check "a file is put" musubi put in in --site ams

# --- stays
exits 1 "nobody but the site's own svc-lis stays" env MUSUBI_ACTOR=bob musubi call replica/oslo Stay '{"name": "in", "node": "n1", "who": "me", "stay_ms": 1000}'
says "and it is said who may" 'only lis/oslo and administrators may'
exits 2 "a node that is none is named" stay n9 in 1000
says "with what is wrong" 'node: replica/oslo has no storage node n9'
comes "a file comes to the node that is named" stays n2 in
path=$(grep -o '/[^"]*/files/[^"]*' told)
check "where it is said to be" cmp in "$path"
check "and to no other" test ! -e oslo-n1/files/in -a ! -e oslo-n3/files/in
comes "two more nodes get it" stays n1 in
comes "from the site's own" stays n3 in
check "so that it has crossed once" crossed_once
head -c 50000000 /dev/urandom >large
check "a larger one is put" musubi put large large --site ams
comes "what a stay is for does not give way to it" late n2 large
check "with the word" grep -q 'disk full: the file has 50000000 bytes' told
check "the first file is still there" cmp in oslo-n2/files/in
exits 0 "the stay ends" stay n2 in 0
comes "and it gives way" stays n2 large
exits 0 "and that stay, too" stay n2 large 0
comes "what nobody has is late" late n1 nothing
check "with the word" grep -q 'no site has nothing' told

# --- outputs
head -c 7000000 /dev/urandom >out
cp out oslo-n3/arrivals/task-1.0
comes "an output is taken in" taken n3 task-1.0 run/out
check "under its name" cmp out oslo-n3/files/run%2Fout
check "and not twice" test ! -e oslo-n3/arrivals/task-1.0
check "a repeat is told the same" taken n3 task-1.0 run/out
exits 0 "it is listed" musubi --json replicas run/out
says "as its owner's" '"owner": "alice"'
exits 0 "and can be got" musubi get run/out -o back --site ams
check "as it was" cmp out back
cp in oslo-n3/arrivals/task-2.0
comes "another content of that name is not taken" refused n3 task-2.0 run/out
check "with the word" grep -q 'its name stands for another file' told
check "and stays where it is" cmp in oslo-n3/arrivals/task-2.0
cp out oslo-n1/arrivals/task-3.0
comes "the same content at another node is" taken n1 task-3.0 run/out
check "and only once at the site" test ! -e oslo-n1/arrivals/task-3.0 -a ! -e oslo-n1/files/run%2Fout
ln -s /etc/passwd oslo-n1/arrivals/task-4.0
comes "a link is not followed" refused n1 task-4.0 run/link
exits 2 "nor is a path that leads elsewhere" take n1 ../files/in run/in
says "it is said what would be right" 'path: should be the name of a file in the folder for arrivals'
head -c 55000000 /dev/urandom >oslo-n1/arrivals/task-5.0
comes "one that is too large is not taken" refused n1 task-5.0 run/large
check "with the word" grep -q 'disk full: the file has 55000000 bytes' told

# --- a node and the service die on the way
head -c 30000000 /dev/urandom >oslo-n3/arrivals/task-6.0
cp oslo-n3/arrivals/task-6.0 six
take n3 task-6.0 run/six >/dev/null
slay "${pid[oslo-n3]}"
slay "${pid[oslo]}"
relaunch oslo
storage oslo n3 60000000
comes "after a crash the output is taken in" taken n3 task-6.0 run/six
check "whole" cmp six oslo-n3/files/run%2Fsix
comes "the file that was stayed with is there" stays n3 in
finish
