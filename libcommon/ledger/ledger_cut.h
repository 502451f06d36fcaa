/*  ledger_cut - rows leave the ledger, from the front only. Part of the ledger; pure.
 *
 *      the store ── LEDGER_EXPORTED ──► a segment ── LEDGER_CUT ──► gone
 *
 *  As soon as the store has twice limits.segment_rows of them, the first segment_rows are written
 *  to a segment (segment.h), whatever still exists. Once that is flushed they are deleted from the
 *  store, in the same write as the row that tells of it. Until then they are in both places.
 *
 *  A row leaves for good when it is older than the retention and nothing that still exists needs
 *  it: no command, reservation, claim or decision on record. The first row that must stay keeps all
 *  after it. A row that says what was cut, and lists all capacities, is stored first; a segment of
 *  which all rows were cut is deleted afterwards. When less than a fifth of the store is left, rows
 *  that nothing needs leave early; when segments take more than limits.segments_bytes, the oldest
 *  rows leave whatever needs them. Both raise an alarm: promises are worth more than the record of
 *  them.
 */
#ifndef MUSUBI_LEDGER_CUT_H
#define MUSUBI_LEDGER_CUT_H

#include "ledger.h"

#define STANDS_MAX 4

typedef struct {
    struct service *service;
    ledger_t *ledger; /* that it is a part of */
    ledger_limits_t limits;
    struct {
        ledger_stands_fn *stands;
        void *owner;
    } judges [STANDS_MAX];
    size_t judges_count;
    uint64_t timer;        /* 0: rows are being read, or exported */
    int64_t set_ms;        /* when the timer was set */
    bool hurried;          /* it was set earlier since, or that would be of no use */
    bool early;            /* the alarm was given */
    uint64_t kept_from;    /* as far as it is known; nothing is kept before it */
    int64_t first_wall_ms; /* of the first row kept; 0 = not known */
    uint64_t stored_from;  /* the first row in the store; 0 = not known */
    bool segments;         /* there are some */
    uint64_t bytes;        /* that they take; 0 = not known */
    uint64_t works;        /* ordered so far; UINT64_MAX less this is the number of the last one */
    uint64_t export_first; /* the rows that it exports; 0: none */
    uint64_t export_last;
    uint64_t dropping; /* kept_from as the last work was told, */
    uint64_t dropped;  /* and as the last one that ended well was */
} ledger_cut_t;

/*  From the start on, until its timer is cancelled. */
void ledger_cut_start (ledger_cut_t *self, const moment_t *now);

/*  A row was put: looks soon if there are enough of them for a segment. */
void ledger_cut_hurry (ledger_cut_t *self);

/*  A work_fn; the owner is the ledger_cut_t. */
bool ledger_cut_on_work (void *owner, const moment_t *now, const event_t *event);

#endif
