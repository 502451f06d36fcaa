#!/usr/bin/env bash
# What was installed can be used in its place: every program, the man pages and the examples; and a federation runs from
# there.
. "$(dirname "$0")/lib.sh"
to=$work/usr/local
trap '"$to/bin/musubi" down >/dev/null 2>&1; cleanup' EXIT
chmod 755 "$work" # tasks of a federation that root starts are nobody's

check "it is installed" env DESTDIR="$work" cmake --install "$bin/.." --prefix /usr/local
built=$(find "$bin" -mindepth 1 -printf '%f\n' | grep -vE '^(test_|bench_|(farm|cycles)$)' | sort)
check "with every program that is built for use" test "$(find "$to/bin" -mindepth 1 -printf '%f\n' | sort)" = "$built"
built_aside=$(cd "$bin/../libexec" && find . -type f)
check "and those that only programs start" test "$(cd "$to/libexec" && find . -type f)" = "$built_aside"
for file in man/man1/musubi.1 man/man1/plus_reserve.1 bash-completion/completions/musubi doc/musubi/README.md \
  doc/musubi/deploy/README.md musubi/federations/README.md; do
  check "$file is there" test -s "$to/share/$file"
done
check "every example is there" diff -r "$root/examples" "$to/share/musubi/examples"
check "every federation is there" diff -r "$root/deploy/federations" "$to/share/musubi/federations"
check "the program among the examples can be run" test -x "$to/share/musubi/examples/simulate"

# Links, and files named in `code` by a path: beside the document, or from the top.
named_and_missing () {
  local document name missing=1
  while IFS=: read -r document name; do
    name=${name%%#*}
    [ -e "$(dirname "$document")/$name" ] || [ -e "$to/share/doc/musubi/$name" ] || { echo "$document: $name"; missing=0; }
  done < <(cd "$to/share/doc/musubi" && grep -rnoE '\]\([^):]+\)|`[a-z][a-z0-9_/-]*\.md`' README.md CONTRIBUTING.md docs deploy cli |
    sed -E 's/:[0-9]+:(\]\(|`)/:/; s/[)`]$//' | sed "s#^#$to/share/doc/musubi/#")
  return $missing
}
exits 1 "installed documents name documents that are installed" named_and_missing
for program in svc-lis svc-gis musubi-as musubi; do
  hardened () { readelf -dl "$to/bin/$1" | grep -c -e BIND_NOW -e GNU_RELRO | grep -qv "^[01]$"; }
  check "$program is bound before it begins" hardened $program
done
checked () { readelf -Ws "$to/bin/svc-lis" | grep "$1" >/dev/null; }
check "stacks are protected" checked __stack_chk_fail
check "  … and copies are checked" checked '__[a-z]*_chk@'

mkdir "$work/part"
part () { cmake -S "$root" -B "$work/part" -G Ninja -DMUSUBI_TESTS=OFF >/dev/null && cmake --install "$work/part" --prefix "$work/nothing"; }
exits 1 "a tree that is not built is not installed" part
says "  … it says what to do" 'is not built yet, so nothing is installed: run cmake --build first'
check "  … and nothing was" test ! -e "$work/nothing"

heavy () { readelf -d "$to/bin/$1" | grep -E 'NEEDED.*\[lib(glpk|expat|lmdb)\.'; }
exits 1 "the user's client needs no library that only tools need" heavy musubi
check "  … and they do" heavy musubi-tools
exits 0 "musubi-solve is found where it is installed" "$to/bin/musubi" solve "$root/examples/problems.json" --solver glpk
mkdir "$work/alone"
cp "$to/bin/musubi" "$work/alone"
exits 3 "where musubi-tools is neither beside it nor on the PATH" env PATH=/usr/bin:/bin "$work/alone/musubi" solve examples/problems.json
says "  … it says so" 'musubi-tools, which does this, can.t be started'
check "  … and takes it from the PATH" env PATH="$to/bin:/usr/bin:/bin" "$work/alone/musubi" solve "$root/examples/problems.json"
mkdir -p "$work/half/bin"
cp "$to"/bin/musubi{,-tools} "$work/half/bin"
exits 3 "where musubi-solve is not in libexec beside bin" "$work/half/bin/musubi" solve "$root/examples/problems.json" --solver glpk
says "  … it says where it is looked for" "$work/half/libexec/musubi/musubi-solve is missing: install it there"
check "  … and what needs none of it is solved" "$work/half/bin/musubi" solve "$root/examples/problems.json"

cd "$to/share/musubi" || exit 1
export PATH=$to/bin:/usr/bin:/bin
check "a federation is started" musubi up federations/five-runners.zpl
from_elsewhere () { for one in $(musubi up --pids | cut -d' ' -f1); do readlink "/proc/$one/exe"; done | grep -v "^$to/bin/"; }
exits 1 "  … whose processes are the installed ones" from_elsewhere
check "  … it reserves" musubi reserve examples/three-tasks.json
reservation=$(awk '/^committed/ {print $2}' <<<"$output")
bag=$(musubi submit --reservation "$reservation/air" --limit 1m -- "$PWD/examples/simulate" 2>/dev/null)
check "  … and runs a task of the examples" musubi output "$bag.0" --follow
says "  … to its end" '^task 0: '
check "it is ended" musubi down
check "the simulation runs, too" musubi-sim replay 42
finish broken
