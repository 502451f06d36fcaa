/*  sites_commands - the commands about what there is, and what is free. */
#ifndef MUSUBI_SITES_COMMANDS_H
#define MUSUBI_SITES_COMMANDS_H

#include "cli.h"

int run_sites (cli_t *cli);
int run_links (cli_t *cli);
int run_free (cli_t *cli);

#endif
