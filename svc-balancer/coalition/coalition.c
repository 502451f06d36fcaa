/*  coalition - the two tables. */
#include "coalition.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void told_clear (told_t *told)
{
    free (told->bags);
    *told = (told_t){0};
}

double told_load (const told_t *told)
{
    double load = 0;
    for (size_t i = 0; i < told->count; i++)
        load += told->bags [i].running_s + told->bags [i].waiting * told->bags [i].task_s;
    return load;
}

static void put_number (uint8_t *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to [i] = (uint8_t) (number >> (8 * (bytes - 1 - i)));
}

bytes_t job_key (const job_t *job, uint8_t key [JOB_KEY_BYTES])
{
    put_number (key, job->bag, 8);
    memcpy (key + 8, job->home, strlen (job->home));
    return (bytes_t){key, 8 + strlen (job->home)};
}

bytes_t order_key (const order_t *order, uint8_t key [ORDER_KEY_BYTES])
{
    put_number (key, order->round, 8);
    put_number (key + 8, order->number, 4);
    return (bytes_t){key, ORDER_KEY_BYTES};
}

/*  --- members --- */

/*  Where the site is, or belongs. */
static size_t place_of (const coalition_t *self, const char *site)
{
    size_t low = 0;
    size_t high = self->members_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp (self->members [middle]->kept.site, site) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

member_t *coalition_find (const coalition_t *self, const char *site)
{
    size_t at = place_of (self, site);
    bool there = at < self->members_count && strcmp (self->members [at]->kept.site, site) == 0;
    return there ? self->members [at] : NULL;
}

member_t *coalition_add (coalition_t *self, const char *site)
{
    size_t at = place_of (self, site);
    assert (!coalition_find (self, site));
    self->members =
      must (reallocarray (self->members, self->members_count + 1, sizeof *self->members));
    memmove (&self->members [at + 1], &self->members [at],
             (self->members_count - at) * sizeof *self->members);
    member_t *member = must (calloc (1, sizeof *member));
    snprintf (member->kept.site, sizeof member->kept.site, "%s", site);
    self->members [at] = member;
    self->members_count++;
    return member;
}

static void member_free (member_t *member)
{
    told_clear (&member->told);
    told_clear (&member->coming);
    free (member);
}

void coalition_remove (coalition_t *self, const char *site)
{
    size_t at = place_of (self, site);
    assert (coalition_find (self, site));
    member_free (self->members [at]);
    self->members_count--;
    memmove (&self->members [at], &self->members [at + 1],
             (self->members_count - at) * sizeof *self->members);
}

/*  --- jobs --- */

typedef struct {
    const char *home;
    uint64_t bag;
} job_name_t;

static int by_home (const void *key, const void *thing)
{
    const job_name_t *name = key;
    const job_t *job = thing;
    int order = strcmp (name->home, job->home);
    return order != 0 ? order : (name->bag > job->bag) - (name->bag < job->bag);
}

job_t *coalition_job_after (const coalition_t *self, const job_t *job)
{
    if (!job)
        return ordered_after (self->jobs, NULL);
    job_name_t name = {job->home, job->bag};
    return ordered_after (self->jobs, &name);
}

job_t *coalition_job (const coalition_t *self, const char *home, uint64_t bag)
{
    job_name_t name = {home, bag};
    return ordered_find (self->jobs, &name);
}

job_t *coalition_job_add (coalition_t *self, const char *home, uint64_t bag)
{
    job_t *job = must (calloc (1, sizeof *job));
    snprintf (job->home, sizeof job->home, "%s", home);
    job->bag = bag;
    job->load_s = -1;
    job_name_t name = {job->home, bag};
    ordered_add (self->jobs, &name, job);
    return job;
}

void coalition_job_remove (coalition_t *self, job_t *job)
{
    job_name_t name = {job->home, job->bag};
    if (job->kept.ended_ms != 0)
        self->jobs_over--;
    ordered_remove (self->jobs, &name);
    free (job);
}

/*  --- its life --- */

void coalition_init (coalition_t *self)
{
    *self = (coalition_t){.jobs = ordered_new (by_home)};
}

void coalition_clear (coalition_t *self)
{
    for (size_t i = 0; i < self->members_count; i++)
        member_free (self->members [i]);
    free (self->members);
    for (job_t *job; (job = coalition_job_after (self, NULL));)
        coalition_job_remove (self, job);
    ordered_destroy (&self->jobs);
}
