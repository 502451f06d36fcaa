/*  solving_wire - a solver's order and its answers, to and from proto/solver.proto. Pure. */
#ifndef MUSUBI_SOLVING_WIRE_H
#define MUSUBI_SOLVING_WIRE_H

#include "codec.h"
#include "solver.h"

#define SOLVING_BYTES_MAX (192u << 20) /* of an order or an answer: holds any program */
#define SOLVER_WORD_BYTES 16

/*  The order's clock is left out: another process has its own. */
packed_t solving_order_encode (const program_t *program, const solver_order_t *order);

/*  Gives an encoded order another limit of time. */
void solving_order_limit (packed_t *order, int64_t time_us_max);

packed_t solving_answer_encode (const program_t *program, const solver_answer_t *answer,
                                int64_t spent_us);

/*  An order as its message has it. One that was read owns its program's lists: solving_clear. */
typedef struct {
    program_t program;
    solver_order_t order;
    char solver [SOLVER_WORD_BYTES];
    bool directed;
    size_t offers_count;
    uint8_t *barred;
    size_t barred_count;
} solving_t;

/*  False with why when solver_run may not be given this order. End it with solving_clear. */
bool solving_order_decode (solving_t *self, bytes_t body, char why [LONG_WHY_BYTES]);
void solving_clear (solving_t *self);

/*  False when it is not an answer about this program. A plan is checked, and its cost worked out
 *  anew. */
bool solving_answer_decode (bytes_t body, const program_t *program, solver_answer_t *answer,
                            int64_t *spent_us);

#endif
