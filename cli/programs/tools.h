/*  tools - the second program, musubi-tools: what only operators and researchers use.
 *
 *  musubi starts it under the same command line, as git does with its own; so users see one client,
 *  which links none of what the tools need.
 */
#ifndef MUSUBI_TOOLS_H
#define MUSUBI_TOOLS_H

#include "cli.h"

/*  One of its commands, as both programs tell of it; to run it is to start musubi-tools. */
const cli_command_t *tools_command (const char *name);

/*  This process becomes musubi-tools: beside this program, or else on the PATH. Returns only when
 *  it is at neither place, after telling so. */
int tools_start (cli_t *cli);

#endif
