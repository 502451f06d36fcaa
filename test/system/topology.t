#!/usr/bin/env bash
# A federation made from the map of a network: the same seed gives the same bytes, each domain is connected, and a connection
# crosses two of them. The map is made up; where MUSUBI_DATA is set the real ones are used, too.
. "$(dirname "$0")/lib.sh"
made_up=$root/examples/made-up.graphml

from () { musubi federation from-graphml "$@"; }

# whole FILE: every domain is a connected graph, and so are all domains joined at their exchange points and sites.
whole () {
  python3 - "$1" <<'PYTHON'
import re, sys

domains, domain = {}, None
for line in open(sys.argv[1]):
    indent = len(line) - len(line.lstrip())
    name, _, value = (part.strip() for part in line.partition('='))
    words = re.findall(r'[\w.-]+', value)
    if indent == 0 and name:
        inside = name == 'domains'
    elif inside and indent == 4:
        domain = domains[name] = {'vertices': {}, 'links': []}
    elif inside and name in ('sites', 'exchanges', 'routers'):
        for word in words:
            domain['vertices'][word] = (line.split()[0], word if name != 'routers' else name + str(len(domains)) + word)
    elif inside and name == 'between':
        domain['links'].append([domain['vertices'][word][1] for word in words])

def reached(links):
    seen, rest = {links[0][0]}, links
    while True:
        more = {end for link in rest if seen & set(link) for end in link}
        if more <= seen:
            return seen
        seen |= more

for name, domain in domains.items():
    vertices = {vertex for _, vertex in domain['vertices'].values()}
    if len(vertices) > 1 and reached(domain['links']) != vertices:
        sys.exit(name + ' does not hang together')
everything = {vertex for domain in domains.values() for _, vertex in domain['vertices'].values()}
if reached([link for domain in domains.values() for link in domain['links']]) != everything:
    sys.exit('the domains do not hang together')
print(len(domains), 'domains,', len(everything), 'vertices')
PYTHON
}

check "a map becomes a federation" from "$made_up" --sites 8 --seed 3 --out "$work/made-up.zpl"
says "what is left out of the map is told" 'left out: edges from a node to itself: 1'
says "so are nodes that stand apart" "left out: nodes that are not connected to the others: 2"
from "$made_up" --sites 8 --seed 3 >"$work/again.zpl" 2>/dev/null
check "the same map, number and seed give the same bytes" cmp "$work/made-up.zpl" "$work/again.zpl"
from "$made_up" --sites 8 --seed 4 >"$work/other.zpl" 2>/dev/null
exits 1 "another seed gives another federation" cmp -s "$work/made-up.zpl" "$work/other.zpl"
check "every domain hangs together, and all of them" whole "$work/made-up.zpl"
from "$made_up" --sites 8 --seed 3 --domains 5 >"$work/five.zpl" 2>/dev/null
check "so they do when there are more" whole "$work/five.zpl"
says "there are as many as were asked for" '^5 domains'

exits 2 "sites must be said" from "$made_up" --seed 1
says "in words" 'say --sites N'
exits 2 "so must a seed" from "$made_up" --sites 4
says "in words, too" 'say --seed S'
exits 2 "sites can't be below zero" from "$made_up" --sites -1 --seed 1
exits 2 "nor more than the map has nodes" from "$made_up" --sites 34 --seed 1
says "how many there are is told" "34 sites can't be placed on the 33 nodes"
exits 2 "nor can domains" from "$made_up" --sites 1 --seed 1 --domains 40
exits 2 "a file that is there is not written over" from "$made_up" --sites 8 --seed 3 --out "$work/made-up.zpl"
exits 2 "a map that is not there is refused" from "$work/nothing.graphml" --sites 1 --seed 1
exits 2 "so is what is not XML" from "$root/examples/made-up.swf" --sites 1 --seed 1
says "with its line" 'made-up.swf:1: not XML'
{
  echo '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaaaaaaaa">'
  for n in $(seq 30); do echo "<!ENTITY a$n \"&a$((n - 1));&a$((n - 1));&a$((n - 1));&a$((n - 1));\">"; done
  echo ']><graphml><graph><node id="&a30;"/></graph></graphml>'
} >"$work/bomb.graphml"
exits 2 "entities are refused before they multiply" from "$work/bomb.graphml" --sites 1 --seed 1
says "in words" 'a document type'

federation "$work/made-up.zpl"
output=$(musubi --json links)
says "the domains tell their links" '"kestrel-2"'
mapfile -t first < <(grep -oP '^        sites = "\K[^",]+' "$work/made-up.zpl")
cat >"$work/across.json" <<JSON
{"window": {"earliest": "now"}, "duration": "1h", "network": [{"id": "across", "between": ["a", "b"], "mbps": 100}],
 "compute": [{"id": "a", "cpus": 8, "site": "${first[0]}"}, {"id": "b", "cpus": 8, "site": "${first[1]}"}]}
JSON
check "two sites of different domains are reserved with a connection" musubi --json reserve "$work/across.json"
says "which leaves the one domain" '"kestrel-1/'
says "and enters the other" '"kestrel-2/'
says "over an exchange point" '"x_'
reservation=$(grep -oP '"reservation": *"\K[^"]+' <<<"$output" | head -n 1)
check "it is released" musubi release "$reservation"
check "the federation is ended" musubi down --dir "$federation"

for map in ${MUSUBI_DATA:+Sinet Geant2010}; do
  check "$map: a federation of 20 sites" from "$MUSUBI_DATA/topologies/$map.graphml" --sites 20 --seed 1 \
    --out "$work/$map.zpl"
  check "$map: every domain hangs together, and all of them" whole "$work/$map.zpl"
done
finish broken
