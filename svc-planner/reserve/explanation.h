/*  explanation - why there is no plan, and what the user could ask for instead. Reasons go into an
 *  answer; no request in progress is known here.
 */
#ifndef MUSUBI_EXPLANATION_H
#define MUSUBI_EXPLANATION_H

#include "answer.h"
#include "blocked.h"
#include "candidates.h"
#include "search.h"

/*  What is in the way of a network need. */
typedef struct {
    bool set;
    blocked_t blocked;
} obstacle_t;

typedef struct {
    obstacle_t *list; /* one a network need; those examined are filled. To be freed */
    size_t examined;
} obstacles_t;

/*  What there is to explain; borrows all. */
typedef struct {
    const user_request_t *request; /* as asked */
    snapshot_t *snapshot;
    const search_t *search; /* NULL: only for what was not asked and what can never be met */
    const directory_t *directory;
    const planner_settings_t *settings;
    starts_t starts;
    int64_t soonest_ms;
    bool changes;           /* a reservation is to be changed */
    bool proven;            /* there is no plan */
    bool unheard;           /* some vote did not come */
    bool broken;            /* a solver broke down that may have found one */
    obstacles_t *obstacles; /* filled by explanation_examine */
    answer_t *answer;       /* gets the reasons */
} explanation_t;

/*  Add a reason for each need that no site or domain could ever meet. False: there is one. */
bool explanation_possible (explanation_t *self);

/*  Find what is in the way of each network need, a few a call; true when all are done. Call
 *  explanation_examine_anew first. */
void explanation_examine_anew (explanation_t *self);
bool explanation_examine (explanation_t *self);

/*  Then add a reason for each need that can't be met even alone, and for every source left out. */
void explanation_tell (explanation_t *self);

/*  Could a silent site or domain have what is missing? */
bool explanation_in_doubt (const explanation_t *self);

/*  Add a reason for each need of which some places were not asked. */
void explanation_tell_unasked (explanation_t *self);

/*  Add what could be had instead: each alternative has been searched for, in this order, on what
 *  the snapshot knows (alternatives.c). */
void explanation_seek_alternatives (explanation_t *self, const candidates_order_t *candidates,
                                    search_order_t order);

#endif
