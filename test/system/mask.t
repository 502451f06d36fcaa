#!/usr/bin/env bash
# A command that no package of deploy/packages brings is refused behind test/mask, whichever way it came here; others work.
. "$(dirname "$0")/lib.sh"
if ! unshare --mount true 2>/dev/null; then
  echo "ok 1 - commands that no package brings # SKIP needs root"
  echo "1..1"
  exit 0
fi
# A folder of commands by hand, seen by this test alone.
behind () {
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -c '
    mount -t tmpfs by-hand /usr/local/bin
    printf "#!/bin/sh\necho works\n" >/usr/local/bin/by-hand
    chmod 755 /usr/local/bin/by-hand
    ln -s by-hand /usr/local/bin/linked-by-hand
    ln -s ../../bin/jq /usr/local/bin/json
    "$@"' _ "$@"
}
check "a command that was put here by hand" behind by-hand
exits 127 "  … is refused behind the mask" behind "$root/test/mask" by-hand
says "  … in words" '^by-hand: no package of deploy/packages brings it$'
exits 127 "  … under each name" behind "$root/test/mask" linked-by-hand
check "one of a package works" behind "$root/test/mask" jq -n 1
check "  … under a name that no package lists, too" behind "$root/test/mask" json -n 1
check "what Debian always has works" "$root/test/mask" sh -c 'awk "BEGIN {exit 0}" && which sh && mount'
check "  … and the mask is nobody else's" behind bash -c '"$1" true && by-hand' _ "$root/test/mask"
exits 7 "a command's exit code is its own" "$root/test/mask" sh -c 'exit 7'
check "behind it, namespaces are made as before" "$root/test/mask" unshare --net --mount ip link set lo up
check "  … and it can be put on twice" behind "$root/test/mask" "$root/test/mask" jq -n 1

names () { "$root/deploy/packages" --names "$@"; }
check "deploy/packages names a group" names test
says "  … without installing" '(^| )jq( |$)'
exits 2 "  … and no other" names nonsense
finish
