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

#define STANDS_MAX 4

typedef struct {
    struct service *service;
    int64_t retention_ms;
    struct {
        ledger_stands_fn *stands;
        void *owner;
    } judges [STANDS_MAX];
    size_t judges_count;
    uint64_t timer;
    uint64_t kept_from;    /* as far as it is known; nothing is kept before it */
    int64_t first_wall_ms; /* of the first row kept; 0 = not known */
    bool early;            /* the alarm was given */
} ledger_cut_t;

/*  From the start on, until its timer is cancelled. */
void ledger_cut_start (ledger_cut_t *self, const moment_t *now);

#endif
