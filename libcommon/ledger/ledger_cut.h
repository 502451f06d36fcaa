/*  ledger_cut - old rows leave the ledger, from the front only.
 *
 *  A row leaves when it is older than the ledger's retention and nothing that still exists needs
 *  it: no command, reservation, claim or decision on record. The first row that must stay keeps all
 *  after it. A row that says what was cut, and lists all capacities, is stored in the same write.
 *  When less than a fifth of the store is left, rows that nothing needs leave early, with an alarm:
 *  promises are worth more than the record of them. Part of the ledger; pure.
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
