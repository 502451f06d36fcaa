#!/usr/bin/env bash
# How test/all counts: a skipped test is no failure, in whichever way a program says that it skips; a program that fails a test,
# ends badly, does not keep its plan or prints nothing is a failure. And what test/all refuses.
. "$(dirname "$0")/lib.sh"

counts () { # SENTENCE EXIT-CODE "PASSED FAILED SKIPPED[ WHY]" LINE…
  local sentence=$1 code=$2 wanted=$3
  shift 3
  printf '%s\n' "$@" >"$work/log"
  check "$sentence" test "$("$root/test/tap" "$work/log" "$code" | sed 's/ $//')" = "$wanted"
}

counts "what passes and what fails" 1 "2 1 0" 1..3 "ok 1 - one" "not ok 2 - two" "ok 3"
counts "a skip that says ok" 0 "1 0 1" "ok 1 - one" "ok 2 - two # SKIP only root may" 1..2
counts "a skip as cmocka tells it" 0 "1 0 2" 1..3 "not ok 1 # SKIP one" "ok 2 - two" "not ok 3 # skip three"
counts "a program that is skipped as a whole" 0 "0 0 1" "1..0 # SKIP needs root"
counts "one that ends badly without a word of it" 139 "1 1 0 it ended with 139 and names no failure" 1..1 "ok 1 - one"
counts "… skips, and ends badly" 1 "0 1 1 it ended with 1 and names no failure" 1..1 "not ok 1 # SKIP one"
counts "one that says nothing" 0 "0 1 0 it says nothing" ""
counts "a failure whose name speaks of skips" 1 "0 1 0" 1..1 "not ok 1 - SKIP is counted"
counts "what is printed besides" 0 "1 0 0" "  not ok 1 - of another" "ok 1 - one" "# SKIP of nothing" "okay" 1..1
counts "one without a plan" 0 "1 1 0 it has no plan (1..N)" "ok 1 - one"
counts "one that leaves early" 0 "1 1 0 its plan is of 5, and 1 came" 1..5 "ok 1 - one"
counts "… or does more than it planned" 0 "2 1 0 its plan is of 1, and 2 came" "ok 1 - one" "ok 2 - two" 1..1
counts "one that bails out" 0 "1 1 0 Bail out! no network" 1..1 "ok 1 - one" "Bail out! no network"
counts "… after a failure" 1 "0 1 0 Bail out! no network" "not ok 1 - one" "Bail out! no network"
counts "one of several parts" 0 "3 0 0" 1..2 "ok 1" "ok 2" 1..1 "ok 1"

# test/all itself, over a tree of stubs.
tree=$work/tree
mkdir -p "$tree"/{test/model,deploy,bin,build}
cp "$root"/test/{all,tap} "$tree/test"
stub () { printf '#!/bin/bash\n%s\n' "$2" >"$tree/$1"; chmod 755 "$tree/$1"; }
for one in deploy/packages bin/cmake; do stub $one :; done
# shellcheck disable=SC2016
stub test/mask 'export tree=$PWD PATH=/usr/sbin:/usr/bin
exec unshare --mount sh -c "mount -t tmpfs masked $tree/masked; touch $tree/masked/here; exec \"\$@\"" _ "$@"'
mkdir "$tree/masked"
all () { env -u MUSUBI_BUILD PATH="$tree/bin:$PATH" "$tree/test/all" "$@"; }
stub test/model/one.t 'echo ok 1; echo 1..1'
check "test/all runs one suite" all --only model
says "  … and tells the sums" '^1 passed, 0 failed, 0 skipped$'
exits 2 "a suite that is none" all --only nonsense
says "  … is told those that are" "no suite 'nonsense': .*format.* model .*testbed"
stub test/model/one.t 'echo ok 1'
exits 1 "one of its programs without a plan" all --only model
says "  … is a failure, told in words" 'it has no plan'

stub test/model/one.t 'touch here; until [ -e go ]; do sleep 0.05; done; echo ok 1; echo 1..1'
all --only model >"$work/first" 2>&1 &
first=$!
comes "while one runs" test -e "$tree/here"
exits 2 "  … a second one in the same checkout is refused" timeout 60 env -u MUSUBI_BUILD PATH="$tree/bin:$PATH" "$tree/test/all" --only model
says "  … in words" 'another test/all runs in this checkout'
touch "$tree/go"
wait $first
check "  … and the first ends well" grep '^1 passed, 0 failed' "$work/first"

git init -q "$tree"
echo 0123456789012345678901234567890123456789 >"$tree/test/before"
mkdir "$tree/test/scale" && mv "$tree/test/before" "$tree/test/scale/version-before"
exits 2 "what is to skip nothing, without the history" all --full --only model
says "  … is refused at once" 'skip the upgrade without 01234567'
git -C "$tree" -c user.name=a -c user.email=a commit -q --allow-empty -m one
git -C "$tree" rev-parse HEAD >"$tree/test/scale/version-before"
if [ "$(id -u)" -eq 0 ]; then
  chmod 755 "$work"
  chmod 777 "$tree/build"
  exits 2 "  … nor without root" setpriv --reuid 65534 --clear-groups env -u MUSUBI_BUILD PATH="$tree/bin:$PATH" "$tree/test/all" --full --only model
  says "  … with a word" 'needs root'
  stub test/model/one.t 'echo "ok 1 # SKIP no way"; echo 1..1'
  exits 1 "a skip there" all --full --only model
  says "  … is a failure" '^failed: something was skipped'
  check "  … and else is none" all --only model
  stub test/model/one.t 'echo "# $PATH"; [ -e masked/here ] && echo ok 1; echo 1..1'
  check "with --full its programs run behind test/mask" all --full --only model
  check "  … with its PATH" grep -rx '# /usr/sbin:/usr/bin' "$tree/build/test-logs"
  exits 1 "  … and without, not" all --only model
  stub test/mask 'exit 1'
  exits 2 "where there is no mask, --full" all --full --only model
  says "  … is refused" "can't cover"
fi

# A clang-tidy that is killed, or that kills xargs with 255.
mkdir -p "$tree"/{libcommon,svc-a,cli}
touch "$tree"/libcommon/{a,b,c,d}.c "$tree/cli/good.c"
cp "$root/test/tidy" "$tree/test"
# shellcheck disable=SC2016
stub bin/clang-tidy 'case "$*" in *good.c) exit 0 ;; *a.c) exit 255 ;; *) kill -9 $PPID ;; esac'
exits 1 "a clang-tidy that dies" env PATH="$tree/bin:$PATH" "$tree/test/tidy"
says "  … has found nothing good in what it did not look at" '^not ok [0-9] - libcommon/d.c'
check "  … for each file" test "$(grep -c '^not ok' <<<"$output") $(grep -c '^ok' <<<"$output")" = "4 1"

# What is good is not looked at again.
stub bin/clang-tidy 'case "$*" in --version) echo one ;; *) echo "${*: -1}" >>looked; [ ! -e bad ] ;; esac'
echo '#include "a.h"' >"$tree/libcommon/a.c"
touch "$tree"/{libcommon/a.h,.clang-tidy}
mkdir "$tree/build/release"
jq -n --arg tree "$tree" '[{directory: $tree, file: "\($tree)/libcommon/a.c", command: "cc -o a.o -c \($tree)/libcommon/a.c"}]' \
  >"$tree/build/release/compile_commands.json"
looks () { # SENTENCE TIMES
  rm -f "$tree/looked"
  env -u MUSUBI_BUILD PATH="$tree/bin:$PATH" "$tree/test/tidy" >"$work/tidy"
  check "$1" test "$(grep -c libcommon/a.c "$tree/looked")" = "$2"
}
echo compiled >"$tree/a.o"
touch "$tree/bad"
looks "clang-tidy looks at a file" 1
looks "  … that was not good once more" 1
rm "$tree/bad"
looks "  … until it is" 1
looks "  … and then no more" 0
check "  … it is good all the same" grep '^ok [0-9] - libcommon/a.c' "$work/tidy"
check "  … and that is told" grep '^# 1 of them' "$work/tidy"
echo 'extern int a;' >"$tree/libcommon/a.h"
looks "  … unless what it includes has changed" 1
echo 'Checks: more' >"$tree/.clang-tidy"
looks "  … or the checks" 1
sed -i 's/cc -o/cc -DA -o/' "$tree/build/release/compile_commands.json"
looks "  … or how it is compiled" 1
sed -i 's/echo one/echo two/' "$tree/bin/clang-tidy"
looks "  … or clang-tidy" 1
looks "  … and then no more" 0
check "  … and nothing that is built was touched" grep compiled "$tree/a.o"
finish
