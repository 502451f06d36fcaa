/*  ledger_replay_state - what the files of ledger_replay share; nobody else includes it.
 *
 *  ledger_replay.c         the rows in their order; what is not about commands; what is shown
 *  ledger_replay_moved.c   commands, reservations, claims: each step against what it was before
 *  ledger_replay_booked.c  what is taken of each resource, and whether there was so much
 */
#ifndef MUSUBI_LEDGER_REPLAY_STATE_H
#define MUSUBI_LEDGER_REPLAY_STATE_H

#include "ledger_replay.h"

typedef struct {
    replay_reservation_t shown; /* version 0: only a first change of it is pending */
    replay_command_t *pending;
    bool taken;             /* what the pending one wants counts */
    booked_spans_t current; /* without gaps, as the parts say */
    booked_spans_t wanted;
    booked_spans_t counted; /* what it adds to the levels: with gaps, the larger of both */
} replay_standing_t;

void replay_violation (ledger_replay_t *self, const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

/*  The record of that key; made, as gone, when make says so, else NULL when there is none. */
replay_kept_t *replay_kept (ledger_replay_t *self, uint8_t table, bytes_t key, bool make);

/*  Takes the record from the row. */
void replay_keep (replay_kept_t *self, const ledger_row_t *row);

/*  --- ledger_replay_moved.c --- */

/*  Takes the command out of the row. */
void replay_moved (ledger_replay_t *self, ledger_row_t *row);
void replay_pruned_command (ledger_replay_t *self, ledger_row_t *row);
void replay_pruned_reservation (ledger_replay_t *self, ledger_row_t *row);
void replay_closed_claim (ledger_replay_t *self, ledger_row_t *row);
void replay_pruned_claim (ledger_replay_t *self, ledger_row_t *row);
/*  Takes the reservation out of the row. */
void replay_readmitted (ledger_replay_t *self, ledger_row_t *row);

/*  Rows are missing: what is taken, and what is pending, is not known any more. */
void replay_doubt (ledger_replay_t *self);

void replay_standing_free (void *thing);

/*  --- ledger_replay_booked.c --- */

/*  What a part books, resources named by index. False when it can't be read. *until_ms = its end
 *  with the gap, 0 for nothing. */
bool replay_part_spans (ledger_replay_t *self, part_kind_t kind, packed_t part,
                        booked_spans_t *spans, int64_t *until_ms);

/*  Counts a reservation anew after its current, wanted or taken has changed. takes: the change
 *  takes capacity, so there must be room for all that it adds. */
void replay_count (ledger_replay_t *self, replay_standing_t *standing, bool takes);

/*  A row STARTED names all resources, CHANGED_CAPACITY some. */
void replay_quantities (ledger_replay_t *self, ledger_row_t *row);

#endif
