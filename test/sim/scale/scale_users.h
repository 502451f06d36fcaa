/*  scale_users - who works in a scale_world: each user does one operation at a time, in the stages
 *  that all of them pass together.
 */
#ifndef MUSUBI_SCALE_USERS_H
#define MUSUBI_SCALE_USERS_H

#include "outbox.h"
#include "scale_world.h"
#include "sim_wire.h"

typedef enum { SCALE_RESERVE, SCALE_SHOW, SCALE_MODIFY, SCALE_RELEASE, SCALE_STAGES } scale_stage_t;

#define SCALE_BATCH 10 /* reservations of a user in one round */
#define SCALE_NEEDS 2  /* of a reservation */

/*  Nodes, of one CPU each, that a user was told to have. */
typedef struct {
    uint32_t site;
    uint32_t nodes;
    int64_t from_ms;
    int64_t until_ms;
} scale_share_t;

typedef struct {
    char reservation [NAME_BYTES_MAX + 1]; /* "" = nothing */
    scale_share_t shares [SCALE_NEEDS];
    size_t shares_count;
} scale_kept_t;

/*  Of one stage, over all rounds. */
typedef struct {
    uint64_t done;
    uint64_t refused;
    uint64_t again;    /* asked once more, since the answer was not final */
    uint64_t attempts; /* rounds of votes */
    uint64_t messages; /* between services; not with directories about who is there */
    uint64_t requests; /* of these, questions */
    uint64_t bytes;
    int64_t took_ms;  /* from the first question of an operation to its final answer, in all */
    int64_t waits_ms; /* of reserve: from the earliest that was wanted to what was told, in all */
} scale_figures_t;

/*  What all users share. */
typedef struct {
    sim_t *sim;
    const scale_order_t *order;
    scale_stage_t stage;
    uint64_t round; /* from 1 */
    bool over;      /* there is no more work */
    scale_figures_t figures [SCALE_STAGES];
    void *owner;
    void (*finished) (void *owner); /* a user has nothing more to do in this stage */
} scale_work_t;

typedef struct {
    scale_work_t *work;
    size_t number;
    int planner;
    char name [NAME_BYTES_MAX + 1];
    prng_t prng;
    outbox_t *outbox;
    scale_kept_t kept [SCALE_BATCH];
    scale_stage_t stage; /* the one that it is in, or has finished, */
    uint64_t round;      /* of this round */
    size_t at;           /* the operation that is next or under way; SCALE_BATCH = none */
    int64_t next_ms;     /* mono: nothing is asked before */
    uint64_t call;       /* the last one */
    bool waits;          /* for its answer */
    packed_t body;       /* of the operation under way; NULL = none is */
    int64_t asked_ms;    /* mono: when it was first asked */
    int64_t wanted_ms;   /* the earliest that the last wish asked for */
} scale_user_t;

/*  A core for this user, who is the owner; it never dies. */
void scale_user_make (void *owner, core_t *core);

#endif
