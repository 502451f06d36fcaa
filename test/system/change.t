#!/usr/bin/env bash
# Reservations are changed, all or nothing. One over three sites and three domains is moved before it begins; while it runs it
# grows, shrinks, is made longer and shorter, gets a need and loses one. Then two actors change one at the same time, round
# after round, and a participant is killed in the middle of a change.
. "$(dirname "$0")/lib.sh"

for name in a b c; do
  printf -v domain '    %s\n        sites = "%s"\n        exchanges = "X"\n        links\n            %s-x\n                between = "%s, X"\n                mbps = 1000\n' "${name^}" $name $name $name
  printf -v site '    %s\n        lead = 1s\n        cleaning_gap = 2s\n        classes\n            node\n                nodes = 8\n                cpus_per_node = 4\n' $name
  domains+=$domain
  sites+=$site
done
printf 'name = change\ndirectories = g1, g2\nplanners = 2\nsites\n%sdomains\n%s' "$sites" "$domains" >"$work/change.zpl"
federation "$work/change.zpl"

ask () { answer=$(musubi --json "$@" 2>"$work/errors"); }
value () { # PYTHON expression over a, the last JSON answer
  python3 -c 'import json, sys
a = json.load(sys.stdin)
def amounts (list, need, what): return [e[what] for e in sorted (list, key = lambda e: e["start"]) if e["need" if "need" in e else "id"] == need]
print(eval(sys.argv[1]))' "$1" <<<"$answer"
}
is () { # SENTENCE EXPRESSION WANTED
  local got
  got=$(value "$2" 2>&1)
  check "$1" test "$got" = "$3" || echo "# $2 is $got, not $3: $answer $(cat "$work/errors")"
}
alter () { # RESERVATION PATCH
  printf '%s' "$2" >"$work/patch.json"
  ask modify "$1" "$work/patch.json"
}
refuses () { # SENTENCE PATCH PATTERN, of $id
  printf '%s' "$2" >"$work/patch.json"
  exits 1 "$1 is refused" musubi modify "$id" "$work/patch.json"
  says "  … in words that say why" "$3"
}
until_is () { # SENTENCE RESERVATION EXPRESSION WANTED: show comes to say so, in two minutes
  local _
  for _ in $(seq 600); do
    ask show "$2"
    [ "$(value "$3" 2>/dev/null)" = "$4" ] && break
    read -r -t 0.2 <> <(:)
  done
  is "$1" "$3" "$4"
}
member () { musubi up --dir "$federation" --pids | awk -v name="$1" '$2 == name {print $1}'; } # its process
request () { # WINDOW
  printf '{"name": "coupled", "window": %s, "duration": "1h", "compute": [{"id": "ocean", "cpus": 8, "site": "a"},
    {"id": "air", "cpus": 8, "site": "b"}], "network": [{"between": ["ocean", "air"], "mbps": 200}]}' "$1"
}
far=$(date -u -d '+30 days' +%Y-%m-%dT09:00:00Z)
farther=$(date -u -d '+30 days' +%Y-%m-%dT12:00:00Z)
cpus='[sum(p["cpus"] for p in a["compute"] if p["id"] == n and p["end"] == a["end"]) for n in ("ocean", "air")]'

# --- before it begins ---
request "{\"start\": \"$far\"}" >"$work/far.json"
ask reserve "$work/far.json"
is "a reservation over two sites and two domains" 'a["status"]' committed
id=$(value 'a["reservation"]')
alter "$id" "{\"window\": {\"start\": \"$farther\"}}"
is "moves to another window" 'a["start"]' "$farther"
alter "$id" '{"compute": [{"id": "air", "site": "c"}]}'
is "and one of its needs to another site" '[p["site"] for p in a["compute"]]' "['a', 'c']"
is "  … with its connection" 'a["network"][0]["path"]' "['a', 'X', 'c']"
refuses "more than there is" '{"compute": [{"id": "air", "cpus": 36}]}' 'air'
ask show "$id"
is "and it stands" "$cpus" '[8, 8]'
check "all of it holds together" musubi check --settle 10s
check "it is given back" musubi release "$id"

# --- once it runs ---
request '{"earliest": "now"}' >"$work/now.json"
ask reserve "$work/now.json"
is "one that begins soon" 'a["status"]' committed
id=$(value 'a["reservation"]')
start=$(value 'a["start"]')
until_is "runs" "$id" 'a["state"]' activated
refuses "moving it" "{\"window\": {\"start\": \"$farther\"}}" "began at .* can't be moved any more"
refuses "moving a part of it" '{"compute": [{"id": "air", "site": "c"}]}' "air has begun at b: it can't be moved to c"
ask show "$id"
is "and it stands where it was" "(a['start'], a['version'], $cpus)" "('$start', 1, [8, 8])"
alter "$id" '{"compute": [{"id": "ocean", "cpus": 24}], "network": [{"id": "ocean-air", "mbps": 700}]}'
is "it grows in CPUs and bandwidth" 'a["status"]' committed
is "  … from soon on: until then it has what it had" '[p["cpus"] for p in a["compute"] if p["id"] == "ocean"]' '[8, 24]'
is "  … on the same path" '[(n["mbps"], n["path"]) for n in a["network"]]' "[(200, ['a', 'X', 'b']), (700, ['a', 'X', 'b'])]"
check "show tells it once for each amount" musubi show "$id"
says "  … what it had" 'ocean .*a.* 8 '
says "  … and what it has" 'ocean .*a.* 24 '
check "so does gantt" musubi gantt
check "and the participants' records agree" musubi check --settle 10s
alter "$id" '{"duration": "2h"}'
is "it is prolonged" 'a["status"]' committed
alter "$id" '{"duration": "90m", "compute": [{"id": "air", "cpus": 4}]}'
is "shortened and shrunk at once" "(a['status'], $cpus)" "('committed', [24, 4])"
alter "$id" '{"add": {"compute": [{"id": "ice", "cpus": 12, "site": "c"}], "network": [{"between": ["air", "ice"], "mbps": 300}]}}'
is "a need joins it, with a connection" 'a["network"][-1]["path"]' "['b', 'X', 'c']"
refuses "taking out a need that is still joined" '{"remove": ["ice"]}' "air-ice.* still joins .ice."
alter "$id" '{"remove": ["ice", "air-ice"]}'
is "with its connection it goes" 'a["status"]' committed
refuses "an end that has passed" '{"duration": "1s"}' 'has begun: it can end in'
check "it all holds together" musubi check --settle 10s

# --- two actors at once ---
rounds=8
for round in $(seq $rounds); do
  printf '{"compute": [{"id": "ocean", "cpus": %d}], "network": [{"id": "ocean-air", "mbps": %d}]}' $((8 + 4 * (round % 3))) $((100 + round)) >"$work/one.json"
  printf '{"compute": [{"id": "air", "cpus": %d}], "duration": "%dm"}' $((4 + 4 * (round % 4))) $((90 + round)) >"$work/two.json"
  musubi --json modify "$id" "$work/one.json" >"$work/one.$round" 2>/dev/null &
  one=$!
  musubi --json modify "$id" "$work/two.json" >"$work/two.$round" 2>/dev/null &
  wait $one; echo $? >>"$work/codes"
  wait $!; echo $? >>"$work/codes"
done
check "each of two at once is told what became of his" test "$(grep -vcE '^[01]$' "$work/codes")" = 0
check "  … and in each round one at least has his way" python3 - "$work" $rounds <<'P'
import json, sys
versions = []
for n in range (1, int (sys.argv [2]) + 1):
    made = [a for a in (json.load (open (f"{sys.argv [1]}/{who}.{n}")) for who in ("one", "two")) if a ["status"] == "committed"]
    assert made, n
    versions += [a ["version"] for a in made]
assert len (set (versions)) == len (versions), versions
print (versions)
P
check "what stands holds together" musubi check --settle 20s

# --- release against modify ---
ask reserve "$work/far.json"
other=$(value 'a["reservation"]')
printf '{"duration": "2h"}' >"$work/longer.json"
musubi modify "$other" "$work/longer.json" >"$work/modified" 2>&1 &
modifying=$!
check "a release beside a change is not kept waiting for ever" musubi release "$other"
wait $modifying
code=$?
check "  … whatever comes of the change" test $code -eq 0 -o $code -eq 1
ask show "$other"
is "  … and nothing is left of it" 'a["status"]' released

# --- a participant dies in the middle ---
until_is "everything that was changed has its new amount soon" "$id" 'a["status"]' committed
version=$(value 'a["version"]')
stopped=$(member nis/B)
kill -STOP "$stopped"
printf '{"compute": [{"id": "ocean", "cpus": 32}], "network": [{"id": "ocean-air", "mbps": 900}]}' >"$work/patch.json"
musubi --json --timeout 60s modify "$id" "$work/patch.json" --request-id killed@g1 >"$work/killed" 2>&1 &
changing=$!
slay "$stopped"
wait $changing
code=$?
check "with a domain killed it is not known whether a change is made" test $code -eq 3
check "  … by its name" grep -E 'domain B|nis/B' "$work/killed"
check "it comes back" musubi up --dir "$federation"
until_is "and the reservation stands" "$id" 'a["status"]' committed
ask --timeout 60s modify "$id" "$work/patch.json" --request-id killed@g1
is "asked again the change is made, once" "(a['status'], $cpus[0], a['version'])" "('committed', 32, $((version + 1)))"
check "it holds together" musubi check --settle 20s
check "and is given back" musubi release "$id"
check "nothing is left over" musubi check --settle 20s
finish
