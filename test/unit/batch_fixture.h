/*  batch_fixture - a site in queue_fixture whose nodes are a batch system's: an agent that tells a
 *  picture of it, and a back end whose works end as the test says.
 */
#ifndef MUSUBI_BATCH_FIXTURE_H
#define MUSUBI_BATCH_FIXTURE_H

#include "openings_wire.h"
#include "queue_fixture.h"

#include "openings.pb-c.h"
#include "transaction.pb-c.h"

#define NODES    12
#define JOBS_MAX 8

typedef struct {
    field_t f;
    batch_picture_t picture;
    batch_node_t nodes [NODES];
    const char *booked [NODES];
    batch_booking_t booking;
    uint64_t work;      /* of the back end, not ended yet; 0 = none */
    char asked [16384]; /* the last step: "prepare r1 alice thin-001 …" */
    clear_t clear;      /* of its last order */
    size_t charges;     /* works of that step so far */
    uint64_t charging;  /* the one that has not ended; 0 = none */
} batch_world_t;

static inline void see_work (void *owner, const effect_t *effect)
{
    static const char *const steps [] = {"prepare",   "open",  "watch", "close",
                                         "reconcile", "count", "name",  "look"};
    batch_world_t *self = owner;
    back_end_task_t task;
    char why [WHY_BYTES];
    if (effect->kind != EFFECT_WORK)
        return;
    assert_string_equal (effect->work.kind, "batch");
    assert_true (codec_decode (&back_end_task_codec, &task, effect->work.arguments, why));
    if (task.step == BACK_END_CHARGES) {
        self->charges++;
        self->charging = effect->work.work;
        codec_clear (&back_end_task_codec, &task);
        return;
    }
    self->work = effect->work.work;
    int used = snprintf (self->asked, sizeof self->asked, "%s", steps [task.step]);
    for (size_t i = 0; i < task.count; i++) {
        self->clear = task.orders [i].clear;
        used += snprintf (self->asked + used, sizeof self->asked - (size_t) used, " %s %s%s%s",
                          task.orders [i].reservation, task.orders [i].account,
                          *task.orders [i].charged ? ":" : "", task.orders [i].charged);
        for (size_t k = 0; k < task.orders [i].nodes_count; k++)
            used += snprintf (self->asked + used, sizeof self->asked - (size_t) used, " %s",
                              task.orders [i].nodes [k]);
    }
    codec_clear (&back_end_task_codec, &task);
}

/*  The back end's work ends: not well, and why, or with what it has said. */
static inline void work_says (batch_world_t *self, bool ok, const char *said)
{
    uint64_t work = self->work;
    assert_true (work > 0);
    self->work = 0;
    bytes_t result = {(const uint8_t *) said, said ? strlen (said) : 0};
    step (&self->f.w,
          &(event_t){.kind = EVENT_WORK, .work = {.work = work, .ok = ok, .result = result}});
    pass (&self->f.w, 1);
    agents_come (&self->f);
}

/*  The batch system says of accounts "SECTION why", or with why = NULL is silent. */
static inline void charges_end_told (batch_world_t *self, const char *told)
{
    assert_true (self->charging > 0);
    bytes_t result = {(const uint8_t *) told, told ? strlen (told) : 0};
    event_t event = {.kind = EVENT_WORK,
                     .work = {.work = self->charging, .ok = told != NULL, .result = result}};
    self->charging = 0;
    step (&self->f.w, &event);
    pass (&self->f.w, 1);
}

static inline void work_ends (batch_world_t *self, const char *why)
{
    work_says (self, !why, why);
}

static inline openings_agent_t *agent (batch_world_t *self)
{
    return &self->f.agents [0];
}

/*  The agent has looked at the batch system: a moment later than before. */
static inline void look (batch_world_t *self)
{
    self->picture.seen_ms++;
    agents_come (&self->f);
    pass (&self->f.w, 1);
    agents_come (&self->f);
}

static inline void batch_prepare (batch_world_t *self)
{
    static node_place_t places [NODES + 1];
    *self = (batch_world_t){
      .picture = {.system = "slurm 22.05.8", .seen_ms = EPOCH_MS, .nodes_count = NODES}};
    prepare_queue (&self->f);
    memcpy (places, self->f.runner.places, NODES * sizeof *places);
    places [NODES] = (node_place_t){.name = "slurm", .class = 2};
    for (size_t i = 0; i < NODES; i++) {
        self->nodes [i] = (batch_node_t){.up = true, .cpus = i < 8 ? 2 : 16};
        memcpy (self->nodes [i].node, places [i].name, sizeof self->nodes [i].node);
    }
    self->picture.nodes = self->nodes;
    self->f.runner.places = places;
    self->f.runner.places_count = NODES + 1;
    self->f.runner.batch = true;
    self->f.runner.openings.lend_ms = 0;
    self->f.runner.queue.handed_max = JOBS_MAX;
    self->f.agents_count = 1;
    *agent (self) = (openings_agent_t){.name = "slurm", .class_name = "", .away = true};
    self->f.w.carry = see_work;
    self->f.w.carrier = self;
}

/*  A site whose agent has come and seen the batch system, and that is reconciled. */
static inline void batch_open_as (batch_world_t *self, clear_t clear, const char *end_for)
{
    static char *words [1];
    batch_prepare (self);
    words [0] = (char *) end_for;
    self->f.runner.nodes.clear = clear;
    self->f.runner.end_for = (name_list_t){.words = words, .count = end_for != NULL};
    open_field (&self->f);
    agent (self)->away = false;
    agent (self)->batch = &self->picture;
    look (self);
    assert_string_equal (self->asked, "reconcile");
    work_ends (self, NULL);
}

static inline void batch_open (batch_world_t *self)
{
    batch_open_as (self, CLEAR_WAIT, NULL);
}

/*  A job on a node, from one minute to another. */
static inline void job_on (batch_world_t *self, size_t node, int64_t since, int64_t until,
                           bool firm)
{
    batch_node_job (&self->nodes [node], at (since), at (until), firm);
}

/*  Somebody else books the first so many nodes there. */
static inline void book (batch_world_t *self, size_t count, int64_t from, int64_t until)
{
    self->booking = (batch_booking_t){.name = "maintenance",
                                      .nodes = self->booked,
                                      .nodes_count = count,
                                      .from_ms = at (from),
                                      .until_ms = at (until)};
    for (size_t i = 0; i < count; i++)
        self->booked [i] = self->nodes [i].node;
    self->picture.bookings = count > 0 ? &self->booking : NULL;
    self->picture.bookings_count = count > 0;
    look (self);
}

static inline bool degraded (batch_world_t *self, const char *reservation)
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    ask (&self->f.w, "alice", "Participant", "Show", &request.base);
    Musubi__ShowAnswer *told = answer (&self->f.w, &musubi__show_answer__descriptor);
    bool is = told->record->opening->degraded;
    message_free (&told->base);
    return is;
}

/*  As "fat-001 is drained: …"; "" when it is in no trouble. */
static inline const char *trouble (batch_world_t *self, const char *reservation, bool *ready,
                                   char why [LONG_WHY_BYTES])
{
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    ask (&self->f.w, "alice", "Participant", "Show", &request.base);
    Musubi__ShowAnswer *told = answer (&self->f.w, &musubi__show_answer__descriptor);
    snprintf (why, LONG_WHY_BYTES, "%s", told->record->opening->trouble);
    *ready = told->record->opening->ready;
    message_free (&told->base);
    return why;
}

/*  All works end well until one is asked for that begins so. */
static inline void works_end_until (batch_world_t *self, const char *asked)
{
    for (int seconds = 0; strncmp (self->asked, asked, strlen (asked)) != 0; seconds++) {
        assert_true (seconds < 3600);
        if (self->work > 0)
            work_ends (self, NULL);
        else
            field_pass (&self->f, SECOND_MS);
    }
}

#endif
