/*  openings - the site's reservations on its nodes: bound late, opened, watched, closed, cleaned.
 *
 *      waiting -> binding -> open -> warned -> closing -> cleaning -> over
 *                 |          |       |         |          |
 *                 start-bind start   end-      end: runs  no runs are left:
 *                                    warning   end, grace the cleaning gap
 *
 *  Until start - bind a reservation is a number in the calendar. Then as many usable nodes of its
 *  class as it has booked are bound to it, idle ones first, then those whose preemptible runs are
 *  cheapest to end; they get nothing else any more, and what runs there of others is warned, and
 *  ended by the start. Where a reservation has less booked at some later instant, so many of its
 *  nodes leave then, as all do at its end; where it has more, they are bound as early.
 *
 *  A reservation that has fewer bound than booked is degraded: it is healed as soon as a node is to
 *  be had; its owner is told by show and by the hint "opening", with the alternatives there are.
 *  What was bound and is lost is replaced, and a drained one as soon as it is idle; no run is ever
 *  run elsewhere unless its task wants so.
 *
 *  One that is not used at all is lent to preemptible runs after a while, until it is wanted. Where
 *  the site says so it is given back later still: then any run from the queue may take its nodes up
 *  to its end. The calendar keeps it, since what was promised is changed by transactions alone, and
 *  all of it is accounted to its owner.
 *
 *  What a site has to do outside is its back end's (back_end.h). Each phase is stored before
 *  anything is done for it; every step may be done twice. Times are by both clocks: nothing opens
 *  or ends because one was stepped. Registers TABLE_OPENINGS and Lis.Use. Pure.
 */
#ifndef MUSUBI_OPENINGS_H
#define MUSUBI_OPENINGS_H

#include "back_end.h"
#include "cpu_usage.h"
#include "nodes.h"
#include "timetable.h"

typedef struct {
    int64_t bind_ms;    /* bound so long before the start; at most the site's lead; 5 000 */
    int64_t warning_ms; /* runs are warned so long before the end; 60 000 */
    int64_t grace_ms;   /* between SIGTERM and SIGKILL at the end; 10 000 */
    int64_t lend_ms;    /* unused so long: lent to preemptible runs; 0 = never; 300 000 */
    int64_t release_ms; /* unused so long: given back; 0 = never, the default */
    bool clear;       /* what the queue still runs on a node that is needed is ended; the default */
    int64_t watch_ms; /* the back end is asked so often how an open one stands; 30 000 */
} openings_limits_t;

extern const openings_limits_t openings_limits_default;

/*  Same numbers as proto OpeningPhase. */
typedef enum {
    OPENING_WAITING,
    OPENING_BINDING,
    OPENING_OPEN,
    OPENING_WARNED,
    OPENING_CLOSING,
    OPENING_CLEANING,
    OPENING_OVER,
    OPENING_PHASES
} opening_phase_t;

const char *opening_phase_word (opening_phase_t phase);

/*  Its runs may be started. */
static inline bool opening_is_open (opening_phase_t phase)
{
    return phase == OPENING_OPEN || phase == OPENING_WARNED;
}

/*  One reservation here. Borrows until the next step. */
typedef struct {
    const char *reservation;
    const char *owner;
    opening_phase_t phase;
    int64_t from_ms;
    int64_t until_ms;
    uint32_t wanted;     /* nodes booked at this instant (or at its start) */
    const size_t *nodes; /* that it has and keeps, by index of nodes.h, ascending */
    size_t nodes_count;  /* < wanted: degraded */
    bool lent;           /* its idle nodes may be borrowed by preemptible runs */
    bool given_back;     /* by any run from the queue, up to its end */
    int64_t used_ms;     /* processor time of its runs so far */
} opening_t;

typedef struct {
    void *owner;
    /*  A reservation has moved, its nodes have changed, or the time of one has come. Called in the
     *  step that stores it. */
    void (*moved) (void *owner, const moment_t *now, const opening_t *opening);
} openings_observer_t;

/*  Has the reservation tasks that wait, or run? Asked of the queue; without it, none has. */
typedef bool openings_wants_fn (void *owner, const char *reservation);

/*  Everything is borrowed for life. */
typedef struct {
    service_t *service;
    const site_t *site;
    free_capacity_t *room;
    nodes_t *nodes;
    back_end_t *back_end;
    const access_t *access;
} openings_parts_t;

typedef struct openings openings_t;

/*  limits are copied. The nodes' observer is taken, and the back end's. */
openings_t *openings_new (const openings_parts_t *parts, const openings_limits_t *limits);
void openings_destroy (openings_t **self_p);

/*  What the participant's resource has as its usage: before participant_new. Then who knows the
 *  reservations, borrowed for life; before the first step. Starts come in this order: the
 *  participant's, the nodes', this one's. */
void openings_usage (openings_t *self, usage_t *usage);
void openings_attach (openings_t *self, const participant_t *participant);

void openings_observe (openings_t *self, const openings_observer_t *observer);
void openings_wants (openings_t *self, openings_wants_fn *wants, void *owner);

/*  False when nothing is known of it here, or it books nothing any more and is over. */
bool openings_find (const openings_t *self, const char *reservation, opening_t *opening);

/*  The reservation that a node is bound to, until it has been cleaned; NULL = none. */
const char *openings_of_node (const openings_t *self, size_t node);

/*  Has the reservation that a node is bound to booked it by now, not only from later on? Nothing of
 *  it runs there before. */
bool openings_node_due (const openings_t *self, size_t node);

/*  Tasks of the reservation have come: what is lent is called back. */
void openings_wanted (openings_t *self, const moment_t *now, const char *reservation);

/*  May runs from the queue be put on this node now, and until when at most? INT64_MIN: not at all;
 *  INT64_MAX: nobody knows of an end. preemptible ones may borrow bound nodes that are lent; what
 *  was given back is open to all, and is still booked in the calendar: see openings_of_node. */
int64_t openings_spare_until (const openings_t *self, size_t node, bool preemptible);

#endif
