#   What deploy/docker-compose.yml starts: the ten sites and three network domains of s4.zpl, where prices and links are
#   explained; besides, n64 and u32 keep files, each on a storage node, with an index of them, and the one node of n8, and of
#   u8, runs tasks, as the account that all services have there; a balancer shares them out among sites that join it.

name = testbed
directories = g1, g2
indexes = i1
planners = 3

balancers
    green
        coalition = 4s
        step = 1s

sites
    n8
        classes
            node
                nodes = 1
                cpus_per_node = 8
                price = 1
        back_end = runner
        accounts
            musubi = "*"
    n16
        classes
            node
                nodes = 16
                price = 1
        accounts
            everybody = "*"
    n32
        classes
            node
                nodes = 32
                price = 1
        accounts
            everybody = "*"
    n64
        classes
            node
                nodes = 64
                price = 1
        storage
            nodes = disk-1
            bytes = 1000000000
        accounts
            everybody = "*"
    s8
        classes
            node
                nodes = 8
                price = 1
        accounts
            everybody = "*"
    s16
        classes
            node
                nodes = 16
                price = 1
        accounts
            everybody = "*"
    s32
        classes
            node
                nodes = 32
                price = 1
        accounts
            everybody = "*"
    u8
        classes
            node
                nodes = 1
                cpus_per_node = 8
                price = 1
        back_end = runner
        accounts
            musubi = "*"
    u16
        classes
            node
                nodes = 16
                price = 1
        accounts
            everybody = "*"
    u32
        classes
            node
                nodes = 32
                price = 1
        storage
            nodes = disk-1
            bytes = 1000000000
        accounts
            everybody = "*"

domains
    N
        sites = "n8, n16, n32, n64"
        exchanges = "X1, X2"
        accounts
            everybody = "*"
        links
            n8-n16
                between = "n8, n16"
                mbps = 5000
                price = 5
            n8-n32
                between = "n8, n32"
                mbps = 5000
                price = 5
            n8-n64
                between = "n8, n64"
                mbps = 5000
                price = 5
            n16-n32
                between = "n16, n32"
                mbps = 5000
                price = 5
            n16-n64
                between = "n16, n64"
                mbps = 5000
                price = 5
            n32-n64
                between = "n32, n64"
                mbps = 5000
                price = 5
            n8-X1
                between = "n8, X1"
                mbps = 10000
                price = 3
            n16-X1
                between = "n16, X1"
                mbps = 10000
                price = 3
            n32-X1
                between = "n32, X1"
                mbps = 10000
                price = 3
            n64-X1
                between = "n64, X1"
                mbps = 10000
                price = 3
            n8-X2
                between = "n8, X2"
                mbps = 10000
                price = 3
            n16-X2
                between = "n16, X2"
                mbps = 10000
                price = 3
            n32-X2
                between = "n32, X2"
                mbps = 10000
                price = 3
            n64-X2
                between = "n64, X2"
                mbps = 10000
                price = 3
    S
        sites = "s8, s16, s32"
        exchanges = "X1, X2"
        accounts
            everybody = "*"
        links
            s8-s16
                between = "s8, s16"
                mbps = 5000
                price = 5
            s8-s32
                between = "s8, s32"
                mbps = 5000
                price = 5
            s16-s32
                between = "s16, s32"
                mbps = 5000
                price = 5
            s8-X1
                between = "s8, X1"
                mbps = 10000
                price = 3
            s16-X1
                between = "s16, X1"
                mbps = 10000
                price = 3
            s32-X1
                between = "s32, X1"
                mbps = 10000
                price = 3
            s8-X2
                between = "s8, X2"
                mbps = 10000
                price = 3
            s16-X2
                between = "s16, X2"
                mbps = 10000
                price = 3
            s32-X2
                between = "s32, X2"
                mbps = 10000
                price = 3
    U
        sites = "u8, u16, u32"
        exchanges = "X1"
        accounts
            everybody = "*"
        links
            u8-u16
                between = "u8, u16"
                mbps = 5000
                price = 5
            u8-u32
                between = "u8, u32"
                mbps = 5000
                price = 5
            u16-u32
                between = "u16, u32"
                mbps = 5000
                price = 5
            u8-X1
                between = "u8, X1"
                mbps = 10000
                price = 3
            u16-X1
                between = "u16, X1"
                mbps = 10000
                price = 3
            u32-X1
                between = "u32, X1"
                mbps = 10000
                price = 3
