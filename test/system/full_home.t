#!/usr/bin/env bash
# A request home whose store is full refuses new requests in words and does not end: it answers requests that it knows, and what was
# reserved is released. When old requests have left it, it takes new ones.
. "$(dirname "$0")/lib.sh"
federation --planners 1
zpl=$federation/gis-g1.zpl
set_limits () { # RETENTION
  sed -i '/^limits$/,/^[^ ]/{/^ .*retention/d}' "$zpl"
  if grep -q '^limits$' "$zpl"; then sed -i "s/^limits\$/&\\n    retention = $1/" "$zpl"; else printf 'limits\n    retention = %s\n' "$1" >>"$zpl"; fi
  slay "$(pid_of gis/g1)"
  musubi up --dir "$federation"
}
start=$(date -u -d '+2 hours' +%Y-%m-%dT%H:00:00Z)
reserve () { # NAME
  printf '{"name": "%s", "window": {"start": "%s"}, "duration": "30m", "compute": [{"id": "a", "cpus": 1}]}' "$1" "$start" |
    musubi --timeout 60s reserve - --request-id "$1@g1"
}
# Refusals, as Answers that only their home and their owner read: big ones fill it up soon, small ones to the end.
refusal () { # BYTES
  python3 -c '
import sys
size = int (sys.argv [1])
print ((bytes ([8, 2, 18, size & 127 | 128]) + (bytes ([size >> 7]) if size < 1 << 14 else bytes ([size >> 7 & 127 | 128, size >> 14])) + b"r" * size).hex ())' "$1"
}
big=$(refusal 60000) small=$(refusal 2000)
close () { # NAME REFUSAL
  printf '{"actor": "alice", "request_id": "%s@g1", "digest": "%064d", "answer": "%s", "keep_until_ms": "%s"}' \
    "$1" 1 "$2" "$(date +%s)000" | MUSUBI_ACTOR=planner/aa000000000000000000000000000000 musubi --timeout 20s call gis/g1 Home.Close -
}
fill () { # NAME REFUSAL: until one is refused; at most 200 fit
  for number in $(seq 200); do
    close "$1$number" "$2" >"$work/said" 2>&1 || { cat "$work/said"; grep -q 'the store of gis/g1 is full' "$work/said"; return; }
  done
  return 1
}

sed -i 's/^store$/&\n    bytes = 1048576/' "$zpl"
check "a home with a small store" set_limits 1h
check "a reservation is made while there is room" reserve known
known=$(musubi --json list | jq -r '.reservations [0].reservation')
home=$(pid_of gis/g1)
check "refusals fill it up, until one is refused in words" fill big "$big"
check "  … to the end" fill small "$small"
exits 1 "a new request is refused" reserve new
says "  … in words" 'gis/g1: store-full: only [0-9]+ KiB are left in the store'
exits 1 "the doctor names it" musubi doctor
says "  … with what to do" '^gis/g1: the store is nearly full: .*raised'
check "a request that it knows has its answer" reserve known
says "  … the same" "$known"
check "so has one that was refused" close big1 "$big"
check "a reservation is released" musubi release "$known"
check "all the while it was one process" test "$home" = "$(pid_of gis/g1)"
check "started again with its full store, and a shorter retention" set_limits 1s
comes "it takes new requests when the old ones have left it" reserve later
comes "all is well" musubi doctor
finish
