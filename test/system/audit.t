#!/usr/bin/env bash
# The audit of a federation whose processes were killed now and then finds nothing wrong. Every record that is forged in a
# stopped store is named. A store that was damaged or lost is rebuilt from its ledger.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/s4.zpl" --planners 2

request () { # CPUS
  printf '{"window": {"earliest": "now+2h", "deadline": "now+20h"}, "duration": "1h", "compute": [{"id": "ocean", "cpus": %s,
    "site": "n64"}, {"id": "air", "cpus": 4, "site": "n32"}], "network": [{"between": ["ocean", "air"], "mbps": 100}]}' "$1" \
    >"$work/request.json"
}
reserve () { # CPUS: its id
  request "$1"
  musubi --json --timeout 30s reserve "$work/request.json" 2>/dev/null | grep -oP '"reservation": *"\K[^"]+'
}
again () { musubi up --dir "$federation"; }

reservations=()
for round in 1 2 3 4; do
  reservations+=("$(reserve $((round * 2)))")
  mapfile -t running < <(musubi up --dir "$federation" --pids | grep -E ' (lis/n64|nis/N|planner|gis/g1)')
  victim=${running[round % ${#running[@]}]}
  slay "${victim%% *}"
  check "${victim#* } is killed and comes back" again
done
check "there are reservations" test "$(printf '%s\n' "${reservations[@]}" | grep -c .)" -eq 4
echo '{"duration": "90m"}' >"$work/patch.json"
check "one is modified" musubi --timeout 30s modify "${reservations[0]}" "$work/patch.json"
check "one is released" musubi --timeout 30s release "${reservations[1]}"
request 100000
exits 1 "one is refused" musubi reserve "$work/request.json"

check "the audit is sound" musubi audit --settle 60s --save "$work/saved"
says "  … over all ledgers" '^[0-9]+ ledgers, [0-9]+ rows'
says "  … and says so" '^sound: '
check "for scripts, too" musubi --json audit
says "  … in numbers" '"violations": *0'
exits 2 "saved ledgers are not written over" musubi audit --save "$work/saved"
says "  … which is told" 'is not saved: .* is there already'
long=$work/$(printf 'long%.0s' {1..50})/$(printf 'name%.0s' {1..50})/$(printf 'here%.0s' {1..50})
mkdir -p "${long%/*}"
check "they may lie in a folder with a long name" musubi audit --save "$long"
check "  … as in any" test "$(cd "$long" && ls)" = "$(cd "$work/saved" && ls)"
exits 3 "who is no administrator can't audit" env MUSUBI_ACTOR=eve musubi audit
says "  … and is told why" 'eve is no administrator'

site=$federation/store/lis-n64
forge () { # the federation is ended for it
  musubi down --dir "$federation" >/dev/null 2>&1
  check "forged: $*" python3 "$(dirname "$0")/forge.py" "$@"
}
whole () { # the store that was forged is rebuilt and all is sound again
  musubi down --dir "$federation" >/dev/null 2>&1
  check "  … the store is rebuilt" musubi audit --rebuild "$site" "$@"
  says "  … something was mended" '^MENDED '
  check "  … it serves again" again
  check "  … and all is sound" musubi audit --settle 60s
}

forge "$site" delete 2
check "it serves all the same" again
exits 1 "a reservation that is missing is found" musubi audit --settle 60s
says "  … and named" '^VIOLATION lis/n64: it has no record of reservation'
whole
stands=$(printf '%s\n' "${reservations[@]}" | LC_ALL=C sort | grep -nx "${reservations[0]}" | cut -d: -f1)
forge "$site" change 2 $((stands - 1)) ocean
again >/dev/null 2>&1
exits 1 "a record that was changed so that no checksum shows it is found" musubi audit
says "  … and named" '^VIOLATION lis/n64: reservation .* has other bookings than by its ledger'
whole
forge "$site" damage 1 -1
check "it serves all the same" again
exits 1 "a command that is damaged is found" musubi audit
says "  … and named" '^VIOLATION lis/n64: it has no record of'
whole
forge "$site" change 7 2
exits 1 "a row that was changed can't be mended from its own ledger" musubi audit --rebuild "$site"
says "  … and is named" '^LEFT the ledger: row 4: it does not follow from row 3'
again >/dev/null 2>&1
exits 1 "the audit finds it, too" musubi audit
says "  … and names it" '^VIOLATION lis/n64: row 4: it does not follow from row 3'
exits 2 "a store that is being served is not touched" musubi audit --rebuild "$site"
says "  … and why" 'stop its process first'
whole --from "$work"/saved/lis-n64-*.ledger
musubi down --dir "$federation" >/dev/null 2>&1
sed 's/ocean/ocfan/' "$work"/saved/lis-n64-*.ledger >"$work/flipped.ledger"
check "a saved ledger in which a byte was changed" test "$(cmp -l "$work"/saved/lis-n64-*.ledger "$work/flipped.ledger" | wc -l)" -gt 0
exits 0 "  … spoils no row of a sound store" musubi audit --rebuild "$site" --from "$work/flipped.ledger"
says "  … and nothing is taken from it" ' 0 mended, 0 left'
exits 2 "another's saved ledger is refused" musubi audit --rebuild "$federation/store/lis-n32" --from "$work"/saved/lis-n64-*.ledger

# A planner's record of a commit: the participants that have committed say so, and the ledger still has the decision.
musubi down --dir "$federation" >/dev/null 2>&1
for planner in "$federation"/store/planners/*; do
  python3 "$(dirname "$0")/forge.py" "$planner" damage 4 -1 >"$work/forged" 2>&1 && break
done
check "a planner's decision is damaged" grep -q '^damage: record' "$work/forged"
check "it serves all the same" again
check "  … with an alarm" grep -rqE 'alarm.* record ignored table=decisions' "$federation/log"
check "what was committed is told so" musubi --timeout 30s show "${reservations[2]}"
says "  … as before" '^committed'
check "  … and can be changed" musubi --timeout 30s modify "${reservations[2]}" "$work/patch.json"
check "  … and is sound" musubi audit --settle 60s
musubi down --dir "$federation" >/dev/null 2>&1
check "the planner's store is rebuilt" musubi audit --rebuild "$planner"
says "  … the decision was mended" '^MENDED decision .*: its record is damaged'
exits 0 "  … and nothing is left to be" musubi audit --rebuild "$planner"
says "  … the second time" ' 0 mended, 0 left'

musubi down --dir "$federation" >/dev/null 2>&1
rm -r "$work/saved"
again >/dev/null 2>&1
check "ledgers are saved" musubi audit --settle 60s --save "$work/saved"
musubi down --dir "$federation" >/dev/null 2>&1
rm -r "$site"
saved=("$work"/saved/lis-n64-*.ledger)
python3 - "${saved[0]}" "$work/cut.ledger" <<'EOF'
import struct
import sys
whole = open(sys.argv[1], 'rb').read()
rows, at = [32], 32
while at < len(whole) and (size := struct.unpack ('>I', whole[at:at + 4])[0]):
    at += 4 + size
    rows.append(at)
open(sys.argv[2], 'wb').write(whole[:rows[-2]])
EOF
exits 2 "a saved ledger that was cut between two rows is refused" musubi audit --rebuild "$work/none" --from "$work/cut.ledger"
says "  … and why" 'the file was cut off there'
exits 1 "a lost store is made anew from its saved ledger" musubi audit --rebuild "$site" --from "$work"/saved/lis-n64-*.ledger
says "  … and what is left to the operator is told" '^LEFT the store has a new id'
check "it serves" again
check "its reservations are there" bash -c "musubi --json call lis/n64 Participant.List '{}' | grep -q '${reservations[0]}'"
check "and the audit has nothing against it" musubi audit --settle 60s
exits 2 "no store, no ledger: nothing to rebuild" musubi audit --rebuild "$work/none"
exits 2 "what is no ledger is refused" musubi audit --rebuild "$work/none" --from "$work/request.json"
slay "$(pid_of planner/1)"
exits 3 "a planner that is listed and dead can't be audited" musubi audit
says "  … and is named" '^planner/.* could not be audited: no answer in time'
finish # which waits until it is listed no more
