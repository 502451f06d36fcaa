#   Three sites with machines that run tasks, storage nodes, and a network between them: requests with files. An index
#   knows where all files are.
#
#       musubi up deploy/federations/data.zpl
#       musubi put 2020.nc era5/2020.nc --site amsterdam
#       musubi reserve examples/with-data.json

#   For `musubi federation configure`, each site needs two lines more, with a local account as which tasks of these actors run:
#
#           accounts
#               climate = "alice, bob"

name = data
directories = g1, g2
indexes = i1
planners = 2

sites
    amsterdam
        classes
            thin
                nodes = 2
                cpus_per_node = 2
        back_end = runner
        storage
            nodes = "disk-1, disk-2"
            bytes = 2000000000
    berlin
        classes
            thin
                nodes = 2
                cpus_per_node = 2
        back_end = runner
        storage
            nodes = "disk-1, disk-2"
            bytes = 2000000000
    kyoto
        classes
            thin
                nodes = 2
                cpus_per_node = 2
        back_end = runner
        storage
            nodes = "disk-1"
            bytes = 500000000

domains
    ring
        sites = "amsterdam, berlin, kyoto"
        accounts
            everybody = "*"
        links
            amsterdam-berlin
                between = "amsterdam, berlin"
                mbps = 1000
            amsterdam-kyoto
                between = "amsterdam, kyoto"
                mbps = 1000
            berlin-kyoto
                between = "berlin, kyoto"
                mbps = 1000
