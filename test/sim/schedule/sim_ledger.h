/*  sim_ledger - the audit that ends every schedule: the ledgers in the stores of all processes. */
#ifndef MUSUBI_SIM_LEDGER_H
#define MUSUBI_SIM_LEDGER_H

#include "sim.h"

/*  Replays each ledger, compares it with the records of its store and with the other ledgers.
 *  Errors go to sim_fail; rows are counted. */
void sim_ledger_check (sim_t *sim, sim_tally_t *tally);

#endif
