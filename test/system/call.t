#!/usr/bin/env bash
# `musubi call` reaches every method of every service in proto/: an empty request gets an answer or a refusal in
# words, never silence, never a crash.
. "$(dirname "$0")/lib.sh"
federation "$root/deploy/federations/ring.zpl" --planners 1

kind_of () { # SERVICE-BLOCK: who serves it
  case "$1" in
    Gis | Home) echo gis ;;
    Lis) echo lis ;;
    Nis) echo nis ;;
    Calendar) echo "lis nis" ;;
    Planner | Coordinator) echo planner ;;
    Participant) echo "lis nis gis" ;;
    Service | Ledger) echo "gis lis nis planner" ;;
    *) echo "" ;;
  esac
}

called=0
while read -r service method; do
  kinds=$(kind_of "$service")
  [ -n "$kinds" ] || { not_ok "service $service of proto/ is served by somebody"; continue; }
  for kind in $kinds; do
    output=$(musubi call "$kind" "$service.$method" '{}' 2>&1 </dev/null)
    ended=$?
    called=$((called + 1))
    if [ $ended -eq 0 ] || { [ $ended -le 2 ] && [ -n "$output" ]; } && ! grep -q 'serves no method' <<<"$output"; then
      ok "$kind $service.$method (exit $ended)"
    else
      not_ok "$kind $service.$method (exit $ended): $output"
    fi
  done
done < <(awk '/^service /{service = $2} /^ *rpc /{print service, $2}' "$root"/proto/*.proto)
check "there were methods to call" test $called -gt 55

answer=$(musubi --json call lis/bern Site '{}')
check "an answer is JSON with the contract's names" grep -q '"cpus_per_node"' <<<"$answer"
exits 2 "an unknown field is named by its path" musubi call lis/bern Profile '{"resources": ["thin"], "form_ms": 1}'
says "  … form_ms" 'form_ms'
exits 2 "a wrong type is named by its path" musubi call lis/bern Windows '{"windows": [{}, {"from_ms": "noon"}]}'
says "  … windows[1].from_ms" 'windows\[1\]\.from_ms'
check "everybody still answers" musubi sites
finish
