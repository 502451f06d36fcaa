#!/usr/bin/env bash
# `musubi solve`: prints a line of JSON for each problem in a file, and names what is wrong in one. No service runs.
. "$(dirname "$0")/lib.sh"

file=$work/problems.json
cat >"$file" <<'JSON'
{"instances": [
  {"id": "two", "nodes": [["a", 4, 1], ["b", 4, 2], ["c", 4, 1], ["x", 0, 0]],
   "edges": [[0, 3, 2, 3], [1, 3, 2, 3], [2, 3, 1, 3], [0, 1, 1, 5]],
   "request": {"cpu": [2, 2], "links": [[0, 1, 1]]}, "expected": {"shared": 10}},
  {"id": "wide", "nodes": [["a", 4, 1], ["b", 4, 1]], "edges": [[0, 1, 2, 1]],
   "request": {"cpu": [1, 1], "links": [[0, 1, 3]]}}
]}
JSON

solved () { # WHAT EXPRESSION: true of the lines, a list
  if python3 -c "import json,sys
lines = [json.loads(line) for line in sys.stdin]
sys.exit(not ($2))" <<<"$output"; then ok "$1"; else
    not_ok "$1"
    printf '%s\n' "wanted: $2" "$output" | sed 's/^/# /'
  fi
}

for solver in auto glpk glpk-plain; do
  exits 0 "$solver" musubi solve "$file" --variant shared --solver "$solver"
  solved "  … a line for each, in order" '[l["id"] for l in lines] == ["two", "wide"]'
  solved "  … the cheapest" '(lines[0]["status"], lines[0]["objective"], lines[0]["bound"]) == ("optimal", 10, 10)'
  solved "  … with its path" 'lines[0]["paths"][0] == [lines[0]["assign"][0], 3, lines[0]["assign"][1]]'
  solved "  … and what can't be" '(lines[1]["status"], lines[1]["objective"], lines[1]["bound"]) == ("infeasible", None, None)'
  solved "  … with the keys that are promised" \
    'all (list (l) == ["id", "variant", "status", "objective", "bound", "assign", "paths", "solve_us"] for l in lines)'
done
exits 0 "glpk-pruned, paths of two edges" musubi solve "$file" --variant dir_p2 --solver glpk-pruned --time-limit 5
solved "  … the same" '(lines[0]["variant"], lines[0]["objective"]) == ("dir_p2", 10)'
exits 2 "glpk-pruned without a limit of edges" musubi solve "$file" --variant dir --solver glpk-pruned
says "  … is refused with what it solves" 'shared_p2'

# 2016 paths over 297 edges: GLPK takes seconds to find its first basis, and does not look at the clock meanwhile.
python3 -c "import json
sites = range(64)
json.dump({'instances': [{'id': 'huge', 'nodes': [['n%d' % i, 4, 1 + i % 3] for i in range(150)],
  'edges': [[i, i + step, 1 + i % 3, 1 + i % 7] for i in range(150) for step in (1, 2) if i + step < 150],
  'request': {'cpu': [1 + i % 4 for i in sites], 'links': [[o, p, 1] for o in sites for p in range(o)]}}]},
  open('$work/huge.json', 'w'))"
for solver in glpk glpk-plain; do
  exits 0 "$solver: a huge problem ends when its time is up" timeout 60 musubi solve "$work/huge.json" --solver "$solver" --time-limit 1.5
  solved "  … and what is not known is not claimed" '(lines[0]["status"], lines[0]["objective"]) == ("unknown", None)'
done

exits 2 "an unknown solver" musubi solve "$file" --solver cplex
says "  … is named, with those there are" 'cplex.*glpk-plain'
exits 2 "an unknown variant" musubi solve "$file" --variant undirected
says "  … is named, with those there are" 'undirected.*shared_p2'
exits 2 "no time at all" musubi solve "$file" --time-limit 0
exits 2 "no file" musubi solve "$work/nothing.json"

wrong () { # SENTENCE PATTERN PYTHON: a change to the first problem
  python3 -c "import json,sys
all = json.load(open(sys.argv[1])); one = all['instances'][0]
$3
json.dump(all, open(sys.argv[2], 'w'))" "$file" "$work/wrong.json"
  exits 2 "$1" musubi solve "$work/wrong.json"
  says "  … is named" "$2"
}
wrong "two of one id" 'instances\[1\]\.id: ".*" is used twice' "all['instances'][1]['id'] = one['id']"
wrong "an unknown key" 'instances\[0\]\.colour' "one['colour'] = 1"
wrong "two nodes of one name" 'instances\[0\]\.nodes\[1\]\[0\]: ".*" is used twice' "one['nodes'][1][0] = one['nodes'][0][0]"
wrong "an edge to nowhere" 'instances\[0\]\.edges\[1\]' "one['edges'][1][0] = 9"
wrong "an edge twice" 'instances\[0\]\.edges\[4\].*joined already' "one['edges'].append([1, 0, 1, 1])"
wrong "half a CPU" 'instances\[0\]\.nodes\[2\].*whole' "one['nodes'][2][1] = 0.5"
wrong "a site without CPUs" 'instances\[0\]\.request\.cpu\[0\]' "one['request']['cpu'][0] = 0"
wrong "a link of a site with itself" 'instances\[0\]\.request\.links\[0\]' "one['request']['links'][0] = [1, 1, 1]"
wrong "a link with three ends" 'instances\[0\]\.request\.links\[0\]' "one['request']['links'][0].append(1)"
wrong "no request" 'instances\[0\]\.request' "del one['request']"
wrong "an instance without id" 'instances\[0\]\.id' "del one['id']"

finish
