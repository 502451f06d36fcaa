#!/usr/bin/env bash
# `musubi call` reaches every method of every service in proto/: an empty request gets an answer or a refusal in
# words, never silence, never a crash.
. "$(dirname "$0")/lib.sh"
cat >"$work/all.zpl" <<'Z'
name = all
directories = g1
planners = 1
indexes = i1

sites
    bern
        classes
            thin
                nodes = 2
        back_end = runner
        storage
            nodes = disk-1
            bytes = 10000000
    lyon
        classes
            thin
                nodes = 2

balancers
    green
        step = 1s
domains
    pass
        sites = "bern, lyon"
        links
            bern-lyon
                between = "bern, lyon"
                mbps = 1000
Z
federation "$work/all.zpl"
launch shaped svc-nis --set name=shaped --set gis="${MUSUBI_GIS%%,*}" --set bind/endpoint=tcp://127.0.0.1:0 --set administrators=alice \
  --set store/folder="$work/shaped" --set sites=k,l --set 'accounts/all=*' --set back_end=agents --set links/k/between=k,l \
  --set links/k/mbps=100 --set links/k/interfaces/k=eth8 --set links/k/interfaces/l=eth9 --set prefixes/k=10.1.0.0/16 \
  --set prefixes/l=10.2.0.0/16
agent=$(jq -r '[.members[] | select(.kind == "node")][0].endpoint' "$federation/members.json")

kind_of () { # SERVICE-BLOCK: who serves it
  case "$1" in
    Factory | Reservation | Command | Nodes | Queue | Sharing) echo lis/bern ;;
    Chain | Replica) echo replica ;;
    ReplicaIndex) echo index ;;
    Agent) echo "$agent" ;;
    Gis | Home) echo gis ;;
    Lis) echo lis/bern ;;
    Nis) echo nis ;;
    Routers) echo nis/shaped ;;
    Calendar) echo "lis nis" ;;
    Planner | Coordinator) echo planner ;;
    Participant) echo "lis nis gis" ;;
    Balancer) echo balancer ;;
    Service | Ledger) echo "gis lis nis planner replica index balancer" ;;
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
check "there were methods to call" test $called -gt 100

answer=$(musubi --json call lis/bern Service.Status '{}')
check "an answer is JSON with the contract's names" grep -q '"wall_ms"' <<<"$answer"
exits 2 "an unknown field is named by its path" musubi call lis/bern Profile '{"resources": ["thin"], "form_ms": 1}'
says "  … form_ms" 'form_ms'
exits 2 "a wrong type is named by its path" musubi call lis/bern Windows '{"windows": [{}, {"from_ms": "noon"}]}'
says "  … windows[1].from_ms" 'windows\[1\]\.from_ms'
check "everybody still answers" musubi sites
elsewhere () { musubi --gis "$1" --timeout 1s "${@:2}"; }
exits 3 "a service whose name has no address here" elsewhere "$MUSUBI_GIS" call tcp://lis-x.invalid:5600 Service.Status
says "  … is not taken for one that is silent" 'this machine knows no address of the name lis-x\.invalid$'
exits 3 "a directory whose name has no address here" elsewhere tcp://gis-x.invalid:5600 sites
says "  … is told so, too" 'this machine knows no address of the name gis-x\.invalid; '
finish
