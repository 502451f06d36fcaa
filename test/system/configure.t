#!/usr/bin/env bash
# Configurations for members that have hosts of their own: each service accepts its file and tells others the host named in
# it. No file is overwritten, and no service listens on a network by accident.
. "$(dirname "$0")/lib.sh"
five=$root/deploy/federations/five-sites.zpl
files=$work/etc

exits 2 "an open network must be asked for" musubi federation configure "$five" "$files"
says "  … and why" 'claimed name proves nothing.*--trusted'
check "nothing was written" test ! -e "$files"
check "a file for each member" musubi federation configure "$five" "$files" --trusted --actor root --port 7000 --stores "$work/stores"
says "the places of the directories" 'MUSUBI_GIS=tcp://gis-g1:7000,tcp://gis-g2:7000$'
check "one of them for all planners" test "$(ls "$files" | tr '\n' ' ')" = \
  "gis-g1.zpl gis-g2.zpl lis-amsterdam.zpl lis-berlin.zpl lis-kyoto.zpl lis-oslo.zpl lis-quito.zpl planner.zpl "
cp "$files/lis-quito.zpl" "$work/before"
check "nobody else reads them" test -z "$(find "$files" -perm /077)"
exits 2 "nothing is overwritten" musubi federation configure "$five" "$files" --trusted
says "  … and what is in the way" 'gis-g1.zpl exists already'
check "the file is as it was" cmp "$files/lis-quito.zpl" "$work/before"

# served HOST FILE: starts the service on loopback, reads the address that it announces, and ends it.
served () {
  local program line process
  program=svc-$(basename "$2" .zpl | sed 's/-.*//; s/index/replica/')
  mkfifo "$work/ready"
  "$program" -c "$2" --set bind/endpoint=tcp://127.0.0.1:0 --set bind/events=tcp://127.0.0.1:0 >"$work/ready" 2>"$work/log" &
  process=$!
  read -r -t 20 line <"$work/ready"
  rm "$work/ready"
  kill $process
  wait $process || { cat "$work/log"; return 1; }
  echo "$line"
  [[ $line =~ ^ready\ endpoint=tcp://$1:[0-9]+\ events=tcp://$1:[0-9]+$ ]]
}
for file in "$files"/*.zpl; do
  host=$(basename "$file" .zpl)
  check "$host serves" served "${host/planner/127.0.0.1}" "$file"
done
check "domains, too" musubi federation configure "$root/deploy/federations/s4.zpl" "$work/s4" --trusted --stores "$work/stores"
check "nis-n serves" served nis-n "$work/s4/nis-n.zpl"
exits 2 "beyond loopback only when trusted" svc-lis -c "$files/lis-kyoto.zpl" --set bind/trusted=false
says "  … and what is missing" 'bind/trusted = true'

runners=$root/deploy/federations/five-runners.zpl
exits 2 "whose tasks run as nobody knows who" musubi federation configure "$runners" "$work/runners" --trusted
says "  … and what is missing" 'sites/amsterdam/accounts: name the local accounts'
check "nothing was written" test ! -e "$work/runners"
# followed FILE: as its comments want it for `federation configure`, with the lines that are commented out, or those of its head.
followed () {
  sed -n 's/^#           /        /p' "$1" >"$work/lines"
  sed -e '/^    #   .*\(accounts\|climate\)/s/#   /    /' -e "/^        back_end = runner/r $work/lines" "$1" >"$work/followed.zpl"
}
for file in "$root"/deploy/federations/*.zpl; do
  one=$(basename "$file" .zpl)
  check "$one.zpl is right as it is" musubi doctor "$file"
  followed "$file"
  check "  … and says who may use it, or what to add" musubi federation configure "$work/followed.zpl" "$work/who-$one" --trusted
  for site in "$work/who-$one"/lis-*.zpl; do
    grep -Eq 'back_end = "?(slurm|gridengine)' "$site" || check "  … its $(basename "$site")" svc-lis --check -c "$site"
  done
done
grep -v 'accounts\|everybody' "$root/deploy/federations/files.zpl" >"$work/open.zpl"
exits 2 "a site that says of nobody who may reserve and keep files" musubi federation configure "$work/open.zpl" "$work/open" --trusted
says "  … and which" 'sites/amsterdam/accounts: name the local accounts'
says "  … and what to add" '^            LOCAL = "alice, bob"$'
sed '/^domains/,$ { /accounts\|everybody/d }' "$root/deploy/federations/shaped.zpl" >"$work/open.zpl"
exits 2 "a domain likewise" musubi federation configure "$work/open.zpl" "$work/open" --trusted
says "  … and which" 'domains/wire/accounts: name the local accounts'
sed 's/^        back_end = runner/&\n        accounts\n            nobody = "*"/' "$runners" >"$work/runners.zpl"
check "agents of nodes have files, too" musubi federation configure "$work/runners.zpl" "$work/runners" --trusted \
  --stores "$work/stores" --port 7000
check "one for each node" test "$(ls "$work/runners" | grep -c '^node-')" = 16
check "which know their site" grep -x 'lis = "tcp://lis-kyoto:7000"' "$work/runners/node-frontier@kyoto.zpl"
# agent_serves FILE PROGRAM…: true when the agent serves, since it has then accepted its file.
agent_serves () {
  local process line file=$1
  shift
  mkfifo "$work/ready"
  "$@" -c "$file" >"$work/ready" 2>"$work/log" &
  process=$!
  read -r -t 20 line <"$work/ready"
  rm "$work/ready"
  kill $process
  wait $process || { cat "$work/log"; return 1; }
  echo "$line"
  [[ $line =~ ^ready\ endpoint=tcp://127.0.0.1: ]]
}
check "an agent serves, on loopback alone" agent_serves "$work/runners/node-fat-001@amsterdam.zpl" svc-lis node

check "who keeps files has files, too" musubi federation configure "$root/deploy/federations/files.zpl" "$work/files" \
  --trusted --stores "$work/stores" --port 7000
says "each storage node is dialled by others" '^storage +storage-disk-1.kyoto +tcp://storage-disk-1.kyoto:7002 '
check "one for each, for its site, and for the index" test "$(ls "$work/files" | grep -cE '^(storage|replica|index)-')" = 10
check "storage nodes know their site" grep -x 'replica = "tcp://replica-kyoto:7000"' "$work/files/storage-disk-2@kyoto.zpl"
check "  … and their room" grep -x 'bytes = "2000000000"' "$work/files/storage-disk-2@kyoto.zpl"
check "sites know their storage nodes" grep -x 'nodes = "disk-1, disk-2"' "$work/files/replica-kyoto.zpl"
check "replica-kyoto serves" served replica-kyoto "$work/files/replica-kyoto.zpl"
check "index-i1 serves" served index-i1 "$work/files/index-i1.zpl"
check "  … as one" grep -q 'index = "true"' "$work/files/index-i1.zpl"
check "a storage node serves" agent_serves "$work/files/storage-disk-1@kyoto.zpl" svc-replica node --set bind/host=127.0.0.1
check "  … with a folder for its files" test -d "$work/stores/files-disk-1@kyoto/files"
{ cat "$five"; printf 'balancers\n    green\n        step = 20s\n'; } >"$work/shared.zpl"
check "and who shares tasks out" musubi federation configure "$work/shared.zpl" "$work/shared" --trusted --stores "$work/stores"
check "  … as is described" grep -x 'step = "20s"' "$work/shared/balancer-green.zpl"
check "balancer-green serves" served balancer-green "$work/shared/balancer-green.zpl"

sed 's/disk-2/DISK-1/' "$root/deploy/federations/files.zpl" >"$work/disks.zpl"
exits 2 "two storage nodes on a host of one name" musubi federation configure "$work/disks.zpl" "$work/disks" --trusted
says "  … and which" 'storage/disk-1.amsterdam and storage/DISK-1.amsterdam would have the same host name'

sed 's/amsterdam/Kyoto/' "$five" >"$work/alike.zpl"
exits 2 "two hosts of one name" musubi federation configure "$work/alike.zpl" "$work/alike" --trusted
says "  … and which" 'lis/(Kyoto and lis/kyoto|kyoto and lis/Kyoto) would have the same host name'
exits 2 "no such description" musubi federation configure "$work/none.zpl" "$work/none" --trusted
exits 2 "a port that leaves too few for hints and files" musubi federation configure "$five" "$work/high" --trusted --port 65534
exits 2 "no such command" musubi federation nonsense
says "  … and where they are listed" 'federation --help'
check "which are listed" musubi federation --help
says "  … with what they do" 'federation configure FILE.zpl DIR'
finish
