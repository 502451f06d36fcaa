/*  states - what may follow what, as a table: from, event, to.
 *
 *  The code that moves a state asserts that the table has the step, and svc-X --states prints the
 *  same table; so what is printed is what runs.
 */
#ifndef MUSUBI_STATES_H
#define MUSUBI_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t from;
    uint8_t event;
    uint8_t to;
} state_step_t;

/*  Words are those of the logs, in the order of the numbers. */
typedef struct {
    const char *name; /* of what moves: "command" */
    const char *const *states;
    const char *const *events;
    const state_step_t *steps;
    size_t steps_count;
} state_table_t;

bool states_allow (const state_table_t *self, int from, int event, int to);

/*  No step leads out of it. */
bool states_end (const state_table_t *self, int state);

/*  One line a step, "name from event to", without its end. */
void states_print (const state_table_t *self, void (*print) (const char *line));

#endif
