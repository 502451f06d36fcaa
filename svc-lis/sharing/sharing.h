/*  sharing - the site's part in a coalition (proto/balance.proto): waiting tasks of this site move
 *  to other members, and theirs come here.
 *
 *  As home a site stores a move before anybody hears of it, asks the other site until that very
 *  store has answered, and learns the end of each task from it. As host it stores a bag of guests
 *  in the same write as its answer, and tells how they ended until that is acknowledged. So a task
 *  is in one queue, whatever dies and whichever message is lost, doubled or late.
 *
 *  The queue calls it through queue_sharer_t. Registers the service Sharing, TABLE_MOVES,
 *  TABLE_OFFERS and TABLE_MEMBERSHIP. Pure.
 */
#ifndef MUSUBI_SHARING_H
#define MUSUBI_SHARING_H

#include "queue.h"

typedef struct {
    uint32_t move_max;   /* tasks in one move */
    uint32_t pieces_max; /* the most moves that one order makes */
    int64_t offer_ms;    /* an offer that is older is refused: so near must clocks be */
    int64_t answers_ms;  /* how long answers to offers are kept at least; longer than offer_ms */
    int64_t again_ms;    /* the pause before a question is repeated whose answer has settled
                            nothing, and between two whether a host's store is the same */
    int64_t lost_ms;     /* a host that serves from another store for so long has lost its guests */
    int64_t timeout_ms;  /* of a call to another site */
} sharing_limits_t;

/*  Rows of its numbers. */
extern const setting_table_t sharing_table;

typedef struct sharing sharing_t;

/*  The queue is borrowed for life. Starts after it. */
sharing_t *sharing_new (queue_t *queue, const sharing_limits_t *limits);
void sharing_destroy (sharing_t **self_p);

#endif
