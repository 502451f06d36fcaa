/*  musubi-tools - what only operators and researchers use; musubi starts it under the same command
 *  names and options.
 */
#include "commands.h"
#include "process.h"

static int run_federation_own (cli_t *cli)
{
    cli_command_t command = *tools_command ("federation from-graphml");
    command.run = run_federation_from_graphml;
    return cli_run_own (cli, &command, 1);
}

/*  A command without a text here has it in cli/programs/process.c. */
static const cli_command_t own [] = {
  {.name = "workload", .run = run_workload},
  {.name = "check", .run = run_check},
  {.name = "audit", .run = run_audit},
  {.name = "txn", .run = run_txn},
  {.name = "solve", .run = run_solve},
  {"balance", "--step FILE.json|- [--reschedule]",
   "Compute steps of sharing unreserved work out of a file; no service is asked.",
   run_balance_step},
  {"federation", "from-graphml …", "Make a federation on a map.", run_federation_own},
};

#define COMMANDS (sizeof own / sizeof own [0])

int main (int argc, char **argv)
{
    cli_command_t commands [COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        commands [i] = own [i].summary ? own [i] : *tools_command (own [i].name);
        commands [i].run = own [i].run;
    }
    return cli_main (argc, argv, commands, COMMANDS);
}
