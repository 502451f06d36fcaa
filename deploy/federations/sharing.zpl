#   Three small sites that run tasks, and a balancer that shares what waits in their queues once they have joined:
#
#       musubi up deploy/federations/sharing.zpl
#       for site in amsterdam berlin kyoto; do musubi balance join $site --level 10m; done
#       musubi submit amsterdam --shared --count 100 --limit 5s -- sleep 2
#       musubi balance status; musubi balance history

#   For `musubi federation configure`, each site needs two lines more, with a local account as which tasks of these actors run:
#
#           accounts
#               climate = "alice, bob"

name = sharing
directories = g1, g2

balancers
    green
        coalition = 1m
        step = 1s

sites
    amsterdam
        classes
            node
                nodes = 1
                cpus_per_node = 2
        back_end = runner
    berlin
        classes
            node
                nodes = 2
                cpus_per_node = 2
        back_end = runner
    kyoto
        classes
            node
                nodes = 3
                cpus_per_node = 2
        back_end = runner
