#!/usr/bin/env bash
# A site is cut off and dies between its vote and the commit. When it returns, the edge has passed and it has too few nodes,
# so that it can't keep its part. Another site takes its place, and every participant gives the same account of it.
. "$(dirname "$0")/lib.sh"
cat >"$work/late.zpl" <<'ZPL'
name = late
directories = g1
sites
    ams
        lead = 60s
        classes
            thin
                nodes = 4
                price = 1
    ber
        lead = 1s
        classes
            thin
                nodes = 4
                price = 2
    cph
        lead = 1s
        classes
            thin
                nodes = 4
                price = 3
ZPL
federation "$work/late.zpl" --planners 1

at () { date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ; }
comes () { # FILE WORD: it comes, in a minute
  local _
  for _ in $(seq 600); do
    grep -q "$2" "$1" && return
    read -r -t 0.1 <> <(:)
  done
  return 1
}
passes () { until [ "$(date +%s)" -ge "$1" ]; do read -r -t 0.2 <> <(:) || true; done; } # that moment of the clock
stop_between () { [ ! -s "$work/between.pid" ] || kill "$(cat "$work/between.pid")"; }
trap 'stop_between; cleanup' EXIT

mapfile -t ports < <(sed -nE 's,^ +(endpoint|events) = "tcp://127[.]0[.]0[.]1:([0-9]+)"$,\2,p' "$federation/lis-ber.zpl")
python3 "$root/test/system/between.py" 127.0.0.2 "${ports[@]}" --to 127.0.0.1 --word Commit --until "$work/join" \
  >"$work/between" 2>&1 &
echo $! >"$work/between.pid"
check "somebody stands between a site and its callers" comes "$work/between" ready
sed -i 's,^bind$,&\n    host = "127.0.0.2",' "$federation/lis-ber.zpl"
printf 'limits\n    doubt = 60s\n' >>"$federation/lis-ber.zpl" # it does not ask by itself before
slay "$(pid_of lis/ber)"
check "the site returns behind it" musubi up --dir "$federation"

start=$(($(date +%s) + 80))
cat >"$work/two.json" <<JSON
{"name": "two", "window": {"earliest": "$(at $start)", "latest": "$(at $((start + 600)))"}, "duration": "10m",
 "compute": [{"id": "one", "cpus": 3}, {"id": "other", "cpus": 3}], "distinct_sites": true, "policy": "cost"}
JSON
musubi --timeout 8s reserve "$work/two.json" --request-id late@g1 >"$work/asked" 2>&1 &
asking=$!
check "cut off between its vote and the commit" comes "$work/between" cut
slay "$(pid_of lis/ber)"
wait "$asking"
check "it dies: whoever asked is told that nothing is known" test $? -eq 3
exits 3 "it is listed, and who is silent" musubi list
id=$(awk '/ two( |$)/ {print $1}' <<<"$output")
start=$(date -d "$(musubi --json show "$id" | jq -r .start)" +%s)
edge=$((start - 60)) # the longest notice that somebody wants
sed -i 's/nodes = "\?4"\?$/nodes = 2/' "$federation/lis-ber.zpl"
check "it has lost nodes meanwhile" grep -q 'nodes = 2$' "$federation/lis-ber.zpl"
check "the edge passes" passes $((edge + 1))
touch "$work/join"
check "it returns" musubi up --dir "$federation"
repaired () { musubi --timeout 20s reserve "$work/two.json" --request-id late@g1; }
check "asking again has one answer" bash -c "for _ in \$(seq 20); do
  musubi --timeout 20s reserve '$work/two.json' --request-id late@g1 >'$work/told' 2>&1; code=\$?
  [ \$code -eq 3 ] || break; done; cat '$work/told'; exit \$code"
says "  … committed, the same reservation" "committed $id"
says "  … at another site" 'cph'
says "  … and why" 'ber heard of the commit too late'
check "asking once more" repaired
check "  … hears the same" diff "$work/told" - <<<"$output"
check "it is shown" musubi show "$id"
says "  … as committed, without the site that could not keep its part" 'committed'
check "the records agree" musubi check --settle 60s
finish
