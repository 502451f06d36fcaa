/*  federation_commands - a federation started on this machine, or prepared for others. */
#ifndef MUSUBI_FEDERATION_COMMANDS_H
#define MUSUBI_FEDERATION_COMMANDS_H

#include "cli.h"

int run_up (cli_t *cli);
int run_down (cli_t *cli);
int run_federation (cli_t *cli);
int run_federation_configure (cli_t *cli);

#endif
