/*  ledger_cut - old rows leave the ledger, from the front only.
 *
 *  A row leaves when it is older than the ledger's retention and nothing that stands needs it: no
 *  command, reservation, claim or decision that is still on record. The first that has to stay
 * keeps all behind it. A row that says what was cut, and what there is of everything, leaves in the
 *  same write. When four fifths of the store are used, rows that nothing needs leave before their
 *  time, with an alarm: what is promised goes before what is told. Part of the ledger; pure.
 */
#ifndef MUSUBI_LEDGER_CUT_H
#define MUSUBI_LEDGER_CUT_H

#include "ledger.h"

typedef struct ledger_cut ledger_cut_t;

ledger_cut_t *ledger_cut_new (struct service *service);
void ledger_cut_destroy (ledger_cut_t **self_p);

/*  From the start on. */
void ledger_cut_start (ledger_cut_t *self, const moment_t *now);

void ledger_cut_retention (ledger_cut_t *self, int64_t retention_ms);
void ledger_cut_stands (ledger_cut_t *self, ledger_stands_fn *stands, void *owner);

#endif
