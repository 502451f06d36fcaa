#!/usr/bin/env bash
# Tasks with inputs and outputs at a site whose nodes share a storage node: a task reads the copy itself, what it leaves is a file
# of the federation before it counts as ended, and neither is lost while svc-lis, an agent or svc-replica are killed.
. "$(dirname "$0")/lib.sh"
chmod 711 "$work"
account=$(id -un)
[ "$(id -u)" -ne 0 ] || account=nobody
export MUSUBI_ACTOR=alice

site () { # NAME NODES BYTES
  cat <<Z
    $1
        classes
            thin
                nodes = $2
                cpus_per_node = 2
        storage
            nodes = disk-1
            bytes = $3
        lead = 1s
        back_end = runner
        nodes
            attend = 1s
        opening
            bind = 500ms
            warning = 2s
            grace = 1s
        queue
            patience = 10s
        accounts
            $account = alice
        administrators = root
Z
}
{
  printf 'name = two\ndirectories = g1\nplanners = 1\nindexes = i1\n\nsites\n'
  site ams 2 200000000
  site ber 1 200000000
  site cyp 1 2000000
} >"$work/two.zpl"
federation "$work/two.zpl"

shared=$work/shared
mkdir -m 755 "$shared"
cat >"$shared/task" <<'T'
#!/bin/sh
# Says which inode its input has, counts its bytes into its output, and waits while there is a gate.
stat -Lc 'inode %i' data.nc
while [ -e "$(dirname "$0")/gate" ]; do sleep 0.05; done
mkdir -p made
wc -c <data.nc >"made/count"
cat data.nc >made/copy
echo worse 2>/dev/null >data.nc && echo "it could write its input"
exit 0
T
chmod 755 "$shared/task"
head -c 3000000 /dev/urandom >"$work/data.nc"
file=$work/data.nc

state () { musubi queue "$1" --json | jq -r '.tasks[0].state'; }
is () { [ "$(state "$1")" = "$2" ]; }
waits () { musubi queue "$1" --json | jq -r '.tasks[0].waits // ""' | grep -q "$2"; }
listed () { [ "$(musubi replicas --json 2>/dev/null | grep -c "\"$1\"")" -gt 0 ]; }
run () { musubi submit "$@" 2>/dev/null; }
tell_more () { musubi queue --over; musubi queue "$bag"; musubi replicas; tail -n 20 "$federation"/log/*lis-ams*; }

check "a file is put at ber" musubi put "$file" era5/data.nc --site ber
bag=$(run ams --limit 1m --input era5/data.nc --output made/copy=runs/copy.nc --output made/count=runs/count -- "$shared/task")
comes "a task at ams reads it and leaves two files" is "$bag" ended
check "its output names the inode of the copy" bash -c 'musubi output "$1.0"' _ "$bag"
inode=$(musubi output "$bag.0" 2>/dev/null | sed -n 's/^inode //p')
copy=$(find "$federation/files" -path '*ams*' -type f -size 3000000c -name '*data*' -printf '%i\n')
check "  … and there was no second one" test "$inode" = "$copy"
check "  … which it could not write" bash -c '! musubi output "$1.0" | grep -q "it could write"' _ "$bag"
check "its result is fetched at ber" musubi get runs/copy.nc -o "$work/back.nc" --site ber
check "  … with the right bytes" cmp "$file" "$work/back.nc"
check "  … both of them" musubi get runs/count -o "$work/count" --site ams
check "  … that count them" test "$(tr -d ' ' <"$work/count")" = 3000000

exits 1 "an input that nobody has is refused" musubi submit ams --limit 1m --input nobody/has.nc -- true
says "  … by its name" "--input nobody/has.nc: no site has it"
exits 1 "so is that of one of its tasks" musubi submit ams --count 2 --limit 1m --input many/%i.nc --output o/%i=o/%i -- true
says "  … by its name" "--input many/0.nc: no site has it"
exits 1 "and one that no disk of the site could take" musubi submit cyp --limit 1m --input era5/data.nc -- true
says "  … by its name" "--input era5/data.nc is larger than the largest disk of cyp"
check "what nothing waits for is not there" test "$(musubi queue --json | jq '.bags | length')" = 0

# One that a task of the same owner will make.
touch "$shared/gate"
maker=$(run ams --limit 1m --output made/count=later/0 --input era5/data.nc -- "$shared/task")
comes "a task makes a file" is "$maker" running
exits 1 "another's task can't wait for it" musubi --actor bob submit ams --limit 1m --input later/0 -- true
says "  … which it is told" "--input later/0: no site has it, and no task of yours"
bag=$(run ams --limit 1m --input later/0 -- true)
comes "its owner's can" is "$bag" awaiting-input
counts () { musubi queue --json | jq -r --arg bag "$1" '.bags[] | select(.bag == $bag) | "\(.queued) \(.awaiting_input) \(.running) \(.why)"'; }
counted () { [[ $(counts "$1") == "0 1 0 input later/0"* ]]; }
comes "  … and does not count as running" counted "$bag"
comes "  … nor for ever" is "$bag" stopped
check "  … with the reason" bash -c 'musubi queue "$1" | grep -q "later/0"' _ "$bag"
bag=$(run ams --limit 1m --input later/%i -- true)
check "an index in its name may be any of its tasks'" test -n "$bag"
rm "$shared/gate"
comes "  … and when it is made" is "$maker" ended
comes "  … it is there for the other" is "$bag" ended
slay "$(pid_of replica/ber)"
bag=$(run ams --limit 1m --input nobody/has.nc -- true)
check "while a site is silent it may have what nobody else has" test -n "$bag"
check "  … and returns" musubi up --dir "$federation"
musubi cancel "$bag" >/dev/null
bag=$(run ams --limit 1m --output missing -- true)
comes "so does an output that is not there" is "$bag" stopped
check "  … by its name" bash -c 'musubi queue "$1" | grep -q "output missing: the task has not written it"' _ "$bag"
bag=$(run ams --limit 1m --input era5/data.nc=data.nc --output made/copy=runs/copy.nc -- sh -c 'mkdir made; echo other >made/copy')
comes "and a name that other bytes have" is "$bag" stopped
exits 2 "a bag whose tasks would read what they make is refused" \
  run ams --count 3 --limit 1m --input out/1 --output o=out/%i -- true
exits 2 "and one whose tasks would all make one file" run ams --count 3 --limit 1m --output out -- true

# Folders: small members in packs, large ones by themselves.
(umask 077 && mkdir -p "$work/in/a/deep" && cd "$work/in" && echo one >a/one.nc && echo two >a/two.nc && echo three >a/deep/three.nc &&
  head -c 2000000 /dev/urandom >a/large.nc && ln -s a/one.nc link && { printf '#!/bin/sh\necho tool\nexit\n' && head -c 1500000 /dev/zero; } >tool &&
  chmod 500 tool a/deep && chmod 400 a/two.nc && touch -hd 2001-02-03T04:05:06.789 link a/*.nc tool a/deep .)
cat >"$shared/look" <<'T'
#!/bin/sh
# Tells all of the folder here, and of a large member the bytes.
cd "$1" && find . ! -name large.nc -printf '%p %m %s %T@ %l\n' | sed 's/^\(. 700\) [0-9]*/\1/' | sort && cat a/deep/three.nc link && cksum <a/large.nc && ./tool
T
chmod 755 "$shared/look"
check "a folder is put, too" musubi put -r "$work/in" run7 --site ber
bag=$(run ams --limit 1m --input run7 -- "$shared/look" run7)
comes "a task has it in its folder" is "$bag" ended
looked () { [ "$(musubi output "$bag.0" 2>/dev/null)" = "$("$shared/look" "$work/in")" ]; }
check "  … with all members, their modes and times" looked
bag=$(run ams --limit 1m --input run7=data/in -- "$shared/look" data/in)
comes "  … or where it is asked for" is "$bag" ended
check "  … the same" looked
bag=$(run ams --limit 1m --input run7/a/deep/three.nc --input run7/a=b --input run7/a/large.nc=c/l -- sh -c 'cat *.nc b/one.nc && cmp b/large.nc c/l && ls')
comes "members of a folder are inputs" is "$bag" ended
check "  … each by itself" test "$(musubi output "$bag.0" 2>/dev/null | paste -sd ' ')" = "three one b c three.nc"
bag=$(run ams --limit 1m --input 'run7/a/t*.nc' --input 'run7/a/d*' -- sh -c 'ls; ls deep')
comes "so are all that are called like a name" is "$bag" ended
check "  … and no others" test "$(musubi output "$bag.0" 2>/dev/null | paste -sd ' ')" = "deep two.nc three.nc"
exits 1 "a member that it has not is refused" musubi submit ams --limit 1m --input run7/a/four.nc -- true
says "  … by its name" "the folder has no member a/four.nc"
exits 1 "a folder that nobody has, too" musubi submit ams --limit 1m --input run8 -- true
says "  … by its name" "--input run8: no site has it"
exits 2 "several members have no place that is one's" musubi submit ams --limit 1m --input 'run7/a/*=x' -- true
bag=$(run ams --limit 1m --input run7 --input era5/data.nc=run7/a -- true)
comes "what another input has made is not replaced" is "$bag" stopped
check "  … and the folder is named" bash -c 'musubi queue "$1" | grep -q "input run7: .*run7: File exists"' _ "$bag"
each_node () { for node in thin-001 thin-002; do musubi --actor root nodes ams "$1" $node || return; done; }
check "no node of ams takes more" each_node --drain
bag=$(run ams --limit 1m --input run7 -- ls run7/a/deep)
chmod 700 "$work/in/a/deep" && echo four >"$work/in/a/deep/four.nc"
check "a folder is replaced while a task waits that needs it" musubi put -r "$work/in" run7 --site ber
check "  … and can start" each_node --resume
had () { # the pieces of the old one may be gone, or still be at ams
  case $(state "$bag") in
    ended) [ "$(musubi output "$bag.0" 2>/dev/null)" = three.nc ] ;;
    stopped) musubi queue "$bag" | grep -q "run7/.folder/" ;;
    *) false ;;
  esac
}
comes "  … which gets the one that there was when it was submitted, or none" had
bag=$(run ams --limit 1m --input run7 -- cat run7/a/deep/four.nc)
comes "one that is submitted now gets the new one" is "$bag" ended
mkdir "$work/large"
for i in $(seq 64); do head -c 1100000 /dev/zero >"$work/large/$i" && echo "$i" >>"$work/large/$i"; done
check "a folder of 64 large members is put" musubi put -r "$work/large" wide --site ber
exits 1 "which are more than a task may have" musubi submit ams --limit 1m --input wide -- true
says "  … as is said" "the inputs are 65 files, of folders their lists and pieces; a task has at most 64"
bag=$(run ams --limit 1m --input wide/7 -- tail -n 1 7)
comes "  … but one of them can be had" is "$bag" ended

musubi put "$file" many/0.nc --site ber
musubi put "$file" many/1.nc --site ber
bag=$(run ams --limit 1m --input 'many/*.nc' --output got=runs/got -- sh -c 'ls *.nc >got')
comes "a task reads all files that are called so" is "$bag" ended
musubi get runs/got -o "$work/got" --site ams
check "  … each in its folder" test "$(paste -sd ' ' "$work/got")" = "0.nc 1.nc"

# Where both its start and its input are soonest.
check "another file is put at ber" musubi put "$file" era5/other.nc --site ber
bag=$(musubi submit any --limit 1m --input era5/other.nc -- cat other.nc 2>"$work/said")
check "a bag goes where its input is" test "${bag%/*}" = ber
check "  … and it is said why" grep -q "ams: begins in 0 s, inputs in" "$work/said"
check "  … and why not elsewhere" grep -q "cyp: no disk there could take an input" "$work/said"
comes "  … and it ends there" is "$bag" ended
exits 1 "one whose input nobody has goes nowhere" musubi submit any --limit 1m --input nobody/has.nc -- true
says "  … by its name" "--input nobody/has.nc: no site has it"

# On a reservation the same.
echo '{"name": "r", "window": {"earliest": "now+2s", "latest": "now+30s", "deadline": "now+10m"}, "duration": "5m",
  "compute": [{"id": "n", "cpus": 2, "site": "ams"}]}' >"$work/r.json"
id=$(musubi reserve "$work/r.json" 2>/dev/null | awk '/^committed/ {print $2}')
bag=$(run ams --reservation "$id" --limit 30s --input era5/data.nc --output made/copy=runs/reserved.nc -- "$shared/task")
comes "a task on a reservation reads its input and leaves its output" is "$bag" ended
check "  … which is fetched" musubi get runs/reserved.nc -o "$work/reserved.nc" --site ams
copies () { find "$federation/files" -path '*ams*' -path '*/files/era5%2Fdata.nc' -type f -size 3000000c; }
check "a copy is removed behind everybody's back" rm "$(copies)"
bag=$(run ams --reservation "$id" --limit 20s --input era5/data.nc -- cmp data.nc "$file")
comes "  … and a task of the reservation has it all the same" is "$bag" ended
check "  … for it was brought again" test -n "$(copies)"
musubi release "$id" >/dev/null 2>&1

# Killed in turn, while tasks run and while their outputs are stored.
victims="lis/ams replica/ams node/thin-001@ams storage/disk-1@ams"
for victim in $victims; do
  touch "$shared/gate"
  name=killed/${victim//\//-}
  bag=$(run ams --count 2 --requeue --limit 1m --input era5/data.nc --output made/copy="$name-%i" -- "$shared/task")
  comes "tasks run" is "$bag" running
  slay "$(pid_of "$victim")"
  rm "$shared/gate"
  check "$victim is killed, and returns" musubi up --dir "$federation"
  comes "  … and its tasks end" is "$bag" ended
  exits 0 "  … their outputs are there" musubi get "$name-0" -o "$work/one.nc" --site ams
  check "  … right" cmp "$file" "$work/one.nc"
  rm -f "$work/one.nc"
done
finish
