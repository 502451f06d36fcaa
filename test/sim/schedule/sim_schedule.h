/*  sim_schedule - one schedule: a small federation, its users' actions and its faults, all drawn
 *  from a seed, run to the end and judged.
 *
 *  Each schedule draws which faults it has at all before it draws how many ("swarm testing"): one
 *  that has everything at once seldom gets anywhere.
 */
#ifndef MUSUBI_SIM_SCHEDULE_H
#define MUSUBI_SIM_SCHEDULE_H

#include "sim.h"

#define SCHEDULE_SITES_MAX    8
#define SCHEDULE_PLANNERS_MAX 8
#define SCHEDULE_GIS_MAX      4
#define SCHEDULE_CLIENTS_MAX  12
#define SCHEDULE_DOMAINS_MAX  4

/*  What a run is asked for, within the bounds above; 0 = drawn from the seed. */
typedef struct {
    uint32_t sites;
    uint32_t planners;
    uint32_t gis;
    uint32_t clients;
    uint32_t domains;
    bool no_domains; /* no domains at all */
    bool swarm;      /* the wider draw (sim_schedule_swarm.c) */
    bool data;       /* with storage, files and space (sim_schedule_data.c) */
} sim_options_t;

/*  Runs the schedule of that seed. True when every check held; else why says which did not. trace
 *  may be NULL. Counts go into the tally. */
bool sim_schedule_run (uint64_t seed, const sim_options_t *options, sim_tally_t *tally, FILE *trace,
                       char why [LONG_WHY_BYTES]);

#endif
