/*  svc-nis - two programs in one: svc-nis is the service of a network domain; svc-nis agent is the
 *  agent of one of its routers.
 */
#include "circuit_back_end.h"
#include "host.h"
#include "nis_config.h"
#include "participant_states.h"
#include "router_main.h"

#include <string.h>

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "agent") == 0)
        return router_main (argc - 1, argv + 1);
    host_program_t program = {
      .program = "svc-nis",
      .settings = &nis_file_table,
      .core_new = nis_core_from_config,
      .states = (const state_table_t *const []){&command_states, &circuit_states, NULL},
    };
    return host_run (&program, argc, argv);
}
