#!/usr/bin/env bash
# The README and the pages of docs/guide can be followed: every command of their ```sh blocks is run as it stands there, page by
# page, in that order, from a clean clone and in one shell. Each must end with exit code 0, or as its comment says
# ("# exit 1: …"), and no page leaves anything running. Only commands that build or test everything are left out; they have tests
# of their own. A block of JSON that names a file is what that file has.
. "$(dirname "$0")/lib.sh"
heavy='^(deploy/quickstart|deploy/testbed|test/all|cmake) '
build=${MUSUBI_BUILD:-$root/build}
unset MUSUBI_BUILD
PATH=${PATH#"$bin:"}
chmod 755 "$work" # tasks of a federation that root starts are nobody's
trap 'musubi down >/dev/null 2>&1; cleanup' EXIT

check "a clean clone" git clone --quiet "$root" "$work/clone" || finish
cd "$work/clone" || exit 1
ln -s "$build" build # what the clone would build

# Writes each block of a page to a file of its own, NUMBER.KIND, and to NUMBER.file the name of the file where it names one.
blocks () {
  rm -rf "$work/blocks"
  mkdir "$work/blocks"
  awk -v to="$work/blocks" '
    /^```/ && !inside {inside = 1; kind = substr($1, 4); out = sprintf("%s/%03d.%s", to, ++number, kind)
                       printf "" >out; if (NF > 1) print $2 >sprintf("%s/%03d.file", to, number); next}
    /^```/ {inside = 0; next}
    inside {print >out}' "$1"
}

# Runs the commands of standard input, one after the other, in this shell.
walk () {
  local command= line ended wanted
  while IFS= read -r line; do
    command+=$line
    if ! bash -n <<<"$command" 2>/dev/null || [[ $line == *\\ ]]; then
      command+=$'\n'
      continue
    fi
    if [ -n "$command" ] && ! [[ "$command " =~ $heavy ]]; then
      eval "$command" >"$work/output" 2>&1 </dev/null
      ended=$? wanted=0
      cat "$work/output" >>"$work/said"
      [[ $command =~ \#\ exit\ ([0-9]) ]] && wanted=${BASH_REMATCH[1]}
      command=${command//$'\n'/ }
      if [ $ended -eq $wanted ]; then ok "$command"; else
        not_ok "$command (exit $ended)"
        tail -n 30 "$work/output" | sed 's/^/# /'
      fi
    fi
    command=
  done
  check "  all of it was read" test -z "$command"
}

for page in README.md docs/guide/*.md; do
  [ "$page" = README.md ] || check "README leads to $page" grep -qF "($page)" README.md
  check "  no line is wider than 120 columns" python3 -c 'import sys
assert all(len(line) <= 121 for line in open(sys.argv[1], encoding="utf-8"))' "$page"
  blocks "$page"
  check "  every block is of a kind that is known" bash -c '! ls "$1" | grep -vE "\.(sh|json|text|file)$"' _ "$work/blocks"
  check "  and none is only indented" bash -c '! grep -nE "^    " <(awk "/^\`\`\`/ {inside = !inside} !inside" "$1")' _ "$page"
  for block in "$work"/blocks/*.json; do
    [ -e "$block" ] || continue
    file=$(cat "${block%.json}.file")
    check "  $file is what it is said to be" python3 -c 'import json, sys
assert json.load(open(sys.argv[1])) == json.load(open(sys.argv[2]))' "$block" "$file"
  done
  walk < <(cat "$work"/blocks/*.sh 2>/dev/null)
  check "  nothing is left running" musubi up --pids
  check "  … at all" test -z "$output"
done
check "README is for a hurry: at most 110 lines" test "$(wc -l <README.md)" -le 110
check "the tasks ran" grep -q "^task 3: .* primes" "$work/said"
for file in plan.svg replay.svg shared.svg; do
  check "$file is a picture" python3 -c 'import sys, xml.dom.minidom as x
assert x.parse(sys.argv[1]).documentElement.tagName == "svg"' "$file"
done
check "the file that was fetched is the one that was put" cmp 2020.nc copy.nc
finish broken
