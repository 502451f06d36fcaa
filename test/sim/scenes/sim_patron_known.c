/*  sim_patron_known - what he was told, and what he says of it. */
#include "sim_patron.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static outcome_t outcome_of (const patron_command_t *command)
{
    switch (command->state) {
    case COMMAND_ASKED:
        return OUTCOME_PENDING;
    case COMMAND_KEPT:
    case COMMAND_DONE:
        return OUTCOME_COMMITTED;
    default:
        return OUTCOME_ABORTED;
    }
}

outcome_t sim_patron_outcome (const sim_patron_t *self, const txid_t *txid)
{
    for (size_t i = 0; i < self->reservations_count; i++) {
        for (patron_step_t step = STEP_MAKE; step < STEPS; step++) {
            const patron_command_t *command = &self->reservations [i].commands [step];
            if (txid_compare (&command->txid, txid) == 0)
                return outcome_of (command);
        }
    }
    return OUTCOME_LOST;
}

const sim_told_task_t *sim_patron_told (const sim_patron_t *self, const run_id_t *run)
{
    for (size_t i = 0; i < self->bags_count; i++)
        if (self->bags [i].number == run->task.bag)
            return &self->bags [i].tasks [run->task.index];
    return NULL;
}

bool sim_patron_reservation (const sim_patron_t *self, const char *name,
                             const patron_reservation_t **found)
{
    for (size_t i = 0; i < self->reservations_count; i++) {
        *found = &self->reservations [i];
        if (strcmp ((*found)->name, name) == 0)
            return true;
    }
    return false;
}

bool sim_patron_settled (const sim_patron_t *self, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < self->reservations_count; i++) {
        for (patron_step_t step = STEP_MAKE; step < STEPS; step++) {
            if (!patron_command_open (&self->reservations [i].commands [step]))
                continue;
            snprintf (why, LONG_WHY_BYTES, "reservation %s: nobody answers",
                      self->reservations [i].name);
            return false;
        }
    }
    for (size_t i = 0; i < self->bags_count; i++) {
        const patron_bag_t *bag = &self->bags [i];
        if (bag->number == 0 && !bag->refused) {
            snprintf (why, LONG_WHY_BYTES, "submission %zu: nobody answers", i);
            return false;
        }
        for (size_t k = 0; k < bag->asked.count && bag->number > 0; k++) {
            if (!sim_task_over (bag->tasks [k].state)) {
                snprintf (why, LONG_WHY_BYTES, "task %" PRIu64 ".%zu is not over: state %d",
                          bag->number, k, bag->tasks [k].state);
                return false;
            }
        }
    }
    return true;
}
