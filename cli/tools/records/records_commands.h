/*  records_commands - check and txn: the participants' records, judged and shown. */
#ifndef MUSUBI_RECORDS_COMMANDS_H
#define MUSUBI_RECORDS_COMMANDS_H

#include "cli.h"

int run_check (cli_t *cli);
int run_txn (cli_t *cli);
int run_take_over (cli_t *cli);

#endif
