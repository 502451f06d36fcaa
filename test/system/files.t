#!/bin/bash
# Folders: put and got with all that they have, resumed, and refused where they are hostile.
. "$(dirname "$0")/lib.sh"

federation --planners 1
cd "$work" || exit 1
gis=$MUSUBI_GIS

endpoint () { sed -n 's/^ready endpoint=\([^ ]*\).*/\1/p' "$1.ready"; }
site () { # NAME NODES SETTING…
  local name=$1 nodes=$2 node
  shift 2
  launch "$name" svc-replica --set name="$name" --set gis="$gis" --set nodes="$nodes" --set 'accounts/all=*' \
    --set administrators="$MUSUBI_ACTOR" --set store/folder="$work/store-$name" "$@"
  for node in ${nodes//,/ }; do
    launch "$name-$node" svc-replica node --set name="$node" --set replica="$(endpoint "$name")" \
      --set folder="$work/$name-$node" --set store/folder="$work/store-$name-$node" --set bytes=1000000000
  done
}
stop_all () {
  kill "${pid[@]}" 2>/dev/null
  wait "${pid[@]}" 2>/dev/null
  cleanup
}
trap stop_all EXIT
site ams n1,n2
site oslo n1
look () { # FOLDER: names, kinds, modes, times, targets
  (cd "$1" && find . -printf '%p %y %m %T@ %l\n' | LC_ALL=C sort)
}
same () { diff -r --no-dereference "$1" "$2" && diff <(look "$1") <(look "$2"); }

sound () { musubi --json replicas "$1" | grep -o '"state": "[a-z]*"' | sort | uniq -c | tr -s ' \n' ' '; }
pieces () { ls "$work/$1"-n*/files | grep -c "^${2:-.*}%2F.folder%2F"; }
sent () { musubi --json put -r "$@" | python3 -c 'import json, sys; print (json.load (sys.stdin)["pieces_moved"])'; }

# --- many small files
mkdir many
python3 - <<'P'
import os
for i in range (10000):
    d = "many/d%d" % (i % 100)
    os.makedirs (d, exist_ok = True)
    open (d + "/f%d" % i, "wb").write ((b"%d" % i * 300)[:1024])
P
exits 0 "10,000 small files are put" musubi put -r many --site ams
exits 1 "as a file it is not got" musubi get many -o back --site oslo
says "and it is said why" 'get: many is a folder: add -r$'
exits 0 "and got" musubi get -r many -o back --site oslo
check "as they were" same many back
check "nothing else is left" test -z "$(ls -d .*musubi* 2>/dev/null)"
exits 0 "they are listed" musubi replicas
says "as one name" '^many +10000 +17'
check "and no other" test -z "$(grep -F .folder <<<"$output")"
check "put again nothing is sent" test "$(sent many --site ams)" = 0
exits 0 "got again" musubi --json get -r many -o back --site oslo
says "nothing is fetched but the list of members" '"pieces_moved": 0,'
for f in f1 f7; do head -c "$(stat -c %s many/d${f#f}/$f)" /dev/zero >back/d${f#f}/$f; done
touch -r many/d1/f1 back/d1/f1
touch -d 2001-01-01 back/d9/f9
rm -r back/d8
mkdir -p back/own
exits 0 "what has changed there" musubi get -r many -o back --site oslo
check "is as it was put, though one had the same size and time" diff -r many back --exclude own
check "with its times" diff <(cd many && find . -type f -printf '%p %T@\n' | sort) <(cd back && find . -type f -printf '%p %T@\n' | sort)
check "and what is there besides stays" test -d back/own

# --- all kinds of names and members
long=$(printf 'x%.0s' $(seq 255))
mkdir -p odd/empty "odd/a b/結び" odd/deep/$long
printf 'new\nline' >odd/"new
line"
echo 1 >"odd/a b/結び/é"
echo 2 >odd/deep/$long/$long
echo 3 >odd/-rf
echo 4 >'odd/*'
: >odd/none
head -c 3000000 /dev/urandom >odd/large
head -c 3000000 /dev/urandom >odd/"large
 結び"
ln -s large odd/link
ln -s ../../nowhere odd/broken
ln -s deep odd/through
chmod 4755 odd/-rf
chmod 0400 odd/none
chmod 0555 odd/empty
chmod 0700 odd/deep
touch -d '1960-01-02 03:04:05.123456789' odd/large
touch -h -d '2001-01-01' odd/link
touch -d '2000-01-01' odd/deep
exits 0 "odd names and members" musubi put -r odd/ odd/things --site ams
exits 0 "come back" musubi get -r odd/things --site oslo
chmod 0755 odd/-rf
check "as they were, but never setuid" same odd things
exits 0 "a member alone" musubi get -r "odd/things/a b" -o member --site oslo
check "as it was" same "odd/a b" member
exits 0 "a file alone" musubi get -r odd/things/large -o large --site oslo
check "is the same" cmp odd/large large
exits 1 "a member that is not there" musubi get -r odd/things/nothing -o nothing --site oslo
exits 0 "links as what they lead to" musubi put -r odd/deep --links skip --site ams
ln -s ../../many/d1 odd/deep/to
mkfifo odd/deep/pipe
mkdir escape
echo 1 >escape/$'a\e[2J'
exits 1 "a member whose name a terminal would obey is not put" musubi put -r escape --site ams
says "and is named" "escape/a.\[2J: its name has an escape sequence"
rm escape/*
touch -d '2300-01-01' escape/late
exits 0 "a time that no list can hold" musubi put -r escape --site ams
says "is told" 'escape/late: its time is outside the years 1678 to 2261'
exits 0 "a link followed" musubi put -r odd/deep follow --links follow --site ams
says "and a pipe is not" 'deep/pipe: skipped, because it is a device, a pipe or a socket'
exits 0 "has become a folder" musubi get -r follow --site oslo
check "with all that it has" diff -r many/d1 follow/to

# --- changes cost their packs
mkdir change
for i in $(seq 40); do head -c 1000000 /dev/urandom >change/f$i; done
first=$(sent change --site ams)
check "a folder of several packs" test "$first" -ge 4
head -c 1000000 /dev/urandom >change/f20
check "of which one file changes costs one pack and the list of members" test "$(sent change --site ams)" = 2
exits 0 "it is got" musubi get -r change -o changed --site ams
check "as it is now" same change changed
dropped () { [ "$(pieces ams)" = "$1" ]; }
kept=$(pieces ams)
rm change/f20
sent change --site ams >sent
comes "what nobody needs is dropped" dropped "$kept"

# --- pinned, ruled, evicted as one
exits 0 "a folder is pinned" musubi pin change --site ams
exits 1 "and so not evicted" musubi evict change --site ams --kept
exits 0 "it is unpinned" musubi unpin change
exits 0 "it gets a rule" musubi rule change --copies 2
ruled () { [ "$(pieces oslo change)" = "$(pieces ams change)" ]; }
comes "that brings its pieces to another site" ruled
head -c 1000000 /dev/urandom >change/f20
sent change --site ams >sent
comes "and new ones, too" ruled
exits 0 "it is evicted" musubi evict change --kept
gone () { ! musubi replicas | grep -q change; }
comes "with all its pieces" gone

# --- several files at once
mkdir few got
for i in 1 2 3; do echo $i >few/$i.nc; done
exits 0 "several files are put" musubi put few/*.nc era5/ --site ams
exits 0 "and got by a pattern" musubi get 'era5/*.nc' -o got --site oslo
check "as they were" diff -r few got
exits 0 "one and another" musubi get era5/1.nc era5/3.nc -o got --site oslo
echo literal >literal
exits 0 "a name with * and ? in it is put" musubi put literal 'era5/*.n?' --site ams
exits 0 "  … and got" musubi get 'era5/*.n?' -o alone --site oslo
check "  … as that file alone" cmp literal alone
exits 1 "a pattern that nothing matches" musubi get 'era6/*' -o got --site oslo
exits 2 "several into a file" musubi get era5/1.nc era5/2.nc -o got/1.nc --site oslo
exits 2 "several under one name" musubi put few/1.nc few/2.nc era5 --site ams
exits 2 "a folder without -r" musubi put few --site ams

# --- killed half way: a site that receives and sends 8 MB a second
site slow n1 --set mbps=64
mkdir half
for i in $(seq 24); do head -c 1000000 /dev/urandom >half/f$i; done
head -c 2000000 /dev/urandom >half/large
killed () { # PATTERN-OF-FOLDERS COMMAND…: -9 as soon as a part has come there
  local folder=$1
  shift
  "$@" >killed.out 2>&1 &
  one=$!
  until ls $folder 2>/dev/null | grep -qE '^f[0-9]|half.*pack-'; do
    kill -0 $one 2>/dev/null || return
    sleep 0.01
  done
  slay $one
}
check "a put is killed" killed slow-n1/files musubi put -r half --site slow
exits 1 "nobody sees a part of it" musubi get -r half -o none --site ams
all=$(($(find half -type f -size +1024k | wc -l) + 2))
check "and goes on where it was" test "$(sent half --site slow)" -le $all
exits 0 "the folder is at another site" musubi get -r half -o whole --site ams
check "as it was put" same half whole
musubi evict half --kept --site slow >evicted
check "a get is killed" killed '.later.musubi-part/folder/*.files' musubi get -r half -o later --site slow
check "the target is not there yet" test ! -e later
exits 0 "it goes on" musubi --json get -r half -o later --site slow
check "with less than all" python3 -c 'import json, sys; sys.exit (json.loads (sys.argv [1])["bytes_moved"] >= 25e6)' "$output"
check "and is as it was put" same half later
check "nothing else is left" test -z "$(ls -d .*musubi-part 2>/dev/null)"

# --- a file that goes on changing
(while :; do date; done >>half/large) &
writer=$!
exits 1 "a file that changes while it is put" musubi put -r half --site ams
says "is named" 'half/large: it changes while it is read'
kill $writer
exits 0 "and the folder is the old one" musubi get -r half -o still --site ams
check "as it was put" same whole still

# --- what is refused
exits 2 "a name of pieces" musubi put odd/none a/.folder/b --site ams
exits 1 "a file called like a folder" musubi put odd/none many --site ams
says "in clear words" 'many is a folder here'
exits 0 "a file" musubi put odd/none file --site ams
exits 1 "a folder called like a file" musubi put -r odd file --site ams
says "in clear words" 'file is a file here'
MUSUBI_ACTOR=mallory exits 1 "another's folder" musubi put -r odd/empty many --site ams
says "in clear words" 'many is a folder of somebody else'
MUSUBI_ACTOR=mallory exits 1 "another's folder, at another site" musubi put -r odd/empty many --site slow
says "by name" "(ams|oslo) has a folder many of $MUSUBI_ACTOR's; choose another name"

# --- of one name by two, whose sites did not hear of each other
mkdir mine theirs
echo mine >mine/a
echo theirs >theirs/a
exits 0 "a folder is put" musubi put -r mine both --site ams
kill -STOP "${pid[ams]}" "${pid[oslo]}"
MUSUBI_ACTOR=mallory exits 0 "another of this name, while the first's site does not answer" musubi --timeout 20s put -r theirs both --site slow
kill -CONT "${pid[ams]}" "${pid[oslo]}"
stands () { [ "$(musubi --json replicas both | grep -o '"site": "[a-z]*"' | sort -u | wc -l)" = 2 ]; }
comes "both stand" stands
MUSUBI_ACTOR=carol exits 0 "a third gets" musubi get -r both -o third --site oslo
says "is told of the other" "mallory has put a folder both, too; this is $MUSUBI_ACTOR's, put first"
check "the one put first" diff -r mine third
MUSUBI_ACTOR=mallory exits 0 "the other's owner gets" musubi get -r both -o fourth --site oslo
check "his own" diff -r theirs fourth
echo more >mine/b
exits 0 "the first goes on with it" musubi put -r mine both --site ams
exits 0 "and evicts it" musubi evict both --kept
MUSUBI_ACTOR=mallory exits 0 "and so does the other" musubi evict both --kept
none () { ! musubi replicas | grep -q '^both '; }
comes "nothing is left of it" none
exits 1 "a folder that nobody has" musubi get -r nobody --site ams
exits 2 "an unknown word for links" musubi put -r odd x --links hard --site ams
finish
