#!/usr/bin/env bash
# A rolling upgrade from the version before (version-before) to this build: a federation of the old programs, with reservations,
# files and tasks, has each of its processes replaced in turn, in a random order, while clients of both versions reserve,
# modify and release. No request is refused for it: each ends with 0, some when they are asked again under their id. What the old
# programs promised and stored the new ones keep, and the ledgers, written by both, prove it.
#
#   MUSUBI_SEED=N test/scale/upgrade.t     the order of seed N, which it prints
#   MUSUBI_KEEP=DIR test/scale/upgrade.t   where one is not replaced, stores and logs are copied to DIR
. "$(dirname "$0")/../system/lib.sh"
old=$("$root/test/scale/before")
case $? in
  0) ;;
  77) echo "1..0 # SKIP this clone's history does not have the version before"; exit 0 ;;
  *) echo "Bail out! the version before is not built"; exit 1 ;;
esac
seed=${MUSUBI_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed, from $(cat "$root/test/scale/version-before")"
chmod 711 "$work"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody
sed "s/ACCOUNT/$account/" "$root/test/scale/upgrade.zpl" >"$work/upgrade.zpl"
mkdir -m 777 "$work/shared"
mkdir "$work/answers" "$work/told"

# --- the version before, with something of everything
federation=$work/federation
check "the version before is up" "$old/musubi" up "$work/upgrade.zpl" --dir "$federation" || finish ended
MUSUBI_GIS=$(cat "$federation/gis")
export MUSUBI_GIS
pids () { musubi up --dir "$federation" --pids; }
members=$(pids | wc -l)

cat >"$work/request.json" <<'J'
{"window": {"earliest": "now+2h", "deadline": "now+3d"}, "duration": "30m", "distinct_sites": true,
 "compute": [{"id": "a", "cpus": 2, "require": {"size": "thick"}}, {"id": "b", "cpus": 1, "require": {"size": "thick"}}],
 "network": [{"between": ["a", "b"], "mbps": 100}]}
J
echo '{"duration": "45m", "network": [{"id": "a-b", "mbps": 200}]}' >"$work/patch.json"
reserve_old () { # REQUEST-ID: prints the reservation
  "$old/musubi" --json reserve "$work/request.json" --request-id "$1" >"$work/told/$1" 2>"$work/errors" && jq -r .reservation "$work/told/$1"
}
standing=()
for one in 1 2 3 4; do standing+=("$(reserve_old "before-$one")"); done
check "reservations of the version before" test "${#standing[*]}" = "$(printf '%s\n' "${standing[@]}" | grep -c .)"
check "one of them modified" "$old/musubi" modify "${standing[1]}" "$work/patch.json"
check "and one released" "$old/musubi" release "${standing[2]}"
head -c 3000000 /dev/urandom >"$work/file"
check "a file" "$old/musubi" put "$work/file" upgraded --site ams
cat >"$work/shared/task" <<'T'
#!/bin/sh
# Runs until the gate is open, through the replacement of all that knows of it.
while ! [ -e "$(dirname "$0")/gate" ]; do sleep 0.1; done
echo "done $MUSUBI_TASK_INDEX"
T
chmod 755 "$work/shared/task"
bag=$("$old/musubi" submit ber --count 2 --limit 1h -- "$work/shared/task")
running () { [ "$(musubi queue "$bag" --json | jq "[.tasks[] | select(.state == \"$1\")] | length")" = "$2" ]; }
comes "tasks that run" running running 2
shown () { for one in "${standing[@]}"; do "$1/musubi" --json show "$one" | jq -S 'del(.data)'; done; }
shown "$old" >"$work/shown"

# --- clients of both versions
# settle OUT ID MUSUBI COMMAND…: asks with this request id until the answer is final, and notes it in OUT.
settle () {
  local out=$1 id=$2 with=$3 tries=0 answer ended
  shift 3
  while :; do
    answer=$("$with/musubi" --json --timeout 5s "$@" --request-id "$id" 2>>"$out.errors")
    ended=$?
    tries=$((tries + 1))
    { [ $ended -eq 3 ] && [ $tries -lt 60 ]; } || break
  done
  jq -c -n --arg id "$id" --arg command "$1" --argjson exit $ended --argjson tries $tries \
    --argjson answer "$(tr -d '\n' <<<"${answer:-null}")" \
    '{request_id: $id, command: $command, exit: $exit, tries: $tries, answer: $answer}' >>"$out"
  return $ended
}
client () { # NUMBER MUSUBI: works until all is replaced
  local round=0 reservation out=$work/answers/$1.jsonl
  export MUSUBI_ACTOR=user$1
  while [ ! -e "$work/over" ]; do
    round=$((round + 1))
    settle "$out" "c$1-$round-reserve" "$2" reserve "$work/request.json" || continue
    reservation=$(tail -n 1 "$out" | jq -r .answer.reservation)
    [ $((round % 3)) -ne 0 ] || settle "$out" "c$1-$round-modify" "$2" modify "$reservation" "$work/patch.json"
    settle "$out" "c$1-$round-release" "$2" release "$reservation"
  done
}
clients=()
for one in 1 2 3 4; do
  [ $((one % 2)) -eq 0 ] && with=$bin || with=$old
  client $one "$with" &
  clients+=($!)
done

# --- each process in turn: a service before its agents, and one after them, so that both ways are tried by each seed
in_turn () {
  local -A place=([lis/ber]=0 [storage/disk-1@ams]=0 [replica/ber]=0 [node/thin-001@ber]=2 [node/thin-002@ber]=2 [replica/ams]=2
    [storage/disk-1@ber]=2)
  local member
  while read -r _ member; do echo "${place[$member]:-1} $RANDOM $member"; done < <(pids) | sort -n
}
replaced=0
while read -r _ _ member; do
  process=$(pid_of "$member")
  kill "$process"
  while grep -qsE '^[0-9]+ \(.*\) [^ZX] ' "/proc/$process/stat"; do sleep 0.02; done
  if ! musubi up --dir "$federation" >"$work/up" 2>&1; then
    not_ok "$member is replaced"
    sed 's/^/# /' "$work/up"
    tail -n 5 "$federation"/log/"${member/\//-}".log | sed 's/^/# /'
    [ -z "${MUSUBI_KEEP:-}" ] || cp -r "$federation" "$MUSUBI_KEEP"
    break
  fi
  replaced=$((replaced + 1))
done < <(in_turn)
touch "$work/over"
wait "${clients[@]}"

of_this_build () {
  local process member
  while read -r process member; do
    [[ $(readlink "/proc/$process/exe") == "$bin"/* ]] || { echo "$member is of another build"; return 1; }
  done < <(pids)
}
check "each of the $members processes was replaced by one of this build" test $replaced -eq "$members"
check "and runs" of_this_build
cat "$work"/answers/*.jsonl >"$work/answers.jsonl"
echo "# $(wc -l <"$work/answers.jsonl") requests under way, $(jq -c 'select(.tries > 1)' "$work/answers.jsonl" | wc -l) asked again"
refused () { jq -c 'select(.exit != 0)' "$work/answers.jsonl"; }
check "clients of both versions were served" test "$(cat "$work"/answers/?.jsonl | jq -r .request_id | cut -d- -f1 | sort -u | wc -l)" -eq 4
output=$(refused | head -n 5)
[ -z "$output" ] && ok "and no request was refused" || { not_ok "no request is refused"; sed 's/^/# /' <<<"$output"; cat "$work"/answers/*.errors | grep -v ^request-id | sort | uniq -c | head -n 20 | sed 's/^/# /'; }

# --- what the old ones promised
shown "$bin" >"$work/shown.new"
check "reservations of the version before are as they were" diff "$work/shown" "$work/shown.new"
same_answer () {
  local one
  for one in 1 2 3 4; do
    musubi --json reserve "$work/request.json" --request-id "before-$one" | diff - "$work/told/before-$one" || return
  done
}
check "asked again, their requests have the same answers" same_answer
check "one is modified" musubi modify "${standing[0]}" "$work/patch.json"
check "and released" musubi release "${standing[0]}"
check "the file is there" musubi get upgraded -o "$work/back" --site ber
check "as it was put" cmp "$work/file" "$work/back"
check "the tasks still run" running running 2
touch "$work/shared/gate"
comes "until they are told to end" running ended 2
check "each is told as it ended" test "$(for one in 0 1; do musubi output "$bag.$one"; done | sort | tr '\n' ' ')" = "done 0 done 1 "
bag=$(musubi submit ber --limit 1h -- "$work/shared/task")
comes "and others are run" running ended 1
check "no promise is broken" musubi check --answers "$work/answers.jsonl" --settle 60s

# --- and once more, from what both have written
shown "$bin" >"$work/shown.both"
slay_all () { while read -r process _; do slay "$process" || return; done < <(pids); }
as_both () { shown "$bin" | cmp - "$work/shown.both"; }
check "killed together" slay_all
check "all are up again" musubi up --dir "$federation"
comes "and tell the same" as_both
finish
