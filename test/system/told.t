#!/usr/bin/env bash
# Who asks is told why in the words of whoever knows: a user without an account at the sites, one who may see no records, one
# whose tasks wait, one who names a service or an actor that can't be.
. "$(dirname "$0")/lib.sh"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody
cat >"$work/two.zpl" <<Z
name = two
directories = g1
planners = 1

sites
    ams
        classes
            thin
                nodes = 1
                cpus_per_node = 2
        lead = 1s
        back_end = runner
        accounts
            $account = "alice, bob"
    ber
        classes
            thin
                nodes = 2
                cpus_per_node = 2
        lead = 1s
        accounts
            $account = "alice, bob"
Z
MUSUBI_ACTOR=alice federation "$work/two.zpl" # alice is its administrator

check "an administrator of an empty federation is told that it is sound" env MUSUBI_ACTOR=alice musubi check
says "  … though it has no records" ' 0 records'
exits 3 "who may see none is not told so" env MUSUBI_ACTOR=bob musubi check
says "  … but why" 'shown to administrators only'
deny () { if grep -qE -- "$2" <<<"$output"; then not_ok "$1: $output"; else ok "$1"; fi; }
deny "  … and nothing else" '^sound'

# --- without an account
cat >"$work/wish.json" <<'J'
{"window": {"earliest": "now+1h", "deadline": "now+2h"}, "duration": "30m", "distinct_sites": true,
 "compute": [{"id": "a", "cpus": 2}, {"id": "b", "cpus": 2}]}
J
for how in "reserve" "reserve --dry-run" "explain"; do
  for algorithm in auto bbr bir ip; do
    # shellcheck disable=SC2086
    exits 1 "$how by $algorithm: who has no account" env MUSUBI_ACTOR=eve musubi $how --algorithm $algorithm "$work/wish.json"
    output=$(tr -s '\n ' ' ' <<<"$output")
    says "  … is told so by one site" 'lis/ams:?( why)? left out: eve has no account here'
    says "  … and by the other" 'lis/ber:?( why)? left out: eve has no account here'
    deny "  … and nothing that is not so" 'none of the 0|free by itself|without distinct_sites|may-not'
  done
done

# --- what is another's
id=$(MUSUBI_ACTOR=alice musubi --json reserve "$work/wish.json" 2>>"$work/said" | jq -r .reservation)
exits 1 "bob's task for alice's reservation is refused" env MUSUBI_ACTOR=bob musubi submit --reservation "$id" --limit 1m -- true
says "  … since it is hers" "$id belongs to another; bob may not use it"

# --- why tasks wait
export MUSUBI_ACTOR=bob
for _ in 1 2 3; do musubi submit ams --cpus 2 --count 2 --limit 30m --rank 'cpus_free - load' -- sleep 1000 >>"$work/bags" 2>>"$work/said"; done
mapfile -t bags <"$work/bags"
runs () { musubi --json queue | jq -e '[.bags[] | select(.running == 1)] | length == 1' >/dev/null; }
comes "one of three bags runs" runs
check "bags are listed" musubi queue
says "  … the first is told why its other task waits" "^${bags[0]} .*no node has CPUs free for so long; it is the first in turn"
for bag in "${bags[@]:1}"; do says "  … and $bag for whom" "^$bag .*bag ${bags[0]#*/} is the first in turn"; done
check "so are a bag's tasks" musubi queue "${bags[2]}"
says "  … each with the reason" "^${bags[2]}.1 .*bag ${bags[0]#*/} is the first in turn"
exits 2 "a rank is read by the site" musubi submit ams --limit 1m --rank 'memory +' -- true
says "  … which names it" 'rank'

# --- names that can't be
exits 2 "a service that is unknown" musubi call nosuch Free
says "  … is told, not its method" 'there is no service "nosuch"'
exits 2 "an actor with a blank" musubi --actor 'a b' sites
says "  … is told what its name may be" '"a b" can.t be an actor.s name'
export MUSUBI_ACTOR=alice
finish
