/*  files_commands - the commands about files of the federation. */
#ifndef MUSUBI_FILES_COMMANDS_H
#define MUSUBI_FILES_COMMANDS_H

#include "cli.h"

/*  The absolute path of what a get writes, if its folder exists and can be written to; malloc'ed.
 *  NULL after saying why not. */
char *path_beside (const char *given);

int run_put (cli_t *cli);
int run_get (cli_t *cli);
int run_replicas (cli_t *cli);
int run_pin (cli_t *cli);
int run_unpin (cli_t *cli);
int run_rule (cli_t *cli);
int run_evict (cli_t *cli);
int run_scrub (cli_t *cli);

#endif
