/*  back_end - what a site has done outside for its reservations: nodes brought up before an
 *  opening, a batch system told what is whose.
 *
 *      prepare   its nodes are bound to it, or have changed: have them ready, and others out
 *      open      its time has come
 *      watch     is it still so? asked now and then while it is open
 *      close     its time is over: nothing of it is to be left
 *      reconcile at start: these are all that there are; what else is found is to be closed
 *
 *  The site's own timetable and store are the authority; what a back end keeps is a projection of
 *  them, made again after every start. So each step may be carried out twice, says all that it
 *  needs (proto/openings.proto), and always names the nodes.
 *
 *  A step is work away from the loop: a back end that hangs stops nobody. One that fails is tried
 *  again, with back-off, until it succeeds or a later step of its reservation takes its place; of
 *  each reservation one step is under way at a time. Where a kind has nothing to do outside, its
 *  steps are done at once: `runner`, whose nodes are told by nodes.h, is such a one. Pure.
 */
#ifndef MUSUBI_BACK_END_H
#define MUSUBI_BACK_END_H

#include "service.h"

/*  Same numbers as proto BackEndStep. */
typedef enum {
    BACK_END_PREPARE,
    BACK_END_OPEN,
    BACK_END_WATCH,
    BACK_END_CLOSE,
    BACK_END_RECONCILE,
    BACK_END_STEPS
} back_end_step_t;

typedef struct {
    const char *name; /* as it is configured */
    /*  Of the work that carries each step out; NULL = there is nothing to do outside. */
    const char *works [BACK_END_STEPS];
} back_end_kind_t;

extern const back_end_kind_t back_end_runner;

typedef struct {
    int64_t retry_ms;     /* after a step that failed; doubles; 1 000 */
    int64_t retry_ms_max; /* 60 000 */
} back_end_limits_t;

extern const back_end_limits_t back_end_limits_default;

/*  A reservation as a back end is told of it. Everything is borrowed for the call. */
typedef struct {
    const char *reservation;
    const char *owner;
    int64_t from_ms;
    int64_t until_ms;
    const char *const *nodes;
    size_t nodes_count;
} back_end_order_t;

typedef struct back_end back_end_t;

/*  service and kind are borrowed for life. */
back_end_t *back_end_new (service_t *service, const back_end_kind_t *kind,
                          const back_end_limits_t *limits);
void back_end_destroy (back_end_t **self_p);

/*  A step of a reservation has come to an end: why is NULL, or it has failed and will be tried
 *  again. Never called from within back_end_step. */
typedef void back_end_told_fn (void *owner, const moment_t *now, const char *reservation,
                               back_end_step_t step, const char *why);
void back_end_told (back_end_t *self, back_end_told_fn *told, void *owner);

/*  Carry out a step; whatever was to be done for this reservation before, and has not begun, is not
 *  done any more. A watch never takes the place of another step. */
void back_end_step (back_end_t *self, back_end_step_t step, const back_end_order_t *order);

/*  At start, before any other step. */
void back_end_reconcile (back_end_t *self, const back_end_order_t *orders, size_t count);

/*  Why the last step of a reservation is not done yet; "" = it is. */
const char *back_end_trouble (const back_end_t *self, const char *reservation);

/*  Is there anything to do outside, of this step? */
bool back_end_acts (const back_end_t *self, back_end_step_t step);

#endif
