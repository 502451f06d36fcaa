#   One site over a Slurm that is there already: nodes n1 to n4 of its partition "batch", with 2 CPUs each.
#   svc-lis/batch/README.md says what it needs; `test/batch/slurm start FOLDER` starts such a Slurm on this machine.

name = slurm
directories = g1
planners = 1

sites
    amsterdam
        classes
            node
                nodes = 4
                names = "n[1-4]"
                cpus_per_node = 2
                price = 0.03
                attributes
                    os = linux
        back_end = slurm
    #   accounts                    # as which local account whose tasks run: else root's as nobody, others' as who runs `musubi up`
    #       climate = "alice, bob"  # (`musubi federation configure` wants these two lines)
        batch
            queue = batch
        opening
        #   clear = requeue         # jobs of others that may be run again make way; end: all do; wait, the default: none does
            warning = 10s
            grace = 5s
