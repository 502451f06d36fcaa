#!/usr/bin/env bash
# Four sites behind a thin link want a file at once. Sites that are still receiving it feed the others, so its bytes cross the
# link once; also when the site that gets them over the link dies. The link counts them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/link_lib.sh" 10.79.0.3 10.79.0.4 10.79.0.5 10.79.0.6

site () { # NAME NAMESPACE ADDRESS
  launch "$1" ip netns exec "$2" svc-replica --set name="$1" --set gis=$gis --set nodes=n1 --set 'accounts/all=*' \
    "${trusted[@]}" --set bind/endpoint="tcp://$3:5580" --set store/folder="$work/$1"
  launch "$1-n1" ip netns exec "$2" svc-replica node --set name=n1 --set replica="tcp://$3:5580" "${trusted[@]}" \
    --set bind/endpoint=tcp://127.0.0.1:0 --set bind/data="tcp://$3:0" --set bytes=1000000000 \
    --set folder="$work/$1-n1" --set store/folder="$work/$1-n1.store"
}
site ams $near 10.79.0.1
far_sites=(bergen malmo oslo turku)
for i in 0 1 2 3; do site "${far_sites[$i]}" $far 10.79.0.$((i + 3)); done

size=8000000
put () { head -c $size /dev/urandom >"$1" && ip netns exec $near musubi put "$1" "$1" --site ams --bind tcp://10.79.0.1:0; }
stage () { # FILE SITE…: at all of them at once, in the background
  local site
  for site in "${@:2}"; do
    {
      ip netns exec $near timeout 60 musubi get "$1" --stage --site "$site" >"$1-$site.out" 2>&1 &
      echo $! >"$1-$site.pid"
      wait $!
      echo $? >"$1-$site.exit"
    } &
  done
}
all_have () { # FILE SITE…
  local site
  for site in "${@:2}"; do
    until [ -s "$1-$site.exit" ]; do sleep 0.05; done
    [ "$(cat "$1-$site.exit")" = 0 ] && cmp "$1" "$site-n1/files/$1" || { cat "$1-$site.out"; return 1; }
  done
}
at_most () { # BYTES SINCE
  local bytes=$(($(crossed) - $2))
  echo "$bytes bytes have crossed"
  [ $bytes -le "$1" ]
}
part_of () { stat -c %s "$1"-n1/parts/*[!s] 2>/dev/null | sort -n | tail -1; } # SITE: bytes of what is under way
reaches () { # BYTES: at any far site
  local site
  for _ in $(seq 1500); do
    for site in "${far_sites[@]}"; do [ "$(part_of "$site")" -ge "$1" ] 2>/dev/null && return 0; done
    sleep 0.02
  done
  return 1
}
first_far () { grep -l 'fed by=replica/ams/' "${far_sites[@]/%/-n1.log}" | head -1 | cut -d- -f1; }

check "a file is put" put run1
before=$(crossed)
stage run1 "${far_sites[@]}"
check "four sites stage it at once: all have it" all_have run1 "${far_sites[@]}"
check "its bytes crossed the thin link once" at_most $((size * 11 / 10)) "$before"
echo "# $output"

have_all () { # FILE SITE…
  local site
  for site in "${@:2}"; do cmp -s "$1" "$site-n1/files/$1" || return 1; done
}
check "another file is put" put run3
before=$(crossed)
check "a rule wants it at all sites" ip netns exec $near musubi rule run3 --copies 5
comes "all have it" have_all run3 "${far_sites[@]}"
check "its bytes crossed once" at_most $((size * 11 / 10)) "$before"
echo "# $output"

for site in "${far_sites[@]}"; do : >"$site-n1.log"; done
check "a third file is put" put run2
before=$(crossed)
stage run2 "${far_sites[@]}"
check "it is on its way" reaches $((size / 2))
dies=$(first_far)
slay "${pid[$dies]}"
slay "${pid[$dies-n1]}"
kill "$(cat "run2-$dies.pid")" # nobody waits for that one
rest=()
for site in "${far_sites[@]}"; do [ "$site" = "$dies" ] || rest+=("$site"); done
check "the site that gets it over the link dies: the others have it" all_have run2 "${rest[@]}"
check "what had crossed did not cross again" at_most $((size * 13 / 10)) "$before"
echo "# $output ($dies died)"
finish broken
