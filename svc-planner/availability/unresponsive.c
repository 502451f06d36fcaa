/*  unresponsive - a short list, searched from end to end. */
#include "unresponsive.h"

#include <stdio.h>
#include <string.h>

bool unresponsive_has (const unresponsive_t *self, const moment_t *now, const char *name)
{
    for (size_t i = 0; i < UNRESPONSIVE_MAX; i++)
        if (self->sites [i].until_ms > now->mono_ms && strcmp (self->sites [i].name, name) == 0)
            return true;
    return false;
}

static void unresponsive_add (unresponsive_t *self, const moment_t *now, const char *name)
{
    size_t at = 0;
    for (size_t i = 0; i < UNRESPONSIVE_MAX; i++) {
        if (strcmp (self->sites [i].name, name) == 0) {
            at = i;
            break;
        }
        if (self->sites [i].until_ms < self->sites [at].until_ms)
            at = i;
    }
    snprintf (self->sites [at].name, sizeof self->sites [at].name, "%s", name);
    self->sites [at].until_ms = now->mono_ms + UNRESPONSIVE_MS;
}

void unresponsive_judge (unresponsive_t *self, const moment_t *now, const char *name, bool silent)
{
    if (silent)
        unresponsive_add (self, now, name);
    for (size_t i = 0; i < UNRESPONSIVE_MAX && !silent; i++)
        if (strcmp (self->sites [i].name, name) == 0)
            self->sites [i].until_ms = 0;
}

int64_t unresponsive_try_ms (int64_t try_ms)
{
    return try_ms < MOMENT_MS ? try_ms : MOMENT_MS;
}
