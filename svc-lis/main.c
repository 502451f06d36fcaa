/*  svc-lis - the service of one site. */
#include "host.h"
#include "lis_config.h"
#include "participant_states.h"

int main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-lis",
      .keys = lis_keys,
      .keys_count = lis_keys_count,
      .core_new = lis_core_from_config,
      .states = &command_states,
    };
    return host_run (&program, argc, argv);
}
