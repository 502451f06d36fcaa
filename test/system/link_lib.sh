# Two network namespaces, $near and $far, with a thin link between them, and a directory at the near one. Sourced behind
# lib.sh with the addresses of the far side: . link_lib.sh ADDRESS…; the near one's is 10.79.0.1. Ends the test where there
# is no root.
#
#   crossed             bytes that have left the near side
#   trusted, gis        settings of every service here, and the directory's endpoint
if [ "$(id -u)" -ne 0 ] || ! ip netns add "mu$$-try" 2>/dev/null; then
  echo "1..0 # SKIP ${0##*/} needs root and network namespaces"
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
place () { # NAMESPACE ADDRESS…
  local space=$1 address
  shift
  ip -n "$space" link set lo up
  ip -n "$space" link set eth0 up
  for address; do ip -n "$space" addr add "$address/24" dev eth0; done
  tc -n "$space" qdisc add dev eth0 root tbf rate 20mbit burst 32kb latency 100ms
}
place $near 10.79.0.1
place $far "$@"
crossed () { # but for the 66 bytes of headers that each piece has
  ip netns exec $near sed -n 's/.*eth0://p' /proc/net/dev | awk '{ print $9 - 66 * $10 }'
}

trusted=(--set bind/trusted=true --set bind/events=tcp://127.0.0.1:0)
gis=tcp://10.79.0.1:5571
export MUSUBI_GIS=$gis
launch gis ip netns exec $near svc-gis --set name=g1 --set recall/wait=0s "${trusted[@]}" --set bind/endpoint=$gis --set bind/events=tcp://10.79.0.1:5572 --set store/folder="$work/gis"
