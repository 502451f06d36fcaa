/*  circuits - paths beside those that a plan has already; and by these, where the files of a need
 *  come from, and on which circuits, at the least cost (SPEC 60). Pure.
 */
#ifndef MUSUBI_CIRCUITS_H
#define MUSUBI_CIRCUITS_H

#include "link_view.h"
#include "programs.h"

/*  The other connections of a plan, as one of them meets them. */
typedef struct {
    const snapshot_t *snapshot;
    const link_view_t *views; /* by network need, at the plan's start */
    const unit_costs_t *costs;
    uint32_t visible; /* percent of what is free that may be used (C) */
    const window_plan_t *plan;
    size_t link; /* the connection */
} beside_t;

/*  The cheapest paths between two vertices on which there is room beside the others. */
path_question_t beside_question (beside_t *self, size_t from, size_t to);

typedef struct {
    beside_t beside;
    uint64_t steps_max; /* path.h */
    size_t need;
    size_t place; /* where it is */
} circuits_question_t;

/*  Gives the plan sources and paths for all circuits of the need; a file that is at the place's
 *  site needs none. *weight: what they cost, in unit costs of links times Mbit/s and hours. False
 *  when they don't fit, or the steps run out first. kept is another plan, to work with. */
bool circuits_find (const circuits_question_t *question, window_plan_t *plan, window_plan_t *kept,
                    double *weight);

/*  How long a connection carries. */
double network_need_hours (const user_request_t *request, size_t network_need);

/*  The vertex of a source's site; SIZE_MAX when the graph has none. */
size_t circuits_vertex (const snapshot_t *snapshot, size_t source);

#endif
