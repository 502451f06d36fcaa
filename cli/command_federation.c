/*  musubi federation - what operators do with descriptions of federations: a word of its own each.
 */
#include "cli.h"

static const command_t commands [] = {
  {"federation configure", "FILE.zpl DIR --trusted [--port N] [--stores DIR]",
   "Write a configuration for each member, for machines or containers of their own.",
   run_federation_configure},
  {"federation from-graphml", "FILE --sites N --seed S [--domains K] [--out FILE]",
   "Make a federation on a map of the Internet Topology Zoo.", run_federation_from_graphml},
};

#define COMMANDS (sizeof commands / sizeof commands [0])

int run_federation (cli_t *cli)
{
    return cli_run_own (cli, commands, COMMANDS);
}
