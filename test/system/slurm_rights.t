#!/usr/bin/env bash
# A site whose processes are not root's: an account that is Slurm's operator (SlurmUser) runs it, and musubi-as, with the
# set-user-id bit, alone becomes others, as a map of root's allows. Whoever else uses it is refused with a sentence.
[ "$(id -u)" -eq 0 ] || { echo "1..0 # SKIP only root can set up accounts"; exit 0; }
[ -n "${MUSUBI_APART:-}" ] || MUSUBI_APART=1 exec unshare --mount "$0" "$@" # /etc is a copy of its own
. "$(dirname "$0")/lib.sh"
cp -a /etc "$work/etc"
mount --bind "$work/etc" /etc
for one in site:4801 alice:4802 bob:4803; do
  echo "${one%:*}:x:${one#*:}:${one#*:}::/nonexistent:/bin/sh" >>/etc/passwd
  echo "${one%:*}:x:${one#*:}:" >>/etc/group
done
mkdir -p /etc/musubi
chmod 755 /etc/musubi
map=/etc/musubi/as.conf
echo "site  alice,bob,root  $(command -v sbatch),/usr/bin/dd,/usr/bin/rm,/usr/bin/env,/usr/bin/id" >"$map"
chmod 644 "$map"

mkdir "$work/bin" "$work/site"
install "$bin"/{musubi,svc-*,musubi-as} "$work/bin"
chmod 4755 "$work/bin/musubi-as"
export SLURM_USER=site
. "$(dirname "$0")/slurm_lib.sh"
slurm_account=alice
chown site "$work" "$work/site" # where its federation is
as () { (cd / && exec setpriv --reuid "$1" --regid "$1" --init-groups -- "${@:2}"); } # ACCOUNT COMMAND…
musubi () { as site "$work/bin/musubi" "$@"; }
by () { as "$1" "$work/bin/musubi-as" "${@:2}"; } # CALLER ACCOUNT PROGRAM…

# --- the helper ---

refused () { exits 77 "$1 is refused" "${@:3}"; says "  … and told why" "$2"; } # WHAT WHY COMMAND…
exits 0 "the site becomes an account that the map names" by site alice id -un
says "  … wholly" '^alice$'
exits 0 "its groups are the account's, too" by site alice id -Gn
says "  … and no others" '^alice$'
exits 0 "the environment is made anew" as site env LD_PRELOAD=/evil.so PATH=/evil IFS=x BASH_ENV=/evil SLURM_CONF=/some "$work/bin/musubi-as" alice env
variables=$output
says "  … with a path of root's folders" '^PATH=/usr/local/bin:/usr/bin:/bin$'
check "  … of few variables" test "$(cut -d= -f1 <<<"$variables" | sort | tr '\n' ' ')" = "HOME LC_ALL LOGNAME PATH SLURM_CONF TZ USER "
refused "another caller" 'does not let bob run /usr/bin/id as alice' by bob alice id
refused "an account that there is not" 'there is no account nosuch that may be become' by site nosuch id
refused "root as the account" 'there is no account root that may be become' by site root id
refused "a number as the account" 'there is no account 0 that may be become' by site 0 id
refused "an account that the map does not name" 'does not let site run /usr/bin/id as daemon' by site daemon id
refused "a program that it does not name" 'does not let site run /usr/bin/cat as alice' by site alice cat /dev/null
refused "a way round to one that it names" 'does not let site run /usr/bin/../bin/id as alice' by site alice /usr/bin/../bin/id
ln -s /bin/sh "$work/site/id"
refused "another program of its name" "does not let site run $work/site/id as alice" by site alice "$work/site/id"
refused "a path from here" 'there is no program \./id' by site alice ./id
refused "part of a name" 'does not let site run /usr/bin/id as ali|there is no account ali ' by site ali id
refused "two names at once" 'there is no account alice,bob ' by site alice,bob id
chmod 666 "$map"
refused "a map that others may write" 'as.conf should be a file of root that nobody else may write' by site alice id
chmod 644 "$map" && chown site "$map"
refused "a map of another account" 'as.conf should be a file of root that nobody else may write' by site alice id
chown root "$map" && chmod 777 /etc/musubi
refused "a map in a folder that others may write" '/etc/musubi should be a folder of root that nobody else may write' by site alice id
chmod 755 /etc/musubi && mv "$map" "$map.other" && ln -s "$map.other" "$map"
refused "a link as the map" "as.conf can't be read" by site alice id
rm "$map"
refused "no map" "as.conf can't be read: root should write it" by site alice id
mv "$map.other" "$map"
chmod 755 "$work/bin/musubi-as"
refused "a helper without its bit" "it should be root's with the set-user-id bit" by site alice id
chmod 4755 "$work/bin/musubi-as"

# --- the site ---

slurm_federation 2 4s
check "no process of it is root's" test "$(ps -o user= -p "$(pid_of lis/ams)")" = site
bag=$(run -- id -un)
comes "a task runs" is "$bag" state ended
check "as its owner's account" test "$(musubi output "$bag.0")" = alice
start=$(($(date +%s) + 9))
victim=$(as bob sbatch --parsable -o /dev/null --wrap 'exec sleep 600')
runs () { grep -q JobState=RUNNING <(scontrol -o show job "$victim"); }
comes "another account's job runs" runs
check "a node is reserved" reserve one "$(date -u -d "@$start" +%FT%TZ)" 20m 4
id=$(jq -r .reservation "$work/taken")
comes "it opens in Slurm" in_slurm "$id" ACTIVE
check "for its owner's account" grep -q "Users=alice " "$work/seen"
requeued () { grep -q 'Restarts=1' <(scontrol -o show job "$victim"); }
comes "another account's job that was in the way is requeued" requeued
bag=$(run --reservation "$id" -- sleep 600)
comes "a task runs in it" is "$bag" state running
check "it is cancelled" musubi cancel "$bag"
comes "it has ended" test_over "$bag" 1
check "the reservation is released" musubi release "$id"
comes "it is gone from Slurm" gone_from_slurm "$id"
scancel "$victim"
finish
