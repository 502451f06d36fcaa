/*  sim_holder - a holder without a plan: holds capacity for a short while, as a planner does that
 *  searches by trial (BIR), then renews it, gives it back, forgets it, or comes too late.
 *
 *  It keeps its word: it never commits, and says of each of its txids that it was aborted, or
 *  nothing. It tests that holds end by themselves, that an ended hold is never prepared (R1, R5),
 *  and that a hold has its tombstone before its txid is said to be aborted (T7).
 */
#ifndef MUSUBI_SIM_HOLDER_H
#define MUSUBI_SIM_HOLDER_H

#include "sim.h"
#include "sim_wire.h"

#define SIM_TRIES_MAX 12
#define SIM_HELD_MAX  16

typedef enum {
    TRY_WAITS, /* to be held */
    TRY_HELD,  /* held; its fate decides what comes next */
    TRY_RENEWED,
    TRY_PREPARED, /* to be aborted */
    TRY_OVER,
} sim_try_state_t;

/*  FATE_HALF: held at two participants, prepared at one, then the coordinator is silent: the
 *  participant that voted must ask the other, which only holds (T7). */
typedef enum {
    FATE_ABORT,
    FATE_FORGET,
    FATE_PREPARE,
    FATE_PREPARE_LATE,
    FATE_HALF,
    FATES
} sim_fate_t;

typedef struct {
    sim_try_state_t state;
    sim_fate_t fate;
    sim_hold_t hold;
    int processes [2]; /* of its parties */
    size_t at;         /* index of the party that is dealt with now */
    int64_t due_ms;
    uint64_t call;
} sim_try_t;

/*  Outlives the core's lives; fill in what is marked. */
typedef struct {
    sim_t *sim;                         /* in */
    int number;                         /* in: its own process */
    uint32_t ttl_ms;                    /* in: what sites grant */
    prng_t prng;                        /* in */
    int processes [SIM_HELD_MAX];       /* in: of sites and domains */
    sim_party_t parties [SIM_HELD_MAX]; /* in: what the parties shall hold; the rest is filled in */
    size_t parties_count;
    size_t wanted; /* in: how many tries to make */
    sim_try_t tries [SIM_TRIES_MAX];
    size_t tries_count;
    uint64_t calls;
    char name [NAME_BYTES_MAX + 1]; /* "planner/…", from its store */
    char address [SIM_ADDRESS_BYTES];
    store_identity_t store;
    struct outbox *outbox;
} sim_holder_t;

void sim_holder_make (void *owner, core_t *core);

#endif
