# Tasks of a site "ams" over a batch system. Sourced behind lib.sh.
run () { musubi submit ams --limit 10m "$@" 2>/dev/null; }
of_task () { musubi queue "$1" --json | jq -r ".tasks[0].$2"; } # NAME FIELD
is () { [ "$(of_task "$1" "$2")" = "$3" ]; }
