#!/usr/bin/env bash
# Clients on machines of their own (namespaces on a bridge) get a file of a site. The source's line counts what leaves it.
. "$(dirname "$0")/lib.sh"
if [ "$(id -u)" -ne 0 ] || ! ip netns add "mu$$-try" 2>/dev/null; then
  echo "1..0 # SKIP parts.t needs root and network namespaces"
  exit 0
fi
ip netns del "mu$$-try"
cd "$work" || exit 1
machines=(hub site c1 c2 c3 c4)
end_all () {
  local machine
  kill "${pid[@]}" 2>/dev/null
  wait 2>/dev/null
  umount "$work/full" 2>/dev/null
  for machine in "${machines[@]}"; do ip netns del "mu$$-$machine" 2>/dev/null; done
  cleanup
}
trap end_all EXIT
on () { ip netns exec "mu$$-$1" "${@:2}"; }
for i in "${!machines[@]}"; do
  machine=mu$$-${machines[i]}
  ip netns add "$machine" && ip -n "$machine" link set lo up || { echo "Bail out! no namespace"; exit 1; }
  if [ "$i" = 0 ]; then
    ip -n "$machine" link add br0 type bridge && ip -n "$machine" link set br0 up
    continue
  fi
  ip -n "mu$$-hub" link add "p$i" type veth peer name eth0 netns "$machine" && ip -n "mu$$-hub" link set "p$i" master br0 up
  ip -n "$machine" addr add "10.81.0.$i/24" dev eth0
  ip -n "$machine" link set eth0 up
  tc -n "$machine" qdisc add dev eth0 root tbf rate 40mbit burst 32kb latency 100ms
done
pace () { tc -n "mu$$-site" qdisc change dev eth0 root tbf rate "$1" burst 32kb latency 100ms; } # of what leaves the site
left () { # bytes that have left a machine, but for the 66 bytes of headers that each piece has
  on "$1" sed -n 's/.*eth0://p' /proc/net/dev | awk '{ print $9 - 66 * $10 }'
}
at_most () { # BYTES MACHINE SINCE
  local bytes=$(($(left "$2") - $3))
  echo "$bytes bytes have left $2"
  [ $bytes -le "$1" ]
}

gis=tcp://10.81.0.1:5571
export MUSUBI_GIS=$gis
trusted=(--set bind/trusted=true --set bind/events=tcp://127.0.0.1:0)
launch gis ip netns exec "mu$$-site" svc-gis --set name=g1 --set recall/wait=0s "${trusted[@]}" --set bind/endpoint=$gis --set bind/events=tcp://10.81.0.1:5572 \
  --set store/folder="$work/gis"
launch ams ip netns exec "mu$$-site" svc-replica --set name=ams --set gis=$gis --set nodes=n1 --set 'accounts/all=*' "${trusted[@]}" \
  --set bind/endpoint=tcp://10.81.0.1:5580 --set store/folder="$work/ams"
launch n1 ip netns exec "mu$$-site" svc-replica node --set name=n1 --set replica=tcp://10.81.0.1:5580 "${trusted[@]}" \
  --set bind/endpoint=tcp://127.0.0.1:0 --set bind/data=tcp://10.81.0.1:0 --set bytes=1000000000 --set folder="$work/n1" --set store/folder="$work/n1.store"

size=10000000
head -c $size /dev/urandom >file
get () { # MACHINE NAME [OPTION…]: in the background, in the folder of the machine
  mkdir -p "$1" && rm -f "$1/$2.exit"
  (cd "$1" && timeout 60 ip netns exec "mu$$-$1" musubi get "$2" "${@:3}" >"$2.out" 2>&1; echo $? >"$2.exit") &
}
ended () { # MACHINE NAME CODE
  until [ -s "$1/$2.exit" ]; do sleep 0.02; done
  cat "$1/$2.out"
  [ "$(cat "$1/$2.exit")" = "$3" ]
}
got () { # NAME MACHINE…
  local machine
  for machine in "${@:2}"; do ended "$machine" "$1" 0 && cmp file "$machine/$1" || return 1; done
}
reaches () { # MACHINE BYTES: of what is under way there
  local part
  for _ in $(seq 1500); do
    for part in $(find "$1" -name '*.marks' 2>/dev/null); do
      [ "$(stat -c %s "${part%.marks}" 2>/dev/null || echo 0)" -ge "$2" ] && return
    done
    sleep 0.01
  done
  return 1
}

# --- clients are links of the chain
check "a file is put from another machine, where that is" on c1 musubi put file one
before=$(left site)
get c1 one
get c2 one
check "it is on its way" reaches c1 $((size / 3))
get c3 one
get c4 one
check "clients on four machines get it" got one c1 c2 c3 c4
check "and the site has sent it about once" at_most $((size * 13 / 10)) site "$before"
echo "# $output"

# --- nothing verified is thrown away
mode () { [ "$(stat -c %a "$1")" = "$2" ]; }
part_of () { [ -e "$1/.$2.musubi-part" ]; }
nothing_left () { ! part_of "$1" "$2"; }
no_node () { # MACHINE: none runs there
  local process
  for process in $(ip netns pids "mu$$-$1"); do
    grep -q svc-replica "/proc/$process/cmdline" 2>/dev/null && return 1
  done
  return 0
}
client () { pgrep -n -f "^musubi get $1"; } # of the machine that has begun last
check "copies are as umask says" mode c1/one 644
check "and nothing else is left" nothing_left c1 one

check "another file is put" on c1 musubi put file two
get c2 two -o two
check "one gets it" reaches c2 $((size / 2))
pace 4mbit
exits 1 "another get of the same target" on c2 sh -c 'cd c2 && musubi get two'
says "  … is refused" 'c2/two is being fetched already by another get'
kill -9 "$(client two)"
pace 40mbit
check "the client is killed" ended c2 two 137
comes "its node ends, too" no_node c2
before=$(left site)
get c2 two
check "the same get again" got two c2
check "sends the rest alone" at_most $((size * 7 / 10)) site "$before"
echo "# $output"
check "and leaves nothing" nothing_left c2 two

get c3 two
check "one more" reaches c3 $((size / 2))
kill -INT "$(client two)"
check "is interrupted" ended c3 two 1
says "  … and says where its part is" ' MB of 10\.0 MB are kept in /.*/c3/\.two\.musubi-part for 7 days; the same get goes on from there$'
part=c3/.two.musubi-part/node/parts/part
check "which has half of the file" test "$(stat -c %s $part)" -ge $((size / 2))
printf xxxx | dd of=$part bs=1 seek=2500000 conv=notrunc status=none
before=$(left site)
get c3 two
check "its part is damaged: it gets the right file all the same" got two c3
check "of which the good beginning is not sent again" at_most $((size * 9 / 10)) site "$before"
echo "# $output"

# --- a service that is away
check "a third file is put" on c1 musubi put file three
away () {
  slay "${pid[$1]}"
  wait "${pid[$1]}" 2>/dev/null
}
get c1 three
check "it is on its way" reaches c1 $((size / 3))
away ams
check "the site's service dies: whoever has all its bytes is done" got three c1
get c2 three --timeout 1s
check "who asks now is told so in the end" ended c2 three 3
says "  … and that it may ask again" 'ams does not answer; it is safe to run the command again'
get c3 three
said () { grep -qE 'get: ams does not answer; is waited for until 2' c3/three.out; }
comes "who waits says for whom" said
relaunch ams
check "and is served when it is back" got three c3
get c4 three --timeout 2s
check "one more is on its way" reaches c4 $((size / 3))
pace 4mbit
away n1
away ams
pace 40mbit
check "all are gone: it ends after --timeout" ended c4 three 3
says "  … and its part is kept" ' are kept in .*/c4/\.three\.musubi-part'
relaunch ams
relaunch n1
get c4 three
check "and gone on with" got three c4

# --- a disk that is full
mkdir full
mount -t tmpfs -o size=5m none full
exits 1 "a file that has no room here is refused" on c4 sh -c 'cd full && musubi get three'
umount full
says "  … and why" 'No space left on device$'
finish
