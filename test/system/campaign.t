#!/usr/bin/env bash
# A campaign: sixteen clients reserve, modify and release co-allocations with bandwidth while services are killed (-9),
# stopped, cut off from all or from each other, their disks filled, and the clock of one of them jumps. Then all is
# mended, and no client's answer may contradict another one, or what sites, domains and homes have on record:
#
#   told committed   it is there, complete, as told, until its owner gave it back
#   told refused     it is nowhere, and never was
#   unknown          asked again with the same id it has one answer, and that is true
#   released         it is gone everywhere
#   all together     nobody was ever promised what somebody else had, nothing is half done, nothing waits for ever
#   at the end       every ledger proves it (musubi audit)
#
#   test/system/campaign.t [--minutes N] [--seed S] [--keep DIR] [--verbose]
#
# Without options 45 s of trouble by a random seed, which it prints: the same seed gives the same blows to the same
# services in the same order (how they meet the clients' requests is up to the machine). --keep leaves stores, logs and
# the clients' journal in DIR. --verbose prints each blow.
#
# It runs in namespaces of its own (network, mounts, processes), as root or where users may make them; what can't be
# done elsewhere is named as skipped. Clocks need libfaketime (deploy/packages test). The parts are in campaign/: room.py
# (the services, and what can be done to them), trouble.py (what is done), clients.py, truth.py (what must hold).
options=("$@")
room=() # the command that makes one
for how in "" "--user --map-root-user"; do
  # shellcheck disable=SC2086
  if unshare $how --net --mount --pid --fork --mount-proc sh -c \
    'mount -t tmpfs none /mnt && ip link add campaign type bridge' 2>/dev/null; then
    # shellcheck disable=SC2206
    room=(unshare $how --net --mount --pid --fork --kill-child --mount-proc)
    break
  fi
done
. "$(dirname "$0")/lib.sh"

seconds=45 seed=$RANDOM verbose=() folder=$work/campaign
set -- ${options[@]+"${options[@]}"}
while [ $# -gt 0 ]; do
  case "$1" in
    --minutes) seconds=$((${2:?--minutes needs a number} * 60)); shift ;;
    --seed) seed=${2:?--seed needs a number}; shift ;;
    --keep) folder=$(realpath "${2:?--keep needs a folder}"); shift ;;
    --verbose) verbose=(--verbose) ;;
    *) echo "usage: campaign.t [--minutes N] [--seed S] [--keep DIR] [--verbose]" >&2; exit 2 ;;
  esac
  shift
done
mkdir -p "$folder"
[ -z "$(ls -A "$folder")" ] || { echo "campaign.t: $folder is not empty" >&2; exit 2; }
unset MUSUBI_ACTOR
private=()
[ ${#room[@]} -eq 0 ] || private=(--private)
"${room[@]}" python3 -B "$(dirname "$0")/campaign" --bin "$bin" --work "$folder" --seconds $seconds --seed "$seed" \
  "${private[@]}" "${verbose[@]}"
exit
