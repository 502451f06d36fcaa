#   Five sites in a ring, one network domain: an optical ring between five cities, each with a router and a site behind
#   it. The short way round is quick, the long way is always there when the short one is booked out.

name = ring
directories = g1, g2
planners = 2

sites
    bern
        classes
            node
                nodes = 64
                price = 0.03
                attributes
                    os = linux
                    arch = x86_64
        accounts
            everybody = "*"
    lyon
        classes
            node
                nodes = 96
                price = 0.025
                attributes
                    os = linux
                    arch = x86_64
        accounts
            everybody = "*"
    genoa
        classes
            node
                nodes = 48
                price = 0.02
                attributes
                    os = linux
                    arch = x86_64
        accounts
            everybody = "*"
    trieste
        classes
            node
                nodes = 128
                price = 0.035
                attributes
                    os = linux
                    arch = x86_64
        accounts
            everybody = "*"
    vienna
        classes
            node
                nodes = 160
                price = 0.03
                attributes
                    os = linux
                    arch = x86_64
        accounts
            everybody = "*"

domains
    ring
        sites = "bern, lyon, genoa, trieste, vienna"
        routers = "r-bern, r-lyon, r-genoa, r-trieste, r-vienna"
        accounts
            everybody = "*"
        links
            bern-lyon
                between = "r-bern, r-lyon"
                mbps = 10000
                latency_ms = 2.1
                price = 2
                attributes
                    media = fibre
                    availability = 0.9995
            lyon-genoa
                between = "r-lyon, r-genoa"
                mbps = 10000
                latency_ms = 2.6
                price = 2
                attributes
                    media = fibre
                    availability = 0.9995
            genoa-trieste
                between = "r-genoa, r-trieste"
                mbps = 10000
                latency_ms = 3.2
                price = 2
                attributes
                    media = fibre
                    availability = 0.9995
            trieste-vienna
                between = "r-trieste, r-vienna"
                mbps = 10000
                latency_ms = 2.9
                price = 2
                attributes
                    media = fibre
                    availability = 0.9995
            vienna-bern
                between = "r-vienna, r-bern"
                mbps = 10000
                latency_ms = 5.4
                price = 2
                attributes
                    media = fibre
                    availability = 0.9995
            bern
                between = "bern, r-bern"
                mbps = 20000
                latency_ms = 0.1
                price = 0.5
                attributes
                    media = fibre
                    availability = 0.9999
            lyon
                between = "lyon, r-lyon"
                mbps = 20000
                latency_ms = 0.1
                price = 0.5
                attributes
                    media = fibre
                    availability = 0.9999
            genoa
                between = "genoa, r-genoa"
                mbps = 20000
                latency_ms = 0.1
                price = 0.5
                attributes
                    media = fibre
                    availability = 0.9999
            trieste
                between = "trieste, r-trieste"
                mbps = 20000
                latency_ms = 0.1
                price = 0.5
                attributes
                    media = fibre
                    availability = 0.9999
            vienna
                between = "vienna, r-vienna"
                mbps = 20000
                latency_ms = 0.1
                price = 0.5
                attributes
                    media = fibre
                    availability = 0.9999
