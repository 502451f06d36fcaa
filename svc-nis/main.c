/*  svc-nis - the service of one network domain. */
#include "host.h"
#include "nis_config.h"
#include "participant_states.h"

int main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-nis",
      .keys = nis_keys,
      .keys_count = nis_keys_count,
      .core_new = nis_core_from_config,
      .states = &command_states,
    };
    return host_run (&program, argc, argv);
}
