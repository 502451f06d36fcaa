/*  svc-planner - the service of one planner. */
#include "host.h"
#include "planner_config.h"

int main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-planner",
      .keys = planner_keys,
      .keys_count = planner_keys_count,
      .core_new = planner_core_from_config,
    };
    return host_run (&program, argc, argv);
}
