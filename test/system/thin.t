#!/usr/bin/env bash
# Two sites with a thin link between them. However many users at one site want a file of the other, at once or one after
# another, its bytes cross the link once, also when the service and the nodes there die meanwhile. The link counts them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/link_lib.sh" 10.79.0.2

site () { # NAME NAMESPACE ADDRESS NODE…
  local name=$1 space=$2 address=$3 node
  shift 3
  launch "$name" ip netns exec "$space" svc-replica --set name="$name" --set gis=$gis --set nodes="$(tr ' ' , <<<"$*")" --set 'accounts/all=*' \
    "${trusted[@]}" --set bind/endpoint="tcp://$address:5580" --set store/folder="$work/$name"
  for node in "$@"; do
    launch "$name-$node" ip netns exec "$space" svc-replica node --set name="$node" --set replica="tcp://$address:5580" "${trusted[@]}" \
      --set bind/endpoint=tcp://127.0.0.1:0 --set bind/data="tcp://$address:0" --set bytes=1000000000 \
      --set folder="$work/$name-$node" --set store/folder="$work/$name-$node.store"
  done
}
site ams $near 10.79.0.1 n1
site berlin $far 10.79.0.2 n1 n2

size=8000000
put () { head -c $size /dev/urandom >"$1" && ip netns exec $near musubi put "$1" "$1" --site ams; }
get () { # FILE COPY: in the background
  {
    ip netns exec $far timeout 60 musubi get "$1" -o "$2" --site berlin >"$2.out" 2>&1
    echo $? >"$2.exit"
  } &
}
has_bytes () { # of what is under way at the far site
  local part
  for part in berlin-n*/parts/*; do
    [ -f "$part" ] && [[ $part != *.marks ]] && [ "$(stat -c %s "$part" 2>/dev/null || echo 0)" -ge "$1" ] && return 0
  done
  return 1
}
reaches () {
  for _ in $(seq 1500); do
    has_bytes "$1" && return
    sleep 0.02
  done
  return 1
}
all_got () { # FILE COPY…
  local copy
  for copy in "${@:2}"; do
    until [ -s "$copy.exit" ]; do sleep 0.05; done
    [ "$(cat "$copy.exit")" = 0 ] || { cat "$copy.out"; return 1; }
    cmp "$1" "$copy" || return 1
  done
}
at_most () { # BYTES SINCE
  local bytes=$(($(crossed) - $2))
  echo "$bytes bytes have crossed"
  [ $bytes -le "$1" ]
}

check "a file is put at the near site" put run1
before=$(crossed)
for i in 1 2 3 4; do get run1 "a$i"; done
check "it is on its way to the far one" reaches $((size / 4))
get run1 b1
get run1 b2
check "others want it meanwhile" reaches $((size / 2))
get run1 c1
check "all have it" all_got run1 a1 a2 a3 a4 b1 b2 c1
get run1 d1
check "who comes when all is over has it, too" all_got run1 d1
check "its bytes crossed once" at_most $((size * 11 / 10)) "$before"
echo "# $output"

check "another file is put" put run2
before=$(crossed)
for i in 1 2 3; do get run2 "e$i"; done
check "it is on its way" reaches $((size / 3))
slay "${pid[berlin]}"
wait "${pid[berlin]}" 2>/dev/null # until the last of its threads has let go of its store
relaunch berlin
get run2 f1
check "a site's service dies meanwhile: all have it" all_got run2 e1 e2 e3 f1
check "its bytes crossed once all the same" at_most $((size * 11 / 10)) "$before"
echo "# $output"

check "one more file is put" put run3
before=$(crossed)
stagger () {
  for i in 1 2 3 4 5 6 7 8; do
    get run3 "g$i"
    reaches $((size * i / 10)) || return
  done
}
check "eight want it one after another, while it comes" stagger
check "all have it" all_got run3 g1 g2 g3 g4 g5 g6 g7 g8
check "its bytes crossed once" at_most $((size * 11 / 10)) "$before"
echo "# $output"
finish
