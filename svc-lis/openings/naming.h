/*  naming - which nodes reservations are to have, long before they are bound to them.
 *
 *  A node may be named for many at different times. Needs are served by their start, each with
 *  nodes that nobody has over all of its time. As long as nobody else has any, that names nodes for
 *  all that a calendar of counts has granted: whoever has a node at a start was there before, and
 *  is counted. Where others have different nodes one after the other, some may lack nodes all the
 *  same.
 *
 *  Names stay as they are while that names as many; else all needs are named anew. Of several nodes
 *  one is taken where no job runs into the need, and that fits best before what is next there.
 *  Pure.
 */
#ifndef MUSUBI_NAMING_H
#define MUSUBI_NAMING_H

#include "calendar.h"
#include "openings_wire.h"

typedef struct {
    size_t class;
    bool there;   /* it is not lost */
    bool drained; /* it is only for whom it is named already, if there is no other */
    int64_t busy_until_ms;
} naming_node_t;

/*  So many nodes of a class over a time. */
typedef struct {
    size_t class;
    interval_t over;
    uint32_t wanted;
    const bound_t *had; /* named so far, borrowed */
    size_t had_count;
    bool settled;  /* no job runs into it where those are */
    size_t *nodes; /* named now, lent until naming_destroy; fewer than wanted: it lacks some */
    size_t count;
    void *owner; /* for the caller */
} naming_need_t;

typedef struct naming naming_t;

/*  nodes are borrowed. */
naming_t *naming_new (const naming_node_t *nodes, size_t count);
void naming_destroy (naming_t **self_p);

/*  Somebody has that node then, whatever is named. */
void naming_take (naming_t *self, size_t node, interval_t over);

/*  Names nodes for the needs, which it sorts by their start. Once. */
void naming_fit (naming_t *self, naming_need_t *needs, size_t count);

#endif
