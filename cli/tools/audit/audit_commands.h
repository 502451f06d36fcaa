/*  audit_commands - ledgers replayed and held against what is said. */
#ifndef MUSUBI_AUDIT_COMMANDS_H
#define MUSUBI_AUDIT_COMMANDS_H

#include "cli.h"

int run_audit (cli_t *cli);

#endif
