/*  rebalance - a plan is a copy of the queues that orders are tried on. */
#include "rebalance.h"

#include "bilb_queues.h"
#include "must.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/*  What the orders so far have made of the queues. */
typedef struct {
    weighed_t *sites;
    double *loads;
    double *sent; /* by site, in this step */
    weighed_move_t *moves;
    size_t moves_count;
    size_t moves_max;
    double total_s; /* of all jobs' times, when it is done */
} rebalance_plan_t;

struct weighing {
    bilb_queues_t *queues;
    const weighed_t *sites;
    size_t sites_count;
    weighed_job_t *jobs;
    size_t jobs_count;
    rebalance_plan_t plans [2];
    bilb_member_t *members; /* of the sites that take part */
    size_t *places;         /* of a member among the sites */
    size_t members_count;
    double *quotas; /* by site */
};

/*  --- queues --- */

void weighed_add (weighed_t *site, const piece_t *piece)
{
    assert (piece->task_s > 0 && piece->running_s >= 0 && piece->movable <= piece->waiting);
    site->pieces = must_grow (site->pieces, site->count, &site->room, sizeof *site->pieces);
    site->pieces [site->count++] = *piece;
}

double weighed_input (const weighed_t *site, double bytes, double work_s)
{
    return fmin (bytes * site->byte_s, REBALANCE_INPUT_MOST * work_s);
}

void weighed_clear (weighed_t *site)
{
    free (site->pieces);
    *site = (weighed_t){0};
}

static double piece_load (const piece_t *piece)
{
    return piece->running_s + piece->waiting * piece->task_s;
}

double weighed_load (const weighed_t *site)
{
    double load = 0;
    for (size_t i = 0; i < site->count; i++)
        load += piece_load (&site->pieces [i]);
    return load;
}

/*  When the last task of a piece is over; until: the load up to the end of the piece. */
static double piece_end (const weighed_t *site, const piece_t *piece, double until)
{
    if (piece->waiting == 0)
        return fmin (piece->running_s, piece->task_s);
    if (site->cpus <= 0)
        return INFINITY;
    return (until - piece->task_s) / site->cpus + piece->task_s;
}

/*  Each job's time in these queues, into before_s or after_s. */
static void rebalance_complete (const rebalance_t *self, const weighed_t *sites, bool after)
{
    for (size_t i = 0; i < self->jobs_count; i++)
        *(after ? &self->jobs [i].after_s : &self->jobs [i].before_s) = 0;
    for (size_t s = 0; s < self->sites_count; s++) {
        double until = 0;
        for (size_t i = 0; i < sites [s].count; i++) {
            const piece_t *piece = &sites [s].pieces [i];
            weighed_job_t *job = &self->jobs [piece->job];
            double *time = after ? &job->after_s : &job->before_s;
            until += piece_load (piece);
            if (piece_load (piece) > 0)
                *time = fmax (*time, piece_end (&sites [s], piece, until));
        }
    }
}

static double tie_tolerance (double time)
{
    return REBALANCE_TIE_S * (1 + time);
}

/*  Must the job stay as early as it is? Tasks of a site that is set aside come home even if they
 *  get later. */
static bool must_stay_early (const rebalance_t *self, size_t job)
{
    size_t home = self->jobs [job].home;
    return home == REBALANCE_NOWHERE || !self->sites [home].aside;
}

/*  --- trying an order --- */

static uint32_t tasks_in (double load, double task_s)
{
    double tasks = floor (load / task_s + 1e-9);
    return tasks <= 0 ? 0 : tasks >= UINT32_MAX ? UINT32_MAX : (uint32_t) tasks;
}

static uint32_t rebalance_least (uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/*  Where tasks that come home are put; NULL: none of the bag waits there, so they go to the
 *  head. */
static piece_t *place_home (const weighed_t *site, size_t job)
{
    for (size_t i = 0; i < site->count; i++)
        if (site->pieces [i].job == job && site->pieces [i].waiting > 0)
            return &site->pieces [i];
    return NULL;
}

/*  How many tasks may come home without making anything behind them complete later. They end with
 *  the piece that waits there, or are the first of all. */
static uint32_t room_at_home (const rebalance_t *self, const weighed_t *site, size_t job,
                              double task_s)
{
    double room_s = INFINITY;
    double until = 0;
    const piece_t *place = place_home (site, job);
    if (site->cpus <= 0)
        return 0;
    if (!place && must_stay_early (self, job))
        room_s = (self->jobs [job].before_s - task_s) * site->cpus + task_s;
    for (const piece_t *piece = site->pieces; piece < site->pieces + site->count; piece++) {
        until += piece_load (piece);
        if ((place && piece < place) || piece->waiting == 0 || !must_stay_early (self, piece->job))
            continue;
        double spare_s = self->jobs [piece->job].before_s - piece_end (site, piece, until);
        room_s = fmin (room_s, spare_s * site->cpus);
    }
    return isinf (room_s) ? UINT32_MAX : tasks_in (room_s, task_s);
}

/*  How many tasks may be put at the end of a queue. */
static uint32_t room_behind (const rebalance_t *self, const rebalance_plan_t *plan, size_t to,
                             size_t job, double task_s)
{
    const weighed_t *site = &plan->sites [to];
    double time_s = self->jobs [job].before_s - task_s;
    if (site->cpus <= 0)
        return 0;
    if (isinf (time_s))
        return UINT32_MAX;
    return tasks_in (time_s * site->cpus + task_s - plan->loads [to], task_s);
}

static uint32_t room_of_levels (const rebalance_plan_t *plan, size_t from, size_t to, double task_s,
                                double there_s)
{
    const weighed_t *sender = &plan->sites [from];
    const weighed_t *receiver = &plan->sites [to];
    double sends = sender->level_s * sender->cpus - plan->sent [from];
    double takes = receiver->level_s * receiver->cpus - plan->loads [to];
    return rebalance_least (isfinite (sends) ? tasks_in (sends, task_s) : UINT32_MAX,
                            isfinite (takes) ? tasks_in (takes, there_s) : UINT32_MAX);
}

static void put_home (weighed_t *site, const piece_t *moved)
{
    piece_t *place = place_home (site, moved->job);
    if (place) {
        place->waiting += moved->waiting;
        return;
    }
    weighed_add (site, moved);
    memmove (&site->pieces [1], &site->pieces [0], (site->count - 1) * sizeof *site->pieces);
    site->pieces [0] = *moved;
}

/*  What of a task's input a site lacks, as load. The site knows where it has tasks of the job;
 *  elsewhere all of it may be missing. */
static double input_there (const rebalance_t *self, size_t site, size_t job, double work_s)
{
    const weighed_t *there = &self->sites [site];
    for (size_t i = 0; i < there->count && self->jobs [job].input_bytes > 0; i++)
        if (there->pieces [i].job == job)
            return there->pieces [i].input_s;
    return weighed_input (there, self->jobs [job].input_bytes, work_s);
}

/*  Moves up to count tasks of a piece, as many as promises and levels allow; returns how many. */
static uint32_t try_move (const rebalance_t *self, rebalance_plan_t *plan, size_t from, size_t at,
                          size_t to, uint32_t count, bool levels)
{
    piece_t *piece = &plan->sites [from].pieces [at];
    bool home = self->jobs [piece->job].home == to;
    count = rebalance_least (count, piece->movable);
    if (from == to || count == 0 || plan->moves_count == plan->moves_max)
        return 0;
    double work_s = piece->task_s - piece->input_s;
    double input_s = input_there (self, to, piece->job, work_s);
    double there_s = work_s + input_s;
    if (levels)
        count = rebalance_least (count, room_of_levels (plan, from, to, piece->task_s, there_s));
    if (home)
        count =
          rebalance_least (count, room_at_home (self, &plan->sites [to], piece->job, there_s));
    else
        count = rebalance_least (count, room_behind (self, plan, to, piece->job, there_s));
    if (count == 0)
        return 0;
    plan->moves [plan->moves_count++] = (weighed_move_t){.from = from,
                                                         .to = to,
                                                         .job = piece->job,
                                                         .bag = piece->bag,
                                                         .count = count,
                                                         .task_s = work_s};
    piece_t moved = {.job = piece->job, .waiting = count, .task_s = there_s, .input_s = input_s};
    double load = count * piece->task_s;
    piece->waiting -= count;
    piece->movable -= count;
    plan->loads [from] -= load;
    plan->sent [from] += load;
    plan->loads [to] += count * there_s;
    if (home)
        put_home (&plan->sites [to], &moved);
    else
        weighed_add (&plan->sites [to], &moved);
    return count;
}

/*  --- a plan --- */

static void plan_begin (const rebalance_t *self, rebalance_plan_t *plan,
                        const rebalance_plan_t *after, size_t most)
{
    *plan = (rebalance_plan_t){.moves_max = most};
    plan->sites = must (calloc (self->sites_count + 1, sizeof *plan->sites));
    plan->loads = must (calloc (self->sites_count + 1, sizeof *plan->loads));
    plan->sent = must (calloc (self->sites_count + 1, sizeof *plan->sent));
    plan->moves = must (calloc (most + 1, sizeof *plan->moves));
    for (size_t i = 0; i < self->sites_count; i++) {
        const weighed_t *from = after ? &after->sites [i] : &self->sites [i];
        plan->sites [i] = *from;
        plan->sites [i].room = from->count;
        plan->sites [i].pieces = must (calloc (from->count + 1, sizeof *from->pieces));
        if (from->count > 0)
            memcpy (plan->sites [i].pieces, from->pieces, from->count * sizeof *from->pieces);
        plan->loads [i] = weighed_load (from);
    }
    if (!after)
        return;
    plan->moves_count = after->moves_count;
    memcpy (plan->moves, after->moves, after->moves_count * sizeof *plan->moves);
}

static void plan_end (const rebalance_t *self, rebalance_plan_t *plan)
{
    for (size_t i = 0; i < self->sites_count && plan->sites; i++)
        weighed_clear (&plan->sites [i]);
    free (plan->sites);
    free (plan->loads);
    free (plan->sent);
    free (plan->moves);
    *plan = (rebalance_plan_t){0};
}

/*  Checks that no job has become later, not even by rounding. */
static void plan_check (const rebalance_t *self, rebalance_plan_t *plan)
{
    rebalance_complete (self, plan->sites, true);
    for (size_t i = 0; i < self->jobs_count; i++) {
        const weighed_job_t *job = &self->jobs [i];
        assert (!must_stay_early (self, i) ||
                job->after_s <= job->before_s + tie_tolerance (job->before_s));
        plan->total_s += isfinite (job->after_s) ? job->after_s : 0;
    }
}

/*  For sites that are set aside: their tasks elsewhere come home, others' tasks there go home. */
static void bring_home (const rebalance_t *self, rebalance_plan_t *plan)
{
    for (size_t s = 0; s < self->sites_count; s++)
        for (size_t at = plan->sites [s].count; at-- > 0;) {
            const piece_t *piece = &plan->sites [s].pieces [at];
            size_t home = self->jobs [piece->job].home;
            if (piece->bag > 0 && home != REBALANCE_NOWHERE && home != s &&
                (plan->sites [s].aside || plan->sites [home].aside))
                try_move (self, plan, s, at, home, piece->movable, false);
        }
}

/*  --- the step, in whole tasks --- */

/*  The site that is still to be sent the most. */
static size_t neediest_site (const rebalance_t *self)
{
    size_t most = 0;
    for (size_t i = 1; i < self->sites_count; i++)
        if (self->quotas [i] > self->quotas [most])
            most = i;
    return most;
}

static void rebalance_send_piece (const rebalance_t *self, rebalance_plan_t *plan, size_t from,
                                  size_t at)
{
    size_t job = plan->sites [from].pieces [at].job;
    size_t home = self->jobs [job].home;
    if (home == REBALANCE_NOWHERE)
        return;
    for (size_t tries = 0; tries < (home == from ? self->sites_count : 1); tries++) {
        size_t to = home == from ? neediest_site (self) : home;
        const piece_t *piece = &plan->sites [from].pieces [at];
        double task_s = piece->task_s - piece->input_s;
        task_s += input_there (self, to, job, task_s);
        uint32_t wanted = tasks_in (self->quotas [to], task_s);
        uint32_t sent = try_move (self, plan, from, at, to, wanted, true);
        self->quotas [to] -= task_s * sent;
        if (wanted == 0 || sent == 0)
            return;
    }
}

/*  A sender's transfers, filled with whole tasks from its tail on. */
static void send_turn (const rebalance_t *self, rebalance_plan_t *plan,
                       const bilb_transfer_t *transfers, size_t count)
{
    if (count == 0)
        return;
    size_t from = self->places [transfers [0].from];
    for (size_t i = 0; i < self->sites_count; i++)
        self->quotas [i] = 0;
    for (size_t i = 0; i < count; i++)
        self->quotas [self->places [transfers [i].to]] += transfers [i].load;
    for (size_t at = plan->sites [from].count; at-- > 0;)
        if (plan->sites [from].pieces [at].bag > 0)
            rebalance_send_piece (self, plan, from, at);
}

static void send_transfers (rebalance_t *self, rebalance_plan_t *plan)
{
    const bilb_transfer_t *transfers;
    size_t count;
    bilb_t *bilb = bilb_queues_bilb (self->queues);
    bilb_walk (bilb);
    while (bilb_walk_turn (bilb, &transfers, &count))
        send_turn (self, plan, transfers, count);
}

/*  --- the extension, in whole tasks --- */

/*  By job, then member: the load that the job should have there beyond what it has. */
static double *wanted_loads (const rebalance_t *self, const rebalance_plan_t *plan)
{
    size_t width = self->members_count;
    double *wanted = must (calloc (self->jobs_count * width + 1, sizeof *wanted));
    for (size_t m = 0; m < width; m++) {
        const bilb_queue_t *queue = &self->members [m].queue;
        const weighed_t *site = &plan->sites [self->places [m]];
        for (size_t i = 0; i < queue->count; i++)
            wanted [queue->pieces [i].job * width + m] += queue->pieces [i].load;
        for (size_t i = 0; i < site->count; i++)
            wanted [site->pieces [i].job * width + m] -= piece_load (&site->pieces [i]);
    }
    return wanted;
}

static void send_wanted (const rebalance_t *self, rebalance_plan_t *plan)
{
    size_t width = self->members_count;
    double *wanted = wanted_loads (self, plan);
    for (size_t m = 0; m < width; m++) {
        size_t from = self->places [m];
        for (size_t at = plan->sites [from].count; at-- > 0;) {
            const piece_t *piece = &plan->sites [from].pieces [at];
            size_t home = self->jobs [piece->job].home;
            double task_s = piece->task_s;
            double *row = &wanted [piece->job * width];
            for (size_t k = 0; k < width && plan->sites [from].pieces [at].bag > 0; k++) {
                size_t to = self->places [k];
                if (k == m || (home != from && home != to))
                    continue;
                double load = fmin (row [k], -row [m]);
                double moved =
                  task_s * try_move (self, plan, from, at, to, tasks_in (load, task_s), true);
                row [k] -= moved;
                row [m] += moved;
            }
        }
    }
    free (wanted);
}

/*  --- bilb --- */

/*  The sites that take part become bilb's members, with the queues of the plan. */
static void members_begin (rebalance_t *self, const rebalance_plan_t *plan)
{
    self->members = must (calloc (self->sites_count + 1, sizeof *self->members));
    self->places = must (calloc (self->sites_count + 1, sizeof *self->places));
    self->members_count = 0;
    for (size_t s = 0; s < self->sites_count; s++) {
        const weighed_t *site = &plan->sites [s];
        if (site->aside || site->cpus < BILB_SPEED_MIN)
            continue;
        bilb_member_t *member = &self->members [self->members_count];
        self->places [self->members_count++] = s;
        *member = (bilb_member_t){.speed = site->cpus, .level = site->level_s};
        for (size_t i = 0; i < site->count; i++)
            if (piece_load (&site->pieces [i]) >= BILB_LOAD_MIN)
                bilb_queue_add (&member->queue, (uint32_t) site->pieces [i].job,
                                piece_load (&site->pieces [i]));
    }
}

static void members_end (rebalance_t *self)
{
    for (size_t i = 0; i < self->members_count; i++)
        bilb_queue_free (&self->members [i].queue);
    free (self->members);
    free (self->places);
    self->members = NULL;
    self->places = NULL;
}

static bool reschedule_members (rebalance_t *self)
{
    uint32_t *owners = must (calloc (self->jobs_count + 1, sizeof *owners));
    uint32_t *members = must (calloc (self->sites_count + 1, sizeof *members));
    for (size_t m = 0; m < self->members_count; m++)
        members [self->places [m]] = (uint32_t) m;
    for (size_t i = 0; i < self->jobs_count; i++)
        owners [i] = self->jobs [i].home == REBALANCE_NOWHERE ? 0 : members [self->jobs [i].home];
    bool good = bilb_queues_reschedule (self->queues, self->members, self->members_count, owners);
    free (owners);
    free (members);
    return good;
}

/*  --- the whole --- */

rebalance_t *rebalance_new (void)
{
    rebalance_t *self = must (calloc (1, sizeof *self));
    self->queues = bilb_queues_new ();
    return self;
}

void rebalance_destroy (rebalance_t **self_p)
{
    rebalance_t *self = *self_p;
    if (!self)
        return;
    plan_end (self, &self->plans [0]);
    plan_end (self, &self->plans [1]);
    bilb_queues_destroy (&self->queues);
    free (self);
    *self_p = NULL;
}

static const rebalance_plan_t *plan_both (rebalance_t *self, bool reschedule, size_t most)
{
    rebalance_plan_t *stepped = &self->plans [0];
    rebalance_plan_t *extended = &self->plans [1];
    reschedule = reschedule && self->jobs_count * self->sites_count <= REBALANCE_PIECES_MAX;
    plan_begin (self, stepped, NULL, most);
    bring_home (self, stepped);
    if (reschedule)
        plan_begin (self, extended, stepped, most);
    members_begin (self, stepped);
    self->quotas = must (calloc (self->sites_count + 1, sizeof *self->quotas));
    if (self->members_count > 1) {
        bilb_queues_step (self->queues, self->members, self->members_count, self->jobs_count);
        send_transfers (self, stepped);
        reschedule = reschedule && reschedule_members (self);
        if (reschedule)
            send_wanted (self, extended);
    }
    if (reschedule)
        plan_check (self, extended);
    plan_check (self, stepped);
    free (self->quotas);
    self->quotas = NULL;
    members_end (self);
    if (!reschedule || stepped->total_s <= extended->total_s + tie_tolerance (stepped->total_s))
        return stepped;
    rebalance_complete (self, extended->sites, true);
    return extended;
}

const weighed_move_t *rebalance_step (rebalance_t *self, const weighed_t *sites, size_t sites_count,
                                      weighed_job_t *jobs, size_t jobs_count, bool reschedule,
                                      size_t moves_max, size_t *count)
{
    plan_end (self, &self->plans [0]);
    plan_end (self, &self->plans [1]);
    self->sites = sites;
    self->sites_count = sites_count;
    self->jobs = jobs;
    self->jobs_count = jobs_count;
    rebalance_complete (self, sites, false);
    const rebalance_plan_t *plan = plan_both (self, reschedule, moves_max);
    *count = plan->moves_count;
    return plan->moves;
}
