#!/usr/bin/env bash
# The copy of a svc-replica's store can be restored, as a drill shows; also one that is run by an account that is not root.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/files.zpl"
zpl=$federation/replica-kyoto.zpl
head -c 100000 /dev/urandom >"$work/file"
check "a file is put" musubi put "$work/file" era/file --site kyoto
check "the store is copied while it is served" svc-replica -c "$zpl" --backup "$work/kept"
check "a drill" "$root/deploy/restore-drill" svc-replica "$zpl" "$work/kept"
says "  … finds it sound" 'sound up to row [1-9][0-9]*, taken at 20..-..-..T'
other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ "$(id -u)" -eq 0 ] && "${other[@]}" unshare --user --map-root-user --net test -x "$bin/svc-replica" 2>/dev/null; then
  mkdir -m 755 "$work/theirs"
  chmod 755 "$work"
  cp -a "$work/kept" "$zpl" "$work/theirs/"
  chown -R 65534:65534 "$work/theirs"
  check "a drill by another account" env TMPDIR=/tmp "${other[@]}" "$root/deploy/restore-drill" svc-replica "$work/theirs/replica-kyoto.zpl" "$work/theirs/kept"
  says "  … finds it sound, too" 'sound up to row [1-9][0-9]*, taken at'
fi
finish
