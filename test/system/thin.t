#!/usr/bin/env bash
# Two sites with a thin link between them. However many users at one site want a file of the other, at once or one after
# another, its bytes cross the link once, also when the service and the nodes there die meanwhile. The link counts them.
. "$(dirname "$0")/lib.sh"
if [ "$(id -u)" -ne 0 ] || ! ip netns add "mu$$-try" 2>/dev/null; then
  echo "1..0 # SKIP thin.t needs root and network namespaces"
  exit 0
fi
ip netns del "mu$$-try"
cd "$work" || exit 1
near=mu$$-near far=mu$$-far
end_all () {
  kill "${pid[@]}" 2>/dev/null
  wait 2>/dev/null
  ip netns del $near 2>/dev/null
  ip netns del $far 2>/dev/null
  cleanup
}
trap end_all EXIT

ip netns add $near && ip netns add $far && ip -n $near link add eth0 type veth peer name eth0 netns $far || {
  echo "Bail out! no link"
  exit 1
}
place () { # NAMESPACE ADDRESS
  ip -n "$1" link set lo up
  ip -n "$1" link set eth0 up
  ip -n "$1" addr add "$2/24" dev eth0
  tc -n "$1" qdisc add dev eth0 root tbf rate 20mbit burst 32kb latency 100ms
}
place $near 10.79.0.1
place $far 10.79.0.2
crossed () { # bytes that have left the near site, but for the 66 bytes of headers that each piece has
  ip netns exec $near sed -n 's/.*eth0://p' /proc/net/dev | awk '{ print $9 - 66 * $10 }'
}

trusted=(--set bind/trusted=true --set bind/events=tcp://127.0.0.1:0)
gis=tcp://10.79.0.1:5571
export MUSUBI_GIS=$gis
launch gis ip netns exec $near svc-gis --set name=g1 "${trusted[@]}" --set bind/endpoint=$gis --set bind/events=tcp://10.79.0.1:5572 --set store/folder="$work/gis"
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
put () { head -c $size /dev/urandom >"$1" && ip netns exec $near musubi put "$1" "$1" --site ams --bind tcp://10.79.0.1:0; }
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
finish
