/*  workload_commands - workload: a job log replayed. */
#ifndef MUSUBI_WORKLOAD_COMMANDS_H
#define MUSUBI_WORKLOAD_COMMANDS_H

#include "cli.h"

int run_workload (cli_t *cli);

#endif
