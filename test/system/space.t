#!/bin/bash
# Room on disks is reserved like nodes and links: two planners and a user's put after the same bytes, kill -9 in between.
. "$(dirname "$0")/lib.sh"

cat >"$work/space.zpl" <<'Z'
name = space
directories = g1, g2
indexes = i1
sites
    ams
        classes
            node
                nodes = 64
        storage
            nodes = "d1"
            bytes = 40000000
    ber
        classes
            node
                nodes = 64
        storage
            nodes = "d1"
            bytes = 40000000
Z
cd "$work" || exit 1
federation "$work/space.zpl" --planners 2

wish () { # NAME SITE GB FROM
  printf '{"name": "%s", "window": {"earliest": "%s", "latest": "%s"}, "duration": "1h",
    "compute": [{"id": "one", "cpus": 1, "site": "%s"}], "space": [{"at": "one", "gb": %s}]}\n' "$1" "$4" "$4" "$2" "$3" >"$1.json"
}
wish first ams 0.020 now+2h
comes "room at a storage node is reserved" musubi reserve first.json
id=$(musubi list --json 2>/dev/null | grep -o '"reservation": "[^"]*"' | head -n 1 | cut -d'"' -f4)
exits 0 "the site tells what is free" musubi call replica/ams Utilisation '{"from_ms": 1, "until_ms": 2000000000000}'
wish more ams 0.025 now+2h
exits 1 "more than is left is refused" musubi reserve more.json
says "with the disk, the bytes and when" 'ams/d1.*(18|24)'
wish most ams 5 now+2h
exits 1 "more than any disk has, too" musubi reserve most.json
head -c 25000000 /dev/urandom >large
exits 1 "a put takes no room that is booked" musubi put large large --site ams
says "and says so" 'disk full'
exits 0 "elsewhere there is room" musubi put large large --site ber
wish beside ber 0.020 now+2h
exits 1 "which is not promised then" musubi reserve beside.json
exits 0 "what is given back" musubi release "$id"
exits 0 "can be had again" musubi reserve more.json

# --- the last bytes: two planners and a put, with the site's service killed
head -c 12000000 /dev/urandom >last
wish a ber 0.012 now+3h
wish b ber 0.012 now+3h
musubi reserve a.json >a.out 2>&1 &
one=$!
musubi reserve b.json >b.out 2>&1 &
two=$!
musubi put last last --site ber >put.out 2>&1 &
three=$!
slay "$(pid_of replica/ber)"
musubi up --dir "$federation" >/dev/null 2>&1
wait $one && won=1 || won=0
wait $two && won=$((won + 1))
wait $three && won=$((won + 1))
check "at most one has them" test $won -le 1
comes "no disk has more than it may" bash -c "[ \$(du -sb $federation/*/files $federation/*/*/files 2>/dev/null | awk '\$1 > 41000000' | wc -l) = 0 ]"
check "no record says otherwise" musubi check --settle 60s
finish
