/*  openings_state - what the files of the openings share; nobody else includes it.
 *
 *  openings.c          one entry for each reservation; its phases, and when it is looked at next
 *  openings_nodes.c    which nodes it has: bound, cleared, leaving, closed, cleaned
 *  openings_use.c      what its runs have used; lending what is not used, and giving it back
 *  openings_records.c  what is kept of it
 *  openings_view.c     what people are told
 *  openings_wire.c     records and answers, to and from proto/openings.proto
 */
#ifndef MUSUBI_OPENINGS_STATE_H
#define MUSUBI_OPENINGS_STATE_H

#include "change_notice.h"
#include "openings.h"
#include "openings_wire.h"
#include "ordered.h"

#define LOOK_MS_MAX      60000 /* a turn far away is looked at so often: clocks get stepped */
#define ACCOUNT_MS       30000 /* use is looked at, and stored, so often while nothing happens */
#define ALTERNATIVES_MAX 4

/*  So many nodes of a class over an interval, as booked. */
typedef struct {
    size_t class;
    interval_t over;
    uint32_t nodes;
} opening_stage_t;

typedef struct {
    openings_t *openings;
    char reservation [NAME_BYTES_MAX + 1];
    stored_opening_t kept;
    opening_stage_t *stages;
    size_t stages_count;
    size_t *nodes;     /* that are held or leaving, for opening_t */
    bool stored;       /* it has a record */
    bool degraded;     /* as last told */
    bool recalled;     /* what was lent is wanted: to be told */
    int64_t active_ms; /* wall: a run of it has moved, or it has begun */
    int64_t watched_ms;
    stored_use_t *use; /* NULL: it was never open */
    int64_t use_put_ms;
    int64_t turn_ms; /* wall: it is to be looked at; INT64_MAX = never, not in turns */
} opening_entry_t;

struct openings {
    openings_parts_t parts;
    openings_limits_t limits;
    const participant_t *participant;
    openings_observer_t observer;
    openings_wants_fn *wants;
    void *wants_owner;
    ordered_t *by_reservation;
    ordered_t *active;         /* from binding to cleaning, by reservation */
    ordered_t *turns;          /* by time, then reservation */
    opening_entry_t **holders; /* of each node: whom it is bound to; NULL = nobody */
    uint64_t timer;
    int64_t now_ms; /* of the last turn */
    change_notice_t notice;
};

/*  What both clocks agree has come. */
static inline int64_t present_ms (const openings_t *self, const moment_t *now)
{
    return timekeeper_least (&self->parts.service->timekeeper, now);
}

/*  The same for one reservation: what was opened once is not before its opening, whatever clocks
 *  say. */
static inline int64_t opening_now_ms (const opening_entry_t *entry, const moment_t *now)
{
    int64_t now_ms = present_ms (entry->openings, now);
    return entry->use && now_ms < entry->kept.from_ms ? entry->kept.from_ms : now_ms;
}

/*  From binding to cleaning. */
static inline bool opening_is_active (opening_phase_t phase)
{
    return phase > OPENING_WAITING && phase < OPENING_OVER;
}

/*  --- openings.c --- */

opening_entry_t *opening_find (const openings_t *self, const char *reservation);
opening_entry_t *opening_new (openings_t *self, const char *reservation, const char *owner);
void opening_free (opening_entry_t *entry);

/*  As it stands, with what comes of that. */
void opening_phase (opening_entry_t *entry, opening_phase_t phase);

opening_t opening_view (const opening_entry_t *entry, int64_t at_ms);

/*  --- openings_steps.c --- */

/*  By time alone. */
opening_phase_t opening_phase_at (const opening_entry_t *entry, int64_t now_ms);

/*  When it is to be looked at next; INT64_MAX = never. */
void opening_turn (opening_entry_t *entry, int64_t turn_ms);

/*  Something has happened to it: its turn comes at the end of this step. */
void opening_soon (opening_entry_t *entry, const moment_t *now);

/*  Nothing is kept of it any more. */
void opening_end (opening_entry_t *entry);

/*  As a back end is told, of the nodes that it keeps or of all; nodes is to be freed. */
back_end_order_t opening_order (const opening_entry_t *entry, bool all);

/*  --- openings_nodes.c --- */

/*  Nodes of a class that it has booked at an instant; of all classes: SIZE_MAX. */
uint32_t opening_wanted (const opening_entry_t *entry, size_t class, int64_t at_ms);

/*  Nodes that it lacks of what it has booked at an instant, or at its start, of all classes. */
uint32_t opening_short (const opening_entry_t *entry, int64_t at_ms);

/*  Does it keep that node: held, or leaving? */
static inline bool bound_kept (const bound_t *bound)
{
    return bound->state == BOUND_HELD || bound->state == BOUND_LEAVING;
}

/*  Are its nodes up, and does nobody else run there? Is a run of its own not over yet? */
bool opening_clear (const opening_entry_t *entry);
bool opening_runs (const opening_entry_t *entry);

/*  Bind, mark and let go what is to be so by now; then: close, clean, unbind. True when something
 *  has changed. */
bool opening_fit (opening_entry_t *entry, const moment_t *now);
bool opening_close (opening_entry_t *entry, const moment_t *now);

/*  Mark those of its nodes whose time has come. True when that is news. */
bool opening_due (opening_entry_t *entry, int64_t now_ms);

/*  The next instant after this one at which there is something to do for its nodes. */
int64_t opening_fit_due (const opening_entry_t *entry, int64_t at_ms);

/*  Tell the runs on its nodes what they are to know by now; a new one, on one of them. */
void opening_enforce (opening_entry_t *entry, const moment_t *now);
void opening_enforce_new (opening_entry_t *entry, const moment_t *now, size_t node);

/*  One of them is being closed. */
bool opening_closes (const opening_entry_t *entry);

/*  Nobody has it yet; let all go, as they are. */
void opening_bind (opening_entry_t *entry, bound_t bound);
void opening_unbind_all (opening_entry_t *entry);

/*  --- openings_use.c --- */

/*  Account what was used and offered up to now. */
void opening_account (opening_entry_t *entry, const moment_t *now);

/*  A run of it is over. */
void opening_run_over (opening_entry_t *entry, const moment_t *now, const run_t *run);

/*  As it would be accounted now. */
stored_use_t opening_use_now (const opening_entry_t *entry, const moment_t *now);

/*  Lend it, or give it back, when it is not used. True when something has changed. */
bool opening_lend (opening_entry_t *entry, const moment_t *now);
int64_t opening_lend_due (const opening_entry_t *entry);

/*  --- openings_records.c --- */

void opening_put (opening_entry_t *entry);
void opening_put_use (opening_entry_t *entry);
void opening_delete (opening_entry_t *entry);

/*  A record at start. */
record_fn openings_on_record;

/*  --- openings_view.c --- */

/*  For usage_t; and Lis.Use. */
packed_t opening_told (void *owner, const moment_t *now, const char *reservation, bool whole);
method_fn openings_on_use;

#endif
