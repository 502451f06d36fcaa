#!/usr/bin/env bash
# Tasks with inputs and outputs at a site over a real Slurm, whose nodes share a disk with the site's storage node: a job reads the
# copy itself, what it leaves is a file of the federation before its task counts as ended, also when the agent is killed meanwhile,
# and no link leads out of either folder. A site without such a disk says so at submit.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
chmod 711 "$work"
NODES=2 slurm start || { echo "Bail out! no Slurm"; exit 1; }
site () { # NAME NODE
  cat <<Z
    $1
        classes
            any
                nodes = 1
                names = $2
                cpus_per_node = 2
        lead = 2s
        back_end = slurm
        batch
            queue = batch
            watch = 500ms
        nodes
            attend = 1s
        opening
            warning = 1s
            grace = 1s
        queue
            patience = 5s
        accounts
            $slurm_account = "alice"
        administrators = root
Z
}
{
  printf 'name = files\ndirectories = g1\nplanners = 1\n\nsites\n'
  site ams n1
  printf '        storage\n            nodes = disk-1\n            bytes = 200000000\n'
  site dry n2
} >"$work/files.zpl"
federation "$work/files.zpl"
export MUSUBI_ACTOR=alice
tell_more () { musubi queue --over; musubi queue "$bag"; musubi replicas; musubi nodes; tail -n 12 "$federation"/log/lis-ams.log "$federation"/log/batch-*ams*.log; }
files=$(echo "$federation"/files/*disk-1*)
head -c 300000 /dev/urandom >"$work/data.nc"
check "a file is put at ams" musubi put "$work/data.nc" era5/data.nc --site ams
bag=0
comes "its nodes have come" bash -c 'musubi nodes ams --json | jq -e "[.nodes[] | select(.state == \"up\")] | length == 2"'

# --- a job reads and writes ---

gate=$work/gate
mkdir -m 755 "$work/told"
touch "$gate"
cat >"$work/told/task" <<'T2'
#!/bin/sh
stat -Lc 'inode %i' in/data.nc
echo worse 2>/dev/null >in/data.nc && echo "it could write its input"
while [ -e "$1" ]; do sleep 0.05; done
mkdir made && cat in/data.nc >made/copy
T2
chmod 755 "$work/told/task"
bag=$(run --input era5/data.nc=in/data.nc --output made/copy=runs/copy.nc -- "$work/told/task" "$gate")
comes "a task with an input runs as a job" is "$bag" state running
agent=$(pid_of batch/slurm@ams)
check "its agent is killed" test -n "$agent"
slay "$agent"
rm "$gate"
comes "  … its job goes on to its end without it" no_jobs
check "  … and the agent returns" musubi up --dir "$federation"
comes "its task has ended" is "$bag" state ended
musubi output "$bag.0" >"$work/said"
inode=$(stat -c %i "$files/files/era5%2Fdata.nc")
check "it read the copy itself" grep -qx "inode $inode" "$work/said"
check "  … which it could not write" test "$(wc -l <"$work/said")" -eq 1
check "  … and has no other name any more" test "$(stat -c %h "$files/files/era5%2Fdata.nc")" -eq 1
exits 0 "what it has left is a file of the federation" musubi get runs/copy.nc -o "$work/back.nc" --site ams
check "  … with the right bytes" cmp "$work/data.nc" "$work/back.nc"
check "  … of the storage node alone" test "$(stat -c '%U %a' "$files/files/runs%2Fcopy.nc")" = "$(stat -c %U "$files/files") 640"
check "the folder was its own" test "$(stat -c '%U %a' "$federation"/runs/*ams*/*/work)" = "$slurm_account 700"
check "a reservation is made" reserve r now+3s 2m 2
id=$(jq -r .reservation "$work/taken")
bag=$(musubi submit ams --reservation "$id" --limit 1m --input era5/data.nc --output copy=runs/reserved.nc -- cp data.nc copy 2>/dev/null)
comes "a task of a reservation reads and leaves a file, too" is "$bag" state ended
exits 0 "  … which is there" musubi get runs/reserved.nc -o "$work/reserved.nc" --site ams
check "  … with the right bytes" cmp "$work/data.nc" "$work/reserved.nc"
check "it is given back" musubi release "$id"

# --- what is not given, and not taken ---

bag=$(run --output out=runs/link -- ln -s "$SLURM_CONF" out)
comes "an output that is a link is refused" is "$bag" state stopped
exits 0 "  … with the reason" musubi queue "$bag"
says "  …" 'output out: Too many levels of symbolic links'
bag=$(run --output out=runs/none -- true)
comes "so is one that was not written" is "$bag" state stopped
exits 0 "  … with the reason" musubi queue "$bag"
says "  …" 'output out: the task has not written it'
head -c 300000 /dev/zero >"$work/secret" && chmod 600 "$work/secret"
check "a link takes the place of a copy" ln -sf "$work/secret" "$files/files/era5%2Fdata.nc"
bag=$(run --input era5/data.nc -- cat data.nc)
comes "it is not followed" is "$bag" state stopped
exits 0 "  … and the reason is told" musubi queue "$bag"
says "  …" 'input era5/data.nc: .*Too many levels of symbolic links'
mkdir "$work/in" && echo one >"$work/in/one"
check "a folder is put" musubi put -r "$work/in" run7 --site ams
exits 2 "it is not laid out there" musubi submit ams --limit 1m --input run7 -- true
says "  … which is said" 'inputs: should be files here: slurm runs the tasks of lis/ams, and lays no folder out'
exits 2 "a site without a shared disk takes no task with files" musubi submit dry --limit 1m --output out=runs/dry -- true
says "  … and says which setting would help" 'the nodes of lis/dry see no storage node; its administrator can name one by batch/inputs/shared'
finish
