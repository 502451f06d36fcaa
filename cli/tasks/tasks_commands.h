/*  tasks_commands - the commands about tasks. */
#ifndef MUSUBI_TASKS_COMMANDS_H
#define MUSUBI_TASKS_COMMANDS_H

#include "cli.h"

int run_submit (cli_t *cli);
int run_queue (cli_t *cli);
int run_cancel (cli_t *cli);
int run_output (cli_t *cli);
int run_nodes (cli_t *cli);

#endif
