#!/usr/bin/env bash
# `reserve --wait` asks again as capacity frees.
. "$(dirname "$0")/lib.sh"
federation --planners 1
at=$(date -u -d '+2 hours' +%Y-%m-%dT%H:00:00Z)
request () { printf '{"window": {"start": "%s"}, "duration": "1h", "compute": [{"id": "a", "cpus": 256}]}' "$at"; }
request >"$work/all-of-kyoto.json"

musubi --json reserve "$work/all-of-kyoto.json" >"$work/first" 2>/dev/null
first=$(grep -oP '"reservation": *"\K[^"]+' "$work/first")
check "the first has all of it" test -n "$first"
exits 1 "without --wait the second is refused" musubi reserve "$work/all-of-kyoto.json"

musubi --timeout 10s reserve "$work/all-of-kyoto.json" --wait >"$work/second" 2>"$work/errors" &
waiting=$!
comes "it was refused, and waits" grep -q 'refused for now; waiting for free capacity' "$work/errors"
check "  … and has answered nothing" test ! -s "$work/second"
check "the first is released" musubi release "$first"
wait $waiting
check "the second gets it" test $? -eq 0
check "  … committed" grep -q 'committed' "$work/second"
finish
