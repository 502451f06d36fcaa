#   The environment of a published study of co-allocation: three network domains with ten sites of 8 to 64 CPUs, and
#   two exchange points, X1 of all three domains and X2 of N and S. Sites of a domain are fully meshed at 5 Gbit/s; each
#   is joined to the exchange points of its domain at 10 Gbit/s. Prices: a CPU-hour 1, a Gbit/s-hour 5 between sites
#   and 3 to an exchange point. Latencies are not given there: each link has the default, 1 ms.

name = s4
directories = g1, g2
planners = 3

sites
    n8
        classes
            node
                nodes = 8
                price = 1
        accounts
            everybody = "*"
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
                nodes = 8
                price = 1
        accounts
            everybody = "*"
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
