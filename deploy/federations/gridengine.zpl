#   One site over a Grid Engine that is there already: nodes g1 to g4 of its queue "batch", with 2 CPUs each.
#   The site is run as one of its managers, and it has the forced complex that svc-lis/gridengine/gridengine.h names;
#   `test/batch/gridengine start FOLDER` starts such a Grid Engine on this machine.

name = gridengine
directories = g1
planners = 1

sites
    amsterdam
        classes
            node
                nodes = 4
                names = "g[1-4]"
                cpus_per_node = 2
                price = 0.03
                attributes
                    os = linux
        back_end = gridengine
    #   accounts                    # as which local account whose tasks run: else root's as nobody, others' as who runs `musubi up`
    #       climate = "alice, bob"  # (`musubi federation configure` wants these two lines)
        batch
            queue = batch
        opening
        #   clear = requeue         # jobs of others that may be run again make way; end: all do; wait, the default: none does
            warning = 10s
            grace = 5s
