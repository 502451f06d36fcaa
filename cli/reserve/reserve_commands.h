/*  reserve_commands - reservations: made, changed, given back, shown, used. */
#ifndef MUSUBI_RESERVE_COMMANDS_H
#define MUSUBI_RESERVE_COMMANDS_H

#include "cli.h"

int run_reserve (cli_t *cli);
int run_modify (cli_t *cli);
int run_release (cli_t *cli);
int run_show (cli_t *cli);
int run_list (cli_t *cli);
int run_watch (cli_t *cli);
int run_explain (cli_t *cli);
int run_provision (cli_t *cli);
int run_plus (cli_t *cli);
int run_gantt (cli_t *cli);

#endif
