# Hosts of a site in network namespaces, and storage nodes on them. Needs root.
#
#   hosts N RATE        a bridge in a namespace of its own, hosts 0 to N on it, each limited to RATE both ways (tbf), and
#                       one more without a limit for the conductor
#   site FILE MBPS      the conductor, the source (guest g0 on host 0, whose file is FILE), nodes n1 to nN on hosts 1 to N
#   node I · guest I F  starts node nI, or a guest gI that gives the file F, on host I; pid[I] is its process
#   reaches I BYTES     until node nI has so many bytes of what is under way
#   verified I… · over  until these are verified, or the transfer is over, in at most 40 s
#                       prelude names what is done before the nodes start
#   fell I              kills pid[I], so that it can be started again
#   site_end            ends all of them by their process ids
rig=$bin/chain-rig
tag=mu$$

host () { echo "$tag-h$1"; }
on () { exec ip netns exec "$(host "$1")" "${@:2}"; } # in a process of its own: it becomes the command

shape () { # namespace device rate; the burst holds what the kernel sends as one piece
  tc -n "$1" qdisc replace dev "$2" root tbf rate "$3" burst 128kb latency 40ms
}

hosts_end () {
  local name
  for name in $(ip netns list | awk -v tag="$tag-" 'index($1, tag) == 1 { print $1 }'); do ip netns del "$name"; done
}

hosts () {
  local i
  count=$1 rate=$2
  ip netns add "$tag-br" && ip -n "$tag-br" link add br0 type bridge stp_state 0 forward_delay 0 &&
    ip -n "$tag-br" link set br0 up || return
  for i in $(seq 0 "$count") c; do
    ip netns add "$(host "$i")"
    ip -n "$tag-br" link add "p$i" type veth peer name eth0 netns "$(host "$i")"
    ip -n "$tag-br" link set "p$i" master br0 up
    ip -n "$(host "$i")" link set lo up
    ip -n "$(host "$i")" link set eth0 up
    ip -n "$(host "$i")" addr add "10.78.0.$([ "$i" = c ] && echo 250 || echo $((i + 1)))/24" brd + dev eth0
    [ "$i" = c ] && continue
    shape "$(host "$i")" eth0 "$rate"
    shape "$tag-br" "p$i" "$rate"
  done
}

slow_host () { shape "$(host "$1")" eth0 "$2"; shape "$tag-br" "p$1" "$2"; }
cut_host () { ip -n "$tag-br" link set "p$1" down; }
join_host () { ip -n "$tag-br" link set "p$1" up; }

await () { # seconds, command…: until it succeeds
  local until=$(($(date +%s) + $1))
  shift
  until "$@"; do
    [ "$(date +%s)" -lt "$until" ] || return 1
    sleep 0.02
  done
}

node () {
  on "$1" "$rig" node --set name="n$1" --set replica="$endpoint" --set folder="$scene/n$1" \
    --set store/folder="$scene/n$1.store" --set store/bytes=16777216 --set bytes="${room:-1000000000}" --set bind/trusted=true \
    --set bind/endpoint=tcp://127.0.0.1:0 --set bind/data="tcp://10.78.0.$(($1 + 1)):0" >/dev/null 2>>"$scene/n$1.log" &
  pid[$1]=$!
}

guest () {
  on "$1" "$rig" node --set name="g$1" --set replica="$endpoint" --set folder="$scene/g$1" \
    --set store/folder="$scene/g$1.store" --set store/bytes=16777216 --set bind/trusted=true \
    --set bind/data="tcp://10.78.0.$(($1 + 1)):0" --set guest/guest=true --set guest/gives="$file" \
    --set guest/gives_path="$2" >/dev/null 2>>"$scene/g$1.log" &
  pid[$1]=$!
}

names () { local i; for i in "$@"; do printf '%s,' "n$i"; done | sed 's/,$//'; }

conductor () { # its endpoint stays the same over a restart
  on c "$rig" --set nodes="$nodes" --set sources="$sources" --set receivers="$nodes" --set file="$file" --set mbps="$mbps" \
    --set store/folder="$scene/rig.store" --set bind/trusted=true --set bind/endpoint=tcp://10.78.0.250:5577 \
    --set bind/events=tcp://127.0.0.1:0 >"$scene/rig.out" 2>>"$scene/rig.log" &
  pid[99]=$!
}

fell () { # process I: killed, and the last of its threads has let go of its store
  slay "${pid[$1]}"
  wait "${pid[$1]}" 2>/dev/null
}

small_disk () { # node nI has a disk of so many bytes
  mkdir -p "$scene/n$1"
  mount -t tmpfs -o "size=$2,mode=700" "mu-chain" "$scene/n$1" && mounted="$scene/n$1"
}

site () { # FILE MBPS [COUNT] [SOURCES]
  scene=$(mktemp -d "$work/scene.XXXXXX")
  : >"$scene/rig.log"
  declare -gA pid=()
  file="climate/run 1/äther" mbps=$2 sources=${4:-g0} endpoint=tcp://10.78.0.250:5577
  nodes=$(names $(seq "${3:-$count}"))
  local i
  conductor
  guest 0 "$1"
  ${prelude:-:}
  for i in $(seq "${3:-$count}"); do node "$i"; done
}

site_end () {
  local i
  for i in "${!pid[@]}"; do kill -CONT "${pid[$i]}" 2>/dev/null; kill "${pid[$i]}" 2>/dev/null; done
  wait "${pid[@]}" 2>/dev/null
  [ -z "${mounted:-}" ] || { umount "$mounted"; mounted=; }
  prelude=
  rm -rf "$scene"/n*/files "$scene"/n*/parts
}

has_bytes () { # of what is under way, or of the file
  local part
  for part in "$scene/n$1/parts/"* "$scene/n$1/files/"*; do
    [ -f "$part" ] && [ "$(stat -c %s "$part" 2>/dev/null || echo 0)" -ge "$2" ] && return 0
  done
  return 1
}
reaches () { await 60 has_bytes "$1" "$2"; }

is_verified () { grep -q "rig moved node=n$1 state=verified" "$scene/rig.log"; }
verified () { local i; for i in "$@"; do await 40 is_verified "$i" || return 1; done; }
is_over () { grep -q "rig over" "$scene/rig.log"; }
over () { await 40 is_over; }

digest_of () { sha256sum "$1" | cut -d' ' -f1; }
sent () { # bytes that have left host I, but for the 66 bytes of headers that each piece has
  local bytes packets
  read -r bytes packets < <(ip netns exec "$(host "$1")" sed -n 's/.*eth0://p' /proc/net/dev | awk '{ print $9, $10 }')
  echo $((bytes - 66 * packets))
}
at_most_sent () { # HOST BYTES SINCE: of the file and all that is said beside, at most
  local left=$(($(sent "$1") - $3))
  [ "$left" -le "$2" ] || { echo "host $1 sent $left bytes, more than $2"; return 1; }
}

right () { # every one of these has the file of this digest
  local wanted=$1 i
  for i in "${@:2}"; do
    [ "$(sha256sum "$scene/n$i/files/"* 2>/dev/null | cut -d' ' -f1)" = "$wanted" ] || { echo "node n$i has not the file"; return 1; }
  done
}

received () { # bytes that came in at node nI, as its last report said
  grep "rig moved node=n$1 state=verified" "$scene/rig.log" | tail -1 | sed 's/.* received=\([0-9]*\).*/\1/'
}
at_most_received () { # BYTES I…
  local i
  for i in "${@:2}"; do [ "$(received "$i")" -le "$1" ] || { echo "node n$i received $(received "$i"), more than $1"; return 1; }; done
}
