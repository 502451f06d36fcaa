/*  svc-balancer - the service of one coalition. */
#include "balancer_config.h"
#include "coalition.h"
#include "host.h"

int main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-balancer",
      .settings = &balancer_file_table,
      .core_new = balancer_core_from_config,
      .states = (const state_table_t *const []){&member_states, NULL},
    };
    return host_run (&program, argc, argv);
}
