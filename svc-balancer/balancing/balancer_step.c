/*  balancer_step - forms coalitions and weighs queues when it is time, and acts on what the members
 *  have answered.
 */
#include "balancer_state.h"

#include "delivered_work.h"
#include "member.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIRST_STEP_MS 500 /* from the start on; and between tries while no directory is known */
#define ABSENT_MAX    24  /* coalitions formed without its answer until a member is forgotten */

int64_t balancer_timeout_ms (const balancer_t *self)
{
    int64_t half_ms = self->settings.step_ms / 2;
    return self->settings.limits.timeout_ms < half_ms ? self->settings.limits.timeout_ms : half_ms;
}

/*  --- aside --- */

static void break_promise (balancer_t *self, job_t *job, const char *why)
{
    if (*job->kept.broken != '\0' || job->kept.ended_ms != 0)
        return;
    snprintf (job->kept.broken, sizeof job->kept.broken, "%s", why);
    service_count (self->service, "promises_broken", 1);
    balancer_put_job (self, job);
}

void balancer_set_aside (balancer_t *self, coalition_member_t *member, member_role_t to,
                         const char *why)
{
    char reason [BROKEN_BYTES];
    member_move (&member->kept, to, why);
    balancer_put_member (self, member);
    service_count (self->service, "members_set_aside", 1);
    outbox_log (self->service->outbox, LEVEL_WARNING, "member %s set aside: %s", member->kept.site,
                why);
    snprintf (reason, sizeof reason, "%s is set aside", member->kept.site);
    for (size_t i = 0; i < member->queue.count; i++) {
        job_t *job = coalition_job (&self->coalition, member->queue.bags [i].home,
                                    member->queue.bags [i].home_bag);
        if (job)
            break_promise (self, job, reason);
    }
    for (job_t *job = NULL; (job = coalition_job_after (&self->coalition, job));)
        if (strcmp (job->home, member->kept.site) == 0)
            break_promise (self, job, reason);
}

/*  --- forming --- */

static void take_candidate (balancer_t *self, const coalition_candidate_t *candidate)
{
    coalition_member_t *member = coalition_find (&self->coalition, candidate->site);
    const terms_t *terms = &candidate->terms;
    if (!member)
        member = coalition_add (&self->coalition, candidate->site);
    member_kept_t *kept = &member->kept;
    if (!terms->automatic || !kept->automatic || kept->declared_s != terms->level_s)
        kept->level_s = terms->level_s;
    kept->declared_s = terms->level_s;
    kept->automatic = terms->automatic;
    kept->given_before_s = kept->given_s;
    kept->taken_before_s = kept->taken_s;
    member_move (kept, MEMBER_ACTIVE, "");
    member->silent = 0;
    member->delivered_work = (delivered_work_t){.seen = false};
    member->cpus_sum = 0;
    member->cpus_count = 0;
}

static const coalition_candidate_t *balancer_step_candidate_of (const balancer_t *self,
                                                                const char *site)
{
    return list_find (self->candidates, self->candidates_count, sizeof *self->candidates, site);
}

/*  A member that does not answer, or that the directory does not list, stays a member and is set
 *  aside: its account and promises are kept, unless it stays away for long. */
static void drop_absent_members (balancer_t *self, bool formed)
{
    for (size_t i = self->coalition.members_count; i-- > 0;) {
        coalition_member_t *member = self->coalition.members [i];
        const coalition_candidate_t *candidate =
          balancer_step_candidate_of (self, member->kept.site);
        if (candidate && candidate->joined) {
            member->kept.absent = 0;
            continue;
        }
        member->kept.absent += formed;
        if ((candidate && candidate->answered) || member->kept.absent > ABSENT_MAX) {
            balancer_drop_member (self, member->kept.site);
            continue;
        }
        member_move (&member->kept, MEMBER_ASIDE,
                     "it did not answer when the coalition was formed");
    }
}

/*  Finished jobs are kept for the length of a coalition: tasks that were on their way, and so in no
 *  queue, may turn up again, and the promise made for them stands. */
static void begin_jobs (balancer_t *self, const moment_t *now)
{
    for (job_t *job = coalition_job_after (&self->coalition, NULL), *next; job; job = next) {
        next = coalition_job_after (&self->coalition, job);
        if (job->kept.ended_ms != 0) {
            if (job->kept.ended_ms + self->settings.coalition_ms <= now->wall_ms)
                balancer_drop_job (self, job);
        } else if (job->load_s >= 0) {
            job->kept.load_s = job->load_s;
            balancer_put_job (self, job);
        }
    }
}

static size_t joined_count (const balancer_t *self)
{
    size_t joined = 0;
    for (size_t i = 0; i < self->candidates_count; i++)
        joined += self->candidates [i].joined;
    return joined;
}

/*  A coalition needs two members; with fewer, forming one is tried again at each step. */
void balancer_formed (balancer_t *self, const moment_t *now)
{
    coalition_t *coalition = &self->coalition;
    size_t joined = joined_count (self);
    if (coalition->kept.formed_ms != 0)
        measuring_end (self, now);
    drop_absent_members (self, joined > 1);
    size_t taken = 0;
    for (size_t i = 0; i < self->candidates_count; i++)
        if (self->candidates [i].joined && taken < self->settings.limits.members_max) {
            take_candidate (self, &self->candidates [i]);
            taken++;
        }
    if (joined > taken)
        outbox_log (self->service->outbox, LEVEL_WARNING,
                    "coalition: %zu of the %zu sites that joined are left out: a coalition has at "
                    "most %" PRIu32,
                    joined - taken, joined, self->settings.limits.members_max);
    begin_jobs (self, now);
    coalition->kept.number += taken > 1;
    coalition->kept.formed_ms = taken > 1 ? now->wall_ms : 0;
    coalition->kept.step_before = coalition->kept.step;
    self->done_s = 0;
    self->gone_s = 0;
    balancer_put_coalition (self);
    for (size_t i = 0; i < coalition->members_count; i++)
        balancer_put_member (self, coalition->members [i]);
    hearing_end (self);
    if (taken < 2)
        return;
    service_count (self->service, "coalitions", 1);
    outbox_log (self->service->outbox, LEVEL_INFO, "coalition %" PRIu64 " formed members=%zu",
                coalition->kept.number, taken);
    hearing_begin (self, now);
}

/*  --- rebalancing --- */

/*  This step's sites and jobs, numbered as in the lists that rebalance gets. */
typedef struct {
    weighed_t *sites;
    coalition_member_t **members;
    size_t sites_count;
    weighed_job_t *weighed;
    job_t **jobs;
    size_t jobs_count;
    bool whole; /* every member not set aside has told its queue, and no bag is left out */
} weighed_step_t;

static job_t *balancer_step_job_of (balancer_t *self, const queued_t *bag)
{
    job_t *job = coalition_job (&self->coalition, bag->home, bag->home_bag);
    if (!job) {
        job = coalition_job_add (&self->coalition, bag->home, bag->home_bag);
        job->place = SIZE_MAX;
        job->kept.submitted_ms = bag->submitted_ms;
        job->kept.task_s = bag->task_s;
    }
    return job;
}

static void take_bag (balancer_t *self, weighed_step_t *step, size_t site, const queued_t *bag)
{
    double load_s = bag->running_s + bag->waiting * bag->task_s;
    double input_s = weighed_input (&step->sites [site], bag->missing_bytes, bag->task_s);
    job_t *job = balancer_step_job_of (self, bag);
    if (job->place == SIZE_MAX) {
        job->place = step->jobs_count++;
        job->now_s = 0;
        job->away = 0;
        job->guests = 0;
        step->jobs [job->place] = job;
        step->weighed [job->place] = (weighed_job_t){.home = REBALANCE_NOWHERE};
    }
    job->now_s += load_s;
    if (strcmp (step->members [site]->kept.site, bag->home) == 0) {
        job->at_home = true;
        job->away = bag->away;
        job->kept.submitted_ms = bag->submitted_ms;
    } else {
        job->guests += (uint64_t) bag->running + bag->waiting;
    }
    weighed_job_t *weighed = &step->weighed [job->place];
    weighed->input_bytes = fmax (weighed->input_bytes, bag->input_bytes);
    weighed_add (&step->sites [site], &(piece_t){.bag = bag->bag,
                                                 .job = job->place,
                                                 .waiting = bag->waiting,
                                                 .movable = bag->movable,
                                                 .task_s = bag->task_s + input_s,
                                                 .input_s = input_s,
                                                 .running_s = bag->running_s});
}

static size_t bags_told (const balancer_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->coalition.members_count; i++)
        count += self->coalition.members [i]->queue.count;
    return count;
}

/*  Each member in turn, its queue's head first. */
static void take_queues (balancer_t *self, weighed_step_t *step)
{
    size_t looked = 0;
    size_t left_out = 0;
    for (size_t s = 0; s < step->sites_count; s++) {
        const member_queue_t *queue = &step->members [s]->queue;
        for (size_t i = 0; i < queue->count; i++) {
            if (looked == self->settings.limits.jobs_max) {
                left_out += queue->count - i;
                break;
            }
            take_bag (self, step, s, &queue->bags [i]);
            looked++;
        }
    }
    for (size_t i = 0; i < step->jobs_count; i++) {
        const coalition_member_t *home = coalition_find (&self->coalition, step->jobs [i]->home);
        step->weighed [i].home = home ? home->place : REBALANCE_NOWHERE;
    }
    if (left_out == 0)
        return;
    step->whole = false;
    service_count (self->service, "bags_left_out", (int64_t) left_out);
    outbox_log (self->service->outbox, LEVEL_WARNING,
                "step %" PRIu64 ": %zu bags are left out: a step considers at most %" PRIu32,
                self->coalition.kept.step, left_out, self->settings.limits.jobs_max);
}

static void step_begin (balancer_t *self, weighed_step_t *step)
{
    coalition_t *coalition = &self->coalition;
    size_t bags = bags_told (self);
    *step = (weighed_step_t){.whole = true};
    step->sites = must (calloc (coalition->members_count + 1, sizeof *step->sites));
    step->members = must (calloc (coalition->members_count + 1, sizeof (coalition_member_t *)));
    step->weighed = must (calloc (bags + 1, sizeof *step->weighed));
    step->jobs = must (calloc (bags + 1, sizeof (job_t *)));
    for (job_t *job = NULL; (job = coalition_job_after (coalition, job));) {
        job->at_home = false;
        job->elsewhere = false;
        job->place = SIZE_MAX;
    }
    for (size_t i = 0; i < coalition->members_count; i++) {
        coalition_member_t *member = coalition->members [i];
        member->place = member->fresh ? step->sites_count : SIZE_MAX;
        if (!member->fresh) {
            step->whole = step->whole && *member->kept.aside != '\0';
            continue;
        }
        double rate = member->queue.input_rate;
        step->sites [step->sites_count] = (weighed_t){.cpus = member->queue.cpus,
                                                      .byte_s = rate > 0 ? 1 / rate : 0,
                                                      .level_s = member->kept.level_s,
                                                      .aside = *member->kept.aside != '\0'};
        step->members [step->sites_count++] = member;
    }
    take_queues (self, step);
}

static void step_end (weighed_step_t *step)
{
    for (size_t i = 0; i < step->sites_count; i++)
        weighed_clear (&step->sites [i]);
    free (step->sites);
    free (step->members);
    free (step->weighed);
    free (step->jobs);
}

/*  --- members that don't do what they should --- */

static void balancer_step_judge (balancer_t *self)
{
    const balancer_limits_t *limits = &self->settings.limits;
    char why [ASIDE_BYTES];
    for (size_t i = 0; i < self->coalition.members_count; i++) {
        coalition_member_t *member = self->coalition.members [i];
        if (*member->kept.aside != '\0')
            continue;
        if (!member->fresh && ++member->silent >= limits->silent_steps) {
            snprintf (why, sizeof why, "it did not answer in %u steps", member->silent);
            balancer_set_aside (self, member, MEMBER_ASIDE, why);
        } else if (member->fresh &&
                   delivered_work_short (&member->delivered_work, limits->delivered_work_steps,
                                         limits->work_least)) {
            snprintf (why, sizeof why,
                      "it did %.0f CPU seconds of work in %u steps in which tasks waited; its CPUs "
                      "could have done %.0f",
                      member->delivered_work.work_s, member->delivered_work.steps,
                      member->delivered_work.could_s);
            balancer_set_aside (self, member, MEMBER_HEARD, why);
        }
    }
}

/*  --- promises --- */

/*  What has made a job later, as far as can be seen. */
static void why_later (const weighed_step_t *step, size_t job, char why [BROKEN_BYTES])
{
    for (size_t s = 0; s < step->sites_count; s++)
        for (size_t i = 0; i < step->sites [s].count; i++) {
            const coalition_member_t *member = step->members [s];
            if (step->sites [s].pieces [i].job != job)
                continue;
            snprintf (why, BROKEN_BYTES, "its tasks wait longer at %s than could be foreseen",
                      member->kept.site);
            if (member->queue.cpus < member->cpus_before) {
                snprintf (why, BROKEN_BYTES, "%s now has %g CPUs for its queue; it had %g",
                          member->kept.site, member->queue.cpus, member->cpus_before);
                return;
            }
        }
}

/*  A promise never changes. It counts as broken when it is missed by more than a step, because what
 *  the sites have told may be that old. */
static void balancer_step_promise (balancer_t *self, const moment_t *now,
                                   const weighed_step_t *step, size_t at)
{
    job_t *job = step->jobs [at];
    const weighed_job_t *weighed = &step->weighed [at];
    double time_s = fmin (weighed->before_s, weighed->after_s);
    bool told = weighed->home != REBALANCE_NOWHERE && step->whole && !job->elsewhere;
    if (job->kept.promised_ms == 0 && told && isfinite (time_s)) {
        job->kept.promised_ms = now->wall_ms + (int64_t) ceil (1000 * time_s);
        balancer_put_job (self, job);
        return;
    }
    double late_ms = (double) (now->wall_ms - job->kept.promised_ms) + 1000 * weighed->after_s;
    if (job->kept.promised_ms == 0 || late_ms <= (double) self->settings.step_ms)
        return;
    char why [BROKEN_BYTES] = "";
    why_later (step, at, why);
    break_promise (self, job, why);
}

/*  The job has ended since the step before; the middle between the two steps is the best guess. */
static int64_t balancer_step_end_of (const balancer_t *self, const moment_t *now, const job_t *job)
{
    int64_t ended_ms = now->wall_ms - self->settings.step_ms / 2;
    return ended_ms > job->kept.submitted_ms ? ended_ms : job->kept.submitted_ms + 1;
}

static void job_over (balancer_t *self, const moment_t *now, job_t *job)
{
    if (job->load_s > 0)
        self->gone_s += job->load_s;
    job->load_s = 0;
    if (self->coalition.jobs_over == self->settings.limits.kept_max) {
        service_count (self->service, "jobs_not_measured", 1);
        balancer_drop_job (self, job);
        return;
    }
    job->kept.ended_ms = balancer_step_end_of (self, now, job);
    self->coalition.jobs_over++;
    balancer_put_job (self, job);
}

static void job_goes_on (balancer_t *self, job_t *job)
{
    if (job->kept.ended_ms != 0) {
        job->kept.ended_ms = 0;
        self->coalition.jobs_over--;
        balancer_put_job (self, job);
    }
    if (job->load_s < 0)
        job->kept.load_s = job->kept.load_s > 0 ? job->kept.load_s : job->now_s;
    else
        self->gone_s += fmax (0, job->load_s - job->now_s);
    job->load_s = job->now_s;
}

/*  A job's home lists the bag until it is over, even when all of its tasks are away. So a job that
 *  its home no longer lists is over. Jobs whose home is no member any more get no new promises. */
static void follow_home (balancer_t *self, const moment_t *now, const weighed_step_t *step,
                         job_t *job)
{
    const coalition_member_t *home = coalition_find (&self->coalition, job->home);
    if (!home && job->place == SIZE_MAX)
        balancer_drop_job (self, job);
    else if (home && home->fresh && !job->at_home && step->whole && job->kept.ended_ms == 0)
        job_over (self, now, job);
}

/*  Tasks at a member that did not answer are assumed to be there still. */
static void follow_jobs (balancer_t *self, const moment_t *now, const weighed_step_t *step)
{
    coalition_t *coalition = &self->coalition;
    for (size_t i = 0; i < coalition->members_count; i++) {
        const coalition_member_t *member = coalition->members [i];
        for (size_t k = 0; !member->fresh && k < member->queue.count; k++) {
            const queued_t *bag = &member->queue.bags [k];
            job_t *job = coalition_job (coalition, bag->home, bag->home_bag);
            if (job)
                job->elsewhere = true;
        }
    }
    for (size_t i = 0; i < step->jobs_count; i++) {
        job_goes_on (self, step->jobs [i]);
        if (step->jobs [i]->away > step->jobs [i]->guests)
            step->jobs [i]->elsewhere = true;
    }
    for (job_t *job = coalition_job_after (coalition, NULL), *next; job; job = next) {
        next = coalition_job_after (coalition, job);
        follow_home (self, now, step, job);
    }
}

/*  --- the step --- */

/*  A round is the wall time in nanoseconds, so that a balancer that has lost its store goes on
 *  above the rounds that its members remember. */
static void next_round (coalition_kept_t *kept, const moment_t *now)
{
    uint64_t round = (uint64_t) now->wall_ms * 1000000;
    kept->round = round > kept->round ? round : kept->round + 1;
}

void balancer_heard (balancer_t *self, const moment_t *now)
{
    weighed_step_t step;
    size_t count;
    balancer_step_judge (self);
    step_begin (self, &step);
    follow_jobs (self, now, &step);
    const weighed_move_t *moves =
      rebalance_step (self->weighing, step.sites, step.sites_count, step.weighed, step.jobs_count,
                      self->settings.reschedule, self->settings.limits.orders_max, &count);
    for (size_t i = 0; i < step.jobs_count; i++)
        balancer_step_promise (self, now, &step, i);
    self->coalition.kept.step++;
    next_round (&self->coalition.kept, now);
    balancer_put_coalition (self);
    service_count (self->service, "steps", 1);
    orders_begin (self, now, moves, count, step.members, step.jobs);
    step_end (&step);
}

static timer_fn balancer_step_on_timer;

static void wake_in (balancer_t *self, const moment_t *now, int64_t ms)
{
    self->next_step_ms = now->wall_ms + ms;
    self->timer =
      timers_set (self->service->timers, now->mono_ms + ms, balancer_step_on_timer, self, 0);
}

static int64_t soon_ms (const balancer_t *self)
{
    return self->settings.step_ms < FIRST_STEP_MS ? self->settings.step_ms : FIRST_STEP_MS;
}

/*  Questions and orders that are not answered by now are given up. */
static void balancer_step_on_timer (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    balancer_t *self = owner;
    const coalition_kept_t *kept = &self->coalition.kept;
    if (!directory_known (directory_of (self->service))) {
        wake_in (self, now, soon_ms (self));
        return;
    }
    wake_in (self, now, self->settings.step_ms);
    hearing_end (self);
    orders_end (self);
    if (kept->formed_ms == 0 || now->wall_ms >= kept->formed_ms + self->settings.coalition_ms)
        hearing_form (self, now);
    else
        hearing_begin (self, now);
}

void balancer_step_start (balancer_t *self, const moment_t *now)
{
    wake_in (self, now, soon_ms (self));
}
