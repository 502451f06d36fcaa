/*  configuration - the settings of one member of a federation, as its service reads them.
 *
 *  What the member is comes from the description of the federation. Where it listens, whom it asks
 *  and where its store is differ between processes of one machine (`up`) and members on machines of
 *  their own (`federation configure`), so the caller tells.
 */
#ifndef MUSUBI_CONFIGURATION_H
#define MUSUBI_CONFIGURATION_H

#include "federation.h"

typedef struct {
    const char *kind; /* "lis"; its program is "svc-lis", that of "node" is "svc-lis node" */
    const char *name; /* "amsterdam"; unused for planners, which are named after their stores */
    const char *written_by;
    const char *directories; /* endpoints separated by commas, its own left out */
    const char *administrator;
    const char *account;  /* the administrator's local account, for a site that names no accounts */
    const char *endpoint; /* NULL = any port of loopback */
    const char *events;
    const char *host;  /* where others reach it; NULL = as the endpoint says */
    bool trusted;      /* everyone who can reach it is trusted */
    const char *store; /* its folder; for planners the pool that they share */

    /*  For an agent only: */
    const char *site;              /* endpoint of its site; NULL = not an agent */
    const char *kept;              /* folder of its runs, or of its files */
    const federation_node_t *node; /* NULL = the agent of a storage node */
    const char *storage;           /* of a node: the storage node on its machine; NULL = none */
    const char *arrivals;          /* and that one's folder of files */

    /*  For a storage node only: */
    uint64_t bytes;   /* bytes that it may use */
    const char *data; /* where others fetch files; NULL = any port of loopback */
} configuration_t;

/*  "svc-lis node"; "?" for an unknown kind. */
const char *configuration_program (const char *kind);

/*  Writes it as ZPL. */
void configuration_write (const configuration_t *self, const federation_t *federation, FILE *to);

#endif
