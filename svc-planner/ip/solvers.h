/*  solvers - runs solvers in processes of their own (solving.h), so many at once; further orders
 *  wait in a queue. The host carries them out, as work of kind "solve". Pure.
 */
#ifndef MUSUBI_SOLVERS_H
#define MUSUBI_SOLVERS_H

#include "service.h"
#include "solving_wire.h"

typedef struct solvers solvers_t;

/*  The result of an order. ok: an answer (solving_wire.h). Else a sentence that says why there is
 *  none; empty when its time had passed before its turn came. */
typedef void solved_fn (void *owner, const moment_t *now, uint64_t token, bool ok, bytes_t result);

/*  works: the number of the last work that this core has ordered; it is counted up. */
solvers_t *solvers_new (service_t *service, uint32_t most, uint64_t *works);
void solvers_destroy (solvers_t **self_p);

/*  Has an order solved by until_ms (monotonic). Takes its bytes over. told is called once, never
 *  from within solvers_ask, and not after solvers_forget. */
void solvers_ask (solvers_t *self, const moment_t *now, packed_t order, int64_t until_ms,
                  solved_fn *told, void *owner, uint64_t token);

/*  Forgets all orders of this owner. */
void solvers_forget (solvers_t *self, const void *owner);

/*  Takes an EVENT_WORK; false when it was not about one of these orders. */
bool solvers_ended (solvers_t *self, const moment_t *now, const event_t *event);

#endif
