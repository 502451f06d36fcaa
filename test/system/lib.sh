# TAP for system tests, and a federation of real processes on loopback that never outlives its test.
#
#   . "$(dirname "$0")/lib.sh"
#   federation --planners 3        starts one; $federation is its folder
#   check "a sentence" COMMAND…    ok when the command succeeds
#   exits 2 "a sentence" COMMAND…  ok when it exits so; its output is in $output
#   says "a sentence" PATTERN      ok when the last output matches the extended regular expression
#   comes "a sentence" COMMAND…    ok as soon as the command succeeds; three minutes, or $patience seconds, bound a failure, of which tell_more
#                                  tells more, where a test defines it
#   launch NAME PROGRAM ARG…       starts it beside the federation and waits until it is ready, as $work/NAME.ready tells; its
#                                  log is $work/NAME.log, its process ${pid[NAME]}. It ends with the test, if not before
#   relaunch NAME                  again, with the same arguments
#   hasten [LOOK]                  its one planner reserves from 8 s on, not from 15 s, and agents of batch systems look every LOOK (500ms), not 2 s
#   pid_of MEMBER                  of the federation: "lis/ams"
#   ends_soon ID                   of a reservation that has begun, when all has been seen that is to be seen within it
#   slay PID                       kills it (-9) and waits until it has ended
#   finish [broken]                the plan, and the exit code; before that the federation's ledgers must prove that all
#                                  is sound, unless the test leaves it broken or ended
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${MUSUBI_BUILD:-$root/build}/release/bin
export PATH="$bin:$PATH"
export MUSUBI_ACTOR=${MUSUBI_ACTOR:-alice}
unset MUSUBI_GIS
work=$(mktemp -d "${TMPDIR:-/tmp}/musubi-test.XXXXXX")
export HOME=$work XDG_CONFIG_HOME=$work XDG_STATE_HOME=$work
federation=
number=0 bad=0
output=

ok () { number=$((number + 1)); echo "ok $number - $*"; }
not_ok () { number=$((number + 1)); bad=$((bad + 1)); echo "not ok $number - $*"; }

check () {
  local sentence=$1
  shift
  if output=$("$@" 2>&1); then ok "$sentence"; else
    not_ok "$sentence"
    printf '%s\n' "command: $*" "$output" | tail -n 30 | sed 's/^/# /'
    return 1
  fi
}

exits () {
  local wanted=$1 sentence=$2 got
  shift 2
  output=$("$@" 2>&1 </dev/null)
  got=$?
  if [ $got -eq "$wanted" ]; then ok "$sentence"; else
    not_ok "$sentence (exit $got, not $wanted)"
    printf '%s\n' "command: $*" "$output" | tail -n 30 | sed 's/^/# /'
    return 1
  fi
}

says () {
  if grep -qE -- "$2" <<<"$output"; then ok "$1"; else
    not_ok "$1"
    printf '%s\n' "wanted: $2" "$output" | tail -n 30 | sed 's/^/# /'
    return 1
  fi
}

comes () {
  local sentence=$1 bound=$((SECONDS + ${patience:-180}))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $bound ]; then
      not_ok "$sentence"
      { echo "never: $*"; ! declare -F tell_more >/dev/null || tell_more; } 2>&1 | tail -n 60 | sed 's/^/# /'
      return 1
    fi
    sleep 0.05
  done
  ok "$sentence"
}

federation () {
  federation=$work/federation
  if ! output=$(musubi up --dir "$federation" "$@" 2>&1); then
    echo "Bail out! no federation: $output"
    exit 1
  fi
  MUSUBI_GIS=$(cat "$federation/gis")
  export MUSUBI_GIS
}

hasten () {
  local one
  echo 'margin = 8s' >>"$federation/planner-1.zpl"
  slay "$(pid_of planner/1)"
  for one in "$federation"/batch-*.zpl; do
    echo "look = ${1:-500ms}" >>"$one"
    one=${one##*/batch-}
    slay "$(pid_of "batch/${one%.zpl}")"
  done
  musubi up --dir "$federation" >/dev/null
}

pid_of () { musubi up --dir "$federation" --pids | awk -v name="$1" '$2 == name {print $1}'; }

declare -A line=() pid=()
relaunch () {
  local ready=$work/$1.ready log=$work/$1.log
  : >"$ready"
  eval "setsid ${line[$1]} >\"\$ready\" 2>>\"\$log\" </dev/null &"
  pid[$1]=$!
  for _ in $(seq 2400); do
    kill -0 "${pid[$1]}" 2>/dev/null || break
    grep -q '^ready' "$ready" && return
    sleep 0.05
  done
  echo "Bail out! $1 is not ready: $(tail -n 3 "$log")"
  exit 1
}
launch () {
  line[$1]=$(printf '%q ' "${@:2}")
  relaunch "$1"
}

ends_soon () { # ID: in eight seconds
  local start
  start=$(date -d "$(musubi --json show "$1" | jq -r .start)" +%s) &&
    printf '{"duration": "%ss"}' $(($(date +%s) - start + 8)) | musubi --json modify "$1" -
}

slay () { # it may stay on as a zombie until somebody asks for it
  kill -9 "$1" || return
  while grep -qsE '^[0-9]+ \(.*\) [^ZX] ' "/proc/$1/stat"; do sleep 0.01; done
}

cleanup () {
  local left
  left=$(jobs -pr) # what the test launched and has not ended
  [ -z "$left" ] || kill -9 $left
  [ -z "$federation" ] || musubi down --dir "$federation" >/dev/null 2>&1
  rm -rf "$work"
}
trap cleanup EXIT

finish () {
  [ -z "$federation" ] || [ "${1:-}" = broken ] || check "the ledgers prove it sound" musubi audit --settle 60s
  echo "1..$number"
  [ $bad -eq 0 ]
  exit
}
