/*  bilb_queues - cuts, splits and appends pieces, and checks what must hold. */
#include "bilb_queues.h"

#include "must.h"

#include <assert.h>
#include <math.h>

/*  What is known of a job that is in a queue. */
typedef struct {
    double load;
    double completion;
    double load_before; /* noted by note_promises */
    double completion_before;
    size_t place; /* in `jobs`; valid if this job stands there */
} bilb_queues_state_t;

struct bilb_queues {
    bilb_t *bilb;
    bilb_schedule_t *schedule;
    size_t members_room;
    bilb_cluster_t *clusters;
    bilb_busy_t *busy;
    size_t jobs_room;
    bilb_queues_state_t *states; /* by job */
    uint32_t *jobs;              /* those in queues */
    size_t jobs_count;
    bilb_job_t *listed; /* as `jobs` */
    bilb_slot_t *slots;
    size_t slots_count;
    bilb_queue_t cut;      /* what is sent, from the tail on */
    bilb_queue_t *rebuilt; /* by member */
};

/*  --- one queue --- */

static void queue_put (bilb_queue_t *queue, uint32_t job, double load)
{
    queue->pieces = must_grow (queue->pieces, queue->count, &queue->room, sizeof *queue->pieces);
    queue->pieces [queue->count++] = (bilb_piece_t){job, load};
}

void bilb_queue_add (bilb_queue_t *queue, uint32_t job, double load)
{
    if (queue->count > 0 && queue->pieces [queue->count - 1].job == job)
        queue->pieces [queue->count - 1].load += load;
    else
        queue_put (queue, job, load);
}

void bilb_queue_free (bilb_queue_t *queue)
{
    free (queue->pieces);
    *queue = (bilb_queue_t){0};
}

static double queue_load (const bilb_queue_t *queue)
{
    double load = 0;
    for (size_t i = 0; i < queue->count; i++)
        load += queue->pieces [i].load;
    return load;
}

/*  Appends a part, unless it has rounded to nothing. */
static void put_part (bilb_queue_t *queue, uint32_t job, double load)
{
    if (load > 0)
        bilb_queue_add (queue, job, load);
}

/*  Takes the load from the tail. A rest that is only rounding goes with it. */
static void queue_cut (bilb_queue_t *queue, double load, bilb_queue_t *cut)
{
    cut->count = 0;
    while (queue->count > 0 && load > 0) {
        bilb_piece_t *tail = &queue->pieces [queue->count - 1];
        if (tail->load - load > BILB_GRAIN * tail->load) {
            queue_put (cut, tail->job, load);
            tail->load -= load;
            return;
        }
        queue_put (cut, tail->job, tail->load);
        load -= tail->load;
        queue->count--;
    }
}

/*  --- the jobs in all of them --- */

/*  Lists them with their loads and completions. */
static void list_queued_jobs (bilb_queues_t *self, const bilb_member_t *members, size_t count)
{
    self->jobs_count = 0;
    for (size_t i = 0; i < count; i++) {
        double load = 0;
        for (size_t p = 0; p < members [i].queue.count; p++) {
            const bilb_piece_t *piece = &members [i].queue.pieces [p];
            assert (piece->job < self->jobs_room && piece->load > 0);
            bilb_queues_state_t *state = &self->states [piece->job];
            if (state->place >= self->jobs_count || self->jobs [state->place] != piece->job) {
                state->load = state->completion = 0;
                state->place = self->jobs_count;
                self->jobs [self->jobs_count++] = piece->job;
            }
            load += piece->load;
            state->load += piece->load;
            state->completion = fmax (state->completion, load / members [i].speed);
        }
    }
}

/*  Notes loads and completions for promises_kept; returns the number of jobs. */
static size_t note_promises (bilb_queues_t *self)
{
    for (size_t i = 0; i < self->jobs_count; i++) {
        bilb_queues_state_t *state = &self->states [self->jobs [i]];
        state->load_before = state->load;
        state->completion_before = state->completion;
    }
    return self->jobs_count;
}

/*  Each job has its load and is complete no later than it was. */
static bool promises_kept (const bilb_queues_t *self, size_t jobs_count)
{
    if (self->jobs_count != jobs_count)
        return false;
    for (size_t i = 0; i < self->jobs_count; i++) {
        const bilb_queues_state_t *state = &self->states [self->jobs [i]];
        double before = state->completion_before;
        if (state->completion > before + BILB_TIE * (1 + before) ||
            fabs (state->load - state->load_before) > 1e-9 * state->load_before)
            return false;
    }
    return true;
}

/*  --- a step --- */

static void bilb_queues_make_room (bilb_queues_t *self, size_t count, size_t jobs_count)
{
    if (count > self->members_room) {
        self->rebuilt = must (reallocarray (self->rebuilt, count, sizeof *self->rebuilt));
        for (size_t i = self->members_room; i < count; i++)
            self->rebuilt [i] = (bilb_queue_t){0};
        self->members_room = count;
        self->clusters = must (reallocarray (self->clusters, count, sizeof *self->clusters));
        self->busy = must (reallocarray (self->busy, count, sizeof *self->busy));
    }
    if (jobs_count <= self->jobs_room)
        return;
    self->states = must (reallocarray (self->states, jobs_count, sizeof *self->states));
    for (size_t i = self->jobs_room; i < jobs_count; i++)
        self->states [i] = (bilb_queues_state_t){0};
    self->jobs_room = jobs_count;
    self->jobs = must (reallocarray (self->jobs, jobs_count, sizeof *self->jobs));
    self->listed = must (reallocarray (self->listed, jobs_count, sizeof *self->listed));
    self->slots = must (reallocarray (self->slots, jobs_count, sizeof *self->slots));
}

static void send (bilb_queues_t *self, bilb_member_t *members, const bilb_transfer_t *transfers,
                  size_t count)
{
    double sent = 0;
    for (size_t i = 0; i < count; i++)
        sent += transfers [i].load;
    queue_cut (&members [transfers [0].from].queue, sent, &self->cut);
    for (size_t i = 0; i < count; i++) {
        double share = transfers [i].load / sent;
        for (size_t p = self->cut.count; p-- > 0;) {
            const bilb_piece_t *piece = &self->cut.pieces [p];
            put_part (&members [transfers [i].to].queue, piece->job, piece->load * share);
        }
    }
}

void bilb_queues_step (bilb_queues_t *self, bilb_member_t *members, size_t count, size_t jobs_count)
{
    bilb_queues_make_room (self, count, jobs_count);
    self->slots_count = 0;
    list_queued_jobs (self, members, count);
    size_t jobs_before = note_promises (self);
    for (size_t i = 0; i < count; i++)
        self->clusters [i] =
          (bilb_cluster_t){members [i].speed, members [i].level, queue_load (&members [i].queue)};
    bilb_step (self->bilb, self->clusters, count);
    const bilb_transfer_t *transfers;
    size_t transfers_count;
    bilb_walk (self->bilb);
    while (bilb_walk_turn (self->bilb, &transfers, &transfers_count))
        send (self, members, transfers, transfers_count);
    list_queued_jobs (self, members, count);
    assert (promises_kept (self, jobs_before));
}

/*  --- the extension --- */

/*  The fastest cluster that is busy during a slot. */
static size_t fastest (const bilb_queues_t *self, size_t count, const bilb_slot_t *slot)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (self->busy [i].time >= slot->start &&
            (best == count || self->busy [i].speed > self->busy [best].speed))
            best = i;
    assert (best < count);
    return best;
}

/*  Slots are times and may have fewer digits than loads. So the exact load of a job is divided in
 *  proportion to its parts, and a job that is too small for a slot becomes one part. */
static void refill_slot (bilb_queues_t *self, size_t count, const bilb_slot_t *slot)
{
    double load = self->states [slot->job].load;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bilb_slot_part (slot, &self->busy [i]);
    if (sum == 0) {
        put_part (&self->rebuilt [fastest (self, count, slot)], slot->job, load);
        return;
    }
    for (size_t i = 0; i < count; i++)
        put_part (&self->rebuilt [i], slot->job,
                  load * (bilb_slot_part (slot, &self->busy [i]) / sum));
}

/*  False when a queue's length would change. */
static bool refill (bilb_queues_t *self, size_t count)
{
    for (size_t i = 0; i < count; i++)
        self->rebuilt [i].count = 0;
    for (size_t i = self->slots_count; i-- > 0;)
        refill_slot (self, count, &self->slots [i]);
    for (size_t i = 0; i < count; i++) {
        double time = queue_load (&self->rebuilt [i]) / self->busy [i].speed;
        double before = self->busy [i].time;
        if (fabs (time - before) > BILB_TIE * (1 + before))
            return false;
    }
    return true;
}

static void swap_queues (bilb_queues_t *self, bilb_member_t *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bilb_queue_t kept = members [i].queue;
        members [i].queue = self->rebuilt [i];
        self->rebuilt [i] = kept;
    }
    list_queued_jobs (self, members, count);
}

bool bilb_queues_reschedule (bilb_queues_t *self, bilb_member_t *members, size_t count,
                             const uint32_t *owners)
{
    for (size_t i = 0; i < count; i++)
        self->busy [i] =
          (bilb_busy_t){members [i].speed, queue_load (&members [i].queue) / members [i].speed};
    for (size_t i = 0; i < self->jobs_count; i++) {
        uint32_t job = self->jobs [i];
        assert (owners [job] < count);
        self->listed [i] = (bilb_job_t){self->states [job].load, self->states [job].completion,
                                        members [owners [job]].speed};
    }
    self->slots_count = 0;
    if (!bilb_schedule_rebuild (self->schedule, self->busy, count, self->listed, self->jobs_count))
        return false;
    const bilb_slot_t *slots = bilb_schedule_slots (self->schedule, &self->slots_count);
    for (size_t i = 0; i < self->slots_count; i++) {
        self->slots [i] = slots [i];
        self->slots [i].job = self->jobs [slots [i].job];
    }
    size_t jobs_before = note_promises (self);
    bool good = refill (self, count);
    if (good) {
        swap_queues (self, members, count);
        good = promises_kept (self, jobs_before);
        if (!good)
            swap_queues (self, members, count);
    }
    if (!good)
        self->slots_count = 0;
    return good;
}

/*  --- the object --- */

double bilb_queues_completion (const bilb_queues_t *self, uint32_t job)
{
    return self->states [job].completion;
}

bilb_t *bilb_queues_bilb (bilb_queues_t *self)
{
    return self->bilb;
}

const bilb_slot_t *bilb_queues_slots (const bilb_queues_t *self, size_t *count)
{
    *count = self->slots_count;
    return self->slots;
}

bilb_queues_t *bilb_queues_new (void)
{
    bilb_queues_t *self = must (calloc (1, sizeof *self));
    self->bilb = bilb_new ();
    self->schedule = bilb_schedule_new ();
    return self;
}

void bilb_queues_destroy (bilb_queues_t **self_p)
{
    bilb_queues_t *self = *self_p;
    if (!self)
        return;
    bilb_destroy (&self->bilb);
    bilb_schedule_destroy (&self->schedule);
    free (self->clusters);
    free (self->busy);
    free (self->states);
    free (self->jobs);
    free (self->listed);
    free (self->slots);
    bilb_queue_free (&self->cut);
    for (size_t i = 0; i < self->members_room; i++)
        bilb_queue_free (&self->rebuilt [i]);
    free (self->rebuilt);
    free (self);
    *self_p = NULL;
}
