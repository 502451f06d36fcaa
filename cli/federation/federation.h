/*  federation - the description of a federation: directories, sites with their classes and prices,
 *  network domains with their graphs, balancers, and the number of planners
 *  (deploy/federations/README.md).
 *
 *  The section of a site has the keys of svc-lis, that of a domain the keys of svc-nis; both are
 *  copied into the settings of the member.
 */
#ifndef MUSUBI_FEDERATION_H
#define MUSUBI_FEDERATION_H

#include "cli.h"
#include "config.h"

#define FEDERATION_DIRECTORIES_MAX 8
#define FEDERATION_SITES_MAX       4096
#define FEDERATION_DOMAINS_MAX     1024
#define FEDERATION_PLANNERS_MAX    64
#define FEDERATION_BALANCERS_MAX   64
#define FEDERATION_BYTES_MAX       (4u << 20) /* of a description */
typedef struct federation federation_t;

/*  A node of a site that runs tasks, or its batch system; it has an agent. */
typedef struct {
    const char *name;       /* its name in the site: "thin-001"; "slurm" */
    const char *class_name; /* "" = a batch system */
    uint32_t cpus;
    const char *site; /* of a batch system only */
} federation_node_t;

/*  The example of five sites that comes with the client. */
extern const char federation_example [];
extern const size_t federation_example_size;

/*  Reads a description; name stands for FILE in why = "FILE:LINE: key: …". The text is copied. */
federation_t *federation_read (const char *name, const char *text, size_t size,
                               char why [LONG_WHY_BYTES]);
void federation_destroy (federation_t **self_p);

/*  One that ends where its block does. */
#define federation_auto_t federation_t __attribute__ ((cleanup (federation_destroy)))

/*  The same from a file. *text is its text, the caller's in either case; NULL when it can't be
 *  read. */
federation_t *federation_load (const char *file, char **text, char why [LONG_WHY_BYTES]);

/*  Writes a description that a command has made to a new file, or "-", once it is seen that it can
 *  be read. Returns the exit code. */
int federation_save (const char *text, size_t size, const char *path);

/*  Tells of each setting that is none any more; said as it is now, it is taken. */
void federation_warn (const federation_t *self, const cli_t *cli);

/*  The name of the federation; NULL when it can't be the name of a folder. */
const char *federation_name (const federation_t *self);

/*  Short names of the members of a kind ("gis", "index", "lis", "nis", "balancer"), in file order;
 *  they live with the federation. */
size_t federation_names (const federation_t *self, const char *kind, const char *const **names);
size_t federation_planners (const federation_t *self);

/*  The nodes of a site that runs tasks, in file order; none at other sites. They live with the
 *  federation. */
size_t federation_nodes (const federation_t *self, const char *site,
                         const federation_node_t **nodes);

/*  The storage nodes of a site, none where it keeps no files; and the bytes that each may use.
 *  Names live with the federation. */
size_t federation_storage (const federation_t *self, const char *site, const char *const **names);
uint64_t federation_storage_bytes (const federation_t *self, const char *site);

/*  "sites/ams/accounts": of the first site or domain that names none; malloc'ed, NULL when all
 *  do. */
char *federation_without_accounts (const federation_t *self);

/*  Writes the section of a site or a domain as ZPL, one level up. administrator is added to those
 *  named there. A section without accounts is open to anybody; that of a site that runs tasks only
 *  to the administrator, as this local account. */
void federation_write_site (const federation_t *self, const char *site, const char *administrator,
                            const char *account, FILE *to);
void federation_write_domain (const federation_t *self, const char *domain,
                              const char *administrator, FILE *to);

/*  Writes what svc-replica needs to know of a site, in the same way. */
void federation_write_storage (const federation_t *self, const char *site,
                               const char *administrator, FILE *to);

/*  Writes what the agent of a site's batch system needs to know of it: its section "batch". */
void federation_write_batch (const federation_t *self, const char *site, FILE *to);

/*  Writes the section of a balancer. */
void federation_write_balancer (const federation_t *self, const char *balancer, FILE *to);

/*  Writes name = "value", indented by that many levels. */
void federation_write_value (FILE *to, unsigned level, const char *name, const char *value);

#endif
