# bash completion for musubi
_musubi () {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' i
  local commands='up down federation reserve modify release show list watch explain provision plus sites links free submit queue cancel output nodes put get replicas pin unpin rule evict scrub gantt call workload check audit doctor txn solve balance'
  local all='--gis --dir --actor --timeout --json --help'
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --gis | --dir | --actor | --timeout | --request-id) i=$((i + 1)) ;;
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $before in
    --policy) mapfile -t COMPREPLY < <(compgen -W 'time cost load random quality' -- "$word"); return ;;
    --algorithm) mapfile -t COMPREPLY < <(compgen -W 'auto bbr bir ip' -- "$word"); return ;;
    --links) mapfile -t COMPREPLY < <(compgen -W 'auto all none' -- "$word"); return ;;
    --variant) mapfile -t COMPREPLY < <(compgen -W 'shared dir shared_p2 dir_p2' -- "$word"); return ;;
    --solver) mapfile -t COMPREPLY < <(compgen -W 'auto glpk glpk-pruned glpk-plain' -- "$word"); return ;;
    --spread) mapfile -t COMPREPLY < <(compgen -W 'sites domains' -- "$word"); return ;;
    --dir) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
    federation) mapfile -t COMPREPLY < <(compgen -W 'configure from-slurm from-gridengine from-graphml' -- "$word"); return ;;
    plus) mapfile -t COMPREPLY < <(compgen -W 'reserve cancel modify status commit abort' -- "$word"); return ;;
    txn) mapfile -t COMPREPLY < <(compgen -W 'list show resolve take-over' -- "$word"); return ;;
    balance) mapfile -t COMPREPLY < <(compgen -W 'status join level leave history --step' -- "$word"); return ;;
    --plot | --svg | --answers | --out | --dry-run) [ "$command" = reserve ] ||
      { mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; } ;;
  esac
  local own=''
  case $command in
    '') mapfile -t COMPREPLY < <(compgen -W "$commands $all --version" -- "$word"); return ;;
    up) own='--planners --pids' ;;
    federation) own='--trusted --port --stores --queue --name --sites --seed --domains --out' ;;
    reserve) own='--algorithm --policy --input --dry-run --wait --request-id' ;;
    modify) own='--dry-run --request-id' ;;
    release | call) own='--request-id' ;;
    show) own='--follow' ;;
    list) own='--mine --from --until' ;;
    watch) own='--mine --every' ;;
    provision) own='--release --port --dscp --address' ;;
    plus) own='-R -T -s -e -n -r --class --request-id' ;;
    free) own='--need --for --between --class' ;;
    submit) own='--limit --cpus --gpus --count --name --reservation --priority --preemptible --rank --requeue --shared --class --folder
      --input --output --stdout --errors --env --cpu-limit --dry-run --request-id' ;;
    queue) own='--bag --mine --over' ;;
    nodes) own='--drain --resume' ;;
    output) own='--errors --follow' ;;
    put) own='-r --recursive --links --site --bind --lifetime' ;;
    get) own='-r --recursive --output --site --bind --stage --at-nodes --keep --salvage' ;;
    replicas | pin | unpin) own='--site' ;;
    rule) own='--copies --nodes --spread --site' ;;
    evict) own='--site --kept' ;;
    scrub) own='--mbps' ;;
    gantt) own='--from --until --all --svg' ;;
    workload) own='--requests --seed --rate --as-fast --clients --compress --start --cpus-max --links --policy
      --answers --dry-run --plot --check' ;;
    check) own='--answers --settle' ;;
    audit) own='--save --settle --rebuild --from' ;;
    txn) own='--in-doubt --all --fence --gone' ;;
    solve) own='--variant --solver --time-limit --first' ;;
    balance) own='--all --balancer --level --from --svg --step --reschedule' ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$own $all" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _musubi musubi
