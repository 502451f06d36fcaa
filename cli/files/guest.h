/*  guest - the client's end of one transfer: an agent as storage nodes have (svc-replica node), run
 *  for one file and then ended. It gives a file to a site, or takes one from it.
 */
#ifndef MUSUBI_GUEST_H
#define MUSUBI_GUEST_H

#include "core.h"
#include "process.h"

#define GUEST_WHY_BYTES 512

typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "guest-3fa9…" */
    char *folder;                   /* its own: made, and removed at the end */
    process_t process;
} guest_t;

/*  Which file: its name in the federation, and its path here. */
typedef struct {
    bool gives; /* else it takes */
    const char *name;
    const char *path;
    uint64_t size;
    const char *bind; /* gives: where the site fetches it; whoever reaches that is trusted. NULL =
                         any of loopback */
} guest_errand_t;

/*  Starts it towards a site's svc-replica. False with why. Ended by guest_end in either case. */
bool guest_start (guest_t *self, const char *endpoint, const guest_errand_t *errand,
                  char why [GUEST_WHY_BYTES]);

/*  False with the end of its log when it has ended by itself. */
bool guest_lives (const guest_t *self, char why [GUEST_WHY_BYTES]);
void guest_end (guest_t *self);

#endif
