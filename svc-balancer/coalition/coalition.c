/*  coalition - members sorted by site, jobs by home and bag. */
#include "coalition.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void member_queue_clear (member_queue_t *queue)
{
    free (queue->bags);
    *queue = (member_queue_t){0};
}

double member_queue_load (const member_queue_t *queue)
{
    double load = 0;
    for (size_t i = 0; i < queue->count; i++)
        load += queue->bags [i].running_s + queue->bags [i].waiting * queue->bags [i].task_s;
    return load;
}

bytes_t job_key (const job_t *job, uint8_t key [JOB_KEY_BYTES])
{
    number_put (key, job->bag, 8);
    memcpy (key + 8, job->home, strlen (job->home));
    return (bytes_t){key, 8 + strlen (job->home)};
}

bytes_t order_key (const order_t *order, uint8_t key [ORDER_KEY_BYTES])
{
    number_put (key, order->round, 8);
    number_put (key + 8, order->number, 4);
    return (bytes_t){key, ORDER_KEY_BYTES};
}

/*  --- members --- */

static const char *const member_words [] = {"active", "aside", "heard"};

static const state_step_t member_steps [] = {
  {STATES (MEMBER_HEARD), MEMBER_ACTIVE, .when = "a coalition is formed with it"},
  {STATES (MEMBER_HEARD), MEMBER_ASIDE, .when = "it has left, or does not answer"},
  {STATE (MEMBER_ACTIVE), MEMBER_HEARD, .when = "it works less than its CPUs could"},
};
const state_table_t member_states = {
  .name = "member", .states = member_words, STATE_STEPS (member_steps)};

member_role_t member_role (const member_kept_t *kept)
{
    return !*kept->aside ? MEMBER_ACTIVE : kept->heard ? MEMBER_HEARD : MEMBER_ASIDE;
}

void member_move (member_kept_t *kept, member_role_t to, const char *why)
{
    member_role_t role = member_role (kept);
    STATE_MOVE (&member_states, role, to);
    snprintf (kept->aside, sizeof kept->aside, "%s", why);
    kept->heard = role == MEMBER_HEARD;
}

static int by_site (const void *key, const void *item)
{
    return strcmp (key, (*(coalition_member_t *const *) item)->kept.site);
}

static coalition_member_t **coalition_place_of (const coalition_t *self, const char *site)
{
    return self->members_count == 0
             ? NULL
             : bsearch (site, self->members, self->members_count, sizeof *self->members, by_site);
}

coalition_member_t *coalition_find (const coalition_t *self, const char *site)
{
    coalition_member_t **place = coalition_place_of (self, site);
    return place ? *place : NULL;
}

coalition_member_t *coalition_add (coalition_t *self, const char *site)
{
    assert (!coalition_find (self, site));
    size_t at = self->members_count++;
    self->members = must (reallocarray (self->members, at + 1, sizeof *self->members));
    for (; at > 0 && strcmp (self->members [at - 1]->kept.site, site) > 0; at--)
        self->members [at] = self->members [at - 1];
    coalition_member_t *member = must (calloc (1, sizeof *member));
    snprintf (member->kept.site, sizeof member->kept.site, "%s", site);
    return self->members [at] = member;
}

static void coalition_member_free (coalition_member_t *member)
{
    member_queue_clear (&member->queue);
    member_queue_clear (&member->incoming);
    free (member);
}

void coalition_remove (coalition_t *self, const char *site)
{
    coalition_member_t **place = coalition_place_of (self, site);
    assert (place);
    coalition_member_free (*place);
    size_t behind = (size_t) (self->members + --self->members_count - place);
    memmove (place, place + 1, behind * sizeof *place);
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
        coalition_member_free (self->members [i]);
    free (self->members);
    for (job_t *job; (job = coalition_job_after (self, NULL));)
        coalition_job_remove (self, job);
    ordered_destroy (&self->jobs);
}
