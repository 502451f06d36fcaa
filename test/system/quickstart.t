#!/usr/bin/env bash
# The first of the README's two commands works from a clean clone and without a terminal.
. "$(dirname "$0")/lib.sh"
unset MUSUBI_BUILD
export TMPDIR=$work
check "a clean clone" git clone --quiet "$root" "$work/clone"
started=$SECONDS
check "deploy/quickstart" bash -c "setsid '$work/clone/deploy/quickstart' </dev/null"
echo "# took $((SECONDS - started)) s"
says "commits a three-site reservation" 'committed'
says "draws it" 'ocean|air|coupled|█|#'
says "proves that nothing is half done" '^sound: '
says "says at the end what to type next" '^  musubi reserve examples/coupled-climate.json$'
check "  … after few lines" test "$(wc -l <<<"$output")" -lt 200
simulated () { grep -q musubi-sim <<<"$output" || [ -e "$work/clone/build/release/bin/musubi-sim" ]; }
exits 1 "builds nothing that it does not show" simulated
nothing_anew () {
  cd "$work/clone" && cmake --preset release >/dev/null || return
  ! cmake --build --preset release --target svc-gis svc-lis svc-planner musubi | grep 'Building C object'
}
check "configured again, it has nothing to compile" nothing_anew
# As where ccache comes with the tests, after quickstart.
without_ccache () {
  cmake -S "$root" -B "$work/later" -G Ninja -DMUSUBI_TESTS=OFF "$@" >/dev/null && ! grep -q ccache "$work/later/build.ninja"
}
check "a folder that began without ccache" without_ccache -DCMAKE_C_COMPILER_LAUNCHER=
check "  … goes on without it" without_ccache
nothing_runs () { ! pgrep -af "$work/clone/build|$work/musubi-quickstart"; }
check "leaves nothing running" nothing_runs
check "leaves no federation behind" bash -c "! ls -d '$work'/musubi-quickstart.* 2>/dev/null"
finish
