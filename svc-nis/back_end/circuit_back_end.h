/*  circuit_back_end - what a domain has done outside for its circuits: queueing disciplines of its
 *  routers are set, say, or a controller of switches is told.
 *
 *  The domain's own timetable and store decide; a back end keeps only a picture of them, which is
 *  made again after every start: each reservation that has circuits in use is told then. So what it
 *  does outside must be found again there, by names made from reservation, need and hop, and what
 *  is found without being wanted must be taken away. It never touches what it has not made.
 *
 *  A back end waits for nobody: what takes time is a call or work. Pure.
 */
#ifndef MUSUBI_CIRCUIT_BACK_END_H
#define MUSUBI_CIRCUIT_BACK_END_H

#include "shape.h"
#include "states.h"
#include "transaction.h"

/*  Same numbers as proto CircuitState. */
typedef enum {
    CIRCUITS_IDLE,     /* nothing of it is wanted */
    CIRCUITS_OPENING,  /* it is wanted, and not seen everywhere yet */
    CIRCUITS_ACTIVE,   /* it was seen everywhere, as it is wanted */
    CIRCUITS_DEGRADED, /* it is not there, and why */
} circuit_state_t;
extern const state_table_t circuit_states;

typedef struct {
    void *owner;

    /*  From now on these circuits of the reservation carry this traffic, and no other ones of it;
     *  count may be 0. Again with the same is harmless. Everything is borrowed for the call. */
    void (*want) (void *owner, const moment_t *now, const char *reservation,
                  const circuit_t *circuits, size_t count, const traffic_t *traffic);

    /*  How far that has come. why is "" unless it is degraded, or opening and waiting for somebody;
     *  wait_us is what a queue of the circuits adds at most to the latency, one way. */
    circuit_state_t (*state) (const void *owner, const char *reservation, uint32_t *wait_us,
                              char why [WHY_BYTES]);
} circuit_back_end_t;

/*  Called by a back end when the state of a reservation has changed, also from within want. */
typedef void circuit_state_fn (void *owner, const moment_t *now, const char *reservation,
                               circuit_state_t from, circuit_state_t to, const char *why);

#endif
