#   What upgrade.t upgrades: each kind of service, twice where a federation has several of it.

name = upgrade
directories = g1, g2
indexes = i1
planners = 2

balancers
    green
        coalition = 4s
        step = 1s

sites
    ams
        classes
            thick
                nodes = 64
                attributes
                    size = thick
        lead = 1s
        storage
            nodes = disk-1
            bytes = 200000000
    ber
        classes
            thin
                nodes = 2
        lead = 1s
        back_end = runner
        nodes
            attend = 500ms
            # no settings any more: with what is so now they are taken
            lost = 330s
        queue
            life = 60s
        storage
            nodes = disk-1
            bytes = 200000000
        accounts
            ACCOUNT = "*"
    kyo
        classes
            thick
                nodes = 64
                attributes
                    size = thick
        lead = 1s
    osa
        classes
            thick
                nodes = 64
                attributes
                    size = thick
        lead = 1s

domains
    N
        sites = "ams, ber, kyo"
        exchanges = X
        links
            ams-ber
                between = "ams, ber"
                mbps = 100000
            ams-kyo
                between = "ams, kyo"
                mbps = 100000
            ams-X
                between = "ams, X"
                mbps = 100000
            kyo-X
                between = "kyo, X"
                mbps = 100000
    S
        sites = osa
        exchanges = X
        links
            osa-X
                between = "osa, X"
                mbps = 100000
