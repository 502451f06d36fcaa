#!/usr/bin/env bash
# A site is killed and its lease ends: each command says that it is silent, and since when, as in the seconds before; a
# reservation there is not given up. A directory that starts anew remembers it, withdrawing forgets it, and one that stops is
# told as stopped.
. "$(dirname "$0")/lib.sh"
account=$(id -un)
cat >"$work/two.zpl" <<Z
name = two
directories = g1
planners = 1

sites
    ams
        classes
            thin
                nodes = 1
                cpus_per_node = 4
        back_end = runner
        accounts
            $account = "alice"
    kyoto
        classes
            thin
                nodes = 1
                cpus_per_node = 4
        back_end = runner
        accounts
            $account = "alice"
Z
federation "$work/two.zpl"
request () { # SITE
  printf '{"window": {"start": "now+2h"}, "duration": "30m", "compute": [{"id": "a", "cpus": 2, "site": "%s"}]}' "$1"
}
row () { musubi --json sites | jq -r '.sites[] | select(.name == "kyoto") | .state'; }
is_row () { [ "$(row)" = "$1" ]; }
back () { musubi up --dir "$federation" >/dev/null 2>&1; }
silent='is silent since 20[0-9T:-]*Z'

request kyoto >"$work/kyoto.json"
id=$(musubi --json reserve "$work/kyoto.json" 2>>"$work/errors" | jq -r .reservation)
check "there is a reservation at kyoto" test -n "$id"
check "doctor has nothing to say" musubi doctor
slay "$(pid_of lis/kyoto)"
comes "the site is killed, and its lease ends" is_row silent

exits 1 "doctor" musubi doctor
says "names it, since when, and how to forget it" "lis/kyoto: $silent; .* musubi call gis/NAME Gis.Withdraw '.*lis/kyoto"
withdraw=$(grep -oP "Gis.Withdraw '\K[^']+" <<<"$output")
exits 3 "queue" musubi queue
says "names it" 'these sites did not answer: kyoto'
check "and in JSON" sh -c 'musubi --json queue | jq -e ".silent == [\"lis/kyoto\"]"'
exits 3 "list" musubi list
says "names it" 'no answer from lis/kyoto'
check "and in JSON" sh -c 'musubi --json list | jq -e ".silent == [\"lis/kyoto\"]"'
exits 0 "sites" musubi sites
says "has its row" "^kyoto $silent"
exits 3 "free" musubi free kyoto --need 1 --for 1h
says "names it" "lis/kyoto $silent"
exits 3 "submit" musubi submit kyoto --limit 1m -- /bin/true
says "names it" "lis/kyoto $silent"
refused () { musubi reserve "$work/kyoto.json" >"$work/said" 2>&1; [ $? -eq 1 ]; }
comes "a reserve that names it is refused, once its planner has heard" refused
output=$(cat "$work/said")
says "is told why" "site 'kyoto' $silent"
request ams >"$work/ams.json"
exits 0 "one elsewhere is not" musubi reserve "$work/ams.json"
exits 3 "show" musubi show "$id"
says "names it" "$id: unknown to all that answered, and these did not answer: lis/kyoto"
exits 3 "modify" musubi modify "$id" <(echo '{"duration": "20m"}')
says "names it" 'site kyoto does not answer'
exits 3 "release" musubi release "$id" --request-id tidy
says "names it" 'site kyoto does not answer'

slay "$(pid_of gis/g1)"
launch gis svc-gis -c "$federation/gis-g1.zpl"
comes "a directory that starts anew remembers it" is_row silent
check "one who may not withdraw it is refused" sh -c '! MUSUBI_ACTOR=mallory musubi call gis/g1 Gis.Withdraw "$1"' - "$withdraw"
check "the command that doctor names" env MUSUBI_ACTOR=lis/kyoto musubi call gis/g1 Gis.Withdraw "$withdraw"
comes "forgets it" is_row ''
exits 1 "free does not know it now" musubi free kyoto --need 1 --for 1h
says "nor what it was" 'there is no site "kyoto"'

slay "${pid[gis]}"
back
comes "the site comes back" is_row listed
comes "and the release under the same id is done" musubi release "$id" --request-id tidy
kill -TERM "$(pid_of lis/kyoto)"
comes "a clean stop is told as stopped" is_row stopped
exits 1 "by doctor, too" musubi doctor
says "since when" 'lis/kyoto: stopped at 20[0-9T:-]*Z'
back
comes "and is over when it is back" is_row listed
planners () { musubi call gis/g1 Gis.Snapshot '{"kinds": ["planner"]}' | jq '.entries | length'; }
no_planner () { [ "$(planners)" = 0 ]; }
kill -TERM "$(pid_of planner/1)"
patience=8 # a lease ends after 15 s
comes "a planner that ends leaves the directory" no_planner
finish
