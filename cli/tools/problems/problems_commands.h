/*  problems_commands - solve and balance --step: the algorithms on problems out of a file; no
 *  service is asked. */
#ifndef MUSUBI_PROBLEMS_COMMANDS_H
#define MUSUBI_PROBLEMS_COMMANDS_H

#include "cli.h"

int run_solve (cli_t *cli);
int run_balance_step (cli_t *cli);

#endif
