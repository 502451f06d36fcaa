#!/usr/bin/env bash
# Circuits that are really shaped: two routers with a 100 Mbit/s link between them, in namespaces of their own. Circuits of 30
# and 60 Mbit/s get what they were promised, and no more, beside a greedy flow, while agents and their service are killed;
# so does the file of a reservation, over its own circuit. What somebody else takes away is seen at once, and not told as there. At the end everything is as it was. MUSUBI_SHAPING_ROUNDS=25 kills 50 times, MUSUBI_SHAPING_SEED=N as an earlier run did.
. "$(dirname "$0")/lib.sh"
if [ "$(id -u)" -ne 0 ] || ! ip netns add "mu$$-try" 2>/dev/null; then
  echo "1..0 # SKIP ${0##*/} needs root and network namespaces"
  exit 0
fi
ip netns del "mu$$-try"
spaces=(hub wire r1 r2 a b g c d h)
end_all () {
  local one
  kill "${pid[@]}" 2>/dev/null
  wait 2>/dev/null
  musubi down --dir "$work/example" >/dev/null 2>&1
  for one in "${spaces[@]}"; do ip netns del "mu$$-$one" 2>/dev/null; done
  cleanup
}
trap end_all EXIT
at () { local one=$1; shift; ip netns exec "mu$$-$one" "$@"; }
cable () { # SPACE INTERFACE SPACE INTERFACE
  ip -n "mu$$-$1" link add name "$2" type veth peer name "$4" netns "mu$$-$3" && ip -n "mu$$-$1" link set dev "$2" up &&
    ip -n "mu$$-$3" link set dev "$4" up
}
address () { ip -n "mu$$-$1" addr add "$3" dev "$2"; }
network () {
  local one n=0 router
  for one in "${spaces[@]}"; do ip netns add "mu$$-$one" && ip -n "mu$$-$one" link set dev lo up || return 1; done
  ip -n "mu$$-hub" link add name br0 type bridge && ip -n "mu$$-hub" link set dev br0 up && address hub br0 10.70.0.1/24
  ip -n "mu$$-wire" link add name br0 type bridge && ip -n "mu$$-wire" link set dev br0 up
  for one in 1 2; do
    router=r$one
    cable $router hub0 hub $router && ip -n "mu$$-hub" link set dev $router master br0 && address $router hub0 10.70.0.1$one/24
    cable $router wan wire $router && ip -n "mu$$-wire" link set dev $router master br0 && address $router wan 10.60.100.$one/24
    tc -n "mu$$-wire" qdisc add dev $router root tbf rate 104mbit burst 128kb latency 40ms || return 1 # the wire carries a little more
    at $router sysctl -qw net.ipv4.ip_forward=1
  done
  for one in a b g c d h; do
    n=$((n + 1)) router=r$((1 + (n > 3)))
    cable $router to-$one $one eth0 && address $router to-$one 10.60.$n.1/24 && address $one eth0 10.60.$n.2/24 &&
      ip -n "mu$$-$one" route add default via 10.60.$n.1 || return 1
    ip -n "mu$$-r$((2 - (n > 3)))" route add 10.60.$n.0/24 via 10.60.100.$((1 + (n > 3))) || return 1
  done
}
network || { echo "Bail out! no network"; exit 1; }
disciplines () { for one in r1 r2; do tc -n "mu$$-$one" qdisc show; ip -n "mu$$-$one" -o link show | cut -d: -f2; done; }
disciplines >"$work/before"

# --- what there is: sites at the hub, traffic between a and c, b and d, g and h ---
trusted=(--set bind/trusted=true --set bind/events=tcp://127.0.0.1:0)
gis=tcp://10.70.0.1:5571
export MUSUBI_GIS=$gis
cat >"$work/nis.zpl" <<END
name = N
gis = "$gis"
bind
    endpoint = "tcp://10.70.0.1:5590"
    events = "tcp://127.0.0.1:0"
    trusted = true
store
    folder = "$work/nis"
sites = "a, b, c, d"
routers = "r1, r2"
links
    a-r1
        between = "a, r1"
        mbps = 100
        interfaces
            r1 = to-a
    b-r1
        between = "b, r1"
        mbps = 100
        interfaces
            r1 = to-b
    r1-r2
        between = "r1, r2"
        mbps = 100
        interfaces
            r1 = wan
            r2 = wan
    c-r2
        between = "c, r2"
        mbps = 100
        interfaces
            r2 = to-c
    d-r2
        between = "d, r2"
        mbps = 100
        interfaces
            r2 = to-d
back_end = agents
prefixes
    a = "10.60.1.0/24"
    b = "10.60.2.0/24"
    c = "10.60.4.0/24"
    d = "10.60.5.0/24"
agents
    silent = 3s
lead = 0s
administrators = root
accounts
    all = "*"
END
launch gis ip netns exec "mu$$-hub" svc-gis --set name=g1 --set recall/wait=0s "${trusted[@]}" --set bind/endpoint=$gis --set bind/events=tcp://10.70.0.1:5572 --set store/folder="$work/gis"
launch nis ip netns exec "mu$$-hub" svc-nis -c "$work/nis.zpl"
for one in a b c d; do
  launch "lis-$one" ip netns exec "mu$$-hub" svc-lis --set name=$one --set gis=$gis "${trusted[@]}" --set bind/endpoint=tcp://10.70.0.1:0 \
    --set classes/node/nodes=4 --set classes/node/cpus_per_node=1 --set 'accounts/all=*' --set lead=0s --set store/folder="$work/lis-$one"
done
launch planner ip netns exec "mu$$-hub" svc-planner --set gis=$gis "${trusted[@]}" --set bind/endpoint=tcp://10.70.0.1:0 --set margin=3s --set store/folder="$work/planner"
mkdir "$work/slow" && printf '#!/bin/sh\ncase $(ip netns identify) in *-r1) echo >>%s/ran ;; esac\n[ ! -e %s/on ] || sleep $(cat %s/on)\nexec %s "$@"\n' "$work/slow" "$work/slow" "$work/slow" "$(command -v tc)" >"$work/slow/tc" && chmod +x "$work/slow/tc"
agent () { # ROUTER [SETTING…]: its tc is slow by $work/slow/on, in seconds
  launch "agent-$1" ip netns exec "mu$$-$1" env PATH="$work/slow:$PATH" svc-nis agent --set name="$1" --set nis=tcp://10.70.0.1:5590 --set interfaces=to-a,to-b,to-c,to-d,wan --set look=1s --set bind/endpoint=tcp://127.0.0.1:0 \
    --set bind/events=tcp://127.0.0.1:0 "${@:2}"
}
agent r1 --set look=10m
agent r2


# --- words ---
musubi () { ip netns exec "mu$$-hub" "$bin/musubi" "$@"; }
reserve () { # SITE SITE MBIT/S: its id comes to $work/id
  local answer
  printf '{"window": {"start": "now"}, "duration": "30m", "compute": [{"id": "x", "cpus": 1, "site": "%s"}, {"id": "y", "cpus": 1,
    "site": "%s"}], "network": [{"between": ["x", "y"], "mbps": %s}]}' "$1" "$2" "$3" >"$work/request.json"
  answer=$(musubi --json reserve "$work/request.json" 2>"$work/errors") &&
    python3 -c 'import json, sys; print(json.load(sys.stdin)["reservation"])' <<<"$answer" >"$work/id"
}
state () { musubi show "$1" | sed -n 's/^circuits at N //p'; }
is () { [[ $(state "$1") == $2* ]]; }
idle () { [ -z "$(state "$1")" ]; }
as_before () { disciplines | diff "$work/before" -; }
made () { # everything that the agents have made, in an order of its own
  local one device
  for one in r1 r2; do
    for device in $(ip -n "mu$$-$one" -o link show | sed 's/^[0-9]*: \([^:@]*\).*/\1/' | sort); do
      echo "$one $device"
      tc -n "mu$$-$one" class show dev "$device" | sed 's/ burst .*//; s/ leaf [^ ]*//' | sort
      tc -n "mu$$-$one" qdisc show dev "$device" 2>/dev/null | sed -n 's/ [^ ]* parent 6d75:/ parent 6d75:/p' | sort
      tc -n "mu$$-$one" filter show dev "$device" parent 6d75: 2>/dev/null | sed -n 's/ fh .*flowid/ flowid/p; /match/p'
    done
  done
}
tell_more () { tail -n 5 "$work"/nis.log "$work"/agent-*.log; made; }
sink () { launch "sink-$1" ip netns exec "mu$$-$2" python3 "$root/test/system/shaping.py" sink "$3" "$work/$1.flow"; }
source_of () { launch "source-$1" ip netns exec "mu$$-$2" python3 "$root/test/system/shaping.py" source "$3" "$4"; }
starves () { # FLOW MBIT/S: it got less, and its circuit waited for it, since this machine gave its sender too little time
  [ -s "$work/$1.idle" ] && python3 -c 'import sys; sys.exit(float(open(sys.argv[1]).read()) >= 0.95 * float(sys.argv[2]))' "$work/$1.rate" "$2"
}
measure () { # FLOW…: of thin and wide: what they and other get in 3 s, at once; again when one of these starves, twenty times at most
  local one again=yes
  local -A mbps=([thin]=30 [wide]=60)
  for _ in $(seq 20); do
    for one in thin wide other; do
      [ ! -e "$work/$one.flow" ] || python3 "$root/test/system/shaping.py" rate "$work/$one.flow" 3 >"$work/$one.rate" &
      measured[${#measured[@]}]=$!
    done
    for one in "$@"; do
      at r1 python3 "$root/test/system/shaping.py" idle "${mbps[$one]}" 3 >"$work/$one.idle" &
      measured[${#measured[@]}]=$!
    done
    wait "${measured[@]}"
    echo "# $(cd "$work" && grep . thin.rate wide.rate other.rate | sed 's/.rate:/ /' | paste -sd ' ') Mbit/s"
    again=no
    for one in "$@"; do ! starves "$one" "${mbps[$one]}" || again=yes; done
    [ $again = yes ] || return
  done
}
measured=()
end () { # NAME: killed, with all its threads, which hold its store
  kill -9 "${pid[$1]}"
  wait "${pid[$1]}" 2>/dev/null
  [ $? -eq 137 ]
}
within () { python3 -c 'import sys; got, wanted = float(open(sys.argv[1]).read()), float(sys.argv[2]); print(got); sys.exit(abs(got - wanted) > 0.05 * wanted)' "$work/$1.rate" "$2"; }
both_within () {
  check "$1: the circuit of 30 Mbit/s has them, within 5 %, and no more" within thin 30
  check "$1: so has that of 60" within wide 60
}

comes "the services are there" eval 'musubi sites | grep -c "^[abcd] " | grep -qx 4 && musubi links | grep -q r1-r2'
comes "and well, with the agents of both routers" musubi doctor

# --- circuits open ---
check "a circuit of 30 Mbit/s is reserved" reserve a c 30
thin=$(cat "$work/id")
check "and one of 60" reserve b d 60
wide=$(cat "$work/id")
check "what is only reserved touches nothing" as_before
ip netns exec "mu$$-hub" "$bin/musubi" show "$thin" --follow >"$work/follow" 2>&1 & # not by the function: its shell alone would end
following=$!
check "both are provisioned" eval "musubi provision $thin && musubi provision $wide"
comes "one is active when both routers have it" is "$thin" active
comes "the other is, too" is "$wide" active
# 192 KiB wait 52.4 ms at 30 Mbit/s; where there is fq_codel it keeps to 5 ms.
check "with what its own queue may add to the latency" grep -qE 'one that is full adds up to (52\.4|5\.0) ms to its latency$' <(state "$thin")
comes "show --follow has told it" grep -q 'N active' "$work/follow"
kill $following

# --- what they get: alone, beside a greedy flow, and after it ---
sink thin c 5001 && source_of thin a 10.60.4.2 5001
sink wide d 5002 && source_of wide b 10.60.5.2 5002
sink other h 5003
flows () { # NAME BYTES: so many of it have come by now
  local got
  got=$(tail -n 2 "$work/$1.flow" | awk 'NR == 1 {print $2}')
  [ "${got:-0}" -ge "$2" ]
}
comes "traffic flows over both" eval 'flows thin 3000000 && flows wide 3000000'
measure thin wide
both_within "alone"
source_of other g 10.60.6.2 5003
comes "a greedy flow, too" flows other 6000000
measure thin wide
both_within "beside a greedy flow"
check "which has the rest, of 10" python3 -c 'import sys; sys.exit(not 8 < float(open(sys.argv[1]).read()) < 12)' "$work/other.rate"

# --- everybody dies in turn, and what is there stays as it is ---
made >"$work/made"
end agent-r1
end nis
measure thin wide
both_within "with an agent and the service dead"
relaunch nis
comes "without its agent a circuit is degraded" is "$thin" 'degraded: router r1: its agent does not ask'
check "list says it" eval "musubi list | grep '$thin .* committed, degraded'"
check "so does gantt" musubi gantt
says "  … with the reason" "$thin .*degraded: router r1: its agent does not ask"
exits 1 "so does doctor" musubi doctor
says "  … with the router" 'nis/N: router r1: its agent does not ask'
relaunch agent-r1
comes "with it it is active again" is "$thin" active
check "nothing was made anew" eval "made | diff '$work/made' -"
check "no agent takes its own changes for somebody else's" eval "! grep 'was changed by somebody else' '$work'/agent-r?.log"
tc -n "mu$$-r1" qdisc del dev wan root
tc -n "mu$$-r2" class change dev wan parent 6d75:1 classid "$(tc -n "mu$$-r2" class show dev wan | sed -n 's/.*htb \([^ ]*\) .*rate 30Mbit.*/\1/p')" htb rate 10mbit ceil 10mbit
comes "what somebody takes away or changes is put right" eval "made | diff '$work/made' -"

# --- r1, which looks every ten minutes only, sees it as it happens, and says nothing is there before it has looked ---
rooted () { [[ $(tc -n "mu$$-r1" qdisc show dev wan) == *'htb 6d75:'* ]]; }
remade () { made | diff "$work/made" -; }
doubted () { # until all is there again: was it said first that it was not, and never that it was?
  local said told=no bound=$((SECONDS + 120))
  while ! rooted; do
    [ $SECONDS -lt $bound ] || return 1
    said=$(state "$thin")
    [[ $said == active* ]] || told=yes
    [[ $said != active* || $told == no ]] || rooted || return 1
  done
  [ $told = yes ]
}
comes "all is told as there" is "$thin" active
ran () { wc -l <"$work/slow/ran"; }
at_work () { [ "$(ran)" -gt "$before" ]; }
echo 0.5 >"$work/slow/on"
tc -n "mu$$-r1" qdisc del dev wan root
check "while a router's discipline is gone its circuits are not said to be active" doubted
comes "it is made again" remade
comes "and told, although all looks take longer than it is asked" is "$thin" active
rm "$work/slow/on"
check "its agent's log has it" grep -q 'router r1: wan was changed by somebody else' "$work/agent-r1.log"
# The same surely between two commands of its own: each of them takes long, and one has begun.
echo 2 >"$work/slow/on"
before=$(ran)
comes "r1 is at work" at_work
tc -n "mu$$-r1" qdisc del dev wan root
check "what is gone while it is at work is not said to be active either" doubted
rm "$work/slow/on"
comes "it, too, is made again" remade
comes "and told" is "$thin" active
check "its log has it each time" test "$(grep -c 'router r1: wan was changed by somebody else' "$work/agent-r1.log")" -ge 2
began=$(date +%s%3N)
tc -n "mu$$-r1" qdisc del dev wan root
comes "without slow commands, too" rooted
echo "# within $(($(date +%s%3N) - began)) ms"
comes "with all that was there" remade
queue=$(tc -n "mu$$-r1" qdisc show dev wan | sed -n 's/.* parent \(6d75:[^ ]*\).*/\1/p' | head -n 1)
check "a circuit has a queue of its own there" [ -n "$queue" ]
check "which its agent's log names" grep -qE 'router r1: circuits at [^ ]* wait in a (bfifo|fq_codel)' "$work/agent-r1.log"
tc -n "mu$$-r1" qdisc replace dev wan parent "$queue" pfifo limit 3
comes "another queue is put right" remade

kill "${pid[source-other]}" "${pid[source-thin]}"
measure wide
check "after the greedy flow has ended: the circuit of 60 Mbit/s has them" within wide 60
check "a file of 12 MB goes over its circuit" eval "ip netns exec mu$$-a python3 '$root/test/system/shaping.py' file 10.60.4.2 5001 12000000 >'$work/file.rate'"
echo "# at $(cat "$work/file.rate") Mbit/s"
check "  … at its rate" within file 30
kill "${pid[source-wide]}"

# --- which traffic ---
check "another one between the same sites" reserve a c 5
narrow=$(cat "$work/id")
opens () { [[ $(musubi show "$1") == *activated* ]]; }
comes "its window opens" opens "$narrow"
musubi provision "$narrow" >/dev/null
comes "can't be told apart" is "$narrow" "degraded: reservation $thin has circuits between the same addresses: tell them apart by musubi provision $narrow --port, --dscp or --address"
exits 1 "an address that is none" musubi provision "$narrow" --address 10.60.1.2/99
says "  … is refused" '10.60.1.2/99" should be IPv4 addresses, such as'
check "it is told apart by a port" musubi provision "$narrow" --port 5004 --address 10.60.1.2
comes "and active then" is "$narrow" active
made >"$work/narrow"
check "by its port" grep -q 'match 0000138c/0000ffff at 20' "$work/narrow"
check "and its address" grep -q 'match 0a3c0102/ffffffff at 12' "$work/narrow"
check "it is given back" musubi release "$narrow"

# --- killed between any two steps ---
rounds=${MUSUBI_SHAPING_ROUNDS:-4} seed=${MUSUBI_SHAPING_SEED:-$$}
RANDOM=$seed
echo "# seed $seed"
strike () { # at some moment of what goes on
  local victims=(nis agent-r1 agent-r2) victim
  victim=${victims[RANDOM % 3]}
  sleep "0.$(printf %03d $((RANDOM % 250)))"
  end "$victim"
  relaunch "$victim"
}
rounds_hold () {
  for _ in $(seq "$rounds"); do
    musubi provision "$thin" --release >/dev/null || return 1
    strike
    until idle "$thin" && [[ $(made) != *'rate 30Mbit'* ]]; do sleep 0.05; done
    musubi provision "$thin" >/dev/null || return 1
    strike
    until is "$thin" active && is "$wide" active; do sleep 0.05; done
    made | diff "$work/made" - | sed 's/^/# /' && [ "${PIPESTATUS[0]}${PIPESTATUS[1]}" = 00 ] || return 1
  done
}
if rounds_hold; then ok "$rounds times released and provisioned with somebody killed each time: all is as it should be"; else not_ok "the rounds"; fi

# --- the end ---
end agent-r2
check "one is given back while a router's agent is dead" musubi release "$thin"
check "and the other" musubi release "$wide"
relaunch agent-r2
comes "then all is as it was before" as_before

# --- a file that a reservation wants, over a circuit of its own ---
storage () { # SITE ADDRESS ROUTER PORT: a storage node there, and its service at the hub
  ip -n "mu$$-hub" route add "$2/32" via "10.70.0.1$3"
  launch "replica-$1" ip netns exec "mu$$-hub" svc-replica --set name="$1" --set gis=$gis --set nodes=n1 "${trusted[@]}" --set 'accounts/all=*' \
    --set bind/endpoint="tcp://10.70.0.1:$4" --set store/folder="$work/replica-$1"
  launch "storage-$1" ip netns exec "mu$$-$1" svc-replica node --set name=n1 --set replica="tcp://10.70.0.1:$4" "${trusted[@]}" \
    --set bind/endpoint=tcp://127.0.0.1:0 --set bind/data="tcp://$2:0" --set bytes=1000000000 --set folder="$work/files-$1" \
    --set store/folder="$work/storage-$1"
}
storage a 10.60.1.2 1 5601
storage c 10.60.4.2 2 5602
stores () { musubi --json sites | jq -e '[.sites[].storage[]? | select(.mib > 0)] | length == 2'; }
comes "two sites have storage nodes" stores
head -c 60000000 /dev/urandom >"$work/file"
check "a file of 60 MB is put" ip netns exec "mu$$-a" musubi put "$work/file" data/file --site a
printf '{"window": {"earliest": "now", "deadline": "now+30m"}, "duration": "10m", "compute": [{"id": "x", "cpus": 1, "site": "c"}],
  "data": [{"file": "data/file", "at": "x", "mbps": 30}]}' >"$work/request.json"
check "a request wants it at another site, at 30 Mbit/s" eval 'musubi --json reserve "$work/request.json" 2>"$work/errors" >"$work/answer"'
id=$(jq -r .reservation "$work/answer")
source_of rival g 10.60.6.2 5003
check "its circuit is provisioned" musubi provision "$id"
check "its file comes over it beside a greedy flow" eval 'at r2 python3 "$root/test/system/shaping.py" circuit to-c 30 4000000 40000000 >"$work/circuit.rate"'
echo "# at $(cat "$work/circuit.rate") Mbit/s"
check "  … at its rate, within 5 %" within circuit 30
arrives () { [ "$(musubi --json show "$id" | jq -r '.staging[].state')" = ready ]; }
comes "it is there" arrives
check "it is given back, too" musubi release "$id"
comes "and all is as it was before" as_before
kill "${pid[source-rival]}"

# --- the example of a federation, as its head says ---
example () { at h env -u MUSUBI_GIS "$bin/musubi" "$1" --dir "$work/example" "${@:2}"; }
ip -n "mu$$-h" link add wan1 type veth peer name wan2 && ip -n "mu$$-h" link set wan1 up && ip -n "mu$$-h" link set wan2 up
check "the example is started" eval 'example up --json "$root/deploy/federations/shaped.zpl" >"$work/example.json"'
nis=$(jq -r '.members[] | select(.kind == "nis").endpoint' "$work/example.json")
for one in amsterdam berlin; do
  launch "example-$one" ip netns exec "mu$$-h" svc-nis agent --set name=$one --set nis="$nis" --set interfaces=wan1,wan2
done
check "its request is reserved" example reserve "$root/examples/between-two.json"
example_active () { [[ $(example list) == *'committed, active'* ]]; }
comes "when its window opens, its circuit is active" example_active
made_there () { [[ $(tc -n "mu$$-h" class show dev wan1) == *'rate 30Mbit ceil 30Mbit'* ]]; }
check "and shaped" made_there
check "the example is ended" example down
end example-amsterdam
end example-berlin

# --- bad input ---
wrong () { # SENTENCE PATTERN SETTING…: svc-nis refuses to start, and says why
  local sentence=$1 pattern=$2
  shift 2
  exits 2 "$sentence" svc-nis -c "$work/nis.zpl" --set store/folder="$work/wrong" "$@"
  says "  … is told so" "$pattern"
}
wrong "a prefix that is malformed" 'prefixes/a: "10.60.1.0/33" should be IPv4 addresses, such as 10.8.0.0/16' --set prefixes/a=10.60.1.0/33
wrong "an address with a length" 'prefixes/a: "10.60.1.7/24" has an address within it; 10.60.1.0/24 would be right' --set prefixes/a=10.60.1.7/24
wrong "an IPv6 prefix" 'prefixes/a: "2001:db8::/32" should be IPv4 addresses' --set prefixes/a=2001:db8::/32
wrong "prefixes of nobody" 'prefixes/x: no site or exchange point is called so' --set prefixes/x=10.60.1.0/24
wrong "an interface at neither end" 'links/a-r1/interfaces/r2: "r2" should be an end of the link' --set links/a-r1/interfaces/r2=eth0
wrong "an interface of two links" 'links/b-r1/interfaces: to-a is that of link a-r1 already' --set links/b-r1/interfaces/r1=to-a
wrong "a back end that is none" "back_end: 'slurm' is not none or agents" --set back_end=slurm
exits 2 "an agent without a name" timeout 5 svc-nis agent --set nis=tcp://127.0.0.1:1 --set interfaces=wan
exits 2 "or without interfaces" timeout 5 svc-nis agent --set name=r1 --set nis=tcp://127.0.0.1:1
says "  … is told so" 'interfaces'
ip -n "mu$$-r2" link add name odd type veth peer name odd2
tc -n "mu$$-r2" qdisc add dev odd root handle 1: tbf rate 1mbit burst 10kb latency 10ms
launch odd ip netns exec "mu$$-hub" svc-nis --set name=M --set gis=$gis "${trusted[@]}" --set bind/endpoint=tcp://10.70.0.1:5591 \
  --set store/folder="$work/odd" --set sites=k,l,m,n,o,p --set routers=q1,q2,q3,q4 --set back_end=agents --set 'accounts/all=*' \
  --set links/k/between=k,q1 --set links/k/mbps=100 --set links/k/interfaces/q1=eth9 \
  --set links/l/between=l,q2 --set links/l/mbps=20000 --set links/l/interfaces/q2=wan \
  --set links/m/between=m,q3 --set links/m/mbps=1 --set links/m/interfaces/q3=odd \
  --set links/n/between=n,m --set links/n/mbps=1 --set links/n/interfaces/n=wan \
  --set links/o/between=o,n --set links/o/mbps=1 --set links/o/interfaces/o=wan --set prefixes/o=10.5.0.0/16 \
  --set links/p/between=p,q4 --set links/p/mbps=1 --set links/p/interfaces/q4=odd2 --set prefixes/p=10.6.0.0/16 \
  --set prefixes/k=10.1.0.0/16 --set prefixes/l=10.2.0.0/16 --set prefixes/m=10.3.0.0/16 --set prefixes/n=10.4.0.0/16
odd_agent () { # ROUTER [COMMAND…]: an agent of that router, all of them on one machine
  launch "$1" ip netns exec "mu$$-r2" "${@:2}" "$bin/svc-nis" agent --set name="$1" --set nis=tcp://10.70.0.1:5591 --set "interfaces=${interfaces:-eth9,wan,odd}" --set look=1s --set limit=1s \
    --set bind/endpoint=tcp://127.0.0.1:0 --set bind/events=tcp://127.0.0.1:0 --set store/folder="$work/odd-$1"
}
for one in q1 q2 q3; do odd_agent $one; done
interfaces=wan,odd odd_agent q4
mkdir "$work/hung" && printf '#!/bin/sh\nexec sleep 60\n' >"$work/hung/tc" && chmod +x "$work/hung/tc"
odd_agent o env PATH="$work/hung:$PATH"
odd_agent n setpriv --bounding-set=-net_admin --inh-caps=-net_admin
doctor_says () { output=$(musubi doctor); grep -qE -- "$1" <<<"$output"; }
comes "doctor tells of an interface that does not exist" doctor_says 'nis/M: router q1: this machine has no interface eth9'
comes "of a link that is given more than its interface carries" doctor_says 'nis/M: router q2: interface wan carries 10000 Mbit/s, its link is given as 20000'
comes "of a discipline of somebody else" doctor_says 'nis/M: router q3: interface odd has a queueing discipline that is not ours \(tbf 1:\)'
comes "of one that the agent was not given" doctor_says 'nis/M: router q4: interface odd2 is not among interfaces in the agent'
comes "of no right" doctor_says 'nis/M: router n: no right to change traffic control: run the agent as root, or with CAP_NET_ADMIN'
comes "of a tc that hangs" doctor_says 'nis/M: router o: tc qdisc show dev wan: tc has not answered within 1000 ms'
check "the agents' logs have it, too" grep -q 'router q1: this machine has no interface eth9' "$work/q1.log"
check "an agent that is given a store, as it needed one once, says that it keeps nothing" grep -q 'store/folder is not used' "$work/q1.log"
check "nor does it make one" test ! -e "$work/odd-q1"
check "and that discipline is still there" grep -q 'tbf 1: root' <(tc -n "mu$$-r2" qdisc show dev odd)
odd_agent q9
comes "an agent of a router that there is not is told so" grep -q 'domain M has no interface at a vertex q9' "$work/q9.log"
finish
