/*  algorithm - the ways to find a plan. Planning and voting call them through this table and never
 *  ask which one it is.
 */
#ifndef MUSUBI_ALGORITHM_H
#define MUSUBI_ALGORITHM_H

#include "availability_query.h"

struct pending;

/*  Functions may be NULL where it says so. */
typedef struct {
    const char *name;
    bool asks_itself;   /* it asks sites itself: no query before it starts */
    bool supposes;      /* it calls planning_confirm: not all candidates are asked at first */
    bool keeps_reasons; /* its plans are made all at once: reasons of refused votes add up */

    /*  What the query must ask for beyond the usual, or NULL. */
    void (*ask) (const struct pending *self, availability_query_order_t *order);

    /*  Look for a plan on the snapshot. Ends, now or later, in planning_found or planning_none. */
    void (*start) (struct pending *self, const moment_t *now);

    /*  After a refused vote: may another plan be accepted? False with a reason; NULL: yes. Then,
     *  after a pause, again looks for it and ends as start does, or gives up; NULL: only one round.
     */
    bool (*has_next) (struct pending *self);
    void (*again) (struct pending *self, const moment_t *now);

    /*  The plan at hand can't be proposed: go on to another. False: there is none; NULL: never. */
    bool (*next) (struct pending *self, choice_t *choice);

    /*  Say why there is no plan, before the reasons need by need; and after them, or NULL. */
    void (*explain) (struct pending *self);
    void (*explain_rest) (struct pending *self);

    /*  Free its own state of this request, if there is any; or NULL. */
    void (*clear) (struct pending *self);
} algorithm_t;

extern const algorithm_t algorithm_auto, algorithm_bbr, algorithm_bir, algorithm_ip;

#endif
