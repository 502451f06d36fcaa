/*  openings_state - what the files of the openings share; nobody else includes it.
 *
 *  openings.c          an entry for each reservation; what the participant and the nodes tell of it
 *  openings_steps.c    phases, and when an entry is looked at next
 *  openings_names.c    which nodes it is to have, and telling the back end long before
 *  openings_nodes.c    which nodes it has: bound, cleared, leaving, closed, cleaned
 *  openings_use.c      what its runs have used; lending what is not used, and giving it back
 *  openings_records.c  what is stored
 *  openings_view.c     answers to people
 *  openings_wire.c     codecs of proto/openings.proto
 */
#ifndef MUSUBI_OPENINGS_STATE_H
#define MUSUBI_OPENINGS_STATE_H

#include "change_notice.h"
#include "openings.h"
#include "openings_wire.h"
#include "ordered.h"

#define LOOK_MS_MAX      60000 /* a turn far away is checked so often, because clocks get stepped */
#define ACCOUNT_MS       30000 /* how often use is accounted and stored while nothing happens */
#define ALTERNATIVES_MAX 4

/*  A number of nodes of a class, booked over an interval. */
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
    size_t *nodes;     /* for opening_t: those that are held or leaving */
    bool stored;       /* it has a record */
    bool lacks;        /* nodes: it takes any that comes */
    bool degraded;     /* as last told */
    bool recalled;     /* it was lent and is wanted: observers have to be told */
    int64_t active_ms; /* wall: when a run of it last moved, or it began */
    int64_t watched_ms;
    back_end_step_t step; /* that the back end was last told in this start; BACK_END_STEPS = none */
    interval_t step_over; /* and for when */
    bool prepared;        /* as last told */
    bool there;           /* the back end has confirmed what it was told last */
    bool renamed;         /* it has other names than the back end was told */
    bool gives_way;       /* it is removed there, so that another gets the nodes that it had */
    uint32_t unnamed;     /* nodes of its start that it has no names for */
    stored_use_t *use;    /* NULL: it was never open */
    int64_t use_put_ms;
    int64_t turn_ms; /* wall: its next turn; INT64_MAX = none, it is not in turns */
} opening_entry_t;

struct openings {
    openings_parts_t parts;
    openings_limits_t limits;
    const participant_t *participant;
    openings_observer_t observer;
    ordered_t *by_reservation;
    ordered_t *active;         /* from binding to cleaning, by reservation */
    ordered_t *turns;          /* by time, then reservation */
    opening_entry_t **holders; /* of each node: what it is bound to; NULL = nothing */
    uint64_t timer;
    uint64_t reconcile_timer; /* after a close; 0 = none */
    uint64_t names_timer;     /* something has changed; 0 = nothing */
    uint64_t look_timer;
    int64_t now_ms; /* of the last turn */
    change_notice_t notice;
};

/*  The time that both clocks have reached. */
static inline int64_t present_ms (const openings_t *self, const moment_t *now)
{
    return timekeeper_least (&self->parts.service->timekeeper, now);
}

/*  The same for a reservation: once opened it stays opened, whatever the clocks say. */
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

/*  Sets the phase, and puts the entry into the list of active ones or takes it out. */
void opening_phase (opening_entry_t *entry, opening_phase_t phase);

opening_t opening_view (const opening_entry_t *entry, int64_t at_ms);

/*  --- openings_steps.c --- */

/*  The phase that is due by time alone. */
opening_phase_t opening_phase_at (const opening_entry_t *entry, int64_t now_ms);

/*  Sets its next turn; INT64_MAX = none. */
void opening_turn (opening_entry_t *entry, int64_t turn_ms);

/*  Its turn comes at the end of this step, because something has happened to it. */
void opening_soon (opening_entry_t *entry, const moment_t *now);

/*  Deletes its records and frees it. */
void opening_end (opening_entry_t *entry);

/*  Has the back end made it ready, or opened it? */
bool opening_prepared (const opening_entry_t *entry);

/*  What a back end is told of it: the nodes that it keeps, or all; of one that waits those named
 *  from its start on. The caller frees nodes. */
back_end_order_t opening_order (const opening_entry_t *entry, bool all);

/*  What becomes of jobs in a batch system that are in its way. */
clear_t opening_clearing (const opening_entry_t *entry);

/*  Why the owner's account is unfit; "" = it is not, or it is over. openings_unfit is of
 *  usage_t. */
const char *opening_unfit (const opening_entry_t *entry);
const char *openings_unfit (void *owner, const char *actor);

/*  --- openings_names.c --- */

/*  Nodes are named anew in a moment, because something has changed. */
void openings_names_soon (openings_t *self, const moment_t *now);

/*  Is the node named for it, at any time? */
bool opening_named (const opening_entry_t *entry, size_t node);

/*  Is it bound to one, or does the back end still keep it for another one that is bound
 *  elsewhere? */
bool opening_node_taken (const opening_entry_t *entry, size_t node);

/*  It waits no longer: what the back end keeps for it is bound to it, usable or not; what is
 *  another's by now stays among its names until the back end has let it go. If it was left before,
 *  others may have that until it would begin there, opening_begins_there; it is bound then if the
 *  back end has not closed it yet. True when something has changed. */
bool opening_bind_named (opening_entry_t *entry, int64_t now_ms);
int64_t opening_begins_there (const opening_entry_t *entry);

/*  The back end has the nodes that it was told last, named or bound, and no others any more. */
void opening_names_confirmed (opening_entry_t *entry);

/*  Is it refused the nodes that it is to have, while another of the site is refused those that it
 *  had? Then it gives way: it is removed there first, and made again when that is done. */
bool opening_in_the_way (const opening_entry_t *entry);
void opening_gave_way (opening_entry_t *entry);

/*  From when on the back end is told of its names: any job that it lets begin before ends before
 *  its start. */
int64_t opening_told_due (const opening_entry_t *entry);

/*  Asks the back end after that time how all stand that it was told of while they wait. */
void openings_look (openings_t *self, const moment_t *now, int64_t after_ms);

/*  --- openings_nodes.c --- */

/*  How many nodes of a class it has booked at an instant; SIZE_MAX = of all classes. */
uint32_t opening_wanted (const opening_entry_t *entry, size_t class, int64_t at_ms);

/*  How many nodes it lacks, of all classes, at an instant, or at its start if that is later. */
uint32_t opening_short (const opening_entry_t *entry, int64_t at_ms);

/*  How many nodes are missing in the calendar, at most, while it has some booked. */
uint32_t opening_overbooked (const opening_entry_t *entry, int64_t now_ms);

/*  Does it keep that node, as held or leaving? */
static inline bool bound_kept (const bound_t *bound)
{
    return bound->state == BOUND_HELD || bound->state == BOUND_LEAVING;
}

/*  opening_clear: are all its nodes up, without runs of others? opening_runs: is a run of its own
 *  not over? */
bool opening_clear (const opening_entry_t *entry);
bool opening_runs (const opening_entry_t *entry);

/*  A node of it that the batch system has drained, and says why; NULL = none. */
const bound_t *opening_drained (const opening_entry_t *entry);

/*  opening_fit binds, marks and lets go the nodes for which that is due; opening_close closes,
 *  cleans and unbinds them. True when something has changed. */
bool opening_fit (opening_entry_t *entry, const moment_t *now);
bool opening_close (opening_entry_t *entry, const moment_t *now);

/*  Marks the nodes from which on it has booked them by now. True when there are new ones. */
bool opening_due (opening_entry_t *entry, int64_t now_ms);

/*  The next instant after this one at which something is due for its nodes. */
int64_t opening_fit_due (const opening_entry_t *entry, int64_t at_ms);

/*  Warns or ends runs on its nodes, as is due now; _new: on one node, where a run has come. */
void opening_enforce (opening_entry_t *entry, const moment_t *now);
void opening_enforce_new (opening_entry_t *entry, const moment_t *now, size_t node);

/*  Is one of its nodes closing? */
bool opening_closes (const opening_entry_t *entry);

/*  opening_bind binds a node that is bound to nothing; opening_unbind_all lets all go as they
 *  are. */
void opening_bind (opening_entry_t *entry, bound_t bound);
void opening_unbind_all (opening_entry_t *entry);

/*  --- openings_use.c --- */

/*  Accounts what was used and offered up to now. */
void opening_account (opening_entry_t *entry, const moment_t *now);

/*  Accounts a run of it that is over. */
void opening_run_over (opening_entry_t *entry, const moment_t *now, const run_t *run);

/*  What its back end has counted, once it was over. */
void opening_counted (opening_entry_t *entry, bytes_t result);

/*  Its use as it would be accounted now. */
stored_use_t opening_use_now (const opening_entry_t *entry, const moment_t *now);

/*  Lends it, or gives it back, if it has been unused for long enough. True when something has
 *  changed. */
bool opening_lend (opening_entry_t *entry, const moment_t *now);
int64_t opening_lend_due (const opening_entry_t *entry);

/*  --- openings_records.c --- */

void opening_put (opening_entry_t *entry);
void opening_put_use (opening_entry_t *entry);
void opening_delete (opening_entry_t *entry);

record_fn openings_on_record;

/*  --- openings_view.c --- */

/*  What usage_t and Lis.Use tell of it. */
packed_t opening_told (void *owner, const moment_t *now, const char *reservation, bool whole);
method_fn openings_on_use;

#endif
