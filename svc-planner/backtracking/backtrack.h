/*  backtrack - the search of Ando and Aida (S0, figures 2 and 3), as a machine that is stepped.
 *
 *  The needs of a request are the vertices of a graph, its network needs the edges. Beginning with
 *  the vertex that has the fewest candidate places, each vertex takes a place, checks whether the
 *  edges to vertices decided before can be had, and then visits the others. A place that is free
 *  only later than wanted moves the start of the whole plan, and the search begins again.
 *
 *      bbr   only asks; the plan is reserved when it is complete
 *      bir   holds each choice as it is made, and cancels it on the way back
 *
 *  The machine knows no service: it says what it wants next (backtrack_wish) and is given the
 *  answer. As published, the search is incomplete: a vertex that has succeeded is not entered again
 *  to try its other places, and the start moves if the first place in the policy's order is late,
 *  even if others are not. least_delta changes the latter.
 *
 *  Data and space are vertices, too (SPEC 60): each is tied to the need that it is for, so it is
 *  visited from there, and only its places at that need's site are looked at. Pure.
 */
#ifndef MUSUBI_BACKTRACK_H
#define MUSUBI_BACKTRACK_H

#include "prng.h"
#include "request.h"

typedef struct {
    int64_t offset_ms;
    int64_t duration_ms;
    const size_t *places; /* candidates, as the directory names them */
    size_t places_count;
    bool follows; /* only visited along an edge or a tie, of which it has one; shares any site */
    bool takes_nothing; /* so it is never held */
    size_t apart;       /* needs of one number have places of their own; 0 = any place will do */
} backtrack_need_t;

typedef struct {
    size_t ends [2]; /* indices of needs, different */
    int64_t offset_ms;
    int64_t duration_ms;
    bool tie; /* both ends are to be at one site, and nothing is carried */
} backtrack_edge_t;

/*  Lists are borrowed for life. */
typedef struct {
    const backtrack_need_t *needs;
    size_t needs_count;
    const backtrack_edge_t *edges;
    size_t edges_count;
    const size_t *sites; /* of each place; NULL = a place is a site */
    int64_t begin_ms;    /* the first start: arrival + w_interval */
    int64_t latest_ms;   /* the last start; INT64_MAX = limited by the deadline only */
    int64_t deadline_ms; /* of each need, as published, or of the whole plan (whole_deadline) */
    policy_t policy;     /* places: earliest start, lowest price, least load first, or by lot */
    bool incremental;    /* bir */
    bool distinct;       /* no site twice but for needs that follow; S0 allows it */
    bool whole_deadline; /* leave out places from which the whole plan can't end in time */
    bool least_delta;    /* move the start only when no place is free in time, and then least */
} backtrack_order_t;

/*  What a place answered: the earliest start, from the one asked on, at which the need fits. */
typedef struct {
    size_t place;
    int64_t start_ms;
    double load;   /* its booked share of [begin, deadline], 0 to 1 */
    int64_t price; /* of CPU time, in any unit that all places share */
} backtrack_slot_t;

typedef enum {
    BACKTRACK_ASK_PLACES, /* earliest start of need in [from, until) at places: backtrack_slots */
    BACKTRACK_ASK_EDGE,   /* is the edge free between its places over [from, until)? */
    BACKTRACK_HOLD_NEED,  /* hold need at place over [from, until) */
    BACKTRACK_HOLD_EDGE,  /* hold the edge, which was just found free */
    BACKTRACK_CANCEL,     /* cancel the holds listed: backtrack_cancelled */
    BACKTRACK_FOUND,      /* the end: see backtrack_place, backtrack_start */
    BACKTRACK_NONE,       /* the end: no place is left at the root */
} backtrack_wish_kind_t;

/*  A hold of one need or edge. */
typedef struct {
    bool edge;    /* of an edge, else of a need */
    size_t index; /* of it */
} backtrack_hold_t;

/*  What the machine wants now; lists live until it is given the answer. */
typedef struct {
    backtrack_wish_kind_t kind;
    size_t need; /* or edge */
    size_t edge;
    const size_t *places; /* ASK_PLACES */
    size_t places_count;
    size_t place;    /* HOLD_NEED */
    size_t ends [2]; /* ASK_EDGE, HOLD_EDGE: places */
    int64_t from_ms;
    int64_t until_ms;
    const backtrack_hold_t *holds; /* CANCEL */
    size_t holds_count;
} backtrack_wish_t;

typedef struct backtrack backtrack_t;

backtrack_t *backtrack_new (const backtrack_order_t *order, prng_t *prng);
void backtrack_destroy (backtrack_t **self_p);

backtrack_wish_t backtrack_wish (const backtrack_t *self);

/*  The answer to ASK_PLACES. Places not in the list have no such time, or did not answer. Starts
 *  before the one asked count as that one. */
void backtrack_slots (backtrack_t *self, const backtrack_slot_t *slots, size_t count);

/*  The answer to ASK_EDGE, HOLD_NEED, HOLD_EDGE. */
void backtrack_reply (backtrack_t *self, bool yes);
void backtrack_cancelled (backtrack_t *self);

/*  The present start of the plan. */
int64_t backtrack_start (const backtrack_t *self);

/*  The place of a need; SIZE_MAX while it is undecided. */
size_t backtrack_place (const backtrack_t *self, size_t need);

/*  Is the edge decided, and carried by the network? Not when both ends are at one place. */
bool backtrack_carried (const backtrack_t *self, size_t edge);

#endif
