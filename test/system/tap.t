#!/usr/bin/env bash
# How test/all counts: a skipped test is no failure, in whichever way a program says that it skips; a program that fails a test,
# ends badly or prints nothing is a failure.
. "$(dirname "$0")/lib.sh"

counts () { # SENTENCE EXIT-CODE "PASSED FAILED SKIPPED" LINE…
  local sentence=$1 code=$2 wanted=$3
  shift 3
  printf '%s\n' "$@" >"$work/log"
  check "$sentence" test "$("$root/test/tap" "$work/log" "$code")" = "$wanted"
}

counts "what passes and what fails" 1 "2 1 0" 1..3 "ok 1 - one" "not ok 2 - two" "ok 3"
counts "a skip that says ok" 0 "1 0 1" "ok 1 - one" "ok 2 - two # SKIP only root may"
counts "a skip as cmocka tells it" 0 "1 0 2" "not ok 1 # SKIP one" "ok 2 - two" "not ok 3 # skip three"
counts "a program that is skipped as a whole" 0 "0 0 1" "1..0 # SKIP needs root"
counts "one that ends badly without a word of it" 139 "1 1 0" "ok 1 - one"
counts "… skips, and ends badly" 1 "0 1 1" "not ok 1 # SKIP one"
counts "one that says nothing" 0 "0 1 0" ""
counts "a failure whose name speaks of skips" 1 "0 1 0" "not ok 1 - SKIP is counted"
counts "what is printed besides" 0 "1 0 0" "  not ok 1 - of another" "ok 1 - one" "# SKIP of nothing" "okay"
finish
