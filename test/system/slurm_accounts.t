#!/usr/bin/env bash
# A site over a Slurm with slurmdbd and a database: jobs and reservations are for the account and the QOS that the site's accounts
# name, what a reservation used is what sacct says, and a section that names what slurmdbd does not have is not sold until it has it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
for program in slurmdbd mariadbd; do
  command -v "$program" >/dev/null || { echo "1..0 # SKIP $program is not installed: deploy/packages full"; exit 0; }
done
export ACCOUNTS="physics chemistry" USERS=$slurm_account
slurm_charged="account = physics
                qos = physics-q
            later = bob
                user = $slurm_account
                account = later"
slurm_federation 2 4s
mkdir -m 1777 "$work/told"

bag=$(run -- sh -c 'echo "$SLURM_JOB_ACCOUNT $SLURM_JOB_QOS"')
comes "a task runs" is "$bag" state ended
check "for the account and the QOS of its owner" test "$(musubi output "$bag.0")" = "physics physics-q"

# --- one section of two has an account that is not there ---

as_bob () { MUSUBI_ACTOR=bob "$@"; }
exits 1 "nothing is sold to its actor" as_bob ask_for now+20m 10m 2
check "who is told Slurm's reason, and where that is written" grep -q \
  "accounts/later: Slurm has no account later of the user $slurm_account, which has .*physics" "$work/taken"
exits 1 "nor submitted" as_bob musubi submit ams --limit 10m -- true
says "  … for the same reason" "accounts/later: Slurm has no account later"
exits 1 "the doctor of what runs" musubi doctor
says "  … names it" "lis/ams.*accounts/later: Slurm has no account later"
check "the other's is sold" ask_for now+20m 10m 2
check "and given back" musubi release "$(jq -r .reservation "$work/taken")"
check "an operator adds it" sacctmgr -i -Q add account later
check "  … and its user" sacctmgr -i -Q add user "$slurm_account" account=later
sold_to_bob () { as_bob ask_for now+20m 10m 2; }
comes "then it is sold, without a restart" sold_to_bob
later=$(jq -r .reservation "$work/taken")
check "he takes it away again" sacctmgr -i -Q delete user "$slurm_account" account=later
unfit_told () { as_bob musubi show "$later" | grep -q "accounts/later: Slurm has no account later"; }
comes "what was reserved is told so" unfit_told
exits 0 "and stays" as_bob musubi show "$later"
check "it can be given back" as_bob musubi release "$later"

# --- what a reservation is for ---

start=$(($(date +%s) + 9))
check "all nodes are reserved" reserve both "$(date -u -d "@$start" +%FT%TZ)" 10m 4
id=$(jq -r .reservation "$work/taken")
comes "Slurm has the reservation" in_slurm "$id" .
check "for its owner and that account alone" grep -q "Users=$slurm_account Groups=(null) Accounts=physics " "$work/seen"
check "an operator gives it to another" scontrol update reservationname="musubi-ams-$id" accounts=chemistry
given_back () { in_slurm "$id" . && grep -q " Accounts=physics " "$work/seen"; }
comes "it is that account's again" given_back
burn='i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done'
submit ams --reservation "$id" --limit 5m -- sh -c "$burn"
own=$(as_account sbatch --parsable "--reservation=musubi-ams-$id" --account=physics -o /dev/null --wrap "$burn; echo done >$work/told/own")
comes "its task has run" test_over "$(cat "$work/bag")" 1
comes "and plain sbatch in it" test -e "$work/told/own"
used () { musubi show "$id" --json | jq -e ".openings[] | $1"; } # FILTER
check "until its end its tasks tell what it used" used '.counted == "tasks"'
tasks_ms=$(musubi show "$id" --json | jq '.openings[0].cpu_ms')

# --- meanwhile: what slurmdbd does not have ---

check "it is to end soon" ends_soon "$id"
wrong () { # FROM TO
  sed "s/$1/$2/" "$federation/lis-ams.zpl" >"$work/wrong.zpl"
  "$bin/svc-lis" --check -c "$work/wrong.zpl"
}
exits 2 "a description with an account that there is not" wrong 'account = .*' 'account = nosuch'
says "  … is refused by name" "accounts/$slurm_account: Slurm has no account nosuch of the user $slurm_account"
exits 2 "one with a QOS that this account may not have" wrong 'qos = .*' 'qos = chemistry-q'
says "  … too" "Slurm has no QOS chemistry-q for the user $slurm_account there"
exits 1 "and the doctor" musubi doctor "$work/wrong.zpl"
says "  … names it" "Slurm has no QOS chemistry-q"

comes "it closes" gone_from_slurm "$id"
comes "what it used is what slurmdbd says" used '.counted == "accounting"'
check "which has both jobs" used ".cpu_ms > $tasks_ms * 3 / 2"
exits 0 "and people" musubi show "$id"
says "  … are told so" "by the batch system's accounting"
finish
