/*  lease - until when the runs of this machine may go on if the agent hears no more of its site.
 *  One file beside the runs' folders; the agent writes it, all starters read it. Its time counts
 *  from the boot of the machine, sleep included.
 */
#ifndef MUSUBI_LEASE_H
#define MUSUBI_LEASE_H

#include "clock.h"

#include <stdbool.h>

#define LEASE_ENDPOINT_BYTES 256

typedef struct {
    int64_t until_ms;                     /* of lease_now_ms */
    char endpoint [LEASE_ENDPOINT_BYTES]; /* of the agent */
} lease_t;

static inline int64_t lease_now_ms (void)
{
    return clock_ms (CLOCK_BOOTTIME);
}

/*  False with errno. */
bool lease_write (const char *runs, const lease_t *lease);

/*  False when there is no lease of this boot. */
bool lease_read (const char *runs, lease_t *lease);

#endif
