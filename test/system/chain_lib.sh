# Hosts in network namespaces, a site on them, and clients by the command. Needs root and lib.sh.
#
#   hosts N RATE        a bridge in a namespace of its own, hosts 0 to N on it, each limited to RATE both ways (tbf), and
#                       host c, without a limit, for services
#   services            svc-gis and the site ams on host c, its storage node n0 on host 0; service and storage add more
#   put FILE NAME       at ams, by a client on host 0
#   scene NAME          what the next clients get; they are on hosts 1 to N, their copies are $scene/I/copy
#   client I…           a get on each of these hosts, at once
#   follows I…          each once the site has heard of the one before it, so that they stand in the chain in this order
#   reaches I BYTES     until client I has so many bytes, of its part or its copy
#   ended I…            until these have ended, in at most 180 s; their exit codes are $scene/I.exit
#   right DIGEST I…     all of these have ended well, with this copy
#   none_wrong DIGEST   nobody has ended well with another copy
#   scene_end           ends all clients by their process ids, and undoes what befell their hosts
tag=mu$$

host () { echo "$tag-h$1"; }
address () { echo "10.78.0.$([ "$1" = c ] && echo 250 || echo $(($1 + 1)))"; }
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
    ip -n "$(host "$i")" addr add "$(address "$i")/24" brd + dev eth0
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

# --- the site ---

gis=tcp://10.78.0.250:5571
trusted=(--set bind/trusted=true --set bind/events=tcp://127.0.0.1:0)

service () { # SITE PORT NODE
  launch "$1" ip netns exec "$(host c)" svc-replica --set name="$1" --set gis=$gis --set nodes="$3" --set 'accounts/all=*' "${trusted[@]}" \
    --set bind/endpoint="tcp://10.78.0.250:$2" --set store/folder="$work/$1"
}
storage () { # NODE PORT HOST: of the site whose service listens there
  launch "$1" ip netns exec "$(host "$3")" svc-replica node --set name="$1" --set replica="tcp://10.78.0.250:$2" "${trusted[@]}" \
    --set bind/endpoint=tcp://127.0.0.1:0 --set bind/data="tcp://$(address "$3"):0" --set bytes=16000000000 \
    --set folder="$work/$1" --set store/folder="$work/$1.store"
}
services () {
  export MUSUBI_GIS=$gis
  launch gis ip netns exec "$(host c)" svc-gis --set name=g1 --set recall/wait=0s "${trusted[@]}" --set bind/endpoint=$gis --set store/folder="$work/gis"
  service ams 5580 n0
  storage n0 5580 0
}
put () { ip netns exec "$(host 0)" musubi put "$1" "$2" --site ams; }

# --- clients ---

scene () {
  name=$1 scene=$work/scene.$1
  mkdir -p "$scene"
}
heard () { grep -c 'storage node guest-.* awaited->up' "$work/ams.log"; }
client () {
  local i
  for i in "$@"; do
    mkdir -p "$scene/$i"
    {
      ip netns exec "$(host "$i")" musubi get "$name" -o "$scene/$i/copy" --site ams >"$scene/$i.out" 2>&1
      echo $? >"$scene/$i.exit"
    } &
    clients+=($!)
  done
}
has_heard () { [ "$(heard)" -ge "$heard" ]; }
stand () { # I…: at once; until the site has heard them all
  heard=$(($(heard) + $#))
  client "$@"
  await 120 has_heard
}
follows () {
  local i
  slow_host 0 1mbit # so that nobody has the file and is gone before the last one stands there
  for i in "$@"; do stand "$i"; done
  slow_host 0 "$rate"
}
everybody () { seq "$count"; }
host_signal () { # SIGNAL I…: all processes on these hosts
  local i
  for i in "${@:2}"; do ip netns pids "$(host "$i")" | xargs -r kill "-$1" 2>/dev/null; done
}
small_disk () { # I BYTES: of client I
  mkdir -p "$scene/$1"
  mount -t tmpfs -o "size=$2,mode=700" "mu-chain" "$scene/$1" && mounted="$scene/$1"
}
slay_all () { # services, and what else was launched
  [ ${#pid[@]} -eq 0 ] || kill -9 "${pid[@]}" 2>/dev/null
  wait
}
scene_end () {
  local i
  for i in $(everybody); do
    host_signal CONT "$i"
    host_signal KILL "$i"
    join_host "$i"
    slow_host "$i" "$rate"
  done
  [ ${#clients[@]} -eq 0 ] || wait "${clients[@]}" 2>/dev/null
  clients=()
  [ -z "${mounted:-}" ] || { umount "$mounted"; mounted=; }
  [ -z "${scene:-}" ] || rm -rf "$scene"/*/
}
clients=()

has_bytes () { [ -n "$(find "$scene/$1" -type f -size +$(($2 - 1))c -not -path '*/store/*' -print -quit 2>/dev/null)" ]; }
reaches () { await 180 has_bytes "$1" "$2"; }
has_ended () { [ -s "$scene/$1.exit" ]; }
ended () { local i; for i in "$@"; do await 180 has_ended "$i" || { echo "client $i has not ended"; return 1; }; done; }

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

right () {
  local wanted=$1 i
  ended "${@:2}" || return
  for i in "${@:2}"; do
    [ "$(cat "$scene/$i.exit")" = 0 ] || { echo "client $i:"; cat "$scene/$i.out"; return 1; }
    [ "$(digest_of "$scene/$i/copy")" = "$wanted" ] || { echo "client $i has another file"; return 1; }
  done
}
none_wrong () {
  local i
  for i in $(everybody); do
    [ "$(cat "$scene/$i.exit" 2>/dev/null)" != 0 ] || right "$1" "$i" || return
  done
}

# --- what befalls them ---

killed () { host_signal KILL "$@"; }
cut_off () { local i; for i in "$@"; do cut_host "$i"; done; }
first_last_middle () { # I: that is stopped
  host_signal KILL 1 "$count"
  host_signal STOP "$1"
}
slowed () { slow_host "$1" $((${rate%mbit} / 4))mbit; }
paused () {
  host_signal STOP "$1"
  sleep 4 # the length of the pause is what is tried
  host_signal CONT "$1"
}
away () { # SECONDS NAME: a service
  slay "${pid[$2]}"
  wait "${pid[$2]}" 2>/dev/null # the last of its threads has let go of its store
  sleep "$1"                    # the length of the absence is what is tried
  relaunch "$2"
}
spoil () { head -c 4096 /dev/urandom | dd of="$1" bs=4096 seek="$2" conv=notrunc status=none; } # FILE BLOCK
part_of () { find "$scene/$1" -type f -size +"$2"c -not -path '*/store/*' -print -quit; }
spoil_part () { spoil "$(part_of "$1" "$2")" $(($2 / 4096)); } # I BYTES: behind so many, which it has
