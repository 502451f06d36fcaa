/*  backtrack - the search of Ando and Aida (S0, figures 2 and 3), as a machine that is stepped.
 *
 *  The needs of a request are the vertices of a graph, its network needs the edges. From the vertex
 *  with the fewest candidate places on, each vertex takes a place, looks whether the edges to
 *  vertices decided before can be had, and then visits the others. A place that is free only later
 *  than wanted moves the start of the whole plan, and everything begins again from the root.
 *
 *      bbr   asks only; the plan is reserved when it is whole
 *      bir   holds each choice as it is made, and cancels it on the way back
 *
 *  The machine knows no service: it says what it wants next (backtrack_wish) and is told. As drawn,
 *  it is incomplete: a vertex that was left with success is not entered again to try its other
 *  places, and the first place in the policy's order that is late moves the start, though others
 *  may not be late. These are the paper's; options say otherwise. Pure.
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
} backtrack_need_t;

typedef struct {
    size_t ends [2]; /* indices of needs, different */
    int64_t offset_ms;
    int64_t duration_ms;
} backtrack_edge_t;

/*  Lists are borrowed for life. */
typedef struct {
    const backtrack_need_t *needs;
    size_t needs_count;
    const backtrack_edge_t *edges;
    size_t edges_count;
    const size_t *sites; /* of each place; NULL = a place is a site */
    int64_t begin_ms;    /* the first start: arrival + w_interval */
    int64_t latest_ms;   /* no start after it; INT64_MAX = as the deadline allows */
    int64_t deadline_ms; /* of each need (literal) or of the whole plan (whole_deadline) */
    policy_t policy;     /* places go earliest start, lowest price or least load first, or anyhow */
    bool incremental;    /* bir */
    bool distinct;       /* no site twice; S0 allows it */
    bool whole_deadline; /* leave out places from which the whole plan can't end in time: milder */
    bool least_delta;    /* repaired: move the start only when no place is free in time, and then by
                            the least */
} backtrack_order_t;

/*  What a place said: the earliest start at or after the one asked from which the need fits. */
typedef struct {
    size_t place;
    int64_t start_ms;
    double load;   /* booked share of [begin, deadline] there, 0 to 1 */
    int64_t price; /* a CPU-time, in any unit that is the same for all */
} backtrack_slot_t;

typedef enum {
    BACKTRACK_ASK_PLACES, /* each of places: the earliest start of need in [from, until) for its
                             duration; tell with backtrack_slots */
    BACKTRACK_ASK_EDGE,   /* is the edge free between its places over [from, until)? */
    BACKTRACK_HOLD_NEED,  /* hold need at place over [from, until) */
    BACKTRACK_HOLD_EDGE,  /* hold the edge, which has just been found free */
    BACKTRACK_CANCEL,     /* give up the holds listed; tell with backtrack_cancelled */
    BACKTRACK_FOUND,      /* the end: backtrack_place, backtrack_start */
    BACKTRACK_NONE,       /* the end: no place is left at the root */
} backtrack_wish_kind_t;

/*  A hold that is no longer wanted. */
typedef struct {
    bool edge;    /* of an edge, else of a need */
    size_t index; /* of it */
} backtrack_hold_t;

/*  What is wanted now; lists live until the machine is told something. */
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

/*  The answer to ASK_PLACES: whoever is not in the list has no such time, or is silent. Starts
 *  before the one asked are taken as that one. */
void backtrack_slots (backtrack_t *self, const backtrack_slot_t *slots, size_t count);

/*  The answer to ASK_EDGE, HOLD_NEED, HOLD_EDGE. */
void backtrack_reply (backtrack_t *self, bool yes);
void backtrack_cancelled (backtrack_t *self);

/*  The start of the plan as it is now. */
int64_t backtrack_start (const backtrack_t *self);

/*  Where a need is; SIZE_MAX while it is undecided. */
size_t backtrack_place (const backtrack_t *self, size_t need);

/*  Is the edge decided, and carried by the network? Not when both ends are at one place. */
bool backtrack_carried (const backtrack_t *self, size_t edge);

#endif
