#!/usr/bin/env bash
# A directory of so many sites answers in pages. However late the later pages come, a client shows all sites; when a page does
# not come at all, the client says so, and does not show a part as if it were the whole.
. "$(dirname "$0")/lib.sh"
trap 'kill "${pid[@]}" 2>/dev/null; cleanup' EXIT
sites=9000

launch gis svc-gis --set name=g1 --set store/folder="$work/gis" --set limits/entries_max=10000 --set lease_max=10m --set administrators=mallory
at () { sed -nE 's/^ready endpoint=(\S+).*/\1/p' "$work/$1.ready"; }
check "a directory of $sites sites" /usr/bin/python3 "$root/test/system/pages.py" fill "$(at gis)" "$sites"
launch slow /usr/bin/python3 "$root/test/system/pages.py" between "$(at gis)" slow
launch cut /usr/bin/python3 "$root/test/system/pages.py" between "$(at gis)" cut

all_sites () { [ "$(musubi --gis "$(at "$1")" --json sites | jq '.sites | length')" = "$sites" ]; }
check "all of them are shown" all_sites gis
check "  … also when later pages come late" all_sites slow
exits 3 "when the second page does not come, that is the outcome" musubi --gis "$(at cut)" --timeout 2s sites
says "  … which says how far it got" 'in part only: after [0-9]+ entries, the last one lis/n[0-9]+'
exits 3 "the doctor does not judge by a part" musubi --gis "$(at cut)" --timeout 2s doctor
exits 3 "nor does check" musubi --gis "$(at cut)" --timeout 2s check
exits 3 "nor does audit" musubi --gis "$(at cut)" --timeout 2s audit
both () { [ "$(musubi --gis "$(at cut),$(at gis)" --json sites | jq '.sites | length')" = "$sites" ]; }
check "where another directory tells all, all are shown" both
finish
