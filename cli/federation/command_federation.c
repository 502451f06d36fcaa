/*  musubi federation - subcommands for descriptions of federations. */
#include "commands.h"
#include "tools.h"

int run_federation (cli_t *cli)
{
    const cli_command_t commands [] = {
      {"federation configure", "FILE.zpl DIR --trusted [--port N] [--stores DIR]",
       "Write a file of settings for each member, where members have machines or containers of "
       "their own.",
       run_federation_configure},
      *tools_command ("federation from-graphml"),
    };
    return cli_run_own (cli, commands, sizeof commands / sizeof commands [0]);
}
