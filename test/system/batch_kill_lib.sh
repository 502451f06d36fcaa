# SIGKILL of a site, its agent and the daemons of its batch system, at random moments from the making of a reservation to its
# removal. Whatever dies: its tasks begin once and not before their opening, and end; none is lost, but for those of a node that
# died; nobody else's job is lost; nothing of ours is left there. Sourced behind lib.sh and the library of the batch system, whose
# federation of three nodes is up.
#
#   batch_kills AGENT DAEMON…      KILLS=8 SEED=1: as many, drawn from that seed; eight a reservation
#
# Defined by the test:
#   daemon pid | start ONE         what is running, or begins again
#   outside COMMAND                submits a job of somebody else, which begins in half a minute
#   all_there                      prints what the batch system has of an operator
#   gone ID                        nothing of the reservation is left
#   forgotten JOB                  by its own log, the batch system did not know a job that ran when it was started again
KILLS=${KILLS:-8}
RANDOM=${SEED:-$$}
echo "# SEED=${SEED:-$$}"
runs_again=no # the job of somebody else may
told=$work/told
mkdir -m 1777 "$told"

kill_one () { # site | agent | DAEMON
  case $1 in
    site) slay "$(pid_of lis/ams)" && musubi up --dir "$federation" ;;
    agent) slay "$(pid_of "$agent")" && musubi up --dir "$federation" ;;
    *) slay "$(daemon pid "$1")" && daemon start "$1" ;;
  esac
}
until_ms () {
  local left=$(($1 - $(date +%s%3N)))
  [ $left -le 0 ] || sleep "$(printf '%d.%03d' $((left / 1000)) $((left % 1000)))"
}
all_up () { musubi nodes ams --json | jq -e '[.nodes[] | select(.class != "" and .state == "up" and (.drained | not))] | length == 3'; }
released () { musubi release "$id" || [ "$(musubi show "$id" --json | jq -r .state)" = released ]; }
lost_tasks () { musubi queue "$1" --json | jq -r '.tasks[] | select(.state == "lost") | .task | split (".")[1]'; } # BAG: their indices
none_lost () { # ROUND BAG: of the nodes that live, and of the jobs that the batch system itself did not lose
  local task on job
  for task in $(lost_tasks "$2"); do
    read -r on job < <(awk -v task="$task" '$1 == task {print $3, $4}' "$told/$1")
    ! forgotten "${job:-none}" || continue
    echo "task $task on ${on:-no node} is lost; died:$died"
    [ -n "$died" ] && [[ -z $on || " $died " == *" $on "* ]] || return 1
  done
}
# Of its tasks, only one whose job was lost with a node may never have begun.
begun_once () { # ROUND BAG
  musubi queue "$2" --json | jq -r '.tasks[] | select(.state != "lost") | .task | split (".")[1]' | sort >"$work/should"
  [ -z "$(cut -d' ' -f1 "$told/$1" | sort | uniq -d)" ] && [ -z "$(comm -23 "$work/should" <(cut -d' ' -f1 "$told/$1" | sort))" ] ||
    { cat "$told/$1"; musubi queue "$2"; return 1; }
}
some_die () { # ROUND start|release MOMENT…: so many ms after that; as many of all eight as there are kills left
  local phase=$2 base after
  [ "$2" = start ] && base=$start || base=$(date +%s%3N)
  for after in "${@:3}"; do
    moments=$((moments - 1))
    [ $((RANDOM % (moments + 1))) -lt $left ] || continue
    left=$((left - 1))
    who=${victims[RANDOM % ${#victims[@]}]}
    until_ms $((base + after))
    case $who in
      # A qmaster that was killed takes a job that is over for one that runs in the way of ours.
      [gn][0-9]* | qmaster) runs_again=yes ;;
    esac
    [[ $who != [gn][0-9]* ]] || died+=" $who"
    check "round $1: $who is killed $after ms after its $phase, and comes back" kill_one "$who"
  done
}
# Two moments each: while it is made, as it opens, while it runs, as it closes.
round () { # ROUND
  local id bag who died start left=$((KILLS - 8 * ($1 - 1))) moments=8
  died=
  comes "round $1: all nodes are there" all_up
  comes "round $1: a reservation of all nodes" reserve "r$1" "$(date -u -d '16 seconds' +%FT%TZ)" 20m 6
  id=$(jq -r .reservation "$work/taken")
  start=$(date -d "$(jq -r .start "$work/taken")" +%s%3N)
  check "round $1: its tasks" submit ams --reservation "$id" --count 3 --limit 5m -- \
    sh -c "echo \$MUSUBI_TASK_INDEX \$(date +%s%3N) \$MUSUBI_NODE \${SLURM_JOB_ID:-\$JOB_ID} >>$told/$1; [ \$MUSUBI_TASK_INDEX -gt 0 ] || sleep 9; sleep 3"
  bag=$(cat "$work/bag")
  some_die "$1" start $((RANDOM % 600 - 4000)) $((RANDOM % 800 - 2500)) $((RANDOM % 400 - 300)) $((RANDOM % 600 + 600)) \
    $((RANDOM % 2000 + 3000)) $((RANDOM % 2000 + 6500))
  comes "round $1: its tasks are over" test_over "$bag" 3
  comes "round $1: it is released" released
  some_die "$1" release $((RANDOM % 400)) $((RANDOM % 600 + 700))
  comes "round $1: nothing of it is left" gone "$id"
  check "round $1: none is lost on a node that lives" none_lost "$1" "$bag"
  check "round $1: each began once" begun_once "$1" "$bag"
  check "round $1: none before the opening" test "$(cut -d' ' -f2 "$told/$1" | sort -n | head -n 1)" -ge "$start"
}
ran_once () { [ "$(sort -u "$told/outsider")" = ran ] && { [ $runs_again = yes ] || [ "$(wc -l <"$told/outsider")" -eq 1 ]; }; }
as_before () { cmp "$work/before" <(all_there); }
batch_kills () {
  local each
  agent=$1 victims=(site agent "${@:2}")
  all_there >"$work/before"
  check "somebody else has a job" outside "echo ran >>$told/outsider"
  for each in $(seq $(((KILLS + 7) / 8))); do round "$each"; done
  comes "somebody else's job has run" grep -q ran "$told/outsider"
  check "once, unless a daemon that has to do with it died: then the batch system may run it again" ran_once
  comes "all is as it was before" as_before
  finish
}
