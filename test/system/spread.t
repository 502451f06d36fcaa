#!/usr/bin/env bash
# A near site with one storage node, a thin link, and behind it two sites with several nodes each. A file comes to all nodes of a
# site, or of all sites, by one crossing of the link, also for who asks meanwhile; a rule keeps it there. The link counts the bytes.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/link_lib.sh" 10.79.0.2

node () { # SITE NAMESPACE ADDRESS PORT NODE BYTES
  launch "$1-$5" ip netns exec "$2" svc-replica node --set name="$5" --set replica="tcp://$3:$4" "${trusted[@]}" \
    --set bind/endpoint=tcp://127.0.0.1:0 --set bind/data="tcp://$3:0" --set bytes="$6" \
    --set folder="$work/$1-$5" --set store/folder="$work/$1-$5.store"
}
site () { # NAME NAMESPACE ADDRESS PORT NODE…: a node "n3:BYTES" may have so many bytes; with 0 it is not started
  local name=$1 space=$2 address=$3 port=$4 node bytes names
  shift 4
  names=$(printf '%s\n' "${@%%:*}" | paste -sd,)
  launch "$name" ip netns exec "$space" svc-replica --set name="$name" --set gis=$gis --set nodes="$names" --set 'accounts/all=*' \
    "${trusted[@]}" --set bind/endpoint="tcp://$address:$port" --set store/folder="$work/$name"
  for node in "$@"; do
    bytes=${node#*:}
    [ "$bytes" != "$node" ] || bytes=1000000000
    node=${node%%:*}
    [ "$bytes" != 0 ] || continue
    node "$name" "$space" "$address" "$port" "$node" "$bytes"
  done
}
site ams $near 10.79.0.1 5580 n1
site berlin $far 10.79.0.2 5580 n1 n2 n3
site oslo $far 10.79.0.2 5581 n1 n2 n3:1500000 n4:0

size=2000000
put () { head -c $size /dev/urandom >"$1" && ip netns exec $near musubi put "$1" "$1" --site ams; }
far () { ip netns exec $far timeout 60 musubi "$@"; }
has () { # FILE FOLDER…: by content
  local folder
  for folder in "${@:2}"; do cmp "$1" "$folder/files/$1" || return 1; done
}
two () { [ "$(ls berlin-n?/files/"$1" | wc -l)" = 2 ]; }
at_most () { # BYTES SINCE
  local bytes=$(($(crossed) - $2))
  echo "$bytes bytes have crossed"
  [ $bytes -le "$1" ]
}

# --- get
check "a file is put at the near site" put run1
before=$(crossed)
far get run1 -o copy1 --site berlin >copy1.out 2>&1 &
one=$!
exits 0 "all nodes of a far site get it, while a user there does" far get run1 --at-nodes all --site berlin
says "and it is said" '^run1: at all storage nodes of berlin$'
check "all have it" has run1 berlin-n1 berlin-n2 berlin-n3
wait $one
check "and the user" cmp run1 copy1
check "its bytes crossed once" at_most $((size * 11 / 10)) "$before"
echo "# $output"
exits 0 "asked for again" far --json get run1 --at-nodes 2 --site berlin
says "it is there" '"was_there": true'
check "two files are put" eval 'put run2 && put run3'
exits 0 "one comes to two nodes and to this machine" far --json get run2 --at-nodes 2 --site berlin -o copy2
says "as was asked" '"at_nodes": "2"'
check "two of them have it" two run2
check "it is here" cmp run2 copy2
exits 0 "and to the third node from these" far get run2 --at-nodes all --site berlin
check "all have it" has run2 berlin-n1 berlin-n2 berlin-n3
exits 1 "a node without room, and one that is not up" far get run3 --at-nodes all --site oslo
says "are named" 'get: run3 is at 2 of 4 storage nodes of oslo; n3: has no room for it; n4: is not up$'
check "the others have it" has run3 oslo-n1 oslo-n2
exits 2 "more nodes than there are" far get run3 --at-nodes 99 --site berlin
says "are refused with how many there are" 'nodes: 99 are wanted, and replica/berlin has 3 storage nodes'
exits 2 "nodes that are no number" far get run3 --at-nodes some --site oslo
says "are refused by name" '--at-nodes should be all, or a number of storage nodes from 1, not some'

# --- rules
exits 2 "a rule says how many" far rule run3
exits 2 "not more than it names sites" far rule run3 --copies 2 --site berlin
exits 1 "and names sites that there are" far rule run3 --nodes all --site nowhere
exits 0 "all nodes of one site" far rule run3 --nodes all --site berlin
comes "get the file" has run3 berlin-n1 berlin-n2 berlin-n3
check "another file is put" put run4
before=$(crossed)
exits 0 "all nodes of all sites" far rule run4 --nodes all
comes "get the file" has run4 berlin-n1 berlin-n2 berlin-n3 oslo-n1 oslo-n2
check "its bytes crossed once" at_most $((size * 11 / 10)) "$before"
echo "# $output"
slay "${pid[ams]}"
node oslo $far 10.79.0.2 5581 n4 1000000000
comes "a node that is new gets it, while the rule's site is away" has run4 oslo-n4
relaunch ams
exits 0 "the rule ends" far rule run4 --copies 0
says "at all sites that know of it" '^run4: ruled at ams, berlin, oslo$'
check "and its copies stay" has run4 berlin-n1 berlin-n2 berlin-n3 oslo-n1 oslo-n2 oslo-n4
finish
