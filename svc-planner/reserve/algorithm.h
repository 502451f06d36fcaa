/*  algorithm - the ways to find a plan. An algorithm is a finder: it is begun on an order, hands
 *  its choice over once, and may be asked for another. It knows no request in progress; planning
 *  and voting call it through this table and never ask which one it is.
 */
#ifndef MUSUBI_ALGORITHM_H
#define MUSUBI_ALGORITHM_H

#include "answer.h"
#include "attempt.h"
#include "availability_query.h"
#include "pendings.h"
#include "search.h"

typedef enum {
    FINDER_FOUND,
    FINDER_NONE,     /* there is none on what is known: proven */
    FINDER_UNPROVEN, /* none among those it looks at; there may be others */
    FINDER_BROKEN,   /* the same, and a solver broke down that may have found one */
    FINDER_UNKNOWN,  /* its steps ran out before it found one */
    FINDER_LATE,     /* its time ran out: asking more would not help */
} finder_end_t;

/*  choice: the plan that was found, or empty; what it points to stays the finder's. The finder may
 *  be destroyed meanwhile. */
typedef void finder_ended_fn (void *owner, const moment_t *now, finder_end_t found,
                              const choice_t *choice);

typedef struct algorithm algorithm_t;

/*  What a plan is to be found for, and on. All is borrowed for the finder's life. */
typedef struct {
    const algorithm_t *algorithm;
    const pendings_t *pendings; /* the planner's parts and settings */
    snapshot_t *snapshot;
    const user_request_t *request; /* as asked */
    const char *actor;
    const char *request_id;
    bool dry_run;
    int64_t begun_wall_ms; /* when the request was received */
    starts_t *starts;      /* it may narrow them: reasons are given for these */
    search_order_t search;
    trail_t *trail; /* gets what it holds meanwhile */
    finder_ended_fn *ended;
    void *owner;
} finder_order_t;

/*  Functions may be NULL where it says so. */
struct algorithm {
    const char *name;
    bool supposes;    /* not all candidates are asked at first: its plans are to be confirmed */
    bool asks_itself; /* no query before it begins, but one for the reasons */
    bool one_round;   /* after a refused vote there is no other plan */

    /*  What the query must ask for beyond the usual, or NULL. */
    void (*ask) (const planner_settings_t *settings, availability_query_order_t *query);

    /*  Look for a plan. *finder is set before it ends, which it may do from within. */
    void (*begin) (const finder_order_t *order, const moment_t *now, void **finder);

    /*  Another of the plans that it has made; false: none can be had any more. NULL: it is begun
     *  anew, on a snapshot that refusals have corrected. */
    bool (*next) (void *finder, choice_t *choice);

    /*  Say why there is no plan, before the reasons need by need; and after them, or NULL. */
    void (*explain) (const void *finder, answer_t *answer);
    void (*explain_rest) (const void *finder, answer_t *answer);

    /*  The search that it made; NULL: it made none that could tell the reasons need by need. */
    const search_t *(*search) (const void *finder);

    void (*destroy) (void *finder);
};

extern const algorithm_t algorithm_auto, algorithm_bbr, algorithm_bir, algorithm_ip;

#endif
