#!/usr/bin/env bash
# A site whose store was replaced by an old copy refuses to serve, also after a restart, until an operator adopts the store
# under a new id. Then, as when its store is gone altogether, the site asks the home of each reservation what it had promised,
# and books that again. A network domain does the same.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/s4.zpl" --planners 1
configuration=$federation/lis-n64.zpl
store=$federation/store/lis-n64
log=$federation/log/lis-n64.log
at=$(grep -oP '^ready endpoint=\K\S+' "$federation/log/lis-n64.ready") # a backup is not listed for long

reserve () { # HOURS: prints the reservation's id
  printf '{"window": {"start": "now+%sh"}, "duration": "30m", "compute": [{"id": "a", "cpus": 8, "site": "n64"},
    {"id": "b", "cpus": 2, "site": "n32"}], "network": [{"between": ["a", "b"], "mbps": 100}]}' "$1" >"$work/request.json"
  musubi --json reserve "$work/request.json" 2>>"$work/errors" | grep -oP '"reservation": *"\K[^"]+'
}
pid () { musubi up --dir "$federation" --pids | awk '$2 == "lis/n64" {print $1}'; }
back () { musubi up --dir "$federation" >/dev/null 2>&1; }
status () { musubi --timeout 5s call "$at" Service.Status '{}' 2>/dev/null; }
until_says () { # PATTERN COMMAND…: asks again until it says so; a minute bounds a failure
  local pattern=$1 tries=600
  shift
  until grep -q -- "$pattern" <<<"$("$@" 2>&1)"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.1
  done
}

first=$(reserve 1)
check "there is a reservation" test -n "$first"
check "the site is ended for a copy" slay "$(pid)"
cp -r "$store" "$work/copy"
back
check "a store that goes on serves again" until_says "$first" musubi show "$first"
second=$(reserve 3)
check "there is another reservation" test -n "$second"
musubi call lis/n64 Calendar.Capacity '{"resource": "node", "quantity": 63}' >/dev/null # told at once, its rows with it
for gis in g1 g2; do
  check "directory $gis has been told since" until_says '"nodes": *63' musubi call "gis/$gis" Gis.Find '{"kind": "lis"}'
done
slay "$(pid)"
rm -rf "$store"
cp -r "$work/copy" "$store"
back
check "the copy is found to be one" until_says "restored backup:" status
check "with an alarm in its log" grep -q "restore_guard ->backup" "$log"
exits 1 "it shows no reservation" musubi --timeout 5s call "$at" Participant.Show "{\"reservation\": \"$first\"}"
check "and says why" until_says "adopt it with --adopt" musubi --timeout 5s call "$at" Participant.Show "{\"reservation\": \"$first\"}"
slay "$(pid)"
back
check "so it is after another start" until_says "restored backup:" status
slay "$(pid)"

"$bin/svc-lis" -c "$configuration" --adopt >"$work/adopted.out" 2>"$work/adopted.log" &
adopted=$!
check "adopted, it serves under a new id" until_says "ready endpoint" cat "$work/adopted.out"
check "which is told with an alarm" grep -q "store adopted under a new id" "$work/adopted.log"
check "and what it still knows is shown" until_says "\"$first\"" musubi --timeout 5s call "$at" Participant.Show "{\"reservation\": \"$first\"}"
check "what it had forgotten is booked again" until_says "\"$second\"" musubi --timeout 5s call "$at" Participant.Show "{\"reservation\": \"$second\"}"
check "which is told" grep -q "reservation $second ->readmitted owner=alice version=1" "$work/adopted.log"
kill $adopted
wait $adopted
back
check "the next start is as usual" until_says "\"$first\"" musubi --timeout 5s call "$at" Participant.Show "{\"reservation\": \"$first\"}"
check "with nothing to say of its restore guard" sh -c '! musubi --timeout 5s call "$at" Service.Status "{}" | grep -q "restored backup"'
for id in "$first" "$second"; do
  check "reservation $id stands as before" until_says '"status": *"committed"' musubi --json show "$id"
done

sed 's|^\( *\)folder = .*|\1pool = "'"$work/pool"'"|' "$configuration" >"$work/pool.zpl"
exits 2 "of a pool no store is adopted" "$bin/svc-lis" -c "$work/pool.zpl" --adopt
exits 2 "nor a planner's" "$bin/svc-planner" -c "$federation/planner-1.zpl" --adopt

slay "$(pid)"
rm -rf "$store"
: >"$log"
back
check "a store that is gone is missed" until_says "store .* was known under this name" cat "$log"
check "and what it had promised is booked again" until_says "readmission done" cat "$log"
for id in "$first" "$second"; do
  check "$id is told" grep -q "reservation $id ->readmitted owner=alice version=1" "$log"
  check "$id stands" until_says '"status": *"committed"' musubi --json show "$id"
done
check "it has nothing more to say of its restore guard" sh -c '! musubi --timeout 5s call lis/n64 Service.Status "{}" | grep -q "store was lost"'
check "the directory that the planner follows lists it again, once the lease of its lost store has ended" until_says '"status": *"planned"' \
  musubi --json reserve --dry-run "$work/request.json"
printf '{"compute": [{"id": "a", "cpus": 12}]}' >"$work/patch.json"
check "one is modified" musubi --timeout 30s modify "$first" "$work/patch.json"
check "to its next version" until_says '"version": *2' musubi --json show "$first"
check "the other is released" musubi --timeout 30s release "$second"
check "for good" until_says '"status": *"released"' musubi --json show "$second"
third=$(reserve 5)
check "there is a third" test -n "$third"

domain=$(musubi up --dir "$federation" --pids | awk '$2 == "nis/N" {print $1}')
slay "$domain"
rm -rf "$federation/store/nis-N"
log=$federation/log/nis-N.log
: >"$log"
back
check "a domain's store is missed too" until_says "readmission done" cat "$log"
check "the reservation that was modified is told in its version" grep -q "reservation $first ->readmitted owner=alice version=2" "$log"
check "the one that was released is not" sh -c '! grep -q "reservation '"$second"' ->readmitted" "'"$log"'"'
for id in "$first" "$third"; do
  check "$id stands" until_says '"status": *"committed"' musubi --json show "$id"
  check "with its circuit" until_says '"mbps": *100' musubi --timeout 5s call nis/N Participant.Show "{\"reservation\": \"$id\"}"
done
check "the directory that the planner follows lists the domain again" until_says '"status": *"planned"' \
  musubi --json reserve --dry-run "$work/request.json"
printf '{"network": [{"id": "a-b", "mbps": 200}]}' >"$work/patch.json"
check "its bandwidth is modified" musubi --timeout 30s modify "$first" "$work/patch.json"
check "to version 3" until_says '"version": *3' musubi --json show "$first"
check "and the third is released" musubi --timeout 30s release "$third"
check "all of it adds up" musubi check
finish

