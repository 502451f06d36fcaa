#   Five small sites that run tasks on nodes of their own: `musubi up` starts an agent for each node on this machine.
#   Every key is explained in README.md beside this file.

#   For `musubi federation configure`, each site needs two lines more, with a local account as which tasks of these actors run:
#
#           accounts
#               climate = "alice, bob"

name = five-runners
directories = g1, g2
planners = 2

sites
    amsterdam
        classes
            thin
                nodes = 3
                cpus_per_node = 2
                price = 0.03
                attributes
                    os = linux
            fat
                nodes = 1
                cpus_per_node = 8
                price = 0.05
                attributes
                    os = linux
                    memory_gb = 256
        back_end = runner
        opening
            warning = 10s
            grace = 5s
    berlin
        classes
            thin
                nodes = 4
                cpus_per_node = 2
                price = 0.025
                attributes
                    os = linux
        cleaning_gap = 2s
        back_end = runner
        opening
            warning = 10s
            grace = 5s
    kyoto
        classes
            node
                nodes = 3
                names = "frontier, n[01-02]"
                cpus_per_node = 4
                price = 0.04
                attributes
                    os = linux
        back_end = runner
        opening
            warning = 10s
            grace = 5s
    oslo
        classes
            thin
                nodes = 3
                cpus_per_node = 2
                price = 0.02
                attributes
                    os = linux
        back_end = runner
        opening
            warning = 10s
            grace = 5s
    quito
        classes
            thin
                nodes = 2
                cpus_per_node = 2
                price = 0.01
                attributes
                    os = linux
        disclosure = windows            # tells only whether given windows fit
        back_end = runner
        opening
            warning = 10s
            grace = 5s
