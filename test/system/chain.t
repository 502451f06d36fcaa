#!/usr/bin/env bash
# A chain of four storage nodes on hosts of 200 Mbit/s. Each kind of failure strikes at each place of the chain. Afterwards
# every node that lives has the right file, none of them was given up, and little was sent twice.
. "$(dirname "$0")/lib.sh"
if [ "$(id -u)" -ne 0 ] || ! ip netns add "mu$$-try" 2>/dev/null; then
  echo "1..0 # SKIP chain.t needs root and network namespaces"
  exit 0
fi
ip netns del "mu$$-try"
. "$(dirname "$0")/chain_lib.sh"
[ -x "$rig" ] || { echo "Bail out! no $rig"; exit 1; }

megabyte=1048576
size=$((40 * megabyte))
third=$((size / 3))
spare=$((8 * megabyte))
source=$work/source
head -c $size /dev/urandom >"$source"
digest=$(digest_of "$source")
tell () { # what was said, when something is not ok
  [ $bad -eq "${bad_before:-0}" ] || { tail -n 25 "$scene/rig.log"; tail -n 8 "$scene"/n*.log; } | sed 's/^/# /'
  bad_before=$bad
}

complete () { # WHAT I…: these get the file
  local what=$1
  shift
  check "$what: the others end" verified "$@"
  check "$what: they have the right file" right "$digest" "$@"
  check "$what: not much is sent twice" at_most_received $((size + spare)) "$@"
  check "$what: nobody who lives is given up" given_up_none "$@"
  tell
  site_end
}
given_up_none () { local i; for i in "$@"; do ! grep "rig moved node=n$i state=failed" "$scene/rig.log" || return 1; done; }

but () { local i j; for i in 1 2 3 4; do for j in "$@"; do [ "$i" = "$j" ] && continue 2; done; printf '%s ' "$i"; done; }

begin () { site "$source" 200; reaches "${1:-1}" $third; }

# --- each failure of a host, at each place: 0 is the source ---

killed () { local i; for i in "$@"; do kill -9 "${pid[$i]}"; done; }
cut_off () { local i; for i in "$@"; do cut_host "$i"; done; }
stopped () { local i; for i in "$@"; do kill -STOP "${pid[$i]}"; done; }
paused () {
  stopped "$@"
  sleep 4 # the length of the pause is what is tried
  local i
  for i in "$@"; do kill -CONT "${pid[$i]}"; done
}
restarted () {
  local i
  for i in "$@"; do fell "$i"; done
  [ "$1" = 0 ] || verified $(but "$@")
  for i in "$@"; do
    if [ "$i" = 0 ]; then guest 0 "$source"; else node "$i"; fi
  done
}
quartered () { local i; for i in "$@"; do slow_host "$i" 50mbit; done; }

befalls () { # HOW I…
  local how=$1 what="$1, ${*:2}" others=(1 2 3 4) i
  shift
  case $how in killed | cut_off | stopped) read -ra others <<<"$(but "$@")" ;; esac
  if [ "$1" = 0 ] && [ ${#others[@]} -eq 4 ] && [[ $how = killed || $how = cut_off || $how = stopped ]]; then
    others=(1 2 3)
    site "$source" 200 3 g0,g4
    guest 4 "$source"
    reaches 1 $third
  else
    begin "$([ "${@: -1}" = 0 ] && echo 1 || echo "${@: -1}")"
  fi
  $how "$@"
  check "$what: those who can have it" verified "${others[@]}"
  [[ "$how $*" != "quartered "[12] ]] || check "$what: it goes to the tail" grep -q "slow node=n$1: to the tail" "$scene/rig.log"
  complete "$what" "${others[@]}"
  for i in "$@"; do
    [ "$how" != cut_off ] || join_host "$i"
    [ "$how" != quartered ] || slow_host "$i" 200mbit
  done
}
everywhere () { # HOW…
  local how
  for how in "$@"; do
    befalls "$how" 1
    befalls "$how" 2
    befalls "$how" 4
    befalls "$how" 2 3
    befalls "$how" 0
  done
}

nothing () {
  local before
  before=$(sent 0)
  site "$source" 200
  check "nothing happens: all end" over
  check "nothing happens: the file is right everywhere" right "$digest" 1 2 3 4
  check "nothing happens: the source feeds it once" at_most_sent 0 $((size * 102 / 100)) "$before"
  tell
  site_end
}

conductor_dies () {
  begin 2
  fell 99
  conductor
  complete "the conductor killed and started again" 1 2 3 4
}

# --- files and disks ---

odd_files () {
  : >"$work/empty"
  site "$work/empty" 200
  check "a file without a byte comes everywhere" over
  check "a file without a byte is right everywhere" right "$(digest_of "$work/empty")" 1 2 3 4
  tell
  site_end

  disk () { small_disk 2 $((size / 2)); }
  prelude=disk
  site "$source" 200
  check "a full disk: all else is over" over
  check "a full disk: its node says so" grep -qE "rig moved node=n2 state=failed .*No space left" "$scene/rig.log"
  complete "a full disk" 1 3 4
}

# --- a source whose bytes are not those it announced ---

none_kept () { ! ls "$scene"/n*/files/* >/dev/null 2>&1; }
wrong_source () { # WHAT
  check "$1: it is over" over
  check "$1: nobody says it is verified" bash -c "! grep -q 'state=verified' '$scene/rig.log'"
  check "$1: nobody has kept it" none_kept
  check "$1: it is told why" grep -qE "rig over .*why=\"no source is left: g0: [^\"]*(digest|shorter|changed)" "$scene/rig.log"
  tell
  site_end
}
spoil () { head -c 65536 /dev/urandom | dd of="$1" bs=65536 seek="$2" conv=notrunc status=none; }

sources () {
  cp "$source" "$work/spoilt"
  has_digest () { grep -q "proved" "$scene/g0.log"; }
  after_digest () { await 20 has_digest && spoil "$work/spoilt" 3; }
  prelude=after_digest
  site "$work/spoilt" 200
  wrong_source "a source with other bytes than its digest"

  # --- wrong bytes are found within their MiB, and the rest comes from another source ---

  cp "$source" "$work/spoilt"
  site "$work/spoilt" 80 3 g0,g4 # slow enough for the source to be spoilt before that is read
  guest 4 "$source"
  reaches 1 $third
  spoil "$work/spoilt" $((size / 65536 - 17))
  complete "one source of two has wrong bytes" 1 2 3
  check "it is found in its MiB" grep -q "wrong bytes from=g0 to=n1" "$scene/rig.log"
  check "no more than that comes again" at_most_received $((size + 3 * megabyte)) 1 2 3

  site "$source" 200
  reaches 2 $third
  rot () { local part; for part in "$scene/n2/parts/"*[0-9a-f]; do spoil "$part" 3; done; }
  rot
  fell 2 # it reads what it has once more, and finds it
  node 2
  complete "node 2 has wrong bytes on its disk and is started again" 1 2 3 4

  cp "$source" "$work/changing"
  site "$work/changing" 200
  reaches 1 $third
  spoil "$work/changing" $((size / 65536 - 2))
  wrong_source "a source that changes meanwhile"

  cp "$source" "$work/shrinking"
  site "$work/shrinking" 200
  reaches 1 $third
  truncate -s $((size / 3)) "$work/shrinking"
  wrong_source "a source that becomes shorter"
}

# Three groups of tests run at the same time, each on hosts of its own.
group () { # NAME COMMAND…: in the background
  (
    tag=mu$$$1
    trap 'site_end 2>/dev/null; hosts_end' EXIT
    hosts 4 200mbit || { echo "not ok 1 - no hosts"; exit 1; }
    "${@:2}"
  ) >"$work/$1.tap" 2>"$work/$1.errors" &
}
first () { nothing; everywhere killed paused; }
second () { everywhere cut_off quartered; }
third () { everywhere stopped restarted; conductor_dies; odd_files; sources; }
group a first
group b second
group c third
wait
awk '/^(not )?ok [0-9]+ / { sub (/ok [0-9]+/, "ok " ++number) } { print } /^not ok/ { bad = 1 } END { print "1.." number; exit bad }' "$work"/[abc].tap
