#   Two sites, and a domain that gives each circuit between them its bandwidth, and no more, on their Linux routers:
#   there an agent sets traffic control (svc-nis/README.md, "Shaping"). Where a router is a machine of its own:
#
#       svc-nis agent --set name=amsterdam --set nis=tcp://nis-wire:5600 --set interfaces=wan1
#
#   To see it as root on one machine, let the two ends of a cable within it be those of the link:
#
#       ip link add wan1 type veth peer name wan2; ip link set wan1 up; ip link set wan2 up
#       nis=$(musubi up --json deploy/federations/shaped.zpl | jq -r '.members[] | select(.kind == "nis").endpoint')
#       for one in amsterdam berlin; do svc-nis agent --set name=$one --set nis=$nis --set interfaces=wan1,wan2 & done
#       musubi reserve examples/between-two.json
#       watch tc class show dev wan1

name = shaped
directories = g1
planners = 1

sites
    amsterdam
        classes
            node
                nodes = 8
        accounts
            everybody = "*"
    berlin
        classes
            node
                nodes = 8
        accounts
            everybody = "*"

domains
    wire
        sites = "amsterdam, berlin"
        accounts
            everybody = "*"
        links
            fibre
                between = "amsterdam, berlin"
                mbps = 100
                interfaces          # of the router at each end
                    amsterdam = wan1
                    berlin = wan2
        back_end = agents
        prefixes                    # a circuit's traffic goes from one of these to the other
            amsterdam = "10.60.1.0/24"
            berlin = "10.60.2.0/24"
        provision = start
