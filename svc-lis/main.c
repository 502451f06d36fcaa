/*  svc-lis - three programs in one: svc-lis is the service of a site; svc-lis node is the agent of
 *  one of its machines; svc-lis starter is the process that an agent leaves behind for each run.
 */
#include "host.h"
#include "lis_config.h"
#include "node_main.h"
#include "participant_states.h"
#include "starter.h"

#include <string.h>

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "node") == 0)
        return node_main (argc - 1, argv + 1);
    if (argc > 1 && strcmp (argv [1], "starter") == 0)
        return starter_main (argc - 1, argv + 1);
    host_program_t program = {
      .program = "svc-lis",
      .keys = lis_keys,
      .keys_count = lis_keys_count,
      .core_new = lis_core_from_config,
      .states = &command_states,
    };
    return host_run (&program, argc, argv);
}
