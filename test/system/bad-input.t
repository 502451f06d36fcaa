#!/usr/bin/env bash
# Every wrong input gets a clear refusal that names the field, with exit code 2, or 1 when a planner refuses it. Nothing crashes.
. "$(dirname "$0")/lib.sh"
federation --planners 1

refused () { # EXIT SENTENCE PATTERN JSON
  printf '%s' "$4" >"$work/request.json"
  exits "$1" "$2" musubi reserve "$work/request.json" && says "  … and named" "$3"
}
frame='"window": {"earliest": "now+1h", "deadline": "now+9h"}, "duration": "1h"'

refused 2 "not JSON" 'line' '{"name": '
refused 2 "an unknown key" 'colour' "{$frame, \"colour\": 1, \"compute\": [{\"id\": \"a\", \"cpus\": 1}]}"
refused 2 "a need without id" 'compute\[0\]' "{$frame, \"compute\": [{\"cpus\": 1}]}"
refused 2 "two needs of one id" 'compute\[1\]' "{$frame, \"compute\": [{\"id\": \"a\", \"cpus\": 1}, {\"id\": \"a\", \"cpus\": 1}]}"
refused 2 "zero CPUs" 'cpus' "{$frame, \"compute\": [{\"id\": \"a\", \"cpus\": 0}]}"
refused 2 "negative CPUs" 'cpus' "{$frame, \"compute\": [{\"id\": \"a\", \"cpus\": -5}]}"
refused 1 "CPUs that no site has" 'a' "{$frame, \"compute\": [{\"id\": \"a\", \"cpus\": 900000}]}"
refused 2 "a deadline before the start" 'deadline' '{"window": {"earliest": "now+5h", "deadline": "now+1h"}, "duration": "1h", "compute": [{"id": "a", "cpus": 1}]}'
refused 2 "a network need to a need that is not there" 'between' "{$frame, \"compute\": [{\"id\": \"a\", \"cpus\": 1}], \"network\": [{\"between\": [\"a\", \"b\"], \"mbps\": 1}]}"
refused 2 "a network need from a need to itself" 'between' "{$frame, \"compute\": [{\"id\": \"a\", \"cpus\": 1}], \"network\": [{\"between\": [\"a\", \"a\"], \"mbps\": 1}]}"
refused 2 "no needs" 'compute' "{$frame, \"compute\": []}"
refused 2 "a duration that is none" 'duration' '{"window": {"earliest": "now+1h"}, "duration": "soon", "compute": [{"id": "a", "cpus": 1}]}'
refused 2 "an unknown policy" 'policy' "{$frame, \"policy\": \"luck\", \"compute\": [{\"id\": \"a\", \"cpus\": 1}]}"

head -c 1048576 /dev/zero | tr '\0' '[' >"$work/request.json"
exits 2 "a mebibyte of nested brackets" musubi reserve "$work/request.json"
says "  … is called too deep" 'nest|deep'

exits 1 "an unknown site" musubi free atlantis --need 1 --for 1h --between now now+5h
says "  … is named" 'atlantis'
exits 1 "an unknown reservation" musubi release no-such-reservation
exits 2 "an unknown command" musubi frobnicate
exits 2 "an unknown method" musubi call lis Frobnicate
exits 2 "a bad field of a call is named by its path" musubi call lis Windows '{"windows": [{"nodes": "many"}]}'
says "  … windows[0].nodes" 'windows\[0\]\.nodes'
exits 3 "nobody there" musubi --gis tcp://127.0.0.1:9 --timeout 1s sites

cat >"$work/typo.zpl" <<'ZPL'
name = ams
bind
    endpont = "tcp://127.0.0.1:*"
ZPL
exits 2 "a configuration with a typo" svc-lis -c "$work/typo.zpl"
says "  … names file, line and key" 'typo\.zpl:3:.*endpont'
exits 2 "a service does not listen to the world unless told" \
  svc-gis --set name=g9 --set bind/endpoint='tcp://0.0.0.0:0' --set store/folder="$work/g9"
says "  … and says how" 'bind/trusted'

check "random and truncated frames, a newer peer: nobody falls over" /usr/bin/python3 "$root/test/system/frames.py"
check "everybody still answers" musubi sites
check "and reserves" musubi reserve "$root/examples/coupled-climate.json"
finish
