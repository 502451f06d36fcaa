#!/usr/bin/env bash
# A site of four nodes comes back with two, although three are reserved for later. Everybody who is asked says so, each in his
# words, and nobody takes it for a violation; all is well again when there is enough. A disk promises no more than it has.
. "$(dirname "$0")/lib.sh"

printf 'name = smaller\ndirectories = g1\nplanners = 1\nsites\n    ber\n        classes\n            thin\n                nodes = 4\n' >"$work/smaller.zpl"
federation "$work/smaller.zpl"

reserve () { # NODES HOURS: for an hour, so many hours from now
  local at
  at=$(date -u -d "+$2 hours" +%Y-%m-%dT%H:%M:%SZ)
  printf '{"window": {"earliest": "%s", "latest": "%s"}, "duration": "1h", "compute": [{"id": "one", "cpus": %s}]}' "$at" "$at" "$1" >"$work/one.json"
  musubi --json reserve "$work/one.json" | jq -r .reservation
}
comes_back () { # NODES
  slay "$(pid_of lis/ber)"
  sed -Ei "s/nodes = \"?[0-9]\"?\$/nodes = $1/" "$federation/lis-ber.zpl"
  musubi up --dir "$federation"
}
status () { musubi --json list | jq -r --arg id "$1" '.reservations [] | select (.reservation == $id) | .lacking // [] | join (" ")'; }

three=$(reserve 3 2)
one=$(reserve 1 2)
two=$(reserve 2 6)
check "three reservations" test -n "$three" -a -n "$one" -a -n "$two"
exits 0 "all is sound" musubi check --settle 60s
check "the site comes back with two nodes" comes_back 2
exits 0 "a reservation that has too little is shown" musubi show "$three"
says "  … degraded, and where" '^degraded: lis/ber has less than it has promised'
check "  … and listed so" test "$(status "$three")" = lis/ber
exits 0 "  … in a word" musubi list
says "  … as well" "$three .* committed, degraded "
says "  … like the one beside it, for which there would be enough" "$one .* committed, degraded "
says "  … and one for which there is enough is not" "$two .* committed  "
since="lis/ber: since [-0-9]+T[:0-9]+Z there is less than was promised: 2 reservations, first ($three|$one)\$"
exits 1 "check says it" musubi check
says "  … since when, and how many are concerned" "^LACKING $since"
says "  … and that nothing is violated" '^no violation found, but there is less than was promised'
first=$(grep LACKING <<<"$output")
exits 1 "audit says it" musubi audit
says "  … in the same words" "^$first\$"
says "  … and that nothing is violated" '^no violation found, but there is less than was promised'
exits 1 "doctor says it" musubi doctor
says "  … in the same words" "$since"
says "  … as the one problem" ', 1 problems found'
check "the site is started once more" comes_back 2
exits 1 "check says it still" musubi check
says "  … since the same time" "^$first\$"
check "the site comes back with four nodes" comes_back 4
exits 0 "nothing is found any more" musubi check --settle 60s
exits 0 "  … nor by doctor" musubi doctor
check "  … and nothing is degraded" test -z "$(status "$three")"

# --- a storage node is to have 300 MB on a disk of 64 MiB ---

disk=$work/disk
storage () { # WORD: of what the site knows of its one node
  musubi --json call replica/cph Chain.Nodes | jq -r ".nodes [0].$1"
}
trap 'umount -l "$disk" 2>/dev/null; cleanup' EXIT
if [ "$(id -u)" -eq 0 ] && mkdir "$disk" && mount -t tmpfs -o size=64m tmpfs "$disk" 2>/dev/null; then
  launch cph svc-replica --set name=cph --set gis="$MUSUBI_GIS" --set nodes=d1 --set 'accounts/all=*' --set administrators=alice --set bind/endpoint=tcp://127.0.0.1:5591 \
    --set store/folder="$work/cph"
  launch d1 svc-replica node --set name=d1 --set replica=tcp://127.0.0.1:5591 --set bind/endpoint=tcp://127.0.0.1:0 \
    --set bind/data=tcp://127.0.0.1:0 --set bytes=300000000 --set folder="$disk" --set store/folder="$work/d1"
  promises () { [ "$(storage bytes_max)" -ge "$1" ] && [ "$(storage bytes_max)" -le 67108865 ]; } # at least so many
  comes "it promises what its disk has" promises 66000000
  head -c 30000000 /dev/urandom >"$work/file"
  comes "a file is put there" musubi put "$work/file" file --site cph
  before=$(storage data)
  slay "${pid[d1]}"
  relaunch d1
  comes "its node is back" eval '[ "$(storage data)" != "$before" ]' # with a port of its own
  check "what its file holds is still its own" promises 66000000
  head -c 40000000 /dev/urandom >"$work/more"
  exits 1 "more than is left is refused" musubi put "$work/more" more --site cph
else
  ok "a small disk # SKIP only root may mount one"
fi
finish
