/*  sharing_commands - the commands about sharing unreserved work among sites. */
#ifndef MUSUBI_SHARING_COMMANDS_H
#define MUSUBI_SHARING_COMMANDS_H

#include "cli.h"

int run_balance (cli_t *cli);
int run_balance_history (cli_t *cli);

#endif
