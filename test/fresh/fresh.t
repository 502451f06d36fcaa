#!/usr/bin/env bash
# README's commands on a machine that has nothing: a Debian by debootstrap, this checkout cloned into it, without what may lie
# beside it. Once as root, where quickstart compiles from nothing; once as a user without sudo, in a path with a blank, who
# also runs a suite, installs, and starts what was installed.
#
#   test/fresh/fresh.t yes|no
#
# Kept in ~/.cache/musubi, by release and digest of deploy/packages, is that Debian with its packages, in two layers: those to
# build, and those for the tests; deploy/packages itself has installed them there. The user's compiler may look into this
# machine's ccache, since how it compiles was shown by root's, who has none. Only what is made needs the mirror.
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/musubi
compiled=$(ccache -k cache_dir 2>/dev/null)
. "$(dirname "$0")/../system/lib.sh"
if [ "${1:-no}" != yes ]; then
  echo "ok 1 - on a machine that has nothing # SKIP only with --full: it installs a Debian"
  echo "1..1"
  exit 0
fi
kept=$cache/fresh-$("$root/deploy/debian-root" --release)-$(sha256sum <"$root/deploy/packages" | cut -c1-12)
sbin=/usr/local/sbin:/usr/sbin:/sbin
bin=/usr/local/bin:/usr/bin:/bin
home="/home/a stranger"

# Beside what is built: an overlay's changes can't lie on another overlay.
scratch=$(mktemp -d "${MUSUBI_BUILD:-$root/build}/fresh.XXXXXX")
trap 'rm -rf "$scratch"; cleanup' EXIT

# inside OPTION-OF-UNSHARE LAYERS CHANGES CHROOT-ARGUMENT…: in the Debian of these layers, with CHANGES on top, in namespaces of
# its own: all that was started there ends with it.
inside () {
  mkdir -p "$3" "$3.work" "$3.root"
  # shellcheck disable=SC2016
  timeout --foreground 1200 unshare --mount --pid --fork --kill-child --propagation private ${1:+"$1"} bash -ec '
    mount -t overlay overlay -o "lowerdir=$2,upperdir=$1,workdir=$1.work" "$1.root"
    cd "$1.root"
    mount -t proc proc proc
    mount --rbind /dev dev
    mount -t tmpfs tmpfs dev/shm
    mkdir -p ccache
    [ ! -d "$3" ] || mount --bind -o ro "$3" ccache
    ip link set lo up
    shift 3
    exec chroot "$@"' _ "$3" "$2" "$compiled" "${@:4}" </dev/null
  local code=$?
  rm -rf "$3.work" "$3.root"
  return $code
}

layers () {
  local new=$kept.new packages=(. env -i "PATH=$sbin:$bin" HOME=/root /root/packages)
  [ ! -d "$kept" ] || return 0
  rm -rf "$cache"/fresh-*
  mkdir -p "$new"
  "$root/deploy/debian-root" "$new/debian" && cp "$root/deploy/packages" "$new/debian/root" &&
    inside "" "$new/debian" "$new/build" "${packages[@]}" build && inside "" "$new/build:$new/debian" "$new/test" "${packages[@]}" test &&
    rm -rf "$new"/{build,test}/var/cache/apt && mv "$new" "$kept"
}

# took SENTENCE COMMAND…: a check, and its seconds.
took () {
  local started=$SECONDS
  check "$@"
  local code=$?
  echo "# $((SECONDS - started)) s: $1"
  return $code
}

if ! took "a Debian with what deploy/packages brings" layers; then
  finish broken
  exit
fi

as_root () { inside --net "$kept/build:$kept/debian" "$scratch/root" . env -i "PATH=$sbin:$bin" HOME=/root "$@"; }
mkdir -p "$scratch/root/root"
check "a clone for root" git clone --quiet "$root" "$scratch/root/root/musubi"
took "deploy/quickstart as root, from nothing" as_root /root/musubi/deploy/quickstart
says "  … commits a three-site reservation" committed
says "  … and proves it" '^sound: '

layers=$kept/test:$kept/build:$kept/debian
check "a user" inside --net "$layers" "$scratch/user" . /usr/sbin/useradd -m -d "$home" stranger
check "a clone for the user" git clone --quiet "$root" "$scratch/user$home/musubi"
chown -R --reference "$scratch/user$home" "$scratch/user$home"
as_user () { # LANG is part of what ccache compares
  inside --net "$layers" "$scratch/user" --userspec=stranger:stranger . env -i "PATH=$bin" "HOME=$home" \
    ${LANG:+"LANG=$LANG"} CCACHE_DIR=/ccache CCACHE_READONLY=1 CCACHE_TEMPDIR=/tmp CCACHE_NOSTATS=1 "$@"
}
took "deploy/quickstart as a user without sudo, in a path with a blank" as_user "$home/musubi/deploy/quickstart"
says "  … commits a three-site reservation" committed
says "  … and proves it" '^sound: '
took "a suite of the tests" as_user "$home/musubi/test/all" --only format
says "  … skips nothing" '^[1-9][0-9]* passed, 0 failed, 0 skipped'
took "what is built is installed" as_user cmake --install "$home/musubi/build/release" --prefix "$home/.local"
took "  … and works" as_user bash -ec '
  export PATH=$HOME/.local/bin:$PATH
  cd "$HOME/.local/share/musubi"
  musubi up federations/five-runners.zpl
  musubi reserve examples/three-tasks.json
  musubi audit --settle 60s
  musubi down'
says "  … and proves it" '^sound: '
finish
