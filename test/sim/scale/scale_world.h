/*  scale_world - a federation of any size in the simulated host: the services' cores, users who
 *  reserve, show, modify and release, and what all of it costs.
 *
 *  Users work in rounds: each makes so many reservations, then all show theirs, then some modify
 *  them, then they give them back. So what is sent in one stage is what that operation costs. Nodes
 *  and links are plenty in all: what is measured is size.
 */
#ifndef MUSUBI_SCALE_WORLD_H
#define MUSUBI_SCALE_WORLD_H

#include "sim.h"

typedef struct {
    uint64_t seed;
    uint64_t sites;
    uint64_t domains; /* 0 = no networks; sites are dealt out to them */
    uint64_t planners;
    uint64_t directories;
    uint64_t reservations; /* to be asked for in all; 0 = until the days are over */
    int64_t think_ms;      /* mean pause of a user between two operations */
    int64_t ahead_ms;      /* a window begins between one and two of these from now, */
    int64_t lasts_ms;      /* and is so long */
    int64_t retention_ms;  /* of commands, claims and decisions; of ledger rows four times that */
    int64_t join_ms;       /* services are started within this time */
    int64_t kills_ms;      /* mean time between two deaths of some service; 0 = nobody dies */
    int64_t days_ms;       /* virtual time of a soak; 0 = as long as it takes */
    bool keep;             /* half of the reservations are not given back, but end */
    uint64_t crowd; /* users of each planner, who all want the earliest minute of the same hour at
                              once, a quarter of a site; 0 = a few users, who wish as they
                              like */
} scale_order_t;

/*  The least and the most of each number. */
#define SCALE_SITES_MAX    12000
#define SCALE_DOMAINS_MAX  2000
#define SCALE_PLANNERS_MAX 512
#define SCALE_GIS_MAX      4
#define SCALE_CROWD_MAX    1024 /* users of all planners together */

/*  Runs it, printing progress and figures to standard output. False, with why, when something
 *  promised does not hold. */
bool scale_run (const scale_order_t *order, char why [LONG_WHY_BYTES]);

/*  musubi-sim scale …, musubi-sim soak …: arguments [0] is that word. Returns the exit code. */
int scale_command (int count, char **arguments);

#endif
