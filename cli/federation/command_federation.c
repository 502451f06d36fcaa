/*  musubi federation - subcommands for descriptions of federations. */
#include "commands.h"
#include "tools.h"

#define FROM_BATCH "--queue QUEUE [--name SITE] [--out FILE]"

int run_federation (cli_t *cli)
{
    const cli_command_t commands [] = {
      {"federation configure", "FILE.zpl DIR --trusted [--port N] [--stores DIR]",
       "Write a file of settings for each member, where members have machines or containers of "
       "their own.",
       run_federation_configure},
      {"federation from-slurm", FROM_BATCH, "Describe the Slurm that runs here as a site.",
       run_federation_from_batch},
      {"federation from-gridengine", FROM_BATCH, "Describe the Grid Engine here as a site.",
       run_federation_from_batch},
      *tools_command ("federation from-graphml"),
    };
    return cli_run_own (cli, commands, sizeof commands / sizeof commands [0]);
}
