/*  sim_work - a short list for each process. */
#include "sim_work.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_works_add (sim_works_t *self, const effect_t *effect)
{
    if (self->count == self->room) {
        self->room = self->room ? 2 * self->room : 16;
        self->list = must (realloc (self->list, self->room * sizeof *self->list));
    }
    sim_work_t *work = &self->list [self->count++];
    *work =
      (sim_work_t){.number = effect->work.work, .arguments_size = effect->work.arguments.size};
    snprintf (work->kind, sizeof work->kind, "%s", effect->work.kind);
    work->arguments = must (malloc (work->arguments_size + 1));
    if (work->arguments_size > 0)
        memcpy (work->arguments, effect->work.arguments.data, work->arguments_size);
}

sim_work_t *sim_works_find (const sim_works_t *self, uint64_t number)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->list [i].number == number)
            return &self->list [i];
    return NULL;
}

static void work_clear (sim_work_t *work)
{
    free (work->arguments);
    free (work->result);
}

void sim_works_remove (sim_works_t *self, uint64_t number)
{
    sim_work_t *work = sim_works_find (self, number);
    if (!work)
        return;
    work_clear (work);
    *work = self->list [--self->count];
}

void sim_works_clear (sim_works_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        work_clear (&self->list [i]);
    free (self->list);
    *self = (sim_works_t){0};
}
