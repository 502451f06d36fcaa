/*  tools - the texts of the commands of musubi-tools, and its start. */
#include "tools.h"

#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "musubi-tools"

static const cli_command_t commands [] = {
  {"workload",
   "FILE.swf[.gz] [--requests N] [--seed S] [--rate R | --as-fast] [--clients N] [--compress X]\n"
   "                [--start T] [--answers FILE.jsonl | --dry-run FILE.jsonl] [--plot FILE.svg]\n"
   "                [--check]",
   "Replay a job log as co-allocations.", tools_start},
  {"check", "[--answers FILE.jsonl] [--settle D]",
   "Check the participants' own records for overbooking and half-done transactions.", tools_start},
  {"audit", "[--save DIR] [--settle D] | --rebuild STORE [--from FILE]",
   "Check all ledgers against each other and against what the services say.\nWith --rebuild: make "
   "the records of a stopped store agree with its ledger.",
   tools_start},
  {"txn", "COMMAND …", "List transactions, and end those whose coordinator does not.", tools_start},
  {"solve", "FILE.json|- [--variant V] [--solver S] [--time-limit S] [--first]",
   "Solve co-allocation problems from a file, without a federation.", tools_start},
  {"federation from-graphml", "FILE --sites N --seed S [--domains K] [--out FILE]",
   "Make a federation on a map of the Internet Topology Zoo.", tools_start},
};

const cli_command_t *tools_command (const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands [0]; i++)
        if (strcmp (commands [i].name, name) == 0)
            return &commands [i];
    abort ();
}

int tools_start (cli_t *cli)
{
    char program [PROGRAM_BYTES];
    if (process_beside (PROGRAM, program))
        execv (program, cli->argv);
    if (errno == ENOENT)
        execvp (PROGRAM, cli->argv);
    return cli_fail (EXIT_UNKNOWN,
                     "%s: " PROGRAM ", which does this, can't be started: %s (looked for beside "
                     "musubi, then on the PATH)",
                     cli->command->name, strerror (errno));
}
