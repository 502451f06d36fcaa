/*  transfer_client - the client's end of one transfer: the agent of a storage node, started as a
 *  guest (svc-replica guest) for one file and then ended. It gives a file to a site, or takes one
 *  from it.
 */
#ifndef MUSUBI_TRANSFER_CLIENT_H
#define MUSUBI_TRANSFER_CLIENT_H

#include "part_folder.h"
#include "process.h"

typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "guest-3fa9…" */
    part_folder_t part;             /* its own folder */
    process_t process;
} transfer_client_t;

/*  A file: its name in the federation, and its path here. */
typedef struct {
    bool gives; /* else it takes */
    const char *name;
    const char *path; /* absolute */
    uint64_t size;
    const char *bind; /* endpoint where others fetch it; NULL = at the address by which the site is
                         reached */
} transfer_order_t;

/*  Starts it; endpoint is that of the site's svc-replica. False with why. Ended by
 *  transfer_client_end in either case. */
bool transfer_client_start (transfer_client_t *self, const char *endpoint,
                            const transfer_order_t *order, char why [LONG_WHY_BYTES]);

/*  False when it has ended by itself; why is the last line of its log. */
bool transfer_client_lives (const transfer_client_t *self, char why [LONG_WHY_BYTES]);

/*  True when it has said what failed at this end; why is that. */
bool transfer_client_failed (const transfer_client_t *self, char why [LONG_WHY_BYTES]);

/*  stays: what has come is left for the next one that takes this file to the same path. */
void transfer_client_end (transfer_client_t *self, bool stays);

#endif
