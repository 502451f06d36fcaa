/*  back_end - what a site has done outside for its reservations: nodes are switched on before an
 *  opening, say, or a batch system is told which nodes belong to whom.
 *
 *      name       it is to have these nodes, or others than before: keep them for it from its start
 *                 on, but not at the cost of anybody's job
 *      look       are all of these, which were named, still so? one question
 *      prepare    nodes are bound to the reservation, or others than before: make them ready
 *      open       its time has come
 *      watch      is it still open? asked now and then
 *      close      its time is over: nothing of it may be left
 *      count      it is over: what have its jobs used, by an accounting of their own?
 *      charges    of sections of accounts, which are no reservations: which of them may not charge
 *                 what they name?
 *      reconcile  at a start and after a close: these are all that it was told of; what else is
 *                 found is closed
 *
 *  The site's own timetable and store decide; a back end keeps only a picture of them, which is
 *  made again after every start. So each step may be carried out twice, carries all that it needs
 *  (proto/openings.proto), and always names the nodes.
 *
 *  A step is work away from the loop, so a back end that hangs stops nobody. A step that fails is
 *  tried again, with back-off, until it succeeds or a later step of its reservation replaces it;
 *  each reservation has one step under way at a time. A kind that has nothing to do outside
 *  finishes its steps at once, such as `runner`, whose agents learn everything through nodes.h.
 *  `batch` is for any batch system: its nodes are made a reservation there. Pure.
 */
#ifndef MUSUBI_BACK_END_H
#define MUSUBI_BACK_END_H

#include "batch_picture.h"
#include "service.h"

/*  Same numbers as proto BackEndStep. */
typedef enum {
    BACK_END_PREPARE,
    BACK_END_OPEN,
    BACK_END_WATCH,
    BACK_END_CLOSE,
    BACK_END_RECONCILE,
    BACK_END_COUNT,
    BACK_END_NAME,
    BACK_END_LOOK,
    BACK_END_CHARGES, /* ordered by site/runner.c */
    BACK_END_STEPS
} back_end_step_t;

typedef struct {
    const char *name; /* as it is configured */
    /*  The work that carries out each step; NULL = nothing is to be done outside. */
    const char *works [BACK_END_STEPS];
} back_end_kind_t;

extern const back_end_kind_t back_end_runner;
extern const back_end_kind_t back_end_batch; /* each step is the work "batch" */

typedef struct {
    int64_t retry_ms;     /* the pause after a step has failed; doubles; 1 000 */
    int64_t retry_ms_max; /* 60 000 */
} back_end_limits_t;

extern const back_end_limits_t back_end_limits_default;

/*  A reservation, as a back end sees it. Everything is borrowed for the call. */
typedef struct {
    const char *reservation;
    const char *owner;
    int64_t from_ms;
    int64_t until_ms;
    const char *const *nodes;
    size_t nodes_count;
    const char *account; /* local, of the owner; NULL or "" = none */
    int64_t grace_ms;    /* at its end, between SIGTERM and SIGKILL */
    const char *charged; /* the batch system's account that alone may use it; NULL or "" = any */
    clear_t clear;       /* of others' jobs on its nodes */
    const char *qos;     /* of a section; NULL or "" = its default */
} back_end_order_t;

typedef struct back_end back_end_t;

/*  service and kind are borrowed for life. */
back_end_t *back_end_new (service_t *service, const back_end_kind_t *kind,
                          const back_end_limits_t *limits);
void back_end_destroy (back_end_t **self_p);

/*  What a count answers where there is no accounting; otherwise the milliseconds of processor
 *  time. */
#define BACK_END_NO_ACCOUNTING "none"

/*  A step charges tells lines "SECTION: WHY", with this as the reason where that is not known. */
#define BACK_END_UNKNOWN "?"

/*  A step has ended: with why NULL it is done, otherwise it has failed and will be tried again.
 *  result: of a count that is done. Never called from within back_end_step. The reconciliation is
 *  of the reservation "". A look has failed for each reservation that is not as it was told, which
 *  is for the caller to tell again; when it is over it is told of BACK_END_ALL. */
typedef void back_end_told_fn (void *owner, const moment_t *now, const char *reservation,
                               back_end_step_t step, const char *why, bytes_t result);
void back_end_told (back_end_t *self, back_end_told_fn *told, void *owner);

/*  Orders a step. It replaces a step of the same reservation that has not begun; a watch never
 *  replaces another step. */
void back_end_step (back_end_t *self, back_end_step_t step, const back_end_order_t *order);

/*  Once, before all steps: these are all that it was told of. No other step begins until it is
 *  done, and all reservations are in trouble. */
void back_end_reconcile (back_end_t *self, const back_end_order_t *orders, size_t count);

/*  One question, unless one is under way. */
#define BACK_END_ALL "*"
void back_end_look (back_end_t *self, const back_end_order_t *orders, size_t count);

/*  Why the last step of a reservation is not done yet; "" when it is, or is a watch that has not
 *  failed. */
const char *back_end_trouble (const back_end_t *self, const char *reservation);

/*  Has its last step, whatever it is, failed so far? */
bool back_end_fails (const back_end_t *self, const char *reservation);

/*  Does this kind have anything to do for that step? */
bool back_end_acts (const back_end_t *self, back_end_step_t step);

#endif
