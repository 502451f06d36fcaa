/*  states - look-ups in a table of a few dozen steps. */
#include "states.h"

#include <stdio.h>

#define LINE_BYTES 128

bool states_allow (const state_table_t *self, int from, int event, int to)
{
    for (size_t i = 0; i < self->steps_count; i++) {
        const state_step_t *step = &self->steps [i];
        if (step->from == from && step->event == event && step->to == to)
            return true;
    }
    return false;
}

bool states_end (const state_table_t *self, int state)
{
    for (size_t i = 0; i < self->steps_count; i++)
        if (self->steps [i].from == state)
            return false;
    return true;
}

void states_print (const state_table_t *self, void (*print) (const char *line))
{
    for (size_t i = 0; i < self->steps_count; i++) {
        const state_step_t *step = &self->steps [i];
        char line [LINE_BYTES];
        snprintf (line, sizeof line, "%s %s %s %s", self->name, self->states [step->from],
                  self->events [step->event], self->states [step->to]);
        print (line);
    }
}
