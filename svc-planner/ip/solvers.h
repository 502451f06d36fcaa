/*  solvers - the solvers in processes of their own that a planner keeps busy (solving.h): so many
 *  at once, orders beyond wait in line. The host runs them, as work of kind "solve". Pure.
 */
#ifndef MUSUBI_SOLVERS_H
#define MUSUBI_SOLVERS_H

#include "service.h"
#include "solving_wire.h"

typedef struct solvers solvers_t;

/*  What came of an order. ok: an answer (solving_wire.h); else a sentence, empty when its time had
 *  passed before its turn came. */
typedef void solved_fn (void *owner, const moment_t *now, uint64_t token, bool ok, bytes_t result);

/*  works: the number of the last work that this core has ordered; raised. */
solvers_t *solvers_new (service_t *service, uint32_t most, uint64_t *works);
void solvers_destroy (solvers_t **self_p);

/*  Have an order solved until then (monotonic). Takes its bytes over. Told once, never from within,
 *  unless forgotten before. */
void solvers_ask (solvers_t *self, const moment_t *now, packed_t order, int64_t until_ms,
                  solved_fn *told, void *owner, uint64_t token);

/*  The owner wants to hear of nothing any more. */
void solvers_forget (solvers_t *self, const void *owner);

/*  An EVENT_WORK: was it one of these? */
bool solvers_ended (solvers_t *self, const moment_t *now, const event_t *event);

#endif
