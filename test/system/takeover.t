#!/usr/bin/env bash
# A planner's machine is gone for good, and its store, when everybody has voted and nobody has heard a decision, of three requests;
# of a fourth one site has heard that it is committed. One command has another planner end them, once all that took part answer.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/s4.zpl" --planners 1

reserve () { # NAME SITE SITE
  printf '{"name": "%s", "window": {"earliest": "now+1h", "deadline": "now+20h"}, "duration": "30m",
    "compute": [{"id": "a", "cpus": 2, "site": "%s"}, {"id": "b", "cpus": 2, "site": "%s"}]}' "${@:1:3}" |
    musubi --timeout "${4:-3s}" reserve - --request-id "$1@g1"
}
sites=(n32 s32 u32 u8)
# Each of these sites is reached at 127.0.0.2 from now on, through a process that cuts at its answer to a hold; that of u8 cuts when it is
# to commit, and u8 waits for somebody to tell it.
stand_between () {
  local site ports at
  printf 'limits\n    doubt = 1h\n' >>"$federation/lis-u8.zpl"
  for site in "${sites[@]}"; do
    mapfile -t ports < <(sed -nE 's,^ +(endpoint|events) = "tcp://127[.]0[.]0[.]1:([0-9]+)"$,\2,p' "$federation/lis-$site.zpl")
    sed -i 's,^bind$,&\n    host = "127.0.0.2",' "$federation/lis-$site.zpl"
    slay "$(pid_of "lis/$site")"
    at=(--word Hold --answer)
    [ "$site" != u8 ] || at=(--word Commit)
    python3 "$root/test/system/between.py" 127.0.0.2 "${ports[@]}" --to 127.0.0.1 "${at[@]}" --until "$work/join-$site" \
      >"$work/between-$site" 2>&1 &
  done
  musubi up --dir "$federation" >/dev/null 2>&1
}
all_say () {
  local site
  for site in "${sites[@]}"; do grep -q "$1" "$work/between-$site" || return 1; done
}
in_doubt () { [ "$(musubi --timeout 3s txn list --in-doubt 2>/dev/null | grep -c 'in doubt')" -eq "$1" ]; }
free () { musubi --json txn list | jq -e '.transactions | length == 0'; }

check "a reservation before all that" reserve calm n32 n16 30s
stand_between
comes "somebody stands between four sites and their callers" all_say ready
planner=$(musubi --json txn list --all | jq -r '.transactions [0].coordinator')
exits 1 "while the planner answers, it is left in peace" musubi txn take-over "$planner"
says "  … and what could be done is said" "planner/[0-9a-f]{32} answers at tcp://.*, and ends its transactions by itself; end that process first"
exits 2 "a name must be one" musubi txn take-over ams
exits 2 "and long enough" musubi txn take-over planner/3fa

comes "the sites are listed again" bash -c '[ "$(musubi --json sites | jq ".sites | length")" -eq 10 ]'
reserve one n32 n16 >"$work/one" 2>&1 &
asking=($!)
reserve two s32 s16 >"$work/two" 2>&1 &
asking+=($!)
reserve three u32 u16 >"$work/three" 2>&1 &
asking+=($!)
reserve four u8 n64 >"$work/four" 2>&1 &
asking+=($!)
comes "each site is cut off when it has voted" all_say cut
comes "one has heard that the fourth is committed" grep -q 'prepared->committed' "$federation/log/lis-n64.log"
slay "$(musubi up --dir "$federation" --pids | awk '$2 ~ /^planner/ {print $1}')"
mv "$federation/store/planners/"0001* "$work/"
touch "$work/join-n32" "$work/join-s32" "$work/join-u8"
comes "three of the sites can be reached again" bash -c 'grep -q joined "$1/between-n32" && grep -q joined "$1/between-s32" && grep -q joined "$1/between-u8"' - "$work"
wait "${asking[@]}"
exits 3 "nobody else can do it" musubi --timeout 2s txn take-over "$planner"
says "  … which is said" 'no other planner is listed'
check "a planner with an empty store starts" musubi up --dir "$federation"
comes "two are in doubt by all that took part, and one by those that answer" in_doubt 3

exits 1 "who is no administrator may not" env MUSUBI_ACTOR=eve musubi --timeout 3s txn take-over "$planner"
says "  … and is told so" 'eve is no administrator'
exits 3 "it is taken over, but for one whose site does not answer" musubi --timeout 5s txn take-over "${planner:0:20}"
says "  … one is committed, as that site had heard, and two are aborted" '1 committed, 2 aborted, 1 left: run this again'
says "  … and why the third is not" '^[0-9a-f]{32}-1-[0-9]+: (not known: lis/u32 does not answer|the planner gave no answer in time)'
says "  … nor is its site forgotten" '^no records from lis/u32: '
touch "$work/join-u32"
comes "that site can be reached again" grep -q joined "$work/between-u32"
comes "the command ends the rest" musubi --json --timeout 20s txn take-over "$planner"
exits 0 "there is nothing left" musubi txn take-over "$planner"
says "  … which is told" ': 0 committed, 0 aborted, 0 left$'
check "nothing is held any more" free
four () { musubi --json list | jq -e '[.reservations [] | select (.name == "four") | .status] == ["committed"]'; }
check "what one site had heard is committed" four
check "  … at the other, too" grep -q 'prepared->committed' "$federation/log/lis-u8.log"
for one in "one n32 n16" "two s32 s16" "three u32 u16"; do
  # shellcheck disable=SC2086
  check "the same request can be asked again: $one" reserve $one 30s
done
finish
