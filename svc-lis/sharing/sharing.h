/*  sharing - the site's part in a coalition (proto/balance.proto): tasks that wait move to other
 *  members, and theirs come here.
 *
 *  As home it stores a move before anybody hears of it, asks the other site until that very store
 *  has answered, and takes each task's end from there. As host it stores a bag of guests in the
 *  same write as its answer, and tells their ends until they are acknowledged. So a task is in one
 *  queue, whoever dies and whatever is lost, doubled or late.
 *
 *  Plugged into the queue. Registers the service Sharing, TABLE_MOVES, TABLE_OFFERS and
 *  TABLE_MEMBERSHIP. Pure.
 */
#ifndef MUSUBI_SHARING_H
#define MUSUBI_SHARING_H

#include "queue.h"

typedef struct {
    uint32_t move_max;   /* tasks in one move; 1 000 */
    uint32_t pieces_max; /* moves that one order makes at most; 16 */
    int64_t offer_ms;    /* an offer is taken for so long; 5 min */
    int64_t answers_ms;  /* answers to offers are kept so long at least; 24 h */
    int64_t again_ms;    /* where an answer settles nothing, it is asked again after; 60 s */
    int64_t lost_ms;     /* a host that is another store for so long has lost its guests; 10 min */
    int64_t timeout_ms;  /* of a call to another site; 5 s */
} sharing_limits_t;

extern const sharing_limits_t sharing_limits_default;

typedef struct sharing sharing_t;

/*  The queue is borrowed for life. Its start comes after the queue's. */
sharing_t *sharing_new (queue_t *queue, const sharing_limits_t *limits);
void sharing_destroy (sharing_t **self_p);

#endif
