/*  svc-replica - the service of one site's files, or an index of all sites'; svc-replica node - the
 *  agent of one of its storage nodes; svc-replica guest - a client's end of one transfer.
 */
#include "fetcher.h"
#include "host.h"
#include "replica_config.h"
#include "storage_main.h"

#include <string.h>

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "node") == 0)
        return storage_main (argc - 1, argv + 1);
    if (argc > 1 && strcmp (argv [1], "guest") == 0)
        return storage_guest (argc - 1, argv + 1);
    host_program_t program = {
      .program = "svc-replica",
      .settings = &replica_file_table,
      .core_new = replica_core_from_config,
      .states = (const state_table_t *const []){&transit_states, &receiver_states, NULL},
    };
    return host_run (&program, argc, argv);
}
