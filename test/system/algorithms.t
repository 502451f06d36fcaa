#!/usr/bin/env bash
# Every algorithm with every policy that it knows, over real services and with connections: each request is committed, and
# what is reserved is sound and as asked for. An algorithm with a policy that it does not know, and a request that can't be
# met, are refused in words.
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

# --- what is refused ---
request 2 20000
exits 1 "ip: too much bandwidth is refused" musubi --timeout 60s reserve "$work/request.json" --algorithm ip
says "  … by how many windows there were" 'ip: no plan found in 10 windows'
says "  … and what is in the way" '20000 Mbit/s'
request 64 500 n32
exits 1 "ip: too many CPUs are refused" musubi --timeout 60s explain "$work/request.json" --algorithm ip
says "  … by the need and the site" 'no class has 64 CPUs'

# --- every algorithm says what is in the way of each need, to users who only ask and to users who are refused ---
reason () { # NEED: what the last answer says of it
  value "[(r['resource'], r['wanted'], r['free'], r['from'] < r['until']) for r in a['reasons'] if r.get('need') == '$1']"
}
tells () { # SENTENCE NEED WANTED
  local got
  got=$(reason "$2" 2>&1)
  check "$1" test "$got" = "$3" || echo "# of $2 is said $got, not $3: $answer $(cat "$work/errors")"
}
earliest=$(date -u -d '+20 hours' +%Y-%m-%dT%H:00:00Z) # nothing is taken yet
latest=$(date -u -d '+24 hours' +%Y-%m-%dT%H:00:00Z)
printf '{"window": {"start": "%s"}, "duration": "8h", "compute": [{"id": "all", "cpus": 8, "site": "s8"}]}' \
  "$earliest" >"$work/full.json"
check "a site is taken for the whole frame" musubi reserve "$work/full.json"
for algorithm in auto bbr bir ip; do
  for verb in explain reserve; do
    request 2 500 "" s8
    ask $verb "$work/request.json" --algorithm $algorithm
    is "$algorithm, $verb: refused where a site is full" 'a["status"]' refused
    tells "  … which site, when, what was wanted and what is free" b "[('s8/node', 2, 0, True)]"
    request 2 10001 n64 s32
    ask $verb "$work/request.json" --algorithm $algorithm
    is "$algorithm, $verb: refused where a link is too thin" 'a["status"]' refused
    tells "  … which link, when, what was wanted and what is free" a-b "[('N/n64-X1', 10001, 10000, True)]"
  done
done

# --- a request meant to explode the search ends within its limits, in words ---
linked () { # NEEDS LINKS CPUS MBIT/S DISTINCT: as many compute needs, the first so many pairs of them linked
  python3 -c 'import itertools, json, sys
needs, links, cpus, mbps = map(int, sys.argv[1:5])
ids = ["j%d" % i for i in range(needs)]
print(json.dumps({"window": {"earliest": sys.argv[6], "latest": sys.argv[7]}, "duration": "30m",
    "distinct_sites": sys.argv[5] == "distinct", "compute": [{"id": i, "cpus": cpus} for i in ids],
    "network": [{"between": pair, "mbps": mbps} for pair in list(itertools.combinations(ids, 2))[:links]]}))' \
    "$@" "$earliest" "$latest" >"$work/linked.json"
}
linked 40 780 6 100 anywhere
for algorithm in auto bbr bir ip; do
  exits 2 "$algorithm: 40 needs, all linked, are refused" musubi reserve "$work/linked.json" --algorithm $algorithm
  says "  … by the limit that they pass" 'network: has 780 needs; at most 64 are allowed'
done
# The largest requests that the limits let in: more needs of six CPUs, or of twenty, than there is room for; or connections
# between all sites that want too much bandwidth.
for shape in "40 64 6 100 anywhere" "11 55 20 100 anywhere" "10 45 1 4000 distinct"; do
  read -ra words <<<"$shape"
  linked "${words[@]}"
  for algorithm in auto bbr bir ip; do
    exits 1 "$algorithm: ${words[0]} needs with ${words[1]} links end with an answer" \
      musubi --timeout 60s reserve "$work/linked.json" --algorithm $algorithm
    says "  … which says what ended it" \
      "search_steps_max = |$algorithm found no plan|$algorithm: no plan found in|not all of them at one start|: short: "
  done
done
check "the planners still answer others" musubi sites
request 2 500
for choice in auto:quality bbr:quality bir:quality; do
  exits 2 "$choice do not go together" musubi reserve "$work/request.json" --algorithm "${choice%:*}" --policy quality
  says "  … and the answer says so" 'request.policy: quality needs request.algorithm ip'
done
for policy in load random; do
  exits 2 "ip:$policy do not go together" musubi reserve "$work/request.json" --algorithm ip --policy $policy
  says "  … and the answer says so" 'request.policy: must be time, cost or quality with ip'
done
exits 2 "an algorithm that there is not" musubi reserve "$work/request.json" --algorithm best
says "  … is told which there are" 'not one of: auto bbr bir ip'
exits 2 "explain of an id takes no policy" musubi explain r1-1-1 --policy time
says "  … and says so" "to a request's file"
check "nothing of what was refused is left" musubi check --settle 30s
check "nor in the ledgers" musubi audit --settle 30s
finish
