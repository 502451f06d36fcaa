/*  algorithm - the ways to find a plan, as planning, voting and closing use them without asking
 *  which one it is.
 */
#ifndef MUSUBI_ALGORITHM_H
#define MUSUBI_ALGORITHM_H

#include "availability_query.h"

struct pending;

/*  Functions may be NULL where that is said. */
typedef struct {
    const char *name;
    bool asks_itself;   /* nobody is asked before it starts */
    bool keeps_reasons; /* its plans were made all at once: it is told why each was refused */

    /*  What its survey is to ask for beyond the usual, or NULL. */
    void (*ask) (const struct pending *self, availability_query_order_t *order);

    /*  Look for a plan on the snapshot. Ends, now or later, in planning_found or planning_none. */
    void (*start) (struct pending *self, const moment_t *now);

    /*  A vote was refused: is another round worth a try? False with a reason; NULL: it is. Then,
     *  after a pause, another plan: ends as start does, or gives up; NULL: there is only one round.
     */
    bool (*has_next) (struct pending *self);
    void (*again) (struct pending *self, const moment_t *now);

    /*  The plan at hand can't be proposed: is there another? NULL: never. */
    bool (*next) (struct pending *self);

    choice_t (*result) (const struct pending *self);

    /*  Why there is no plan: before the reasons need by need, and after them, or NULL. */
    void (*explain) (struct pending *self);
    void (*explain_rest) (struct pending *self);

    /*  Free what it has made for this request, if anything; or NULL. */
    void (*clear) (struct pending *self);
} algorithm_t;

extern const algorithm_t algorithm_auto, algorithm_bbr, algorithm_bir, algorithm_ip;

#endif
