#!/usr/bin/env bash
# deploy/packages, with an apt of its own: it installs what is missing, waits for the end of another apt, and passes on what
# apt says when it fails.
. "$(dirname "$0")/lib.sh"
mkdir "$work/bin"
stub () { printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"; chmod 755 "$work/bin/$1"; }
packages () { PATH=$work/bin:$PATH "$root/deploy/packages" "$@"; }
stub sudo 'shift; exec "$@"'
# shellcheck disable=SC2016
stub dpkg-query '[ "$4" = jq ] || echo install ok installed'

# shellcheck disable=SC2016
stub apt-get 'echo "$*" >>'"$work"'/asked
case "$*" in *update*) [ -e '"$work"'/once ] || { : >'"$work"'/once; echo "E: Could not get lock /lists/lock. It is held by process 7"; exit 100; };; esac'
check "what is missing is installed, after another apt has ended" packages build test
says "  … and it is named" '^installing jq$'
check "  … with the lists asked for again" test "$(grep -c update "$work/asked")" = 2
check "  … and patience for a lock of dpkg" grep -E 'DPkg::Lock::Timeout=[0-9]+ .*install jq$' "$work/asked"
rm "$work/asked"
check "where nothing is missing" packages build run
check "  … apt is not asked" test ! -e "$work/asked"

stub apt-get 'echo "E: no mirror answers"; exit 100'
exits 1 "an apt that fails" packages test
says "  … is heard" 'no mirror answers'
exits 2 "a group that is none" packages nonsense
finish broken
