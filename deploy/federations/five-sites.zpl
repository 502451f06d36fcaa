#   Five sites, two directories, two planners: what `musubi up` starts when it is told nothing else.
#   Every key is explained in README.md beside this file.

name = five-sites
directories = g1, g2
planners = 2

sites
    amsterdam
        classes
            thin
                nodes = 128
                price = 0.03
                attributes
                    os = linux
                    arch = x86_64
                    memory_gb = 4
            fat                         # nodes are granted whole: 8 CPUs each
                nodes = 16
                cpus_per_node = 8
                price = 0.05
                attributes
                    os = linux
                    arch = x86_64
                    memory_gb = 256
                    gpus = 4
        accounts
            everybody = "*"
    berlin
        classes
            thin
                nodes = 192
                price = 0.025
                attributes
                    os = linux
                    arch = x86_64
                    memory_gb = 8
        cleaning_gap = 30s
        accounts
            everybody = "*"
    kyoto
        classes
            node
                nodes = 256
                price = 0.04
                attributes
                    os = linux
                    arch = aarch64
                    memory_gb = 16
        accounts
            everybody = "*"
    oslo
        classes
            thin
                nodes = 160
                price = 0.02
                attributes
                    os = linux
                    arch = x86_64
                    memory_gb = 4
            bsd
                nodes = 64
                price = 0.015
                attributes
                    os = bsd
                    arch = x86_64
                    memory_gb = 4
        lead = 10s
        accounts
            everybody = "*"
    quito
        classes
            sun
                nodes = 96
                price = 0.01
                attributes
                    os = solaris
                    arch = sparc
                    memory_gb = 2
        disclosure = windows            # tells only whether given windows fit
        accounts
            everybody = "*"
