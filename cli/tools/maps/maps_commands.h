/*  maps_commands - federations made on maps of real networks. */
#ifndef MUSUBI_MAPS_COMMANDS_H
#define MUSUBI_MAPS_COMMANDS_H

#include "cli.h"

int run_federation_from_graphml (cli_t *cli);

#endif
