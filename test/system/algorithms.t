#!/usr/bin/env bash
# Every algorithm with every policy that goes with it, over real services and with connections: committed, sound, and as
# asked for. What does not go together, and what can't be had, is refused in words.
. "$(dirname "$0")/lib.sh"

# S4's environment; the links of n64 and s32 to X2 are more available than all others.
awk '/^ +[nsu][0-9]+-/ { link = $1 }
  { print }
  link && $1 == "price" {
    print "                attributes"
    print "                    availability = " (link ~ /^(n64|s32)-X2$/ ? 0.9999 : 0.99)
  }' "$root/deploy/federations/s4.zpl" >"$work/s4.zpl"
federation "$work/s4.zpl" --planners 2

request () { # CPUS MBIT/S [SITES of a, b, c]
  printf '{"window": {"earliest": "%s", "latest": "%s"}, "duration": "30m", "distinct_sites": true, "compute": [{"id": "a",
    "cpus": %s%s}, {"id": "b", "cpus": 2%s}, {"id": "c", "cpus": 2%s}], "network": [{"between": ["a", "b"], "mbps": %s},
    {"between": ["b", "c"], "mbps": %s}]}' "$earliest" "$latest" "$1" "${3:+, \"site\": \"$3\"}" "${4:+, \"site\": \"$4\"}" \
    "${5:+, \"site\": \"$5\"}" "$2" "$2" >"$work/request.json"
}
earliest=$(date -u -d '+2 hours' +%Y-%m-%dT%H:00:00Z)
latest=$(date -u -d '+6 hours' +%Y-%m-%dT%H:00:00Z)
ask () { answer=$(musubi --json --timeout 60s "$@" 2>"$work/errors"); }
value () { # PYTHON expression over a, the last JSON answer
  python3 -c 'import json, sys
a = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1" <<<"$answer"
}
is () { # SENTENCE EXPRESSION WANTED
  local got
  got=$(value "$2" 2>&1)
  check "$1" test "$got" = "$3" || echo "# $2 is $got, not $3: $answer $(cat "$work/errors")"
}

request 2 500
for choice in auto:time auto:cost auto:load auto:random bbr:time bbr:cost bbr:load bbr:random \
  bir:time bir:cost bir:load bir:random ip:time ip:cost ip:quality; do
  algorithm=${choice%:*} policy=${choice#*:}
  ask reserve "$work/request.json" --algorithm "$algorithm" --policy "$policy" --dry-run
  is "$choice: a dry run finds a plan" '(a["status"], a["algorithm"])' "('planned', '$algorithm')"
  ask reserve "$work/request.json" --algorithm "$algorithm" --policy "$policy" --request-id "r-$algorithm-$policy"
  is "$choice: committed" '(a["status"], a["algorithm"])' "('committed', '$algorithm')"
  is "$choice: three sites, two connections" \
    '(len({c["site"] for c in a["compute"]}), [(n["need"], len(n["path"]) > 1) for n in a["network"]])' \
    "(3, [('a-b', True), ('b-c', True)])"
done
check "the federation is sound" musubi check --settle 30s
check "and its ledgers are" musubi audit --settle 30s
says "  … with fifteen reservations" '^sound: '

# --- what ip prefers ---
request 2 500 n64 s32 u32
ask explain "$work/request.json" --algorithm ip --policy quality
is "quality takes the most available links" 'a["network"][0]["path"]' "['n64', 'X2', 's32']"
is "and is told in explain" '(a["status"], a["algorithm"])' "('planned', 'ip')"
ask reserve "$work/request.json" --algorithm ip --policy cost --dry-run
cost=$(value 'a["cost"]')
ask reserve "$work/request.json" --algorithm auto --policy cost --dry-run
is "ip's cheapest plan costs what the cheapest of all starts does" 'a["cost"]' "$cost"

# --- no ---
request 2 20000
exits 1 "ip: too much bandwidth is refused" musubi --timeout 60s reserve "$work/request.json" --algorithm ip
says "  … by how many windows there were" 'ip: no plan found in 10 windows'
says "  … and what is in the way" '20000 Mbit/s'
request 64 500 n32
exits 1 "ip: too many CPUs are refused" musubi --timeout 60s explain "$work/request.json" --algorithm ip
says "  … by the need and the site" 'no class has 64 CPUs'
for algorithm in bbr bir; do
  request 2 20000
  exits 1 "$algorithm: too much bandwidth is refused" musubi --timeout 60s reserve "$work/request.json" --algorithm $algorithm
  says "  … in words" "$algorithm found no plan"
done
request 2 500
for choice in auto:quality bbr:quality bir:quality; do
  exits 2 "$choice do not go together" musubi reserve "$work/request.json" --algorithm "${choice%:*}" --policy quality
  says "  … and the answer says so" 'request.policy: quality is for request.algorithm ip'
done
for policy in load random; do
  exits 2 "ip:$policy do not go together" musubi reserve "$work/request.json" --algorithm ip --policy $policy
  says "  … and the answer says so" 'request.policy: must be time, cost or quality with ip'
done
exits 2 "an algorithm that there is not" musubi reserve "$work/request.json" --algorithm best
says "  … is told which there are" 'none of: auto bbr bir ip'
exits 2 "explain of an id takes no policy" musubi explain r1-1-1 --policy time
says "  … and says so" "for a request's file"
check "nothing of what was refused is left" musubi check --settle 30s
check "nor in the ledgers" musubi audit --settle 30s
finish
