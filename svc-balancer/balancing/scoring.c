/*  scoring - what a coalition was worth to each member: the flow times of its jobs against those
 *  that they would have had alone (eqs 5 to 8). Only finished jobs count that were submitted in the
 *  middle of the coalition.
 */
#include "balancer_state.h"

#include "bilb_level.h"
#include "message.h"
#include "solo.h"

#include <math.h>
#include <string.h>

#define MIDDLE_FROM  0.2
#define MIDDLE_UNTIL 0.8

static bool in_middle (const balancer_t *self, const job_t *job)
{
    double formed_ms = (double) self->coalition.kept.formed_ms;
    double coalition_ms = (double) self->settings.coalition_ms;
    double submitted_ms = (double) job->kept.submitted_ms;
    return job->kept.ended_ms != 0 && submitted_ms >= formed_ms + MIDDLE_FROM * coalition_ms &&
           submitted_ms < formed_ms + MIDDLE_UNTIL * coalition_ms;
}

/*  The share of the load asked for that tasks really used, over all members. */
static double used_share (const balancer_t *self)
{
    if (self->gone_s <= 0 || self->done_s <= 0)
        return 1;
    return fmin (1, self->done_s / self->gone_s);
}

static void scoring_measure (const balancer_t *self, coalition_member_t *member,
                             member_worth_t *worth)
{
    const coalition_t *coalition = &self->coalition;
    solo_job_t *jobs = must (calloc (ordered_count (coalition->jobs) + 1, sizeof *jobs));
    size_t count = 0;
    *worth = (member_worth_t){.member = member, .level_s = member->kept.level_s};
    for (const job_t *job = NULL; (job = coalition_job_after (coalition, job));) {
        int64_t formed_ms = coalition->kept.formed_ms;
        bool before = job->kept.ended_ms != 0 && job->kept.ended_ms < formed_ms;
        if (before || strcmp (job->home, member->kept.site) != 0)
            continue;
        int64_t submitted_ms = job->kept.submitted_ms;
        jobs [count++] =
          (solo_job_t){.arrived_ms = submitted_ms > formed_ms ? submitted_ms : formed_ms,
                       .submitted_ms = submitted_ms,
                       .load_s = job->kept.load_s,
                       .task_s = job->kept.task_s,
                       .measured = in_middle (self, job)};
        if (!in_middle (self, job))
            continue;
        worth->jobs++;
        worth->flow_s += (double) (job->kept.ended_ms - submitted_ms) / 1000;
    }
    double cpus = member->cpus_count > 0 ? member->cpus_sum / member->cpus_count : 0;
    if (cpus > 0)
        worth->flow_alone_s = solo_flow (jobs, count, cpus, used_share (self));
    free (jobs);
}

static void adapt_level (coalition_member_t *member, const member_worth_t *worth)
{
    member_kept_t *kept = &member->kept;
    if (worth->jobs == 0 || worth->flow_s <= 0 || worth->flow_alone_s <= 0)
        return;
    kept->ratios += worth->flow_s / worth->flow_alone_s;
    kept->coalitions++;
    if (kept->automatic)
        kept->level_s =
          bilb_level_next (kept->level_s, worth->flow_s, worth->flow_alone_s, BILB_SIGMA);
}

/*  --- history --- */

static bytes_t number_key (uint64_t number, uint8_t key [8])
{
    number_put (key, number, 8);
    return (bytes_t){key, 8};
}

/*  Takes the record over. */
static void history_add (balancer_t *self, ProtobufCMessage *record)
{
    self->history = must (reallocarray (self->history, self->history_count + 1, sizeof (void *)));
    self->history [self->history_count++] = (Musubi__CoalitionRecord *) record;
}

static void history_trim (balancer_t *self)
{
    uint8_t key [8];
    if (self->history_count <= self->settings.limits.history_max)
        return;
    outbox_delete (self->service->outbox, TABLE_COALITIONS,
                   number_key (self->history [0]->coalition, key));
    message_free (&self->history [0]->base);
    self->history_count--;
    memmove (&self->history [0], &self->history [1], self->history_count * sizeof (void *));
}

/*  The record holds the level that was used; the adapted one is for the next coalition. */
void measuring_end (balancer_t *self, const moment_t *now)
{
    coalition_t *coalition = &self->coalition;
    uint8_t key [8];
    member_worth_t *worths = must (calloc (coalition->members_count + 1, sizeof *worths));
    for (size_t i = 0; i < coalition->members_count; i++) {
        coalition_member_t *member = coalition->members [i];
        scoring_measure (self, member, &worths [i]);
        adapt_level (member, &worths [i]);
    }
    packed_t record =
      coalition_record_encode (coalition, now->wall_ms, worths, coalition->members_count);
    history_add (
      self, must (message_unpack (&musubi__coalition_record__descriptor, packed_bytes (record))));
    service_put (self->service, TABLE_COALITIONS, number_key (coalition->kept.number, key), record);
    history_trim (self);
    free (worths);
}

static void scoring_on_record (void *owner, bytes_t key, bytes_t value)
{
    balancer_t *self = owner;
    ProtobufCMessage *record = message_unpack (&musubi__coalition_record__descriptor, value);
    if (record && key.size == 8)
        history_add (self, record);
    else
        service_bad_record (self->service, "coalitions", "not a CoalitionRecord");
}

void measuring_serve (balancer_t *self)
{
    service_load (self->service, TABLE_COALITIONS, scoring_on_record, self);
}
