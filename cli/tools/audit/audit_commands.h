/*  audit_commands - audit: ledgers replayed and compared with what services say. */
#ifndef MUSUBI_AUDIT_COMMANDS_H
#define MUSUBI_AUDIT_COMMANDS_H

#include "cli.h"

int run_audit (cli_t *cli);

#endif
