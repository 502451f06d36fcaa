/*  sim_queue - what will happen, by virtual time.
 *
 *  A binary heap of ticks. Two ticks of one microsecond come out in the order they went in, so that
 *  the same seed gives the same run.
 */
#ifndef MUSUBI_SIM_QUEUE_H
#define MUSUBI_SIM_QUEUE_H

#include "sim_message.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    TICK_ARRIVAL,   /* a message reaches a process */
    TICK_BATCH_END, /* a batch has been flushed, or dies */
    TICK_ALARM,     /* a process asked to be woken */
    TICK_LATE,      /* a call's time is up */
    TICK_WORK,      /* slow work has ended */
    TICK_ROWS,      /* records that were read have come */
    TICK_WAKE,      /* a process has stood still for long enough */
    TICK_START,     /* a process starts, or starts again */
    TICK_CRASH,     /* a process dies, whatever it is doing */
    TICK_TIME_UP,   /* a process that was told to end has not, if this is still its life */
    TICK_CALL,      /* the schedule wants to act */
} tick_kind_t;

typedef void tick_fn (void *owner, uint64_t token);

typedef struct {
    int64_t at_us;
    uint64_t order; /* filled by the queue */
    tick_kind_t kind;
    int process;
    uint32_t life;          /* life of the process when it was set: stale ticks are void */
    uint64_t number;        /* number of the call, the alarm or the work, or the token of act */
    sim_message_t *message; /* TICK_ARRIVAL: owned */
    tick_fn *act;           /* TICK_CALL */
    void *owner;
} tick_t;

typedef struct sim_queue sim_queue_t;

sim_queue_t *sim_queue_new (void);

/*  Also frees the messages still under way. */
void sim_queue_destroy (sim_queue_t **self_p);

void sim_queue_push (sim_queue_t *self, const tick_t *tick);

/*  The next tick, which is then the caller's; false when nothing will ever happen again. */
bool sim_queue_pop (sim_queue_t *self, tick_t *tick);

/*  When the next tick comes; INT64_MAX when none is left. */
int64_t sim_queue_due (const sim_queue_t *self);

#endif
