/*  check_fixture - a judge of a federation, and the violations that it reported. */
#ifndef MUSUBI_CHECK_FIXTURE_H
#define MUSUBI_CHECK_FIXTURE_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_MS  3600000
#define TOLD_MAX 16

typedef struct {
    check_t *check;
    char told [TOLD_MAX][512];
    size_t told_count;
} fixture_t;

static void tell (void *owner, const char *sentence)
{
    fixture_t *self = owner;
    if (self->told_count < TOLD_MAX)
        snprintf (self->told [self->told_count], sizeof self->told [0], "%s", sentence);
    self->told_count++;
}

static fixture_t *fixture_new (void)
{
    fixture_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    self->check = check_new ();
    return self;
}

static int tear_down (void **state)
{
    fixture_t *self = *state;
    check_destroy (&self->check);
    free (self);
    return 0;
}

static check_result_t judge (fixture_t *self, int now_hours, bool settled)
{
    self->told_count = 0;
    return check_judge (self->check, (int64_t) now_hours * HOUR_MS, settled, tell, self);
}

#endif
