/*  svc-gis - the service of one directory. */
#include "gis_config.h"
#include "host.h"
#include "participant_states.h"

int main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-gis",
      .settings = &gis_file_table,
      .core_new = gis_core_from_config,
      .states = (const state_table_t *const []){&command_states, NULL},
    };
    return host_run (&program, argc, argv);
}
