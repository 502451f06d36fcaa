#!/usr/bin/env bash
# Rows of a site's ledger leave its store for segments while it is killed (-9) now and then: the audit finds all of them. A segment
# that is gone, or in which a byte was changed, is named by the site's log and by the audit, which accuses nothing else; what it held
# is put back from a saved ledger.
. "$(dirname "$0")/lib.sh"
serve () { launch "$1" "$2" --set administrators=alice --set store/folder="$work/$1" --set ledger/segments=268435456 "${@:3}"; }
endpoint () { sed -nE 's/^ready endpoint=(\S+).*/\1/p' "$work/$1.ready"; }

serve g1 svc-gis --set name=g1 --set homes=g1 --set recall/wait=0s
MUSUBI_GIS=$(endpoint g1)
export MUSUBI_GIS
serve s svc-lis --set name=s --set gis="$MUSUBI_GIS" --set lead=1s --set classes/node/nodes=4096 --set accounts/user='*'
serve planner svc-planner --set gis="$MUSUBI_GIS"

cat >"$work/request.json" <<'J'
{"window": {"earliest": "now+1h", "deadline": "now+20h"}, "duration": "1h", "compute": [{"id": "a", "cpus": 4}]}
J
reserve () { musubi --json reserve "$work/request.json" 2>>"$work/said" | jq -er .reservation >"$work/made"; }
segments () { find "$work/s/ledger" -name '*.seg' -printf '%f\n' 2>>"$work/said" | sort -n; }
ends () { slay "${pid[s]}"; wait "${pid[s]}"; } 2>>"$work/said" # all its threads have let go of the store
listed () { [ "$(musubi --json sites | jq -r '.sites[].endpoint')" = "$(endpoint s)" ]; }
back () { relaunch s; comes "the site is listed where it serves now" listed; }
again () { ends; back; }
more () { # N: at least so many segments, by a reservation that is given back, and another that stands
  reserve && musubi release "$(cat "$work/made")" && reserve && [ "$(segments | wc -l)" -ge "$1" ]
}
for round in 1 2 3; do
  comes "there are $((2 * round)) segments" more $((2 * round))
  again
done
check "the audit finds all rows" musubi audit --settle 60s --save "$work/saved"

# --- one is gone; one is damaged
told () { # gone, damaged
  grep -qE "alarm .*segment .*/$victim is $1: rows ${name%-*} to ${name#*-} of the ledger can't be read" "$work/s.log"
}
victim=$(segments | sed -n 2p)
name=${victim%.seg}
mv "$work/s/ledger/$victim" "$work/kept.seg"
alone () { # what the audit says is about rows that are missing, and no promise is accused for them
  if grep -E '^[a-z]+/?[a-z0-9]*: |^[0-9a-f]{8}-' <<<"$output" | grep -vE 'rows? [0-9]+.*(missing|gone or damaged)' >"$work/accused"; then
    not_ok "$1"
    sed 's/^/# /' "$work/accused"
  else ok "$1"; fi
}
exits 1 "a segment that goes spoils the audit" musubi audit --settle 60s
says "  … which names it" "segment ledger/$name"
alone "  … and accuses no promise"
check "  … as the log does" told gone
again
exits 1 "  … and when the site has started without it" musubi audit --settle 60s
says "  … which names it still" "segment ledger/$name"
alone "  … and accuses no promise"
python3 - "$work/kept.seg" "$work/s/ledger/$victim" <<'P'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) // 2] ^= 1
open(sys.argv[2], "wb").write(data)
P
again
exits 1 "so does one in which a bit was changed" musubi audit --settle 60s
says "  … which names it" "segment ledger/$name"
alone "  … and accuses no promise"
check "  … as the log does" told damaged
ends
check "its rows are put back from a saved ledger" musubi audit --rebuild "$work/s" --from "$work"/saved/lis-s-*.ledger
for row in "${name%-*}" "${name#*-}"; do says "  … row $row" "^MENDED row $row: "; done
back
check "  … and all is sound" musubi audit --settle 60s
ends
cp "$work/kept.seg" "$work/s/ledger/$victim"
back
check "  … beside a copy of the segment, too" musubi audit --settle 60s

# --- another is no plain file
ends
victim=$(segments | sed -n 3p)
name=${victim%.seg}
mv "$work/s/ledger/$victim" "$work/kept.seg"
mkfifo "$work/s/ledger/$victim"
back
exits 1 "a pipe in a segment's place is not waited for" musubi audit --settle 60s
says "  … but named" "segment ledger/$name"
check "  … as the log does" told damaged
alone "  … and accuses no promise"
rm "$work/s/ledger/$victim"
again
mv "$work/kept.seg" "$work/s/ledger/$victim"
check "put back it counts, without a restart" musubi audit --settle 60s
finish ended 2>>"$work/said"
