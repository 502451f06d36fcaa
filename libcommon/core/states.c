/*  states - look-ups in a table of a few dozen steps. */
#include "states.h"

#include <stdio.h>

#define LINE_BYTES 128

static bool step_leads (const state_step_t *step, unsigned from)
{
    return step->from & STATE (from) && (step->to != from || step->repeats);
}

bool states_allow (const state_table_t *self, unsigned from, unsigned event, unsigned to)
{
    for (size_t i = 0; i < self->steps_count; i++) {
        const state_step_t *step = &self->steps [i];
        if (step_leads (step, from) && step->event == event && step->to == to)
            return true;
    }
    return false;
}

bool states_end (const state_table_t *self, unsigned state)
{
    for (size_t i = 0; i < self->steps_count; i++)
        if (step_leads (&self->steps [i], state))
            return false;
    return true;
}

void states_print (const state_table_t *self, void (*print) (const char *line))
{
    for (size_t i = 0; i < self->steps_count; i++) {
        const state_step_t *step = &self->steps [i];
        const char *to = self->states [step->to];
        for (unsigned from = 0; step->from >> from; from++) {
            char line [LINE_BYTES];
            if (!step_leads (step, from))
                continue;
            if (self->events)
                snprintf (line, sizeof line, "%s %s %s %s", self->name, self->states [from],
                          self->events [step->event], to);
            else
                snprintf (line, sizeof line, "%s %s %s: %s", self->name, self->states [from], to,
                          step->when);
            print (line);
        }
    }
}
