#!/usr/bin/env bash
# Bandwidth between sites: three sites and three links over two domains by one command, looked at, watched, used,
# changed, given back. All or nothing when a domain refuses; a clear message when one is dead, is silent, or describes the
# network differently.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/s4.zpl" --planners 2

ask () { answer=$(musubi --json "$@" 2>"$work/errors"); }
value () { # PYTHON expression over a, the last JSON answer
  python3 -c 'import json, sys
a = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1" <<<"$answer"
}
is () { # SENTENCE EXPRESSION WANTED
  local got
  got=$(value "$2" 2>&1)
  check "$1" test "$got" = "$3" || echo "# $2 is $got, not $3: $answer"
}
seen () { grep -qE -- "$2" "$1"; } # FILE PATTERN
member () { musubi up --dir "$federation" --pids | awk -v name="$1" '$2 == name {print $1}'; } # its process
# The names of all sites and domains.
owners () { musubi --json sites | python3 -c 'import json, sys; [print("lis/" + s["name"]) for s in json.load(sys.stdin)["sites"]]'
  musubi --json links 2>/dev/null | python3 -c 'import json, sys; [print(n) for n in sorted({"nis/" + l["domain"] for l in json.load(sys.stdin)["links"]})]'; }
# What the participants themselves have: reservations that are not over, and the booked share of the coming day.
held () {
  local owner from until
  from=$(date +%s)000
  until=$((from + 86400000))
  for owner in $(owners); do
    echo "$owner $(musubi call "$owner" Participant.List 2>&1)"
    echo "$owner $(musubi call "$owner" Calendar.Utilisation "{\"from_ms\": $from, \"until_ms\": $until}" 2>&1)"
  done | python3 -c 'import json, sys
for line in sys.stdin:
    owner, answer = line.split(" ", 1)
    try: a = json.loads(answer)
    except ValueError: print(line, end=""); continue
    for r in a.get("records", []):
        if r["state"] not in ("RELEASED", "FAILED"): print(owner, r["reservation"], r["state"])
    if a.get("utilisation", 0) > 0: print(owner, "is booked")'
}
nothing () { local rest; rest=$(held 2>&1); printf '%s\n' "$rest"; test -z "$rest" && test -n "$(owners)"; }

now=$(date +%s)
start=$(date -u -d "@$((now + 7200))" +%Y-%m-%dT%H:00:00Z)
end=$(date -u -d "@$((now + 10800))" +%Y-%m-%dT%H:00:00Z)
triangle () { # MBIT/S of its three connections
  printf '{"name": "triangle", "window": {"start": "%s"}, "duration": "1h", "compute": [{"id": "a", "cpus": 4,
    "site": "n64"}, {"id": "b", "cpus": 4, "site": "n32"}, {"id": "c", "cpus": 4, "site": "s32"}], "network":
    [{"between": ["a", "b"], "mbps": %s}, {"between": ["b", "c"], "mbps": %s}, {"id": "far", "between": ["a", "c"],
    "mbps": %s}]}' "$start" "$1" "$1" "$1"
}
pair () { # SITE SITE MBIT/S
  printf '{"window": {"start": "%s"}, "duration": "1h", "compute": [{"id": "a", "cpus": 1, "site": "%s"}, {"id": "b",
    "cpus": 1, "site": "%s"}], "network": [{"between": ["a", "b"], "mbps": %s}]}' "$start" "$1" "$2" "$3"
}

# --- what there is ---
check "links lists them" musubi links
says "  … with what they carry" 'N +.*n64.*10000'
ask links
is "three domains are listed" 'sorted({l["domain"] for l in a["links"]})' "['N', 'S', 'U']"
is "and agree about their points" 'a["disagreements"]' '[]'
exits 1 "a link of no domain" musubi free X/none --need 1 --for 1h
says "  … is told which there are" 'no domain "X"; the domains are: N S U'
exits 1 "a domain's link that is none" musubi free N/none --need 1 --for 1h
says "  … is told, too" 'domain N has no link "none"'

# --- three sites, three connections, two domains ---
musubi watch >"$work/watch" 2>"$work/watch.err" &
watching=$!
comes "watch begins" seen "$work/watch.err" 'watching'
triangle 3000 >"$work/triangle.json"
check "explain says that it can be had" musubi explain "$work/triangle.json"
says "  … and how" 'planned'
ask reserve "$work/triangle.json" --request-id triangle-1
is "three sites and three connections at once" 'a["status"]' committed
id=$(value 'a["reservation"]')
request=$(value 'a["request_id"]')
is "over two domains" 'sorted({l.split("/")[0] for n in a["network"] for l in n["links"]})' "['N', 'S']"
is "each path goes from its first end to its second" \
  '[(n["need"], n["path"][0], n["path"][-1]) for n in a["network"]]' \
  "[('a-b', 'n64', 'n32'), ('b-c', 'n32', 's32'), ('far', 'n64', 's32')]"
is "and has a link less than points" '[len(n["path"]) - len(n["links"]) for n in a["network"]]' '[1, 1, 1]'
link=$(value 'a["network"][0]["links"][0]')
ask show "$id"
is "show tells the same connections" '[(n["need"], n["mbps"]) for n in a["network"]]' \
  "[('a-b', 3000), ('b-c', 3000), ('far', 3000)]"
is "their paths, too" 'a["network"][0]["links"][0]' "$link"
comes "watch saw it" seen "$work/watch" "$id +(pending -> |committing -> )?committed"
check "explain of it" musubi explain "$id"
says "  … names each domain with its links" 'nis/N .*: 3000 Mbit/s'
check "explain of its request id" musubi explain "$request"
says "  … says committed" 'committed'

# --- what is left ---
ask free "$link" --need 2000 --for 1h --between "$start" "$end"
is "2000 Mbit/s of a 5000 link are left beside 3000" 'len(a["spans"])' 1
ask free "$link" --need 2001 --for 1h --between "$start" "$end"
is "2001 are not" 'len(a["spans"])' 0
exits 2 "a class of a link" musubi free "$link" --class node --need 1 --for 1h
check "the chart in letters has the link" musubi gantt
says "  … in a row" "^$link "
ask --actor mallory list
is "others see that there are reservations" 'len(a["reservations"]) > 0' True
is "  … not where, nor how much" '[r for r in a["reservations"] if r["compute"] or r["network"]]' '[]'
check "and mallory's chart" musubi --actor mallory gantt
says "  … says that it draws less than there is" 'of others are not drawn'
check "and the picture is drawn" musubi gantt --svg "$work/chart.svg"
check "  … well formed" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/chart.svg"
check "  … with a lane for the link" grep -q ">$link</text>" "$work/chart.svg"
check "  … and its bars" grep -q 'a-b 3000 Mbit/s' "$work/chart.svg"
check "with --all also for links that nobody uses" bash -c \
  "musubi gantt --all | grep -c '^[NSU]/' | xargs test $(musubi --json links | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["links"]))') -eq"

# --- what can't be had ---
pair n64 n32 20000 >"$work/wide.json"
exits 1 "explain of an impossible bandwidth" musubi explain "$work/wide.json"
says "  … names the need" '^a-b$'
says "  … a link" 'N/[a-z0-9]'
says "  … what is wanted" '20000 Mbit/s'
exits 2 "an unknown key of a network need" bash -c "pair='$(pair n64 n32 1)'; musubi reserve - <<<\"\${pair/mbps/gbps}\""
says "  … is named" 'network\[0\]\.gbps'

# --- use ---
musubi watch "$id" >"$work/one" 2>&1 &
following=$!
musubi --json show "$id" --follow >"$work/followed" 2>&1 &
showing=$!
comes "watch of one begins with what it is" seen "$work/one" 'committed'
check "its circuits are provisioned" musubi provision "$id"
says "  … at both domains" '^N +provisioned'
says "  … at both domains" '^S +provisioned'
comes "watch saw that" seen "$work/one" 'N provisioned'
ask show "$id"
is "show says so" 'a["provisioned"]' "['N', 'S']"
check "and given up again" musubi provision "$id" --release
says "  … at both" '^S +released'
comes "watch saw that, too" seen "$work/one" 'S unprovisioned'
exits 1 "nobody else may use them" musubi --actor mallory provision "$id"

# --- change, and end ---
echo '{"network": [{"id": "far", "mbps": 4500}]}' >"$work/patch.json"
ask modify "$id" "$work/patch.json"
is "more bandwidth for one of them" 'a["status"]' committed
ask show "$id"
is "  … is told" '[n["mbps"] for n in a["network"]]' '[3000, 3000, 4500]'
comes "watch saw version 2" seen "$work/one" 'modified, version 2'
echo '{"network": [{"id": "near", "mbps": 1}]}' >"$work/patch.json"
exits 1 "a connection that it has not" musubi modify "$id" "$work/patch.json"
says "  … is named" 'near'
check "the owner releases it" musubi release "$id"
comes "watch saw it end" seen "$work/watch" "$id +committed -> released"
wait $following
check "watch of one ends by itself" test $? -eq 0
wait $showing
check "so does show --follow" test $? -eq 0
check "  … after the change and the end" bash -c "grep -q '\"modified\"' '$work/followed' && tail -n 1 '$work/followed' | grep -q '\"released\"'"
check "  … an object a line" python3 -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' "$work/followed"
kill -TERM $watching
wait $watching
check "watch ends when told to" test $? -eq 0
comes "every node and every link is free again" nothing

# --- all or nothing ---
for n in 1 2 3 4 5 6; do
  pair n8 s8 6000 >"$work/race$n.json"
  musubi --json --timeout 30s reserve "$work/race$n.json" --request-id "race-$n" >"$work/race$n.out" 2>/dev/null &
  racing[n]=$!
done
won=0 lost=0
for n in 1 2 3 4 5 6; do
  wait "${racing[n]}"
  case $? in 0) won=$((won + 1)) ;; 1) lost=$((lost + 1)) ;; esac
done
check "of six that want 6000 of 10000 Mbit/s over two exchange points one or two get it, the others are refused" \
  test $won -ge 1 -a $won -le 2 -a $((won + lost)) -eq 6
check "nothing is left of those" test "$(held | grep -c '^lis/n8 .*RESERVED')" -eq $won
for n in 1 2 3 4 5 6; do
  reservation=$(grep -oP '"reservation": *"\K[^"]+' "$work/race$n.out") && musubi release "$reservation" >/dev/null 2>&1
done
comes "nor of the winners, once they have given it back" nothing
for name in $(musubi --json links | python3 -c 'import json, sys
[print(l["link"]) for l in json.load(sys.stdin)["links"] if l["domain"] == "S" and "s8" in l["between"]]'); do
  musubi call nis/S Calendar.Capacity "{\"resource\": \"$name\", \"quantity\": 500}" >/dev/null
done
pair n8 s8 1000 >"$work/small.json"
exits 1 "a domain whose links have become too small refuses" musubi reserve "$work/small.json"
says "  … and is named" 'S/'
comes "nothing is left anywhere" nothing

# --- a domain dies and returns ---
ask reserve "$work/triangle.json" --request-id triangle-2
id=$(value 'a["reservation"]')
musubi watch >"$work/watch2" 2>"$work/watch2.err" &
watching=$!
comes "watch begins anew" seen "$work/watch2.err" 'watching'
kill -9 "$(member nis/S)"
pair n8 s16 1000 >"$work/dead.json"
exits 3 "what needs a domain that is silent is not refused for good" musubi reserve "$work/dead.json"
says "  … and it is named" 'domain S.*no answer'
echo '{"duration": "45m"}' >"$work/longer.json"
exits 3 "what it takes part in can't be changed now" musubi modify "$id" "$work/longer.json"
says "  … and it is named" 'S .*does not answer'
comes "watch sees it die" seen "$work/watch2" ' nis/S silent'
check "with a domain dead show still tells the rest" musubi --timeout 5s show "$id"
says "  … and names who is silent" 'no answer from nis/S'
output=$(musubi --timeout 5s explain "$id" 2>&1)
code=$?
says "explain says of whom nothing is known" 'nis/S does not answer'
# It is known to be committed where a process has heard that all have acknowledged it; elsewhere it is not known.
check "  … and calls it committed, or unknown" test $code -eq 0 -o $code -eq 3
exits 3 "its circuits can't be asked for" musubi --timeout 2s provision "$id"
check "the domain is started again" musubi up --dir "$federation"
comes "watch sees it return" seen "$work/watch2" ' nis/S back'
kill -INT $watching
wait $watching
check "watch ends at an interrupt" test $? -eq 0
ask show "$id"
is "the reservation is still there, whole" '(a["status"], len(a["network"]), a["silent"])' "('committed', 3, [])"
check "and is given back" musubi release "$id"

# --- a domain falls silent while it is asked ---
stopped=$(member nis/S)
kill -STOP "$stopped"
pair n8 s16 1000 >"$work/silent.json"
output=$(musubi reserve "$work/silent.json" --request-id silent-1 2>&1)
code=$?
says "a domain that is silent is named" 'nis/S|domain S'
check "  … and what needs it is not known, neither done nor refused" test $code -eq 3
exits 3 "without its records nobody can say that all is sound" musubi check
says "  … and nobody does" 'nis/S did not answer'
says "  … but what is known" 'no violation found, but not everybody'
kill -CONT "$stopped"
first=
for _ in $(seq 20); do
  answer=$(musubi --json --timeout 20s reserve "$work/silent.json" --request-id silent-1 2>/dev/null)
  code=$?
  [ $code -eq 3 ] || break
done
check "asked again with the same id it has a definite answer" test $code -eq 0 -o $code -eq 1
first=$(value 'a["status"]')
ask reserve "$work/silent.json" --request-id silent-1
is "  … and keeps it" 'a["status"]' "$first"
[ "$first" != committed ] || musubi release "$(value 'a["reservation"]')" >/dev/null 2>&1
check "the participants' records agree" musubi check --settle 60s
comes "and hold nothing" nothing

# --- two domains describe one point differently ---
musubi down --dir "$federation" >/dev/null 2>&1
rm -rf "$federation"
cat >"$work/split.zpl" <<'ZPL'
name = split
directories = g1
planners = 1
sites
    west
        classes
            node
                nodes = 8
    east
        classes
            node
                nodes = 8
domains
    W
        disclosure = windows
        sites = "west"
        exchanges = "X1"
        attributes
            X1
                location = paris
        links
            west-x1
                between = "west, X1"
                mbps = 1000
    E
        sites = "east"
        exchanges = "X1"
        attributes
            X1
                location = lyon
        links
            east-x1
                between = "east, X1"
                mbps = 1000
ZPL
federation "$work/split.zpl"
check "links still lists them" musubi links
says "  … and warns of the point" 'X1.*paris.*lyon|X1.*lyon.*paris'
pair west east 100 >"$work/across.json"
exits 1 "what would have to cross there is refused" musubi reserve "$work/across.json"
says "  … and the point is named" 'X1'
check "a domain that discloses windows only tells some that are free" musubi free W/west-x1 --need 1000 --for 30m
says "  … and says so" 'W discloses only whether given windows fit'
check "but none for more than it has" musubi free W/west-x1 --need 1001 --for 30m
says "  … and says so" 'W/west-x1 has 1000 in all'
exits 1 "explain says why" musubi explain "$work/across.json"
says "  … by its name" 'X1'
comes "nothing is left there" nothing
finish
