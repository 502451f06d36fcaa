#!/usr/bin/env bash
# `musubi balance --step`: prints a line of JSON for each step in a file, and names what is wrong in one. No service runs.
. "$(dirname "$0")/lib.sh"

file=$work/steps.json
cat >"$file" <<'JSON'
{"tolerance": 1e-9, "vectors": [
  {"name": "two", "note": "one sends 4 of its 6", "speeds": [1, 2], "levels": ["inf", "inf"],
   "queues_in": [[["a", 2], ["b", 4]], []]},
  {"speeds": [1, 1, 1], "levels": [2, "inf", "inf"],
   "queues_in": [[], [["c", 4]], [["d", 3], ["e", 5]]]}
]}
JSON

stepped () { # SENTENCE EXPRESSION: true of the lines, a list
  if python3 -c "import json,sys
lines = [json.loads(line) for line in sys.stdin]
near = lambda a, b: abs (a - b) < 1e-9
sys.exit(not ($2))" <<<"$output"; then ok "$1"; else
    not_ok "$1"
    printf '%s\n' "wanted: $2" "$output" | cut -c1-2000 | sed 's/^/# /'
  fi
}

exits 0 "a file of steps" musubi balance --step "$file"
stepped "  … a line for each, in order, with the keys that are promised" \
  '[set (l) - {"name"} for l in lines] == [{"order", "transfers", "loads", "queues", "guaranteed_completion"}] * 2 and lines[0]["name"] == "two"'
stepped "  … who sends what to whom" 'lines[0]["order"] == [1, 0] and lines[0]["transfers"] == [[0, 1, 4]]'
stepped "  … the tail has gone" 'lines[0]["queues"] == [[["a", 2]], [["b", 4]]] and lines[0]["loads"] == [2, 4]'
stepped "  … and when jobs will be complete" 'lines[0]["guaranteed_completion"] == {"a": 2, "b": 2}'
stepped "  … a full receiver refuses, and that stays with the sender" \
  'lines[1]["transfers"] == [[1, 0, 2], [2, 1, 2]] and lines[1]["loads"] == [2, 4, 6]'

exits 0 "and the extension" musubi balance --step "$file" --reschedule
stepped "  … with its keys" \
  'all ({"selection_from_back", "completion", "guaranteed_completion"} <= set (l) for l in lines)'
stepped "  … jobs one after the other, from the back" \
  'lines[0]["selection_from_back"] == [["b", near (0, 1), 2]] or [s[0] for s in lines[0]["selection_from_back"]] == ["b", "a"]'
stepped "  … on every cluster" 'sorted (p[0] for p in lines[0]["queues"][0]) == ["a", "b"] == sorted (p[0] for p in lines[0]["queues"][1])'
stepped "  … no later than promised, queues as long" \
  'all (l["completion"][j] <= t + 1e-9 for l in lines for j, t in l["guaranteed_completion"].items ()) and
   all (near (sum (p[1] for p in q), load) for l in lines for q, load in zip (l["queues"], l["loads"]))'

samples=$root/test/data/bilb-samples.json
exits 0 "the worked examples" musubi balance --step "$samples"
plain=$output
exits 0 "  … and rescheduled" musubi balance --step "$samples" --reschedule
check "  … come out, to 1e-9" python3 -c "
import json, sys
def same (a, b):
    if isinstance (a, (int, float)): return abs (a - b) <= 1e-9
    if isinstance (a, dict): return a.keys () == b.keys () and all (same (a[k], b[k]) for k in a)
    if isinstance (a, list): return len (a) == len (b) and all (map (same, a, b))
    return a == b
vectors = json.load (open (sys.argv[1]))['vectors']
for lines, key in ((sys.argv[2], 'expect'), (sys.argv[3], 'expect_reschedule')):
    lines = [json.loads (line) for line in lines.splitlines ()]
    assert len (lines) == len (vectors)
    for line, vector in zip (lines, vectors):
        for name, wanted in vector[key].items ():
            assert same (wanted, line[name]), (vector['name'], key, name, wanted, line[name])
" "$samples" "$plain" "$output"

cat >"$work/onward.py" <<'PY'
import json, subprocess, sys
near = lambda a, b: abs (a - b) <= 1e-9 * (1 + abs (a))
vectors, options = json.load (open (sys.argv[1]))['vectors'], sys.argv[2:]
def loads (queues):
    sums = {}
    for queue in queues:
        for job, load in queue: sums[job] = sums.get (job, 0) + load
    return sums
first = [loads (vector['queues_in']) for vector in vectors]
own = [{p[0]: at for at, q in enumerate (v['queues_in']) for p in q} for v in vectors]
due = [{} for vector in vectors]
for turn in range (6):
    asked = json.dumps ({'vectors': vectors})
    done = subprocess.run (['musubi', 'balance', '--step', '-'] + options, input=asked, capture_output=True, text=True)
    assert done.returncode == 0, (turn, done.stderr)
    for i, line in enumerate (map (json.loads, done.stdout.splitlines ())):
        now = loads (line['queues'])
        assert now.keys () == first[i].keys () and all (near (now[j], first[i][j]) for j in now), (turn, i)
        ends = line.get ('completion', line['guaranteed_completion'])
        assert all (end <= due[i].get (j, end) + 1e-9 * (1 + end) for j, end in ends.items ()), (turn, i)
        due[i] = ends
        assert line.get ('owners', own[i]) == own[i], (turn, i)
        vectors[i] = {k: vectors[i][k] for k in ('speeds', 'levels')} | {'queues_in': line['queues'], 'owners': own[i]}
assert any (len ([q for q in v['queues_in'] if any (p[0] == j for p in q)]) > 1 for i, v in enumerate (vectors) for j in first[i])
PY
for options in "" --reschedule; do # shellcheck disable=SC2086
  check "what comes out of a step goes into the next one, six times ${options:-plain}: nothing is lost, nothing gets later" \
    python3 "$work/onward.py" "$samples" $options
done

python3 -c "import json
json.dump ({'vectors': [{'speeds': [1], 'levels': [0], 'queues_in': [[]]},
                        {'speeds': [1, 3], 'levels': ['inf', 4], 'queues_in': [[], []]}]}, open ('$work/empty.json', 'w'))
json.dump ({'vectors': [{'speeds': [1, 2, 3], 'levels': [1e9, 'inf', 1e9],
  'queues_in': [[['a%d' % i, 1 + i % 7] for i in range (1000000)], [], [['b', 1]]]}]}, open ('$work/million.json', 'w'))
json.dump ({'vectors': [{'speeds': [1] * 20000, 'levels': [1] * 20000,
  'queues_in': [[['j%d' % i, 1 + i]] for i in range (20000)]}]}, open ('$work/wide.json', 'w'))"
exits 0 "one cluster, and empty queues" musubi balance --step "$work/empty.json" --reschedule
stepped "  … have nothing to do" \
  'all (l["transfers"] == [] and not any (l["loads"]) and not any (l["queues"]) and l["completion"] == {} for l in lines)'
exits 0 "a million jobs" timeout 300 sh -c "musubi balance --step '$work/million.json' --reschedule >'$work/million.out'"
check "  … keep their load, and are complete no later" python3 -c "
import json
line = json.loads (open ('$work/million.out').read ())
assert len (line['completion']) == 1000001
for job, time in line['guaranteed_completion'].items (): assert line['completion'][job] <= time * (1 + 1e-9) + 1e-9, job
loads = dict.fromkeys (line['completion'], 0)
for queue in line['queues']:
    for job, load in queue: loads[job] += load
for job, load in loads.items (): assert abs (load - (1 if job == 'b' else 1 + int (job[1:]) % 7)) < 1e-8, job
"
exits 2 "20,000 clusters, written out transfer by transfer" musubi balance --step "$work/wide.json"
says "  … are too much, and it says so" 'vectors\[0\].*20000 clusters.*50000000'

jq '.vectors[1].name = .vectors[0].name' "$root/examples/steps.json" >"$work/twice.json"
exits 2 "two vectors of one name" musubi balance --step "$work/twice.json"
says "  … are refused by path" 'vectors\[1\]\.name: ".*" is used twice'
exits 2 "no file" musubi balance --step "$work/nothing.json"
exits 2 "nothing to do" musubi balance
says "  … says where it is told" 'musubi balance --help'
exits 0 "help" musubi balance --help
says "  … names steps out of a file" 'balance --step FILE.json'
says "  … and what sites do" 'balance join SITE'
exits 2 "a step without its file" musubi balance --step
echo '{"vectors": [{"speeds": [NaN]}]}' >"$work/nan.json"
exits 2 "NaN" musubi balance --step "$work/nan.json"
says "  … is refused where it stands" 'line 1, column'

wrong () { # SENTENCE PATTERN PYTHON: a change to the first vector
  python3 -c "import json,sys
all = json.load(open(sys.argv[1])); one = all['vectors'][0]
$3
json.dump(all, open(sys.argv[2], 'w'))" "$file" "$work/wrong.json"
  exits 2 "$1" musubi balance --step "$work/wrong.json"
  says "  … is named" "$2"
}
wrong "speed 0" 'vectors\[0\]\.speeds\[1\]: must be a number from' "one['speeds'][1] = 0"
wrong "a negative speed" 'vectors\[0\]\.speeds\[0\]: must be a number from' "one['speeds'][0] = -1"
wrong "a speed in words" 'vectors\[0\]\.speeds\[0\]: must be a number from' "one['speeds'][0] = 'fast'"
wrong "a negative level" 'vectors\[0\]\.levels\[1\]: must be a number from 0' "one['levels'][1] = -0.5"
wrong "a level in words" 'vectors\[0\]\.levels\[0\]: .*inf' "one['levels'][0] = 'much'"
wrong "a level too few" 'vectors\[0\]\.levels: has 1 entries, speeds has 2' "one['levels'].pop()"
wrong "a queue too many" 'vectors\[0\]\.queues_in: has 3 entries' "one['queues_in'].append([])"
wrong "no clusters" 'vectors\[0\]\.speeds: must be a list' "one['speeds'] = []"
wrong "a job without load" 'vectors\[0\]\.queues_in\[0\]\[1\]: must be \[job, load\]' "one['queues_in'][0][1] = ['b']"
wrong "a negative load" 'vectors\[0\]\.queues_in\[0\]\[0\]: load must be' "one['queues_in'][0][0][1] = -2"
wrong "more load than may be" 'vectors\[0\]\.queues_in\[0\]: must be .* in all' "one['queues_in'][0] = [['a', 9e14], ['b', 9e14]]"
wrong "an owner that is no cluster" 'vectors\[0\]\.owners: b: must be a cluster, 0 to 1' "one['owners'] = {'b': 2}"
wrong "an owner of no job" 'vectors\[0\]\.owners: job "z" is in no queue' "one['owners'] = {'z': 0}"
wrong "too little load" 'vectors\[0\]\.queues_in: job "a": load must be at least' "one['queues_in'][0][0][1] = 1e-12"
wrong "an unknown key" 'vectors\[0\]\.colour: unknown key' "one['colour'] = 1"
wrong "no vectors" 'vectors: must be a list' "del all['vectors']"

finish
