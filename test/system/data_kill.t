#!/usr/bin/env bash
# Requests with files and room while a service is killed (-9) and started again: each is committed or refused whole, the
# files of what is committed come to both sites as long as it stands, and at the end all is given back.
#
#   MUSUBI_KILLS=N  kills N of the ten victims, 4 when it is not set; 10 = all of them
#   MUSUBI_SEED=S   which ones, in which order, and how soon: as the last run said that printed this seed
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
# No machines that run tasks, but nodes for all requests at once.
sed '/back_end/d; s/nodes = 2/nodes = 12/' "$root/deploy/federations/data.zpl" >data.zpl
federation data.zpl --planners 2
kills=${MUSUBI_KILLS:-4}
seed=${MUSUBI_SEED:-$RANDOM}
RANDOM=$seed
victims=(planner/1 replica/berlin replica/kyoto replica/amsterdam index/i1 lis/berlin nis/ring gis/g1 storage/disk-1@berlin
  storage/disk-1@amsterdam)
drawn=()
while [ ${#drawn[@]} -lt "$kills" ] && [ ${#victims[@]} -gt 0 ]; do
  k=$((RANDOM % ${#victims[@]}))
  drawn+=("${victims[k]}")
  victims=("${victims[@]:0:k}" "${victims[@]:k + 1}")
done
echo "# seed $seed: ${drawn[*]}"

json () { musubi --json "$@" 2>/dev/null; }
disks () { [ "$(json sites | jq '[.sites[].storage[] | select(.mib > 0)] | length')" = 5 ]; }
tell_more () { musubi list; musubi replicas; grep -hE 'warning|alarm' "$federation"/log/*.log | sort | tail -n 40; }
settle () { # COMMAND…: until the answer is final; the answer is in $answer
  local ended=3 tries
  for tries in $(seq 60); do
    answer=$(musubi --json --timeout 3s "$@" 2>/dev/null)
    ended=$?
    [ $ended -eq 3 ] || break
  done
  return $ended
}
committed=() # the reservation of each number
wish () { # NUMBER: when its file is put and it can be planned, the request for it is in $request. It lasts until it is released
  head -c 1000000 /dev/urandom >"file$1"
  check "file $1 is put" musubi put "file$1" "data/file$1" --site amsterdam
  request=request$1.json
  cat >"$request" <<JSON
{"window": {"earliest": "now+5s", "latest": "now+10m"}, "duration": "1h", "distinct_sites": true,
 "compute": [{"id": "a", "cpus": 1, "site": "berlin"}, {"id": "b", "cpus": 1, "site": "kyoto"}],
 "network": [{"between": ["a", "b"], "mbps": 50}],
 "data": [{"file": "data/file$1", "at": "a", "mbps": 50}, {"file": "data/file$1", "at": "b"}], "space": [{"at": "a", "gb": 0.1}]}
JSON
  comes "request $1 can be planned" musubi explain "$request"
}
outcome () { # NUMBER SENTENCE
  settle reserve "$request" --request-id "kill$1"
  case $? in
    0) committed[$1]=$(jq -r .reservation <<<"$answer"); ok "$2, all is committed" ;;
    1) ok "$2, all is refused" ;;
    *) not_ok "$2, the outcome stays unknown" ;;
  esac
}
arrived () { # NUMBER: its file, at both sites
  json replicas "data/file$1" | jq -e '[.files[].copies[] | select(.state == "sound") | .site] | contains (["berlin", "kyoto"])' >/dev/null
}

comes "all disks are heard of" disks
for k in "${!drawn[@]}"; do
  wish "$k"
  settle reserve "$request" --request-id "kill$k" & # the answer is asked for again below
  asking=$!
  sleep "0.0$((RANDOM % 10))"
  slay "$(pid_of "${drawn[k]}")" || not_ok "${drawn[k]} runs"
  check "${drawn[k]} is killed and started again" musubi up --dir "$federation"
  wait "$asking" # what was committed is in progress as long as one of its participants is dead
  outcome "$k" "while ${drawn[k]} dies"
done
wish "${#drawn[@]}"
outcome "${#drawn[@]}" "when nobody dies any more"
check "that was committed" test -n "${committed[${#drawn[@]}]:-}"
for k in "${!committed[@]}"; do comes "the file that was wanted while ${drawn[k]:-nobody} died is at both sites" arrived "$k"; done
for id in "${committed[@]}"; do settle release "$id" || not_ok "$id is released: $answer"; done
given_back () { [ "$(json list | jq '[.reservations[] | select(.status != "released" and .status != "failed")] | length')" = 0 ]; }
comes "all is given back" given_back
for disk in berlin/disk-1 berlin/disk-2; do
  comes "$disk has all its room again, but for files" bash -c \
    "musubi --json free $disk --need 1800 --for 1h | jq -e '.spans | length > 0'"
done
check "no record is half done" musubi check --settle 30s
finish
