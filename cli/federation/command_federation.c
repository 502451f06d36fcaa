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
      {"federation from-slurm", "--queue PARTITION [--name SITE] [--out FILE]",
       "Describe a federation of one site, over the Slurm that runs here.",
       run_federation_from_batch},
      {"federation from-gridengine", "--queue QUEUE [--name SITE] [--out FILE]",
       "Describe a federation of one site, over the Grid Engine that runs here.",
       run_federation_from_batch},
      *tools_command ("federation from-graphml"),
    };
    return cli_run_own (cli, commands, sizeof commands / sizeof commands [0]);
}
