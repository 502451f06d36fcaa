/*  tools - musubi-tools, the second program, which only operators and researchers need.
 *
 *  musubi starts it with the same command line, as git does with its own; so users know one client,
 *  which links nothing that only the tools need.
 */
#ifndef MUSUBI_TOOLS_H
#define MUSUBI_TOOLS_H

#include "cli.h"

/*  One of its commands, for both programs' help; running it starts musubi-tools. */
const cli_command_t *tools_command (const char *name);

/*  Replaces this process by musubi-tools, which lies beside this program or on the PATH. Returns
 *  only when it is at neither place, after saying so. */
int tools_start (cli_t *cli);

#endif
