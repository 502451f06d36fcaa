#!/usr/bin/env bash
# Sixteen clients reserve, modify and release at sites and the network domains between them, while a random process is
# killed (-9) fifty times and started again. Nothing committed is lost, no hold outlives its limit, and every client ends
# with a true answer.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/s4.zpl" --planners 3
clients=16
kills=${MUSUBI_KILLS:-50}
seed=${MUSUBI_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed"
mkdir "$work/answers"

# settle OUT ID COMMAND…: asks with this request id until the answer is final (0 done, 1 refused), and notes it in OUT.
settle () {
  local out=$1 id=$2 tries=0 answer ended
  shift 2
  while :; do
    answer=$(musubi --json --timeout 3s "$@" --request-id "$id" 2>>"$work/errors")
    ended=$?
    tries=$((tries + 1))
    { [ $ended -eq 3 ] && [ $tries -lt 100 ]; } || break
  done
  printf '{"request_id": "%s", "command": "%s", "exit": %d, "answer": %s}\n' \
    "$id" "$1" $ended "$(tr -d '\n' <<<"${answer:-null}")" >>"$out"
  return $ended
}

client () { # NUMBER: works until the killer has finished
  local round=0 reservation out=$work/answers/$1.jsonl request=$work/request$1.json patch=$work/patch$1.json
  export MUSUBI_ACTOR=user$1
  echo '{"duration": "90m", "network": [{"id": "a-b", "mbps": 300}]}' >"$patch"
  while [ ! -e "$work/over" ]; do
    round=$((round + 1))
    cat >"$request" <<JSON
{"window": {"earliest": "now+$((round % 6 + 1))h", "deadline": "now+18h"}, "duration": "$((round % 3 + 1))h",
 "compute": [{"id": "a", "cpus": $(($1 / 2 + 1))}, {"id": "b", "cpus": 4}, {"id": "c", "cpus": 2}], "distinct_sites": true,
 "network": [{"between": ["a", "b"], "mbps": 500}, {"between": ["b", "c"], "mbps": 1000}]}
JSON
    settle "$out" "c$1-$round-reserve" reserve "$request" || continue
    reservation=$(tail -n 1 "$out" | grep -oP '"reservation": *"\K[^"]+')
    [ $((round % 3)) -ne 0 ] || settle "$out" "c$1-$round-modify" modify "$reservation" "$patch"
    [ $((round % 2)) -ne 0 ] || settle "$out" "c$1-$round-release" release "$reservation"
  done
}

pids=()
for one in $(seq $clients); do
  client "$one" &
  pids+=($!)
done

stop_clients () {
  touch "$work/over"
  wait "${pids[@]}"
}

killed=0
domains_killed=0
restarts_failed=0
while [ $killed -lt "$kills" ]; do
  mapfile -t running < <(musubi up --dir "$federation" --pids)
  [ ${#running[@]} -gt 0 ] && [ $restarts_failed -lt 5 ] || break
  mapfile -t domains < <(printf '%s\n' "${running[@]}" | grep ' nis/')
  [ $((killed % 5)) -ne 4 ] || [ ${#domains[@]} -eq 0 ] || running=("${domains[@]}") # every fifth is a domain
  victim=${running[RANDOM % ${#running[@]}]}
  slay "${victim%% *}" && killed=$((killed + 1))
  [[ $victim != *nis/* ]] || domains_killed=$((domains_killed + 1))
  echo "# kill $killed: ${victim#* }"
  sleep "0.$((RANDOM % 4))"
  musubi up --dir "$federation" >"$work/up" 2>&1 || { restarts_failed=$((restarts_failed + 1)); sed 's/^/# /' "$work/up"; }
done
stop_clients

check "$kills processes killed and started again" test "$killed/$restarts_failed" = "$kills/0"
check "network domains among them" test $domains_killed -ge $((kills / 5))
cat "$work"/answers/*.jsonl >"$work/answers.jsonl"
total=$(wc -l <"$work/answers.jsonl")
echo "# $total answers: $(grep -c '"exit": 0' "$work/answers.jsonl") done, $(grep -c '"exit": 1' "$work/answers.jsonl") refused"
check "every client ends with an answer" bash -c "! grep -qE '\"exit\": [^01]' '$work/answers.jsonl'"
check "all $clients clients got reservations" test \
  "$(grep -l '"exit": 0' "$work"/answers/*.jsonl | wc -l)" -eq $clients
check "the records hold nothing half done, overbooked, or held past its limit, and every answer is true" \
  musubi check --answers "$work/answers.jsonl" --settle 90s
sed 's/^/# /' <<<"$output"
finish
