/*  states - what may follow what, as a table: from, to, and by what.
 *
 *  The code that moves a state asserts that the table has the step, and svc-X --states prints the
 *  same table; so what is printed is what runs.
 */
#ifndef MUSUBI_STATES_H
#define MUSUBI_STATES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATE(state) (1u << (state))      /* of a set; at most 32 states */
#define STATES(to)   (2 * STATE (to) - 1) /* the set of all up to this one */

/*  From each of a set to one, which is left out of the set unless the step repeats: by an event,
 *  where the table has events; else when says for people what moves it. */
typedef struct {
    uint32_t from;
    uint8_t to;
    uint8_t event;
    bool repeats;
    const char *when;
} state_step_t;

/*  Words are those of the logs, in the order of the numbers. */
typedef struct {
    const char *name; /* of what moves: "command" */
    const char *const *states;
    const char *const *events; /* NULL = none */
    const state_step_t *steps;
    size_t steps_count;
} state_table_t;

#define STATE_STEPS(rows) .steps = (rows), .steps_count = sizeof (rows) / sizeof *(rows)

/*  event: 0 where there are none. */
bool states_allow (const state_table_t *self, unsigned from, unsigned event, unsigned to);

/*  Moves a state of a table without events, or leaves it as it is. */
#define STATE_MOVE(table, state, next)                                                             \
    (assert ((state) == (next) || states_allow (table, state, 0, next)), (state) = (next))

/*  No step leads out of it. */
bool states_end (const state_table_t *self, unsigned state);

/*  One line a step, "name from event to" or "name from to: when", without its end. */
void states_print (const state_table_t *self, void (*print) (const char *line));

#endif
