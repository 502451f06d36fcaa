/*  transfer_client - the client's end of one transfer: an agent as storage nodes have (svc-replica node), run
 *  for one file and then ended. It gives a file to a site, or takes one from it.
 */
#ifndef MUSUBI_TRANSFER_CLIENT_H
#define MUSUBI_TRANSFER_CLIENT_H

#include "core.h"
#include "process.h"

#define TRANSFER_CLIENT_WHY_BYTES 512

typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "guest-3fa9…" */
    char *folder;                   /* its own: made, and removed at the end */
    process_t process;
} transfer_client_t;

/*  Which file: its name in the federation, and its path here. */
typedef struct {
    bool gives; /* else it takes */
    const char *name;
    const char *path;
    uint64_t size;
    const char *bind; /* gives: where the site fetches it; whoever reaches that is trusted. NULL =
                         any of loopback */
} transfer_order_t;

/*  Starts it towards a site's svc-replica. False with why. Ended by transfer_client_end in either case. */
bool transfer_client_start (transfer_client_t *self, const char *endpoint,
                            const transfer_order_t *order, char why [TRANSFER_CLIENT_WHY_BYTES]);

/*  False with the end of its log when it has ended by itself. */
bool transfer_client_lives (const transfer_client_t *self, char why [TRANSFER_CLIENT_WHY_BYTES]);
void transfer_client_end (transfer_client_t *self);

#endif
