/*  services_commands - the services themselves: are they well, and any call to them. */
#ifndef MUSUBI_SERVICES_COMMANDS_H
#define MUSUBI_SERVICES_COMMANDS_H

#include "cli.h"

int run_doctor (cli_t *cli);
int run_call (cli_t *cli);

#endif
