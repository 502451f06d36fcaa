/*  sharing_state - what the files of sharing share; nobody else includes it.
 *
 *  sharing.c         its start and end, membership, orders to move
 *  sharing_moves.c   as home: moves of its tasks, and what becomes of them
 *  sharing_hosts.c   as home: hosts whose store is gone
 *  sharing_guests.c  as host: offers, guests, and telling how those ended
 *  sharing_view.c    what the balancer is told: State
 */
#ifndef MUSUBI_SHARING_STATE_H
#define MUSUBI_SHARING_STATE_H

#include "must.h"
#include "ordered.h"
#include "queue_share.h"
#include "sharing.h"
#include "sharing_wire.h"

/*  A move of tasks to another site, until the last of them is back or over. */
typedef struct {
    sharing_t *sharing;
    stored_move_t kept;
    uint32_t left;      /* its tasks that are still away */
    uint64_t accepting; /* calls that are under way; 0 = none */
    uint64_t withdrawing;
    bool withdraw; /* some of its tasks are cancelled and the host has not been told */
    uint64_t again_timer;
} move_t;

/*  Tells the home of guests how they ended. */
typedef struct {
    sharing_t *sharing;
    uint64_t bag;
    uint64_t call;
    uint64_t again_timer;
    uint32_t *indices;
    size_t count;
} guest_ends_t;

struct sharing {
    queue_t *queue;
    bags_t *bags; /* of the queue */
    service_t *service;
    sharing_limits_t limits;
    membership_t membership;
    ordered_t *moves;    /* by id */
    ordered_t *hosts;    /* of moves, by name and store */
    ordered_t *offers;   /* stored_offer_t, by move */
    ordered_t *tellings; /* by bag */
    uint64_t counter;    /* numbers the moves of this start */
    uint64_t forget_timer;
    uint64_t hosts_timer;
};

static inline bool txid_same (const txid_t *a, const txid_t *b)
{
    return txid_compare (a, b) == 0;
}

/*  --- sharing.c --- */

/*  Calls a method of another site's Sharing, again and again until it answers. */
uint64_t sharing_call (sharing_t *self, const moment_t *now, const participant_ref_t *to,
                       const char *method, packed_t body, call_done_fn *done, void *owner);

/*  False, with the request refused, unless the actor is the balancer or an administrator. */
bool sharing_allowed (sharing_t *self, const request_t *request);

/*  --- sharing_view.c --- */

method_fn sharing_on_state;

/*  --- sharing_moves.c --- */

void sharing_moves_destroy (sharing_t *self);
void sharing_moves_serve (sharing_t *self);
void sharing_moves_start (sharing_t *self, const moment_t *now);

/*  Sends at most so many of the bag's last waiting tasks away; returns how many. */
uint32_t sharing_send (sharing_t *self, const moment_t *now, bag_t *bag,
                       const participant_ref_t *to, uint32_t count);

/*  As a queue_sharer_t says. */
uint32_t sharing_withdraw (void *owner, const moment_t *now, bag_t *bag, uint32_t from,
                           uint32_t until);
void sharing_output (void *owner, const moment_t *now, const request_t *request, const task_t *task,
                     const output_question_t *question);

/*  Ends a move whose host has lost its store; its tasks that are away are lost. */
void sharing_move_lost (move_t *move, const moment_t *now, const char *why);

/*  --- sharing_hosts.c --- */

ordered_compare_fn sharing_by_host;
void sharing_hosts_destroy (sharing_t *self);
void sharing_hosts_watch (sharing_t *self, const moment_t *now);

/*  --- sharing_guests.c --- */

void sharing_guests_destroy (sharing_t *self);
void sharing_guests_serve (sharing_t *self);
void sharing_guests_start (sharing_t *self, const moment_t *now);

/*  As a queue_sharer_t says. */
void sharing_guests_over (void *owner, const moment_t *now, bag_t *bag);
void sharing_guests_load (void *owner, bag_t *bag);

/*  Gives at most so many waiting guests back to their home; returns how many. */
uint32_t sharing_give_back (sharing_t *self, const moment_t *now, bag_t *guests, uint32_t count,
                            const char *why);

#endif
