/*  musubi federation - what operators do with descriptions of federations: a word of its own each.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const command_t commands [] = {
  {"federation configure", "FILE.zpl DIR --trusted [--port N] [--stores DIR]",
   "Write a configuration for each member, for machines or containers of their own.",
   run_federation_configure},
  {"federation from-graphml", "FILE --sites N --seed S [--domains K] [--out FILE]",
   "Make a federation on a map of the Internet Topology Zoo.", run_federation_from_graphml},
};

#define COMMANDS (sizeof commands / sizeof commands [0])

static const command_t *find_command (const char *word)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp (strchr (commands [i].name, ' ') + 1, word) == 0)
            return &commands [i];
    return NULL;
}

static void print_help (const cli_t *cli)
{
    printf ("musubi %s %s\n%s\n\n", cli->command->name, cli->command->synopsis,
            cli->command->summary);
    for (size_t i = 0; i < COMMANDS; i++)
        printf ("  %s %s\n      %s\n", commands [i].name, commands [i].synopsis,
                commands [i].summary);
}

int run_federation (cli_t *cli)
{
    int at = cli_first_word (cli->rest_count, cli->rest);
    for (int i = 0; at < 0 && i < cli->rest_count; i++) {
        if (strcmp (cli->rest [i], "--help") == 0) {
            print_help (cli);
            return EXIT_DONE;
        }
    }
    const command_t *command = at < 0 ? NULL : find_command (cli->rest [at]);
    if (!command)
        return cli_fail (EXIT_USAGE, "federation: which of its commands? `musubi federation "
                                     "--help` lists them");

    /* The rest without the word, in order. */
    char **rest = calloc ((size_t) cli->rest_count, sizeof *rest);
    if (!rest)
        abort ();
    for (int i = 0, to = 0; i < cli->rest_count; i++)
        if (i != at)
            rest [to++] = cli->rest [i];
    cli_t own = *cli;
    own.command = command;
    own.rest = rest;
    own.rest_count--;
    int code = command->run (&own);
    free (rest);
    return code;
}
