#!/usr/bin/env bash
# The testbed in containers, a short run: deploy/README.md. Only where it is asked for, since it installs an engine.
#
#   test/testbed/containers.t yes|no
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}
. "$(dirname "$0")/../system/lib.sh"
if [ "${1:-no}" != yes ]; then
  echo "ok 1 - the testbed in containers # SKIP only with --full: it installs a container engine"
  echo "1..1"
  exit 0
fi
testbed=$root/deploy/testbed
temporary=${TMPDIR:-/tmp}
[ ${#temporary} -le 48 ] || temporary=/tmp # a socket's path has 107 bytes
export MUSUBI_TESTBED=${MUSUBI_TESTBED:-$temporary/musubi-testbed-$(id -u)}

exits 2 "numbers of planners are numbers" "$testbed" run --planners many
exits 2 "a log that is none" "$testbed" run --log "$work/none.swf"
if [ "$(id -u)" -eq 0 ]; then
  unprivileged () { DOCKER_HOST=unix:///nonexistent MUSUBI_TESTBED=$work/nobody setpriv --reuid 65534 --clear-groups "$testbed" up; }
  exits 2 "no engine and no root" unprivileged
  says "  … and what would help" 'needs root: run as root, or start Docker'
  nothing_there () { DOCKER_HOST=unix:///nonexistent MUSUBI_TESTBED=$work/nobody "$testbed" down; }
  exits 2 "nothing to stop, and nothing is started for it" nothing_there
  says "  … and what is missing" 'no container engine answers'
fi

unset MUSUBI_ACTOR # who nobody has named, as the guide's lines have it
# The guide's lines, as they stand there; then more and fewer planners under load.
lines () { grep '^deploy/' "$root/docs/guide/containers.md"; }
check "the guide shows eight lines" test "$(lines | wc -l)" = 8
at=0
while IFS= read -r line <&3; do
  at=$((at + 1))
  [ $at -lt 8 ] || break
  check "guide: ${line%% #*}" env -C "$work/here" bash -c "${line/#deploy/$root/deploy}" || tail -n 20 "$MUSUBI_TESTBED/build.log" | sed 's/^/# /'
done 3< <(mkdir -p "$work/here" && cp -r "$root/examples" "$work/here" && lines)
check "a file written where the client was called" jq -e '.reservations | length > 0' "$work/here/list.json"
export DOCKER_HOST
[ ! -S "$MUSUBI_TESTBED/socket" ] || DOCKER_HOST=unix://$MUSUBI_TESTBED/socket
others () {
  docker ps -q --no-trunc --filter label=com.docker.compose.project=musubi-testbed | xargs docker inspect \
    -f '{{index .Config.Labels "com.docker.compose.service"}} {{.Id}} {{.State.StartedAt}}' | grep -v '^planner ' | sort
}
before=$(others)
here () { env -C "$work/here" "$testbed" "$@"; }
scaled () { check "$1 planners" "$testbed" compose up -d --scale "planner=$1"; }
answered () { [ "$(wc -l <"$work/here/answers.jsonl")" -ge "$1" ]; }
scaled 1
here musubi --timeout 30s workload examples/made-up.swf --requests 240 --rate 4 --clients 8 --compress 0.2 --start now+40d \
  --answers answers.jsonl >"$work/load" 2>&1 &
loading=$!
comes "requests are answered" answered 20
scaled 4
comes "  … and more with four" answered 80
scaled 2
comes "  … and more with two" answered 140
wait $loading
ended=$?
check "the client ends well" test $ended = 0
output=$(cat "$work/load")
says "  … nothing it asked is unknown" 'unknown 0'
says "  … and something was committed" "^committed [1-9]"
check "no other container was made anew" test "$before" = "$(others)"
check "two planners stay when nothing is said of their number" "$testbed" compose up -d
check "  … two" test "$(docker ps -q --filter label=com.docker.compose.service=planner | wc -l)" = 2
exits 2 "with batch systems over one without" "$testbed" up --batch
says "  … and what to do" 'made without --batch: leave it out, or begin with .deploy/testbed down'
exits 3 "a name of that network on the host" "$bin/musubi" --gis tcp://gis-g1:5600 --timeout 2s list
says "  … is told as that" 'this machine knows no address of the name gis-g1'
check "down" "$testbed" down
check "  … what the planners said that were scaled down is kept" grep -q ready "$MUSUBI_TESTBED"/planners/*.log

check "a run" "$testbed" run --batch --planners 1,2,4 --requests 60
sed 's/^/# /' <<<"$output" | grep -vE '^# Step '
says "commits over sites and domains" '^committed '
says "a new planner adopts a dead one's store" '^after: .*"store": "[0-9a-f]{32}"'
says "a file is put at one site" '^logs/[0-9a-f]{12}: .* at n64$'
says "  … and read at another, which has it from then on" '^logs/[0-9a-f]{12} .* u32 +disk-1 +sound +cached'
for i in 0 1 2; do
  says "task $i is run by an agent in a container" "^task $i ran on node-001 of n8, container [0-9a-f]{12}\$"
done
ran=$(sed -n 's/^task 0 .* container //p' <<<"$output")
says "  … its own" "^the agent is in container ${ran:-none}"
for place in 's16, job [0-9]+ on n' 'u16, job [0-9]+ on g' 'n8, job none on '; do
  for i in 0 1; do
    says "reserved task $i runs at ${place%%,*}, on a node of it" "^reserved task $i at ${place}[0-9a-f]+\$"
  done
done
says "the batch systems are as before when it is released" '^released, and nothing of it is left in Slurm or Grid Engine$'
for site in n8 u8; do
  says "tasks of n8 are shared out, some run at $site" "^shared task [0-7] ran at $site\$"
done
shared=$(grep -oE '^shared task [0-7] ran' <<<"$output" | sort -u | wc -l)
for planners in 1 2 4; do
  says "figures with $planners planners" "^ +$planners +[1-9][0-9]* +[0-9]+ +[0-9]+\.[0-9] +[0-9]+\.[0-9] +[0-9]+\.[0-9]\$"
done
says "goes on while containers die and are cut off" '^  [1-9][0-9]* committed, refused [0-9]+, unknown 0$'
says "ends with sound records" '^sound: every transaction is whole'
says "  … and sound ledgers" '^sound: every ledger is unbroken'
check "all of the shared tasks have run" test "$shared" = 8
no_container () { ! docker ps -aq --filter label=com.docker.compose.project=musubi-testbed 2>/dev/null | grep -q .; }
check "leaves no container" no_container
nothing_runs () { ! pgrep -af "(dockerd|containerd).*$MUSUBI_TESTBED/" | grep -v defunct; }
check "leaves no engine of its own" nothing_runs

# A second engine, in a folder of its own, with a container on the testbed's network that compose knows nothing of: all goes.
base=$(find "$XDG_CACHE_HOME/musubi" -name 'base-*.tar.gz' 2>/dev/null | head -n 1)
if [ "$(id -u)" -ne 0 ] || [ ! -s "$base" ]; then
  ok "down --all # SKIP it needs root, and the base image that was made for an engine of ours"
  finish
fi
second=$temporary/musubi-second-$$
mkdir -p "$second/cache/musubi"
ln "$base" "$second/cache/musubi" 2>/dev/null || cp "$base" "$second/cache/musubi"
alone () { env DOCKER_HOST=unix:///nonexistent MUSUBI_TESTBED="$second/state" XDG_CACHE_HOME="$second/cache" "$@"; }
docker_there () { docker -H "unix://$second/state/socket" "$@"; }
machine () {
  cat /proc/sys/net/ipv4/ip_forward
  ip -br link | grep -oE '^(docker0|br-[0-9a-f]+)'
  iptables -S; iptables -t nat -S
}
before=$(machine)
check "a second engine" alone "$root/deploy/testbed-engine" up
image=$(docker_there image ls -q | head -n 1)
docker_there network create --label com.docker.compose.project=musubi-testbed --label com.docker.compose.network=default \
  musubi-testbed_default >/dev/null
check "  … with a container on the testbed's network" docker_there run -d --stop-timeout 1 --network musubi-testbed_default "$image" sleep 600
exits 1 "a network that is used can't be removed" alone "$testbed" down
says "  … and what to do" 'try again when no client runs, or with --all'
check "down --all" alone "$testbed" down --all
check "leaves no folder of it" rmdir "$second/cache" "$second"
no_process () { ! pgrep -af "$second/" | grep -v defunct; }
check "no process" no_process
check "and the machine as it was" test "$(machine)" = "$before"
check "once more, it removes nothing" alone "$testbed" down --all
rmdir "$second/cache" "$second" 2>/dev/null
finish
