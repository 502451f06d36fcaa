#!/usr/bin/env bash
# A week of a log as reservations to come, at a site whose Slurm has maintenance each week: what is granted is in Slurm, and by what
# scontrol says none of it overlaps a time of the maintenance, or another one. Where MUSUBI_DATA is set it is a real log's week,
# else a part of a made-up one.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
log=$root/examples/made-up.swf requests=60 compress=0.16
if [ -n "${MUSUBI_DATA:-}" ]; then
  log=$MUSUBI_DATA/SDSC-BLUE-2000-10weeks.swf.gz requests=700 compress=1
fi
settings=("watch = 500ms" "ahead = 1000")
others=(bru cph dub)
slurm_federation 3 4s
echo "# $log"

monday=$(($(date +%s) + 3600)) week=$((7 * 86400))
utc () { date -u -d "@$1" +%FT%TZ; }
check "all nodes have ten hours of maintenance each week" env TZ=UTC0 scontrol create reservation=maint starttime="$(date -u -d "@$monday" +%FT%T)" \
  duration=600 nodes=n[1-3] flags=maint,weekly users="$(id -un)"
seen () { ! ask_at $((monday + week + 60)); }
ask_at () {
  printf '{"window": {"start": "%s"}, "duration": "10m", "compute": [{"id": "all", "cpus": 2, "site": "ams"}]}' "$(utc "$1")" |
    musubi reserve - --dry-run --json
}
check "before the next one a node is free" ask_at $((monday + week - 660))
comes "in it none is" seen
week_of () { # OPTION…: the load begins three and a half days before the next time
  musubi workload "$log" --requests $requests --compress $compress --seed 1 --cpus-max 2 --start "$(utc $((monday + week / 2)))" "$@"
}
check "a week of the log is written" week_of --dry-run "$work/asked.jsonl" --links none
wanted () { # are some asked for at a time of it?
  jq -r '.window.earliest' "$work/asked.jsonl" | sort | awk -v from="$(utc $((monday + week)))" -v until="$(utc $((monday + week + 36000)))" \
    '$1 >= from && $1 < until {count++} END {print count + 0, "want it"; exit count < 3}'
}
check "some of it wants a time of the maintenance" wanted
check "a week of the log is reserved" week_of --as-fast --answers "$work/answers.jsonl"
sed 's/^/# /' <<<"$output"
jq -r 'select(.answer.status == "committed") | .answer | select(any(.compute[]; .site == "ams")).reservation' "$work/answers.jsonl" | sort >"$work/granted"
there () { scontrol -o show reservation | grep -oP '^ReservationName=musubi-ams-\K\S+' | sort >"$work/there"; cmp "$work/granted" "$work/there"; }
comes "Slurm has what was granted there" there
check "some of it" test -s "$work/granted"

# --- scontrol judges ---

each_time () { # a line for each node and time: NODE FROM UNTIL NAME, of the maintenance three times
  local name from until nodes node again
  TZ=UTC0 scontrol -o show reservation | sed -nE 's/^ReservationName=(\S+) StartTime=(\S+) EndTime=(\S+) .* Nodes=(\S+) .*/\1 \2Z \3Z \4/p' >"$work/lines"
  while read -r name from until nodes; do
    from=$(date -d "$from" +%s) until=$(date -d "$until" +%s)
    for node in $(scontrol show hostnames "$nodes"); do
      for again in 0 $([ "$name" != maint ] || echo 1 2); do echo "$node $((from + again * week)) $((until + again * week)) $name"; done
    done
  done <"$work/lines"
}
each_time | sort -k1,1 -k2,2n >"$work/times"
check "what it says is read: each has a node, the maintenance three thrice" \
  test "$(cut -d' ' -f4 "$work/times" | sort -u | wc -l) $(grep -c ' maint$' "$work/times")" = "$(($(wc -l <"$work/granted") + 1)) 9"
none_twice () {
  awk '$1 == node && $2 < until {print "on", node, "until", until, name, "and", $4, "from", $2; bad = 1}
  $1 != node || $3 > until {node = $1; until = $3; name = $4} END {exit bad}' "$work/times"
}
check "no node is in two at once" none_twice
near () { awk -v from=$((monday + week)) '$4 == "maint" {next} $2 < from {before++} $2 > from {behind++} END {exit !(before && behind)}' "$work/times"; }
check "they are before the maintenance and behind it" near
finish
