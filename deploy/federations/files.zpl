#   Three sites with files on two storage nodes each, and an index of all of them:
#
#       musubi up deploy/federations/files.zpl
#       musubi put 2020.nc era5/2020.nc --site amsterdam
#       musubi get era5/2020.nc -o 2020.nc --site kyoto
#       musubi rule era5/2020.nc --copies 2

name = files
directories = g1, g2
indexes = i1

sites
    amsterdam
        classes
            node
                nodes = 64
        storage
            nodes = "disk-1, disk-2"
            bytes = 10000000000
        accounts
            everybody = "*"
    berlin
        classes
            node
                nodes = 64
        storage
            nodes = "disk-1, disk-2"
            bytes = 10000000000
        accounts
            everybody = "*"
    kyoto
        classes
            node
                nodes = 64
        storage
            nodes = "disk-1, disk-2"
            bytes = 2000000000
            mbps = 1000
        accounts
            everybody = "*"
