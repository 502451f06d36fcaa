#!/usr/bin/env bash
# TAP: the small forms of musubi-sim scale and musubi-sim soak (test/README.md, Scale). Each ends with 1 when something was
# promised twice or is still held, when a ledger does not prove it, or when stores or memory grow.
set -uo pipefail
cd "$(dirname "$0")/../.."
sim=${MUSUBI_BUILD:-$PWD/build}/release/bin/musubi-sim
number=0 bad=0
holds () {
  local sentence=$1 told
  shift
  number=$((number + 1))
  if told=$("$sim" "$@" 2>&1); then echo "ok $number - $sentence"; else
    echo "not ok $number - $sentence"
    bad=1
  fi
  sed 's/^/# /' <<<"$told"
}
holds "40 sites in 4 domains serve 800 reservations, and nothing is left of them" \
  scale --sites 40 --domains 4 --planners 4 --reservations 800
holds "300 sites without networks serve 400" scale --sites 300 --domains 0 --planners 4 --reservations 400
holds "a day with deaths leaves stores and memory as they were" soak --days 1
echo "1..$number"
exit $bad
