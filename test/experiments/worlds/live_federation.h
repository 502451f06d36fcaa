/*  live_federation - a grid as real services on loopback: one process for each site, one for the
 *  domain, one directory, three planners, started and audited by the `musubi` that lies beside this
 *  program.
 *
 *  It ends with the process that started it, however that process ends: a guardian waits for that,
 *  ends the services and removes their folder.
 */
#ifndef MUSUBI_LIVE_FEDERATION_H
#define MUSUBI_LIVE_FEDERATION_H

#include "grid.h"

#define LIVE_ENDPOINT_BYTES 128
#define LIVE_ACTOR          "operator" /* the user who starts it, and so its administrator */

typedef struct live_federation live_federation_t;

/*  Returns when all services serve and know each other. NULL with why. */
live_federation_t *live_up (const grid_t *grid, size_t planners, char why [LONG_WHY_BYTES]);
void live_down (live_federation_t **self_p);

/*  The address of "lis-s01", "nis-grid", "gis-g1" or "planner-1". False with why. */
bool live_endpoint (const live_federation_t *self, const char *member,
                    char endpoint [LIVE_ENDPOINT_BYTES], char why [LONG_WHY_BYTES]);

/*  Runs `musubi audit` once what is in progress has ended. False, with why, unless everything is
 *  proven sound. */
bool live_audit (const live_federation_t *self, char why [LONG_WHY_BYTES]);

#endif
