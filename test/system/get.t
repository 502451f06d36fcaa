#!/usr/bin/env bash
# One file to six machines, each of which runs "musubi get". They get it together and one after another; then each kind of
# failure befalls some of them, the site's service, its directory, its storage node, or the bytes. Afterwards everybody who
# can has the right copy, nobody has ended well with another one, and the source has sent the file hardly more than once.
. "$(dirname "$0")/lib.sh"
if [ "$(id -u)" -ne 0 ] || ! ip netns add "mu$$-try" 2>/dev/null; then
  echo "1..0 # SKIP get.t needs root and network namespaces"
  exit 0
fi
ip netns del "mu$$-try"
. "$(dirname "$0")/chain_lib.sh"

size=16000000
quarter=$((size / 4))
source=$work/source
head -c $size /dev/urandom >"$source"
digest=$(digest_of "$source")

begin () { # NAME: the file that the next scene is about, as the site has it
  scene "$1"
  put "$source" "$1" >/dev/null
  before=$(sent 0)
}
ends () { # WHAT PERCENT I…: these get it, and the source sends at most so much of it
  local what=$1 percent=$2
  shift 2
  check "$what: who can has the right copy" right "$digest" "$@"
  check "$what: nobody has another one" none_wrong "$digest"
  [ "$percent" = any ] || check "$what: the source sends it hardly more than once" at_most_sent 0 $((size * percent / 100)) "$before"
  echo "# $what: the source has sent $(($(sent 0) - before)) of $size bytes"
  [ $bad -eq "${bad_before:-0}" ] || tail -n 5 "$scene"/*.out | sed 's/^/# /'
  bad_before=$bad
  scene_end
}
# A quarter of so small a file is what comes in half a second, in which a survivor may be fed by the source. Where machines are
# gone for good it may be three times as long, when this one is busy; those behind a gone one, each fed anew, would be 250 %.
befalls () { # WHAT I "SURVIVORS" COMMAND…: when client I has a quarter
  begin "${1// /-}"
  follows 1 2 3 4 5 6
  reaches "$2" $quarter
  "${@:4}"
  ends "$1" "${percent:-125}" $3
}

# --- nothing happens ---

together () {
  begin together
  slow_host 0 1mbit # as follows does
  stand 1 2 3 4 5 6
  slow_host 0 "$rate"
  ends "together" 110 1 2 3 4 5 6
}
staggered () {
  local i
  begin staggered
  slow_host 0 10mbit # the first one must not have it before the last one stands there
  stand 1
  for i in 2 3 4 5 6; do
    reaches 1 $((size * (i - 1) / 7))
    slow_host 0 1mbit
    stand "$i"
    slow_host 0 10mbit
  done
  ends "staggered" 110 1 2 3 4 5 6
}

# --- to machines ---

full_disk () {
  begin full-disk
  small_disk 2 $((size / 2))
  follows 1 2 3 4 5 6
  ends "a disk full" 125 1 3 4 5 6
  exits 1 "a disk full: its client says so" sh -c "cat '$scene/2.out'; exit \$(cat '$scene/2.exit')"
  says "a disk full: with the reason" "No space left"
}

# --- to services ---

directory_away () {
  begin no-directory
  follows 1 2 3 4 5 6
  reaches 3 $quarter
  slay "${pid[gis]}"
  ends "the directory killed" 125 1 2 3 4 5 6
  wait "${pid[gis]}" 2>/dev/null
  relaunch gis
}

# --- to bytes ---

damaged_part () {
  begin damaged-part
  follows 1 2 3 4 5
  reaches 5 $quarter
  spoil_part 5 $((quarter / 2))
  client 6 # is fed by the fifth
  ends "a part damaged on its disk" any 1 2 3 4 5 6
}
damaged_at_last () {
  begin damaged-at-last
  follows 1 2 3
  reaches 3 $quarter
  spoil_part 3 $((quarter / 2)) # feeds nobody who could find it
  ends "a part damaged on the disk of the last" any 1 2 3
}
damaged_source () {
  begin damaged-source
  ip netns exec "$(host c)" musubi get damaged-source --stage --site berlin >/dev/null
  before=$(sent 0)
  follows 1 2 3 4
  reaches 1 $quarter
  spoil "$(stored n0 damaged-source)" $((size / 4096 - 3))
  ends "the source's copy damaged, another site's is right" 125 1 2 3 4
}
stored () { echo "$work/$1/files/$2"; }
empty () {
  local whole=$source digest
  source=$work/empty
  : >"$source"
  digest=$(digest_of "$source")
  begin empty
  client 1 2
  ends "a file without a byte" any 1 2
  source=$whole
}

# Groups of scenes run at the same time, each with hosts and a site of its own.
group () { # NAME COMMAND…: in the background
  (
    tag=mu$$$1 work=$work/$1
    mkdir -p "$work"
    trap 'scene_end 2>/dev/null; slay_all; hosts_end' EXIT
    hosts 6 80mbit || { echo "not ok 1 - no hosts"; exit 1; }
    services
    "${@:2}"
  ) >"$work/$1.tap" 2>"$work/$1.errors" &
}
first () {
  together
  percent=175 befalls "the fourth killed" 4 "1 2 3 5 6" killed 4
  percent=175 befalls "the fourth cut off" 4 "1 2 3 5 6" cut_off 4
  percent=175 befalls "the third and fourth cut off" 4 "1 2 5 6" cut_off 3 4
  percent=175 befalls "first and last killed, the third stopped" 4 "2 4 5" first_last_middle 3
}
second () {
  staggered
  befalls "the second slowed to a quarter" 2 "1 2 3 4 5 6" slowed 2
  percent=170 befalls "the third stopped for 4 s" 3 "1 2 3 4 5 6" paused 3 # the others have left by then
  full_disk
  directory_away
}
third () {
  empty
  befalls "the service away for 0.5 s" 3 "1 2 3 4 5 6" away 0.5 ams
  befalls "the service away for 8 s" 3 "1 2 3 4 5 6" away 8 ams
  befalls "the source's node killed and back" 3 "1 2 3 4 5 6" away 0.5 n0
  damaged_part
  damaged_at_last
  service berlin 5581 n1
  storage n1 5581 c
  damaged_source
}
for name in ${*:-first second third}; do group "$name" "$name"; done
wait
awk '/^(not )?ok [0-9]+ / { sub (/ok [0-9]+/, "ok " ++number) } { print } /^not ok/ { bad = 1 } END { print "1.." number; exit bad }' "$work"/*.tap
