#!/usr/bin/env bash
# Each federation that `musubi up` starts has a folder of its own, kept under its name: one after another runs here, and
# each is found again as it was.
. "$(dirname "$0")/lib.sh"
five=$root/deploy/federations/five-sites.zpl
trap 'musubi down >/dev/null 2>&1; cleanup' EXIT

sites () { output=$(musubi sites 2>&1 | awk 'NR > 1 {print $1}'); }
described () { # NAME SITE: a federation of one site, in $work/NAME.zpl
  printf 'name = %s\ndirectories = g1\nplanners = 1\nsites\n    %s\n        classes\n            node\n                nodes = 4\n' \
    "$1" "$2" >"$work/$1.zpl"
}
described first ams
described second kyo

exits 2 "before the first there is nobody to ask" musubi sites
says "  … and how to begin is told" 'musubi up'
exits 1 "… and nothing to end" musubi down
check "the first is started" musubi up "$work/first.zpl"
echo '{"window": {"earliest": "now+1h"}, "duration": "1h", "compute": [{"id": "a", "cpus": 2}]}' >"$work/request.json"
check "  … and reserves" musubi --json reserve "$work/request.json"
reservation=$(grep -oP '"reservation": *"\K[^"]+' <<<"$output" | head -n 1)
exits 1 "while it runs, no other one is started beside it" musubi up "$work/second.zpl"
says "  … and what to do is told" "runs in .*/first.*musubi down.*--dir"
check "with a folder that is named, one is" musubi up --dir "$work/beside" "$work/second.zpl"
check "  … nobody else reads its logs, configurations and stores" test -z "$(find "$work/beside" \( -type f -perm /077 \) -o \( -type d -perm /066 \))"
sites
says "  … but who names none asks the first" '^ams$'
check "  … it is ended by that name" musubi down --dir "$work/beside"
check "the first is ended" musubi down
check "then another is started" musubi up "$work/second.zpl"
sites
says "  … and asked" '^kyo$'
check "  … and ended" musubi down
check "without a file the last one is started again" musubi up
sites
says "  … as it was" '^kyo$'
check "it is ended" musubi down
check "the first goes on where it was" musubi up "$work/first.zpl"
check "  … with what it had promised" musubi show "$reservation"
check "it is ended" musubi down
sed -i 's/nodes = 4/nodes = 8/' "$work/first.zpl"
exits 2 "another description under the same name is refused" musubi up "$work/first.zpl"
says "  … and what to do is told" "first holds a federation that differs from .*first.zpl.*another name"
sed -i 's/^name.*/name = "..\/first"/' "$work/first.zpl"
exits 2 "a name that no folder can have is refused" musubi up "$work/first.zpl"
says "  … with its key" "first.zpl: name: "

# A folder from before federations had folders of their own.
rm -rf "$work/musubi"
mkdir -p "$work/musubi/federation"
check "an earlier version's" musubi up --dir "$work/musubi/federation" "$work/second.zpl"
check "  … is ended by default" musubi down
check "  … is started again by default" musubi up
check "  … is ended" musubi down
check "  … also where its file is named" musubi up "$work/second.zpl"
check "  … in the same place" test "$(readlink -f "$work/musubi/current")" = "$work/musubi/federation"
check "it is ended" musubi down
rm -rf "$work/musubi"
check "without anything the example is started" musubi up
check "  … in a folder that has its name" test "$(readlink -f "$work/musubi/current")" = "$work/musubi/federations/five-sites"
check "it is ended" musubi down
check "  … which its file finds" musubi up "$five"
check "it is ended" musubi down
rm "$work/musubi/current"
echo "# of another version" >>"$work/musubi/federations/five-sites/federation.zpl"
exits 2 "one that another version called so is refused" musubi up
says "  … by that name" "five-sites holds a federation that differs from the example;"
finish broken
