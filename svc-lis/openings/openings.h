/*  openings - the site's reservations on its nodes: bound late, opened, watched, closed, cleaned.
 *
 *  Until `bind` before its start a reservation is only a number in the calendar. Then as many
 *  usable nodes of its class as it has booked are bound to it: those that are named for it, then
 *  idle ones, then those whose preemptible runs are cheapest to end. Those nodes get no other runs;
 *  runs of others there are warned, and ended by the start. When a reservation has less booked at a
 *  later instant, so many of its nodes leave then, and all do at its end; when it has more, the new
 *  ones are bound as early.
 *
 *  A reservation with fewer nodes than it has booked is degraded, until another node can be had.
 *  Its owner learns that from Show and from the notice "opening", with the alternatives there are.
 *  A lost node is replaced, and a drained one as soon as it is idle; a task is run again elsewhere
 *  only if it wants so.
 *
 *  An unused reservation is lent to preemptible runs after a while, until its owner wants it. Where
 *  the site is configured so, it is later given back to the queue, whose runs may then take its
 *  nodes up to its end. It stays in the calendar, since only transactions change what was promised,
 *  and all use is accounted to its owner.
 *
 *  With a back end that can name nodes, the nearest `ahead` of those that wait have named nodes
 *  from their commit on (naming.h), and the back end keeps these for them from `reach` before the
 *  start on. A node is bound to one reservation, and may be named for many at different times. What
 *  the back end refuses then is degraded, and tried again, on other nodes if there are better ones.
 *
 *  At a site with a batch system the nodes are bound there, too, under the reservation's name. They
 *  are nobody else's until the back end has closed it, also when it was never opened. As long as
 *  the back end fails the reservation is degraded.
 *
 *  A back end does what is to be done outside (back_end.h). Each phase is stored before anything is
 *  done for it, and every step may be done twice. Times count by both clocks, so nothing opens or
 *  ends because a clock was stepped. Registers TABLE_OPENINGS and Lis.Use. Pure.
 */
#ifndef MUSUBI_OPENINGS_H
#define MUSUBI_OPENINGS_H

#include "back_end.h"
#include "cpu_usage.h"
#include "nodes.h"
#include "timetable.h"

typedef struct {
    int64_t bind_ms;    /* nodes are bound so long before the start; at most the site's lead */
    int64_t warning_ms; /* runs are warned so long before the end */
    int64_t grace_ms;   /* between SIGTERM and SIGKILL at the end */
    int64_t lend_ms;    /* lent to preemptible runs when unused for so long; 0 = never */
    int64_t release_ms; /* given back when unused for so long; 0 = never */
    bool clear;         /* runs of the queue on a needed node are ended */
    int64_t watch_ms;   /* how often the back end is asked how an open one stands */
    uint32_t ahead;     /* so many of the nearest that wait have named nodes; 0 = none */
    int64_t
      reach_ms; /* the back end is told of them so long before the start; 0 = as its picture says */
} openings_limits_t;

/*  As a site's file says, of a site that has no batch system. */
openings_limits_t openings_limits_of (const opening_settings_t *opening, int64_t watch_ms);

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

extern const state_table_t opening_states;

/*  May its runs be started? */
static inline bool opening_is_open (opening_phase_t phase)
{
    return phase == OPENING_OPEN || phase == OPENING_WARNED;
}

/*  A reservation at this site, as others see it. Borrows until the next step. */
typedef struct {
    const char *reservation;
    const char *owner;
    opening_phase_t phase;
    int64_t from_ms;
    int64_t until_ms;
    uint32_t wanted;     /* nodes booked now, or at its start if that is later */
    const size_t *nodes; /* nodes that it has, as indices of nodes.h, ascending */
    size_t nodes_count;  /* it is degraded when that is < wanted */
    bool lent;           /* its idle nodes may be borrowed by preemptible runs */
    bool given_back;     /* any run of the queue may take its nodes up to its end */
    int64_t used_ms;     /* processor time of its runs so far */
    bool prepared; /* the back end has made it ready: jobs may be queued for it in a batch system */
} opening_t;

/*  Either function may be NULL. */
typedef struct {
    void *owner;

    /*  The phase or the nodes of a reservation have changed, or a node's time has come. Called in
     *  the step that stores the change. */
    void (*moved) (void *owner, const moment_t *now, const opening_t *opening);

    /*  Has the reservation tasks that wait or run? NULL: none has. */
    bool (*wants) (void *owner, const char *reservation);
} openings_observer_t;

/*  Everything is borrowed for life. */
typedef struct {
    service_t *service;
    const site_t *site;
    free_capacity_t *room;
    nodes_t *nodes;
    back_end_t *back_end;
    const access_t *access;
    /*  For the back end: who an actor is, NULL = nobody; and what becomes of jobs in a batch system
     *  that are in the way of its reservations. */
    const account_t *(*account) (void *owner, const char *actor);
    clear_t (*clear) (void *owner, const char *actor);
    void *account_owner;
} openings_parts_t;

typedef struct openings openings_t;

/*  limits are copied. Observes the nodes and the back end. */
openings_t *openings_new (const openings_parts_t *parts, const openings_limits_t *limits);
void openings_destroy (openings_t **self_p);

/*  openings_usage fills the usage of the participant's resource, before participant_new;
 *  openings_attach lends the participant for life, before the first step. At start the participant
 *  comes first, then the nodes, then this. */
void openings_usage (openings_t *self, usage_t *usage);
void openings_attach (openings_t *self, const participant_t *participant);

void openings_observe (openings_t *self, const openings_observer_t *observer);

/*  False when this site has no such reservation, or nothing of it any more. */
bool openings_find (const openings_t *self, const char *reservation, opening_t *opening);

/*  The reservation that a node is bound to, until it has been cleaned; NULL = none. */
const char *openings_of_node (const openings_t *self, size_t node);

/*  Has the time come from which the node's reservation has booked it? No run of it starts there
 *  before. */
bool openings_node_due (const openings_t *self, size_t node);

/*  The reservation has tasks now: if it is lent it is called back. */
void openings_wanted (openings_t *self, const moment_t *now, const char *reservation);

/*  What the account of an actor says of its being unfit has changed. */
void openings_accounts_moved (openings_t *self, const moment_t *now);

/*  Until when may runs of the queue be put on this node? INT64_MIN: not at all; INT64_MAX: without
 *  an end. Preemptible runs may also borrow bound nodes that are lent. A node that was given back
 *  is open to all, but is still booked in the calendar: see openings_of_node. */
int64_t openings_spare_until (const openings_t *self, size_t node, bool preemptible);

#endif
