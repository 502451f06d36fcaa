/*  sim_book - every request that users make in one schedule, and every final answer that they were
 *  told.
 *
 *  An answer is judged when it comes: an id that was answered keeps its answer, byte for byte, and
 *  never fulfils another body. Whether the answers are true is judged by sim_check.
 */
#ifndef MUSUBI_SIM_BOOK_H
#define MUSUBI_SIM_BOOK_H

#include "sim_wire.h"

#define SIM_REQUESTS_MAX 96

/*  One request id of one actor. A second body, when there is one, stands for a user who uses one id
 *  for two requests by mistake. */
typedef struct sim_request {
    operation_t operation;
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    sim_wish_t wish [2];              /* of a reserve */
    char target [NAME_BYTES_MAX + 1]; /* of a modify or release: "" until it is made */
    uint32_t whim;                    /* how a modify changes things */
    uint32_t aim;                     /* which reservation it modifies or releases */
    const struct sim_request *of; /* changes this one's reservation; NULL = drawn by aim and whim */
    bool shifts;                  /* with of: the given patch's start_ms counts from its start */
    sim_patch_t patch [2];        /* of a modify, once it is made */
    packed_t body [2];            /* data NULL until it is made */
    bool told [2];                /* that body was committed or refused */
    bool conflict [2];            /* that body was told that the id belongs to another */
    bool unfit [2];               /* that body was denied, not found or not understood */
    bool reworded;       /* refused again in other words: only of what broke at its edge (T10) */
    sim_answer_t answer; /* of the body that was told */
    packed_t answer_packed;
} sim_request_t;

typedef struct {
    sim_request_t requests [SIM_REQUESTS_MAX];
    size_t count;
} sim_book_t;

void sim_book_clear (sim_book_t *self);

/*  A new request, to be filled. */
sim_request_t *sim_book_add (sim_book_t *self);

/*  Makes the bodies, once; the times of wishes count from now_ms (wall). A modify or release takes
 *  a reservation that was told committed, chosen by its aim; false when there is none. */
bool sim_book_compose (sim_book_t *self, sim_request_t *request, int64_t now_ms);

/*  The wish as the patch changes it. */
void sim_book_patch (sim_wish_t *wish, const sim_patch_t *patch);

/*  A user was told this answer. False, with why, when it contradicts an earlier one. */
bool sim_book_told (sim_request_t *request, size_t variant, const sim_answer_t *answer,
                    bytes_t packed, char why [WHY_BYTES]);

/*  True when this command belongs to the request. A planner may have added homes to a bare id. */
bool sim_request_made (const sim_request_t *request, const char *actor, const char *request_id);

#endif
