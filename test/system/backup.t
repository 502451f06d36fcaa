#!/usr/bin/env bash
# Stores are copied while their services serve, and a drill shows in a network apart that the copies can be restored. A site that
# has lost its store goes on from such a copy, adopted; what it has promised since is booked again.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/s4.zpl" --planners 1
store=$federation/store
zpl=$federation/lis-n64.zpl

reserve () { # HOURS: prints the reservation's id
  printf '{"window": {"start": "now+%sh"}, "duration": "30m", "compute": [{"id": "a", "cpus": 1, "site": "n64"},
    {"id": "b", "cpus": 1, "site": "n32"}], "network": [{"between": ["a", "b"], "mbps": 10}]}' "$1" |
    musubi --json --timeout 60s reserve - 2>>"$work/errors" | jq -r 'select (.status == "committed").reservation'
}
load () { # until the file is there; each reservation on a line, when it is committed
  local hour=0
  until [ -e "$1" ]; do
    hour=$((hour % 20 + 1))
    reserve $hour >>"$work/committed" || :
  done
}
committed () { [ "$(wc -l <"$work/committed")" -ge "$1" ]; }
stands () { [ "$(musubi --json --timeout 30s show "$1" | jq -r .status)" = committed ]; }
one_more () { [ -n "$(reserve 21)" ]; }
all_stand () {
  local id
  while read -r id; do stands "$id" || { echo "$id: $(musubi show "$id" 2>&1)"; return 1; }; done <"$work/committed"
}
: >"$work/committed"
load "$work/enough" &
loading=$!

comes "there is load" committed 3
exits 0 "a site's store is copied meanwhile" svc-lis -c "$zpl" --backup "$work/kept"
says "  … which is told with its last row" '^backup folder=.*/kept taken=.*Z rows=[1-9][0-9]* records=[1-9][0-9]* damaged=0 bytes=[1-9]'
check "  … the copy has a name of its own, and nothing else was left" \
  bash -c '[ "$(ls "$1")" = store.mdb ] && [ ! -e "$1.partial" ]' - "$work/kept"
exits 1 "what is there is not replaced" svc-lis -c "$zpl" --backup "$work/kept"
says "  … in so many words" 'kept exists: give a name that is free'
mkdir "$work/cut.partial"
exits 1 "nor what an interrupted backup has left" svc-lis -c "$zpl" --backup "$work/cut"
says "  … in so many words" 'cut.partial exists: another backup makes it now, or was interrupted'
exits 2 "of a pool a store must be named" svc-planner -c "$federation/planner-1.zpl" --backup "$work/planner"
says "  … and how" 'set store/folder=POOL/0001'
check "  … so" svc-planner -c "$federation/planner-1.zpl" --set store/pool= --set store/folder="$store/planners/0001" --backup "$work/planner"
check "a directory's" svc-gis -c "$federation/gis-g1.zpl" --backup "$work/gis"
check "a domain's" svc-nis -c "$federation/nis-N.zpl" --backup "$work/nis"
sum () { sha256sum "$work/kept/store.mdb"; }
before=$(sum)
for one in svc-lis:lis-n64:kept svc-nis:nis-N:nis svc-gis:gis-g1:gis svc-planner:planner-1:planner; do
  IFS=: read -r program member copy <<<"$one"
  check "a drill of $member" "$root/deploy/restore-drill" "$program" "$federation/$member.zpl" "$work/$copy"
  says "  … finds it sound" 'sound up to row [1-9][0-9]*, taken at 20..-..-..T'
done
check "  … and leaves the copy as it was" test "$before" = "$(sum)"
cp -r "$work/nis" "$work/bad"
LC_ALL=C sed -i 's/nis\/N/nis\/M/g' "$work/bad/store.mdb"
exits 1 "a drill of a copy that was changed" "$root/deploy/restore-drill" svc-nis "$federation/nis-N.zpl" "$work/bad"
exits 2 "of what is no copy" "$root/deploy/restore-drill" svc-nis "$federation/nis-N.zpl" "$work"

made=$(wc -l <"$work/committed")
comes "the site goes on meanwhile" committed $((made + 3))
site=$(pid_of lis/n64)
kill -9 "$site"
touch "$work/enough"
rm -rf "$store/lis-n64"
cp -a "$work/kept" "$store/lis-n64"
launch adopted svc-lis -c "$zpl" --adopt
wait $loading
comes "the site, with the copy in place of its store, books again what was promised since" grep -q 'readmission done' "$work/adopted.log"
comes "every reservation that was told stands" all_stand
tell_more () { tail -n 20 "$work/errors" "$work/adopted.log"; }
comes "a directory that had it refused until its lease ended lists it again, and one more can be made" one_more
finish
