#!/usr/bin/env bash
# Is every service there, and well? The doctor asks the services of a federation, and reads the files of a machine's members.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/files.zpl"
until_ () { # COMMAND…: until it succeeds, for half a minute
  for _ in $(seq 300); do
    if output=$("$@" 2>&1); then echo "$output"; return; fi
    sleep 0.1
  done
  return 1
}

# --- a federation
check "all are well" until_ musubi doctor
says "  … all of them" '^10 checked, 0 problems found$'
exits 0 "sizes are told, too" musubi doctor --sizes
says "  … a row for each service" '^lis/kyoto +[0-9.]+ MB +[0-9.]+ kB +[0-9.]+ GB +- '
exits 0 "also as JSON" musubi --json doctor --sizes
check "  … in bytes, sorted by name" python3 -c '
import json, sys
sizes = json.loads (sys.argv [1]) ["sizes"]
names = [one ["service"] for one in sizes]
assert len (sizes) == 10 and names == sorted (names)
assert all (0 < one ["store_used_bytes"] < one ["store_bytes"] and one ["memory_bytes"] > 1 << 20 for one in sizes)
assert all ("full_in_days" not in one for one in sizes)' "$output"
exits 2 "of services alone" musubi doctor --sizes "$federation/gis-g1.zpl"
extra=$work/extra
setsid svc-replica --set name=extra --set gis="$MUSUBI_GIS" --set nodes="n1, n2" --set store/folder="$extra" >"$work/ready" 2>&1 &
extra_pid=$!
ails () { ! output=$(musubi --timeout 3s doctor 2>&1) && grep -qE "$1" <<<"$output"; }
check "storage nodes that have not come are told" until_ ails '^replica/extra: 2 of 2 storage nodes awaited: n1, n2$'
kill $extra_pid
wait $extra_pid
slay "$(pid_of index/i1)"
exits 1 "an index that does not answer is told" musubi --timeout 1s doctor
says "  … by name" '^index/i1: no answer from tcp://[^ ]+ within [0-9.]+ s$'
exits 1 "also as JSON" musubi --timeout 1s --json doctor
check "  … with how many were looked at" python3 -c '
import json, sys
answer = json.loads (sys.argv [1])
assert answer ["looked_at"] >= 10
assert "index/i1" in [one ["who"] for one in answer ["wrong"]]' "$output"
# A directory forgets the services that it does not hear, and then has no sites.
check "one that was forgotten is missed" until_ ails '^federation: no index is listed'
exits 3 "nobody to ask" musubi --gis tcp://127.0.0.1:1 --timeout 1s doctor

# --- the files of a machine
exits 0 "members that can run here" musubi doctor "$federation"/{gis-g1,replica-kyoto,storage-disk-1@kyoto,lis-kyoto}.zpl
says "  … each of them" '^4 checked, 0 problems found$'
exits 0 "the federation's description beside them is none" musubi doctor "$federation"/{federation,gis-g1}.zpl
sed 's/^sites$/sites\n    x\n        nonsense = 1/' "$federation/federation.zpl" >"$work/wrong.zpl"
exits 1 "a wrong one is found" musubi doctor "$work/wrong.zpl"
says "  … as such" 'it describes a federation and is wrong: .*nonsense'
sed '/^back_end/d; 1i back_end = nosuch' "$federation/lis-kyoto.zpl" >"$work/nosuch.zpl"
exits 1 "a site's setting that its program refuses" musubi doctor "$work/nosuch.zpl"
says "  … is told" "^$work/nosuch.zpl: svc-lis: .*back_end: .nosuch. should be none, "
storage=$federation/storage-disk-1@kyoto.zpl
ill () { # SENTENCE SED PATTERN: the storage node's file, changed so
  sed -E "$2" "$storage" >"$work/ill.zpl"
  exits 1 "$1" musubi --timeout "${patience:-20s}" doctor "$work/ill.zpl"
  says "  … with the key and what is wrong" "^$work/ill.zpl: $3"
}
ill "more room than the disk has" 's/^bytes = .*/bytes = 9000000000000000000/' 'bytes: 9000 PB is more than the disk can hold, which is [0-9.]+ .?B'
ill "folders that can't be made" "s|^folder = .*|folder = \"$storage/files\"|" "folder: $storage/files is not a folder"
ill "a relative folder" 's|^folder = .*|folder = files|' 'folder: files must be an absolute path'
ill "files that are gone while the store is there" 's|^(folder = .*)"$|\1-elsewhere"|' 'folder: .*-elsewhere is missing although the store .* is there'
ill "no store" '/^store/,$d' 'store/folder: is missing'
patience=1s ill "a site that is not there" 's|^replica = .*|replica = "tcp://127.0.0.1:1"|' 'replica: tcp://127.0.0.1:1 does not answer'
lis=$(musubi --json sites | python3 -c 'import json, sys; print (json.load (sys.stdin) ["sites"] [0] ["endpoint"])')
ill "another one at its address" "s|^replica = .*|replica = \"$lis\"|" "replica: $lis is lis/[a-z]+, not a service of the kind replica/"
ill "what can't be read" 's/^name.*/no such thing = = /' 'line [0-9]+: '
exits 1 "a file that is not there" musubi doctor "$work/none.zpl"
says "  … is named" "^$work/none.zpl: it can't be read: No such file or directory"
if [ "$(id -u)" -eq 0 ]; then
  mkdir -m 755 "$work/closed"
  chmod 755 "$work"
  install -m 644 "$storage" "$work/closed/storage.zpl"
  exits 1 "as another account" setpriv --reuid 65534 --clear-groups musubi --timeout 1s doctor "$work/closed/storage.zpl"
  says "  … what that may not write is told" 'store/folder: .*: Permission denied'
fi
finish broken
