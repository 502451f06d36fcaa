/*  agent_runs - for each run: its claim, what the site wants of it, and how it stands.
 *
 *  A run has at most one piece of work under way. When that is done, the next one follows from what
 *  is wanted and how the run stands; when it failed, it is ordered again a little later.
 *
 *  A batch system under load may be too slow for several submissions at once, each of which would
 *  be given up and begun again. After one that failed they go one by one, then two at once, ….
 */
#include "agent_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS       1000
#define STARTS_MAX     4     /* into a batch system at once: other work has workers, too */
#define AGENT_GRACE_MS 10000 /* for runs that the site no longer names */
#define PRUNE_FIRST_MS 60000
#define PRUNE_MS       3600000
#define LEASE_PART     10 /* a new lease is written when it is longer by a tenth */

static bool of_site (const agent_t *self, const agent_run_t *run)
{
    const uint8_t *site = agent_poll_store (self->agent_poll);
    return site && memcmp (run->record.site, site, STORE_ID_BYTES) == 0;
}

/*  --- records --- */

static void run_store (agent_t *self, agent_run_t *run)
{
    service_put (self->service, TABLE_AGENT_RUNS,
                 (bytes_t){.data = run->key, .size = sizeof run->key},
                 codec_encode (&agent_record_codec, &run->record));
    run->stored = true;
}

static agent_run_t *run_new (agent_t *self, const uint8_t site [STORE_ID_BYTES], const run_id_t *id)
{
    agent_run_t *run = must (calloc (1, sizeof *run));
    memcpy (run->record.site, site, STORE_ID_BYTES);
    run->record.id = *id;
    agent_key_pack (site, id, run->key);
    run_name (site, id, run->name);
    run->report = (run_report_t){.id = *id, .state = RUN_CLAIMED};
    ordered_add (self->runs, run->key, run);
    self->open++;
    return run;
}

static void run_free (void *thing)
{
    agent_run_t *run = thing;
    codec_clear (&agent_record_codec, &run->record);
    free (run);
}

static void run_forget (agent_t *self, agent_run_t *run)
{
    assert (run_over (run->report.state) && run->work == 0);
    if (run->stored)
        outbox_delete (self->service->outbox, TABLE_AGENT_RUNS,
                       (bytes_t){.data = run->key, .size = sizeof run->key});
    ordered_remove (self->runs, run->key);
    run_free (run);
}

static agent_run_t *run_find (const agent_t *self, const uint8_t site [STORE_ID_BYTES],
                              const run_id_t *id)
{
    uint8_t key [AGENT_KEY_BYTES];
    agent_key_pack (site, id, key);
    return ordered_find (self->runs, key);
}

/*  --- work for one run --- */

static void order_for (agent_t *self, agent_run_t *run, const char *kind, work_order_t order,
                       ordered_work_t note)
{
    const char *name = run->name;
    assert (run->work == 0);
    order.runs = self->settings.runs;
    order.names = &name;
    order.names_count = 1;
    note.kind = WORK_RUN;
    memcpy (note.key, run->key, sizeof note.key);
    agent_order (self, kind, &order, &note);
    run->work = self->works_ordered;
}

static void order_start (agent_t *self, agent_run_t *run)
{
    work_order_t order = {.ticket = {.name = run->name,
                                     .id = run->record.id,
                                     .site = self->site_name,
                                     .node = self->settings.name,
                                     .order = run->record.order,
                                     .output_bytes_max = self->settings.output_bytes_max,
                                     .room_bytes_least = self->settings.room_bytes_least,
                                     .arrivals = self->settings.arrivals},
                          .lease_ms = self->lease_until_ms,
                          .endpoint = self->service->endpoint};
    self->starts++;
    order_for (self, run, RUN_START, order, (ordered_work_t){.starts = true});
}

static void order_end (agent_t *self, const moment_t *now, agent_run_t *run)
{
    bool force = run->ended && now->mono_ms >= run->ended_by_ms;
    order_for (self, run, RUN_SIGNAL, (work_order_t){.grace_ms = run->grace_ms, .force = force},
               (ordered_work_t){.ends = true, .grace_ms = run->grace_ms});
}

/*  A starter is told all that is wanted at once, so that no wish takes the place of one that it has
 *  not seen. */
static void order_tell (agent_t *self, agent_run_t *run)
{
    bool warn = run->warned || run->wish == WISH_WARN;
    bool suspend = run->wish == WISH_SUSPEND;
    run->resumes = !suspend;
    run->report.suspended &= suspend; /* from here on it may go on at any time */
    order_for (self, run, RUN_SIGNAL,
               (work_order_t){.warn = warn, .suspend = suspend, .resume = !suspend},
               (ordered_work_t){.tells = true, .warns = warn, .suspends = suspend});
}

static bool tell_is_due (const agent_run_t *run)
{
    return (run->wish == WISH_WARN && !run->warned) ||
           (run->wish == WISH_SUSPEND) != run->suspended;
}

static bool end_is_due (const agent_run_t *run, const moment_t *now)
{
    return !run->ended || run->grace_ms < run->ended_grace_ms || now->mono_ms >= run->ended_by_ms;
}

/*  Orders the next piece of work for a run, if there is any and none is under way. */
static void pursue (agent_t *self, const moment_t *now, agent_run_t *run)
{
    if (run->work != 0 || run->failed || run_over (run->report.state) || !run->wanted)
        return;
    if (run->wish == WISH_END) {
        if (end_is_due (run, now))
            order_end (self, now, run);
    } else if (!run->record.order && run->report.state == RUN_CLAIMED) {
        order_for (self, run, RUN_LOOK, (work_order_t){0}, (ordered_work_t){.looks = true});
    } else if (run->report.state == RUN_CLAIMED && !run->queued) {
        if (!self->settings.batch || self->starts < self->starts_max)
            order_start (self, run);
    } else if (tell_is_due (run)) {
        order_tell (self, run);
    }
}

static void pursue_all (agent_t *self, const moment_t *now)
{
    for (agent_run_t *run = NULL; (run = ordered_next (self->runs, run));)
        pursue (self, now, run);
}

static void agent_runs_on_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    agent_t *self = owner;
    self->again_timer = 0;
    for (agent_run_t *run = NULL; (run = ordered_next (self->runs, run));)
        run->failed = false;
    pursue_all (self, now);
}

/*  --- how it stands --- */

/*  The end of a run, for good: it is stored before it is reported. */
static void run_end (agent_t *self, const moment_t *now, agent_run_t *run, run_state_t state,
                     const char *why)
{
    const char *from = run_states.states [run->report.state];
    STATE_MOVE (&run_states, run->report.state, state);
    snprintf (run->report.why, sizeof run->report.why, "%s", why);
    run_order_free (run->record.order);
    run->record.order = NULL;
    run->record.over = true;
    run->record.end = run->report;
    run_store (self, run);
    self->open--;
    char text [RUN_ID_TEXT_BYTES];
    outbox_log (self->service->outbox, LEVEL_INFO, "run %s %s->%s exit=%d signal=%d%s%s",
                run_id_text (&run->record.id, text), from, run_states.states [state],
                run->report.exit_code, run->report.signal, *why ? " why=" : "", why);
    agent_poll_news (self->agent_poll, now, 0);
}

/*  It is not begun, as the batch system says why. */
static void run_waits (agent_t *self, const moment_t *now, agent_run_t *run, const char *why)
{
    if (run->report.state != RUN_CLAIMED || strcmp (run->report.why, why) == 0)
        return;
    snprintf (run->report.why, sizeof run->report.why, "%s", why);
    agent_poll_news (self->agent_poll, now, 0);
}

/*  A look may be older than what is known by now, so a run never goes back. */
static void run_stands (agent_t *self, const moment_t *now, agent_run_t *run,
                        const run_report_t *report)
{
    run_report_t before = run->report;
    if (report->state == RUN_CLAIMED)
        run_waits (self, now, run, report->why);
    if (run_over (before.state) || report->state == RUN_CLAIMED)
        return;
    run->report = *report;
    run->report.id = before.id;
    run->report.state = before.state;
    run->report.suspended &= run->work == 0 || !run->resumes;
    run->report.cpu_ms = report->cpu_ms > before.cpu_ms ? report->cpu_ms : before.cpu_ms;
    if (report->suspended && run->work == 0)
        run->suspended = true; /* a former agent has told its starter so */
    if (run_over (report->state)) {
        run_end (self, now, run, report->state, report->why);
    } else if (before.suspended != run->report.suspended || before.state == RUN_CLAIMED) {
        STATE_MOVE (&run_states, run->report.state, RUN_RUNNING);
        agent_poll_news (self->agent_poll, now, 0);
    }
}

void agent_run_stands (agent_t *self, const moment_t *now, const stand_t *stand)
{
    run_id_t id;
    uint8_t site [STORE_ID_BYTES];
    agent_run_t *run = run_name_parse (stand->name, site, &id) ? run_find (self, site, &id) : NULL;
    if (!run)
        return;
    run->queued = stand->queued;
    run_stands (self, now, run, &stand->report);
    if (run_over (run->report.state) && run->work == 0 && !of_site (self, run) &&
        agent_poll_store (self->agent_poll))
        run_forget (self, run);
}

static void run_done (agent_t *self, const moment_t *now, const ordered_work_t *note, bool ok)
{
    agent_run_t *run = ordered_find (self->runs, note->key);
    if (!run || run->work != note->number)
        return;
    run->work = 0;
    run->failed = !ok;
    if (!ok && self->again_timer == 0)
        self->again_timer =
          timers_set (self->service->timers, now->mono_ms + AGAIN_MS, agent_runs_on_again, self, 0);
    if (ok && note->tells) {
        run->warned = note->warns;
        run->suspended = note->suspends;
    } else if (run->report.suspended) {
        run->suspended = true; /* a former agent has told its starter so */
    }
    if (ok && note->ends) {
        run->ended = true;
        run->ended_grace_ms = note->grace_ms;
        run->ended_by_ms = now->mono_ms + note->grace_ms + self->settings.stubborn_ms;
    }
    if (ok && note->looks && run->report.state == RUN_CLAIMED && !run->queued)
        run_end (self, now, run, RUN_LOST, "the node has no record of this run");
    pursue (self, now, run);
}

void agent_run_done (agent_t *self, const moment_t *now, const ordered_work_t *note, bool ok)
{
    size_t more = 2 * self->starts_max;
    run_done (self, now, note, ok);
    if (!note->starts)
        return;
    self->starts--;
    self->starts_max = !ok ? 1 : more < STARTS_MAX ? more : STARTS_MAX;
    if (self->settings.batch)
        pursue_all (self, now);
}

/*  --- looking --- */

static void agent_runs_on_look (void *owner, const moment_t *now, uint64_t token);

static void look_later (agent_t *self, const moment_t *now)
{
    if (self->look_timer == 0 && self->open > 0)
        self->look_timer = timers_set (self->service->timers, now->mono_ms + self->settings.look_ms,
                                       agent_runs_on_look, self, 0);
}

/*  Looks at all runs that are not over, so many at a time. */
static void agent_runs_look (agent_t *self)
{
    const char *names [WORK_NAMES_MAX];
    work_order_t order = {.runs = self->settings.runs, .names = names};
    for (agent_run_t *run = NULL; (run = ordered_next (self->runs, run));) {
        if (run_over (run->report.state) || run->work != 0)
            continue;
        names [order.names_count++] = run->name;
        if (order.names_count < WORK_NAMES_MAX)
            continue;
        agent_order (self, RUN_LOOK, &order, &(ordered_work_t){.kind = WORK_LOOK});
        order.names_count = 0;
    }
    if (order.names_count > 0)
        agent_order (self, RUN_LOOK, &order, &(ordered_work_t){.kind = WORK_LOOK});
}

static void agent_runs_on_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    agent_t *self = owner;
    self->look_timer = 0;
    if (!agent_awaits (self, WORK_LOOK, 0))
        agent_runs_look (self);
    pursue_all (self, now); /* for runs that should be over by now */
    look_later (self, now);
}

static void agent_runs_on_prune (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    agent_t *self = owner;
    agent_order (self, RUN_PRUNE,
                 &(work_order_t){.runs = self->settings.runs, .keep_ms = self->settings.keep_ms},
                 &(ordered_work_t){.kind = WORK_OTHER});
    self->prune_timer =
      timers_set (self->service->timers, now->mono_ms + PRUNE_MS, agent_runs_on_prune, self, 0);
}

static void agent_runs_on_machine (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    agent_t *self = owner;
    if (self->settings.batch)
        agent_batch_look (self, now);
    else
        agent_order (self, RUN_LOOK, &(work_order_t){.runs = self->settings.runs},
                     &(ordered_work_t){.kind = WORK_MACHINE});
    self->machine_timer =
      timers_set (self->service->timers, now->mono_ms + self->settings.machine_ms,
                  agent_runs_on_machine, self, 0);
}

/*  A starter says that its run is over. Anybody could say so: the run is looked at. */
static void agent_runs_on_ended (void *owner, const moment_t *now, const request_t *request,
                                 void *body)
{
    (void) now;
    agent_t *self = owner;
    const run_ended_t *ended = body;
    run_id_t id;
    uint8_t site [STORE_ID_BYTES];
    const agent_run_t *run =
      run_name_parse (ended->name, site, &id) ? run_find (self, site, &id) : NULL;
    if (run && !run_over (run->report.state)) {
        const char *names [] = {run->name};
        agent_order (self, RUN_LOOK,
                     &(work_order_t){.runs = self->settings.runs, .names = names, .names_count = 1},
                     &(ordered_work_t){.kind = WORK_LOOK});
    }
    service_reply (self->service, request, (packed_t){0});
}

/*  --- what the site wants --- */

/*  The lease has become longer: the starters are told. */
static void agent_runs_lease (agent_t *self)
{
    if (self->open == 0 || self->settings.batch)
        return;
    if (self->leased_ms > 0 && self->lease_until_ms - self->leased_ms < self->lease_ms / LEASE_PART)
        return;
    self->leased_ms = self->lease_until_ms;
    agent_order (self, RUN_LEASE,
                 &(work_order_t){.runs = self->settings.runs,
                                 .lease_ms = self->lease_until_ms,
                                 .endpoint = self->service->endpoint},
                 &(ordered_work_t){.kind = WORK_OTHER});
}

/*  Claims a run: it is stored before it is begun. */
static agent_run_t *run_claim (agent_t *self, const moment_t *now, wanted_run_t *wanted)
{
    agent_run_t *run = run_new (self, agent_poll_store (self->agent_poll), &wanted->id);
    if (wanted->wish == WISH_START && wanted->order) {
        run->record.order = wanted->order;
        wanted->order = NULL;
        run_store (self, run);
        agent_poll_news (self->agent_poll, now, 0);
    }
    look_later (self, now);
    return run;
}

static void want_one (agent_t *self, const moment_t *now, wanted_run_t *wanted)
{
    agent_run_t *run = run_find (self, agent_poll_store (self->agent_poll), &wanted->id);
    if (!run && wanted->wish == WISH_FORGET)
        return;
    if (!run)
        run = run_claim (self, now, wanted);
    run->mentioned = true;
    if (wanted->wish == WISH_FORGET) {
        if (run_over (run->report.state) && run->work == 0)
            run_forget (self, run);
        return;
    }
    run->wanted = true;
    run->wish = wanted->wish;
    run->grace_ms = wanted->grace_ms;
}

/*  Ends the runs that the site does not name: it wants them no more, or never did. */
static void want_others (agent_t *self)
{
    uint8_t after [AGENT_KEY_BYTES];
    const uint8_t *key = NULL;
    for (agent_run_t *run; (run = ordered_after (self->runs, key));) {
        memcpy (after, run->key, sizeof after);
        key = after;
        if (run->mentioned) {
            run->mentioned = false;
        } else if (!run_over (run->report.state)) {
            run->wanted = true;
            run->wish = WISH_END;
            run->grace_ms = AGENT_GRACE_MS;
        } else if (run->work == 0) {
            run_forget (self, run);
        }
    }
}

static void want_output (agent_t *self, const wanted_output_t *wanted)
{
    char name [RUN_NAME_BYTES_MAX + 1];
    const char *names [] = {run_name (agent_poll_store (self->agent_poll), &wanted->id, name)};
    if (agent_awaits (self, WORK_READ, wanted->number))
        return;
    agent_order (self, RUN_READ,
                 &(work_order_t){.runs = self->settings.runs,
                                 .names = names,
                                 .names_count = 1,
                                 .errors = wanted->errors,
                                 .offset = wanted->offset,
                                 .most = wanted->most},
                 &(ordered_work_t){.kind = WORK_READ, .output = wanted->number});
}

void agent_runs_want (agent_t *self, const moment_t *now, wanted_t *wanted)
{
    for (size_t i = 0; i < wanted->runs_count; i++)
        want_one (self, now, &wanted->runs [i]);
    want_others (self);
    agent_runs_lease (self);
    pursue_all (self, now);
    for (size_t i = 0; i < wanted->outputs_count; i++)
        want_output (self, &wanted->outputs [i]);
}

run_report_t *agent_runs_report (const agent_t *self, size_t *count)
{
    run_report_t *reports = must (calloc (ordered_count (self->runs) + 1, sizeof *reports));
    *count = 0;
    for (const agent_run_t *run = NULL; (run = ordered_next (self->runs, run));)
        if (run->stored && of_site (self, run) && *count < AGENT_RUNS_MAX)
            reports [(*count)++] = run->report;
    return reports;
}

/*  --- life --- */

static void agent_runs_on_record (void *owner, bytes_t key, bytes_t value)
{
    (void) key;
    agent_t *self = owner;
    agent_record_t record;
    char why [WHY_BYTES] = "another record is of the same run";
    if (!codec_decode (&agent_record_codec, &record, value, why) ||
        run_find (self, record.site, &record.id)) {
        codec_clear (&agent_record_codec, &record);
        service_bad_record (self->service, "agent's runs", why);
        return;
    }
    agent_run_t *run = run_new (self, record.site, &record.id);
    run->record = record;
    run->stored = true;
    if (!record.order) {
        run->report = record.end;
        self->open--;
    }
}

void agent_runs_init (agent_t *self)
{
    self->runs = ordered_by_bytes (offsetof (agent_run_t, key), AGENT_KEY_BYTES);
    self->starts_max = STARTS_MAX;
    service_load (self->service, TABLE_AGENT_RUNS, agent_runs_on_record, self);
    service_serve (self->service, "Agent", "Ended", &run_ended_codec, ALWAYS, agent_runs_on_ended,
                   self);
}

void agent_runs_start (agent_t *self, const moment_t *now)
{
    agent_runs_look (self);
    look_later (self, now);
    agent_runs_on_machine (self, now, 0);
    self->prune_timer = timers_set (self->service->timers, now->mono_ms + PRUNE_FIRST_MS,
                                    agent_runs_on_prune, self, 0);
}

void agent_runs_end (agent_t *self)
{
    ordered_end (&self->runs, run_free);
}
