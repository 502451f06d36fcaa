/*  configuration - the settings of one member of a federation, as its service reads them.
 *
 *  What the member is comes from the federation's description; where it listens, whom it asks and
 *  where its store lies differ between processes of one machine (`up`) and machines of their own
 *  (`federation configure`), and are told by the caller.
 */
#ifndef MUSUBI_CONFIGURATION_H
#define MUSUBI_CONFIGURATION_H

#include "federation.h"

typedef struct {
    const char *kind; /* "lis"; its program is "svc-lis", that of "node" is "svc-lis node" */
    const char *name; /* "amsterdam"; not used for planners, who are named by their stores */
    const char *written_by;
    const char *directories; /* endpoints, comma-separated, without its own */
    const char *administrator;
    const char *account;  /* local one, of the administrator, at a site that names none */
    const char *endpoint; /* NULL = any of loopback */
    const char *events;
    const char *host;  /* by which others reach it; NULL = what the endpoint says */
    bool trusted;      /* all who can reach it */
    const char *store; /* its folder; planners': the pool that they share */

    /*  Of an agent's alone: */
    const char *site;              /* endpoint of its site; NULL = it is no agent */
    const char *kept;              /* folder of what runs there, or of its files */
    const federation_node_t *node; /* NULL = a storage node's */

    /*  Of a storage node's alone: */
    uint64_t bytes;   /* that it may use */
    const char *data; /* where others fetch them, with host and trusted; NULL = any of loopback */
} configuration_t;

/*  "svc-lis node"; "?" of a kind that is none. */
const char *configuration_program (const char *kind);

/*  Writes it as ZPL. */
void configuration_write (const configuration_t *self, const federation_t *federation, FILE *to);

#endif
