#!/usr/bin/env bash
# Reservations of others that recur in a real Slurm: each time of theirs to come is theirs already, as it is by Slurm's own rule
# once that has moved one; what floats holds its nodes always; what is deleted gives its times back.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
slurm_federation 3 4s
day=86400 now=$(date +%s)
utc () { date -u -d "@$1" +%FT%TZ; }
hold () { TZ=UTC0 scontrol create reservation="$1" starttime="$(date -u -d "@$2" +%FT%T)" duration="$3" nodes="$4" flags="$5" users="$(id -un)" >/dev/null; } # NAME START MINUTES NODES FLAGS
fits () { # START CPUS: ten minutes from that very second
  printf '{"window": {"earliest": "%s", "deadline": "%s"}, "duration": "10m", "compute": [{"id": "all", "cpus": %s, "site": "ams"}]}' \
    "$(utc "$1")" "$(utc $(($1 + 600)))" "$2" | musubi reserve - --dry-run --json >"$work/taken" 2>&1
}
fits_not () { ! fits "$@" && grep -qE 'nothing|free|fit|full|refus' "$work/taken"; }
from () { date -d "$(TZ=UTC0 scontrol -o show reservation "$1" | grep -oP 'StartTime=\K\S+')Z" +%s; } # NAME
moved () { [ "$(from "$1")" -ge "$2" ]; }

check "tomorrow all is free" fits $((now + day + 3600)) 6
noon=$((now + 3600))
check "two nodes have maintenance each day" hold maint "$noon" 60 n1,n2 maint,daily
comes "tomorrow's is not sold" fits_not $((noon + day + 600)) 4
check "nor that in three weeks" fits_not $((noon + 21 * day + 3000)) 4
check "nor is its end cut" fits_not $((noon + day + 3599)) 4
check "before it all is free" fits $((noon + day - 600)) 6
check "and behind it" fits $((noon + day + 3600)) 6
check "the third node is, too" fits $((noon + day + 600)) 2
check "it is deleted" scontrol delete reservation=maint
comes "tomorrow is free again" fits $((noon + day + 600)) 6

weekly=$((now + 7200))
check "all nodes have it each week" hold weekly "$weekly" 120 n[1-3] maint,weekly
comes "in a week nothing is free" fits_not $((weekly + 7 * day + 600)) 2
check "in ten either" fits_not $((weekly + 70 * day)) 2
check "tomorrow all is" fits $((weekly + day)) 6
check "it is deleted" scontrol delete reservation=weekly

check "one floats over a node" hold floats $((now + 3600)) 10 n3 time_float
comes "its node is never promised" fits_not $((now + 30 * day)) 6
check "the others are" fits $((now + 30 * day)) 4
check "it stands still for the site" test "$(grep -c 'batch system trouble' "$federation/log/lis-ams.log")" = 0
check "it is deleted" scontrol delete reservation=floats
comes "its node can be promised" fits $((now + 30 * day)) 6

soon=$(($(date +%s) + 8))
soon_each_day () { # which Slurm moves only when it has ended
  hold soon "$soon" 1 n[1-3] daily && TZ=UTC0 scontrol update reservationname=soon endtime="$(date -u -d "@$((soon + 20))" +%FT%T)"
}
check "one begins soon, for a third of a minute each day" soon_each_day
comes "it has tomorrow's" fits_not $((soon + day)) 2
comes "Slurm moves it to tomorrow" moved soon $((soon + day))
check "to where the site has held it" test "$(from soon)" = $((soon + day))
check "that is held still" fits_not $((soon + day)) 2
comes "and the day behind it" fits_not $((soon + 2 * day)) 2
check "between them all is free" fits $((soon + day + 60)) 6
finish
