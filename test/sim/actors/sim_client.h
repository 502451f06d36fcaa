/*  sim_client - a user as a core: runs actions, asks any planner, loses patience and asks again.
 *
 *  An action asks for one request of the book until it is finally answered. Each try goes to a
 *  drawn planner with the same request id, as a user's program does that dies and is run again. Two
 *  actions may run at the same time, so that one id is sent to two planners at once.
 */
#ifndef MUSUBI_SIM_CLIENT_H
#define MUSUBI_SIM_CLIENT_H

#include "sim.h"
#include "sim_book.h"

#define SIM_ACTIONS_MAX  (2 * SIM_REQUESTS_MAX)
#define SIM_PLANNERS_MAX 8

typedef struct {
    sim_request_t *request;
    size_t variant;      /* which body of the request */
    bool show;           /* only look at a reservation told committed, once */
    bool beside;         /* begins together with the one before */
    int64_t think_ms;    /* before it begins */
    int64_t patience_ms; /* with one try, while there are faults */
    bool begun;          /* the rest is the client's */
    bool ended;
    uint32_t tries;
    uint64_t call;
    int64_t due_ms; /* monotonic: the next try */
} sim_action_t;

/*  What the user has in mind; it outlives the core's lives. */
typedef struct {
    sim_t *sim;
    sim_book_t *book;
    int planners [SIM_PLANNERS_MAX];
    size_t planners_count;
    prng_t prng;
    bool patient;  /* faults are over: wait for answers */
    bool gives_up; /* but not for ever: there may be no room to keep its answer */
    uint32_t vain; /* answers since then that were not final */
    sim_action_t actions [SIM_ACTIONS_MAX];
    size_t actions_count;
    uint64_t calls;
    struct outbox *outbox; /* of the present life */
} sim_client_t;

/*  The core; owner is a sim_client_t. */
void sim_client_make (void *owner, core_t *core);

bool sim_client_ended (const sim_client_t *self);

#endif
