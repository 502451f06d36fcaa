/*  federation_fixture - a few real cores in one process: GIS, sites, domains, planners, under one
 *  virtual clock, with messages that take 1 ms each way. Tests say which services are down and
 *  which messages are lost, and ask as users do. A store keeps the records of every whole step; a
 *  kill loses the core and nothing else.
 */
#ifndef MUSUBI_TEST_FEDERATION_FIXTURE_H
#define MUSUBI_TEST_FEDERATION_FIXTURE_H

#include "../gis_everybody.h"
#include "gis.h"
#include "host_in_memory.h"
#include "lis.h"
#include "message.h"
#include "nis.h"
#include "planner.h"
#include "prng.h"

#include "gis.pb-c.h"
#include "planner.pb-c.h"
#include "transaction.pb-c.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FED_EPOCH_MS INT64_C (1790000000000)
#ifndef FED_PROCS_MAX
#define FED_PROCS_MAX 24
#endif
#define FED_HOUR_MS INT64_C (3600000)

typedef enum { FED_GIS, FED_LIS, FED_NIS, FED_PLANNER, FED_OTHER } fed_kind_t;

typedef struct fed_proc {
    struct fed *fed;
    char name [64];
    fed_kind_t kind;
    bool up;
    memory_host_t host;
    char endpoint [96];
    char events [96];
    uint64_t notices;
    char hears [FED_PROCS_MAX][96]; /* events addresses */
    size_t hears_count;
    site_t site;
    domain_t domain;
    bool nobody; /* a site or domain where nobody has an account */
    planner_settings_t planner;
    /*  Makes the core of a service that the fixture does not know; it is added as a FED_OTHER. */
    void (*make) (struct fed_proc *proc, const char *const *gis, size_t gis_count);
    bool stopped;
    int64_t ahead_ms; /* its wall clock before the others' */
    int64_t far_ms;   /* messages to it and from it take this much longer */
} fed_proc_t;

/*  A call on its way: the request to a service, then the answer back. */
typedef struct fed_call {
    struct fed_call *next;
    uint64_t id; /* reply_to */
    int from;    /* -1 = a user */
    uint64_t call;
    int to; /* -1 = nobody is there */
    char *service, *method, *actor, *request_id;
    uint8_t to_store [STORE_ID_BYTES];
    uint8_t *body;
    size_t size;
    int64_t due_ms;      /* when it arrives at to; INT64_MAX once it has */
    int64_t deadline_ms; /* when the caller gives up */
    int64_t back_ms;     /* when the answer arrives; INT64_MAX = none */
    call_status_t status;
    char *reason;
    uint8_t *answer;
    size_t answer_size;
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    bool over;
} fed_call_t;

typedef struct fed_notice {
    struct fed_notice *next;
    int to;
    int64_t due_ms;
    char *endpoint, *topic;
    uint64_t number;
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint8_t *body;
    size_t size;
} fed_notice_t;

/*  Work ordered and not ended. */
typedef struct {
    int proc;
    uint64_t number;
    uint8_t *arguments;
    size_t size;
} fed_work_t;

#define FED_WORKS_MAX 64

typedef struct fed {
    int64_t mono_ms;
    int64_t wall_step_ms;
    prng_t prng;
    fed_proc_t procs [FED_PROCS_MAX];
    int procs_count;
    fed_call_t *calls;
    fed_notice_t *notices;
    uint64_t ids;
    bool verbose;
    unsigned counts [8]; /* for tests */
    size_t warnings;     /* lines logged by any service */
    fed_work_t works [FED_WORKS_MAX];
    size_t works_count;
    size_t works_most;  /* at once so far */
    int64_t work_at_ms; /* when some of it ends */

    /*  Does the work, the last ordered first; NULL = no work ever ends. */
    bool (*worker) (bytes_t arguments, uint8_t **result, size_t *result_size);

    /*  Called for each request before it arrives: false = it is lost. */
    bool (*passes) (struct fed *fed, const fed_call_t *call);

    /*  Called for each answer before it leaves: false = it is lost. */
    bool (*returns) (struct fed *fed, const fed_call_t *call);

    /*  Called when a service has taken up a request. */
    void (*after) (struct fed *fed, const fed_call_t *call);
    int64_t recall_wait_ms; /* of homes */
} fed_t;

static inline char *fed_text (const char *text)
{
    char *copy = strdup (text ? text : "");
    assert (copy);
    return copy;
}

static inline uint8_t *fed_bytes (bytes_t from)
{
    uint8_t *copy = malloc (from.size ? from.size : 1);
    assert (copy);
    if (from.size)
        memcpy (copy, from.data, from.size);
    return copy;
}

static inline moment_t fed_moment (fed_t *fed, const fed_proc_t *proc)
{
    moment_t now = {.wall_ms = FED_EPOCH_MS + fed->mono_ms + fed->wall_step_ms + proc->ahead_ms,
                    .mono_ms = fed->mono_ms + 1000,
                    .store_free_bytes = 1u << 30,
                    .store_bytes = 1u << 30};
    for (size_t i = 0; i < ENTROPY_BYTES; i++)
        now.entropy [i] = (uint8_t) prng_next (&fed->prng);
    return now;
}

static inline int fed_find (const fed_t *fed, const char *name)
{
    for (int i = 0; i < fed->procs_count; i++)
        if (strcmp (fed->procs [i].name, name) == 0)
            return i;
    return -1;
}

static inline int fed_at (const fed_t *fed, const char *endpoint)
{
    for (int i = 0; i < fed->procs_count; i++)
        if (fed->procs [i].up && strcmp (fed->procs [i].endpoint, endpoint) == 0)
            return i;
    return -1;
}

static inline fed_call_t *fed_call_of (fed_t *fed, uint64_t id)
{
    for (fed_call_t *call = fed->calls; call; call = call->next)
        if (call->id == id)
            return call;
    return NULL;
}

static inline int64_t fed_far_ms (const fed_t *fed, int proc)
{
    return proc < 0 ? 0 : fed->procs [proc].far_ms;
}

static inline void fed_reply (fed_t *fed, uint64_t id, int by, call_status_t status,
                              const char *reason, bytes_t body)
{
    fed_call_t *call = fed_call_of (fed, id);
    if (!call || call->over || call->back_ms != INT64_MAX)
        return;
    call->status = status;
    free (call->reason);
    call->reason = fed_text (reason);
    call->answer = fed_bytes (body);
    call->answer_size = body.size;
    memcpy (call->store, fed->procs [by].host.store.id, STORE_ID_BYTES);
    call->start = fed->procs [by].host.store.start;
    if (!fed->returns || fed->returns (fed, call))
        call->back_ms = fed->mono_ms + 1 + fed_far_ms (fed, by) + fed_far_ms (fed, call->from);
}

static inline uint64_t fed_send (fed_t *fed, int from, const effect_t *effect)
{
    fed_call_t *call = calloc (1, sizeof *call);
    assert (call);
    call->id = ++fed->ids;
    call->from = from;
    call->call = effect->call.call;
    call->to = fed_at (fed, effect->call.endpoint);
    call->service = fed_text (effect->call.service);
    call->method = fed_text (effect->call.method);
    call->actor = fed_text (effect->call.actor);
    call->request_id = fed_text (effect->call.request_id);
    memcpy (call->to_store, effect->call.to_store, STORE_ID_BYTES);
    call->body = fed_bytes (effect->call.body);
    call->size = effect->call.body.size;
    call->due_ms = call->to < 0
                     ? INT64_MAX
                     : fed->mono_ms + 1 + fed_far_ms (fed, from) + fed_far_ms (fed, call->to);
    call->deadline_ms = fed->mono_ms + effect->call.timeout_ms;
    call->back_ms = INT64_MAX;
    call->reason = fed_text ("");
    fed_call_t **end = &fed->calls;
    while (*end)
        end = &(*end)->next;
    *end = call;
    return call->id;
}

static inline void fed_publish (fed_t *fed, int by, const effect_t *effect)
{
    fed_proc_t *proc = &fed->procs [by];
    proc->notices++;
    for (int i = 0; i < fed->procs_count; i++) {
        bool hears = false;
        for (size_t h = 0; h < fed->procs [i].hears_count; h++)
            hears = hears || strcmp (fed->procs [i].hears [h], proc->events) == 0;
        if (!hears)
            continue;
        fed_notice_t *notice = calloc (1, sizeof *notice);
        assert (notice);
        *notice = (fed_notice_t){.to = i,
                                 .due_ms = fed->mono_ms + 1 + fed->procs [i].far_ms,
                                 .endpoint = fed_text (proc->events),
                                 .topic = fed_text (effect->publish.topic),
                                 .number = proc->notices,
                                 .start = proc->host.store.start,
                                 .body = fed_bytes (effect->publish.body),
                                 .size = effect->publish.body.size};
        memcpy (notice->store, proc->host.store.id, STORE_ID_BYTES);
        fed_notice_t **end = &fed->notices;
        while (*end)
            end = &(*end)->next;
        *end = notice;
    }
}

static inline void fed_work_order (fed_t *fed, int by, const effect_t *effect)
{
    assert (fed->works_count < FED_WORKS_MAX);
    if (fed->works_count == 0)
        fed->work_at_ms = fed->mono_ms + 100;
    fed->works [fed->works_count++] = (fed_work_t){.proc = by,
                                                   .number = effect->work.work,
                                                   .arguments = fed_bytes (effect->work.arguments),
                                                   .size = effect->work.arguments.size};
    if (fed->works_count > fed->works_most)
        fed->works_most = fed->works_count;
}

static inline void fed_effect (void *owner, const effect_t *effect)
{
    fed_proc_t *proc = owner;
    fed_t *fed = proc->fed;
    int by = (int) (proc - fed->procs);
    switch (effect->kind) {
    case EFFECT_REPLY:
        fed_reply (fed, effect->reply.reply_to, by, effect->reply.status, effect->reply.reason,
                   effect->reply.body);
        break;
    case EFFECT_CALL:
        fed_send (fed, by, effect);
        break;
    case EFFECT_PUBLISH:
        fed_publish (fed, by, effect);
        break;
    case EFFECT_SUBSCRIBE:
        assert (proc->hears_count < FED_PROCS_MAX);
        snprintf (proc->hears [proc->hears_count++], sizeof proc->hears [0], "%s",
                  effect->subscribe.endpoint);
        break;
    case EFFECT_WORK:
        if (strcmp (effect->work.kind, "solve") == 0)
            fed_work_order (fed, by, effect);
        break;
    case EFFECT_LOG:
        fed->warnings += effect->log.level == LEVEL_WARNING;
        if (fed->verbose)
            fprintf (stderr, "%8lld %-14.14s %s\n", (long long) fed->mono_ms, proc->name,
                     effect->log.line);
        break;
    case EFFECT_STOP:
        proc->stopped = true;
        break;
    default: /* nobody asks for rows here */
        break;
    }
}

static inline void fed_proc_step (void *owner, const event_t *event)
{
    fed_proc_t *proc = owner;
    proc->host.now = fed_moment (proc->fed, proc);
    memory_host_step (&proc->host, event);
}

static inline void fed_step (fed_t *fed, int to, const event_t *event)
{
    fed_proc_step (&fed->procs [to], event);
}

static inline void fed_kill (fed_t *fed, int at)
{
    fed_proc_t *proc = &fed->procs [at];
    proc->host.core.destroy (proc->host.core.self);
    proc->up = false;
    proc->host.alarm_ms = INT64_MAX;
    proc->hears_count = 0;
    for (fed_call_t *call = fed->calls; call; call = call->next)
        if (call->from == at)
            call->over = true;
}

static inline void fed_make (fed_t *fed, fed_proc_t *proc)
{
    static const char *const everybody [] = {"*"};
    const char *gis [FED_PROCS_MAX], *homes [FED_PROCS_MAX];
    size_t gis_count = 0, homes_count = 0;
    for (int i = 0; i < fed->procs_count; i++) {
        if (fed->procs [i].kind != FED_GIS)
            continue;
        homes [homes_count++] = fed->procs [i].name;
        if (&fed->procs [i] != proc)
            gis [gis_count++] = fed->procs [i].endpoint;
    }
    if (proc->kind == FED_GIS) {
        gis_settings_t settings = gis_for_everybody ();
        settings.recall_wait_ms = fed->recall_wait_ms;
        settings.name = proc->name;
        settings.homes = homes;
        settings.homes_count = homes_count;
        settings.gis_endpoints = gis;
        settings.gis_count = gis_count;
        settings.access.accounts = everybody;
        settings.access.accounts_count = 1;
        gis_core (&settings, &proc->host.core);
    } else if (proc->kind == FED_LIS) {
        lis_settings_t settings = {
          .provider.name = proc->name,
          .site = proc->site,
          .provider.access = {.accounts = everybody, .accounts_count = proc->nobody ? 0 : 1},
          .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
          .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
          .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
          .provider.gis_endpoints = gis,
          .provider.gis_count = gis_count};
        lis_core (&settings, &proc->host.core);
    } else if (proc->kind == FED_NIS) {
        nis_settings_t settings = {
          .provider.name = proc->name,
          .domain = proc->domain,
          .provider.access = {.accounts = everybody, .accounts_count = proc->nobody ? 0 : 1},
          .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
          .provider.limits = SETTINGS_PRESET (nis_settings_t, &nis_table).provider.limits,
          .provider.gis_endpoints = gis,
          .provider.gis_count = gis_count,
          .paths_max = NIS_PATHS_MOST};
        nis_core (&settings, &proc->host.core);
    } else if (proc->kind == FED_OTHER) {
        proc->make (proc, gis, gis_count);
    } else {
        proc->planner.gis_endpoints = gis;
        proc->planner.gis_count = gis_count;
        planner_core (&proc->planner, &proc->host.core);
    }
}

/*  Start, or start again, from its store, at the same address. */
static inline void fed_start (fed_t *fed, int at)
{
    fed_proc_t *proc = &fed->procs [at];
    assert (!proc->up);
    proc->up = true;
    proc->notices = 0;
    fed_make (fed, proc);
    memory_host_boot (&proc->host, NULL, proc->endpoint, fed_proc_step);
}

/*  Its folder is deleted while it is down, so that it starts with a new store. */
static inline void fed_wipe (fed_proc_t *proc)
{
    records_clear (&proc->host.records);
    proc->host.store.start = 0;
    proc->host.store.id [0] ^= 0xff;
}

static inline int fed_add (fed_t *fed, fed_kind_t kind, const char *name)
{
    assert (fed->procs_count < FED_PROCS_MAX);
    fed_proc_t *proc = &fed->procs [fed->procs_count];
    *proc = (fed_proc_t){.fed = fed, .kind = kind, .host = memory_host (0, 0, fed_effect, proc)};
    proc->host.keeps_rows = true;
    proc->planner = SETTINGS_PRESET (planner_settings_t, &planner_table);
    proc->planner.restore_guard_wait_ms = 0;
    proc->planner.finish_interval_ms = 0;
    snprintf (proc->name, sizeof proc->name, "%s", name);
    snprintf (proc->endpoint, sizeof proc->endpoint, "sim://%s", name);
    snprintf (proc->events, sizeof proc->events, "sim://%s/events", name);
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        proc->host.store.id [i] = (uint8_t) prng_next (&fed->prng);
    return fed->procs_count++;
}

static inline void fed_deliver (fed_t *fed, fed_call_t *call)
{
    call->due_ms = INT64_MAX;
    fed_proc_t *proc = &fed->procs [call->to];
    if (!proc->up || (fed->passes && !fed->passes (fed, call)))
        return;
    static const uint8_t none [STORE_ID_BYTES];
    if (memcmp (call->to_store, none, STORE_ID_BYTES) != 0 &&
        memcmp (call->to_store, proc->host.store.id, STORE_ID_BYTES) != 0) {
        fed_reply (fed, call->id, call->to, CALL_WRONG_STORE, "another store", (bytes_t){0});
        return;
    }
    event_t event = {.kind = EVENT_REQUEST,
                     .request = {.service = call->service,
                                 .method = call->method,
                                 .actor = call->actor,
                                 .request_id = call->request_id,
                                 .body = {.data = call->body, .size = call->size},
                                 .reply_to = call->id}};
    fed_step (fed, call->to, &event);
    if (fed->after)
        fed->after (fed, call);
}

static inline void fed_return (fed_t *fed, fed_call_t *call, bool timed_out)
{
    call->over = true;
    if (call->from < 0 || !fed->procs [call->from].up) {
        if (timed_out)
            call->status = CALL_TIMED_OUT;
        return;
    }
    bool good = !timed_out && call->status == CALL_OK;
    event_t event = {
      .kind = EVENT_ANSWER,
      .answer = {.call = call->call,
                 .status = timed_out ? CALL_TIMED_OUT : call->status,
                 .reason = timed_out ? "no answer" : call->reason,
                 .body = {.data = good ? call->answer : NULL, .size = good ? call->answer_size : 0},
                 .store_start = timed_out ? 0 : call->start}};
    if (!timed_out)
        memcpy (event.answer.store, call->store, STORE_ID_BYTES);
    fed_step (fed, call->from, &event);
}

static inline void fed_call_free (fed_call_t *call)
{
    free (call->service);
    free (call->method);
    free (call->actor);
    free (call->request_id);
    free (call->body);
    free (call->reason);
    free (call->answer);
    free (call);
}

/*  Forget calls of cores that are over; users' calls stay until they are read. */
static inline void fed_sweep (fed_t *fed)
{
    for (fed_call_t **at = &fed->calls; *at;) {
        fed_call_t *call = *at;
        if (call->over && call->from >= 0 && call->due_ms == INT64_MAX) {
            *at = call->next;
            fed_call_free (call);
        } else
            at = &call->next;
    }
}

/*  The hint that is due first; of equals the first published. */
static inline fed_notice_t **fed_first_notice (fed_t *fed)
{
    fed_notice_t **first = &fed->notices;
    for (fed_notice_t **at = &fed->notices; *at; at = &(*at)->next)
        if ((*at)->due_ms < (*first)->due_ms)
            first = at;
    return first;
}

static inline void fed_notice_deliver (fed_t *fed)
{
    fed_notice_t **at = fed_first_notice (fed), *notice = *at;
    *at = notice->next;
    if (fed->procs [notice->to].up) {
        event_t event = {.kind = EVENT_NOTICE,
                         .notice = {.endpoint = notice->endpoint,
                                    .topic = notice->topic,
                                    .number = notice->number,
                                    .store_start = notice->start,
                                    .body = {.data = notice->body, .size = notice->size}}};
        memcpy (event.notice.store, notice->store, STORE_ID_BYTES);
        fed_step (fed, notice->to, &event);
    }
    free (notice->endpoint);
    free (notice->topic);
    free (notice->body);
    free (notice);
}

static inline bool fed_work_due (const fed_t *fed)
{
    return fed->worker && fed->works_count > 0;
}

static inline void fed_work_end (fed_t *fed)
{
    fed_work_t work = fed->works [--fed->works_count];
    event_t event = {.kind = EVENT_WORK, .work.work = work.number};
    uint8_t *result;
    event.work.ok = fed->worker ((bytes_t){.data = work.arguments, .size = work.size}, &result,
                                 &event.work.result.size);
    event.work.result.data = result;
    fed->work_at_ms = fed->mono_ms + 10;
    fed_step (fed, work.proc, &event);
    free (result);
    free (work.arguments);
}

/*  Does one thing that is due now; false when nothing is due. */
static inline bool fed_once (fed_t *fed)
{
    if (fed->notices && (*fed_first_notice (fed))->due_ms <= fed->mono_ms) {
        fed_notice_deliver (fed);
        return true;
    }
    for (fed_call_t *call = fed->calls; call; call = call->next) {
        if (call->due_ms <= fed->mono_ms) {
            fed_deliver (fed, call);
            return true;
        }
        if (!call->over && call->back_ms <= fed->mono_ms) {
            fed_return (fed, call, false);
            return true;
        }
        if (!call->over && call->deadline_ms <= fed->mono_ms) {
            fed_return (fed, call, true);
            return true;
        }
    }
    if (fed_work_due (fed) && fed->work_at_ms <= fed->mono_ms) {
        fed_work_end (fed);
        return true;
    }
    for (int i = 0; i < fed->procs_count; i++) {
        fed_proc_t *proc = &fed->procs [i];
        if (proc->up && proc->host.alarm_ms <= fed->mono_ms + 1000) {
            proc->host.alarm_ms = INT64_MAX;
            event_t event = {.kind = EVENT_TIMER};
            fed_step (fed, i, &event);
            return true;
        }
    }
    return false;
}

static inline int64_t fed_next_ms (fed_t *fed)
{
    int64_t next = fed->notices ? (*fed_first_notice (fed))->due_ms : INT64_MAX;
    if (fed_work_due (fed) && fed->work_at_ms < next)
        next = fed->work_at_ms;
    for (const fed_call_t *call = fed->calls; call; call = call->next) {
        if (call->due_ms < next)
            next = call->due_ms;
        if (!call->over && call->back_ms < next)
            next = call->back_ms;
        if (!call->over && call->deadline_ms < next)
            next = call->deadline_ms;
    }
    for (int i = 0; i < fed->procs_count; i++)
        if (fed->procs [i].up && fed->procs [i].host.alarm_ms != INT64_MAX &&
            fed->procs [i].host.alarm_ms - 1000 < next)
            next = fed->procs [i].host.alarm_ms - 1000;
    return next;
}

static inline void fed_run (fed_t *fed, int64_t for_ms)
{
    int64_t until_ms = fed->mono_ms + for_ms;
    for (;;) {
        while (fed_once (fed))
            fed_sweep (fed);
        int64_t next_ms = fed_next_ms (fed);
        if (next_ms > until_ms)
            break;
        fed->mono_ms = next_ms > fed->mono_ms ? next_ms : fed->mono_ms + 1;
    }
    fed->mono_ms = until_ms;
}

static inline void fed_new (fed_t *fed, uint64_t seed)
{
    *fed = (fed_t){0};
    prng_seed (&fed->prng, seed);
}

static inline void fed_end (fed_t *fed)
{
    for (int i = 0; i < fed->procs_count; i++) {
        if (fed->procs [i].up)
            fed_kill (fed, i);
        records_clear (&fed->procs [i].host.records);
        codec_clear (&site_codec, &fed->procs [i].site);
        codec_clear (&domain_codec, &fed->procs [i].domain);
    }
    while (fed->works_count > 0)
        free (fed->works [--fed->works_count].arguments);
    while (fed->calls) {
        fed_call_t *next = fed->calls->next;
        fed_call_free (fed->calls);
        fed->calls = next;
    }
    while (fed->notices) {
        fed_notice_t *notice = fed->notices;
        fed->notices = notice->next;
        free (notice->endpoint);
        free (notice->topic);
        free (notice->body);
        free (notice);
    }
}

/*  A site of one class. */
static inline int fed_add_site (fed_t *fed, const char *name, uint32_t nodes, uint32_t cpus,
                                int64_t price, disclosure_t disclosure)
{
    int at = fed_add (fed, FED_LIS, name);
    static attribute_t attributes [] = {{.name = "os", .value = "linux"}};
    node_class_t class = {.nodes = nodes,
                          .cpus_per_node = cpus,
                          .price = price,
                          .attributes = attributes,
                          .attributes_count = 1};
    snprintf (class.name, sizeof class.name, "thin");
    site_t site = {.classes = &class,
                   .classes_count = 1,
                   .disclosure = disclosure,
                   .lead_ms = 2000,
                   .horizon_ms = 400 * 24 * FED_HOUR_MS,
                   .cleaning_gap_ms = 60000};
    codec_copy (&site_codec, &fed->procs [at].site, &site);
    return at;
}

/*  A network domain, "nis/N"; what it describes is copied. */
static inline int fed_add_domain (fed_t *fed, const char *name, const domain_t *domain)
{
    int at = fed_add (fed, FED_NIS, name);
    codec_copy (&domain_codec, &fed->procs [at].domain, domain);
    return at;
}

/*  Start all that were added, and wait until they know each other. */
static inline void fed_up (fed_t *fed)
{
    for (int i = 0; i < fed->procs_count; i++)
        fed_start (fed, i);
    fed_run (fed, 8000);
}

/*  One or two GIS, sites "lis/s0"… of so many nodes of 4 CPUs, planners "p0"…, all up and known to
 *  each other. */
static inline void fed_federation (fed_t *fed, uint64_t seed, int homes, int sites, uint32_t nodes,
                                   int planners)
{
    char name [64];
    fed_new (fed, seed);
    for (int i = 0; i < homes; i++) {
        snprintf (name, sizeof name, "gis/g%d", i + 1);
        fed_add (fed, FED_GIS, name);
    }
    for (int i = 0; i < sites; i++) {
        snprintf (name, sizeof name, "lis/s%d", i);
        fed_add_site (fed, name, nodes, 4, 1000 * (i + 1), DISCLOSE_PROFILE);
    }
    for (int i = 0; i < planners; i++) {
        snprintf (name, sizeof name, "p%d", i);
        fed_add (fed, FED_PLANNER, name);
    }
    fed_up (fed);
}

/*  --- users --- */

/*  Send; the answer is read with fed_answer. */
static inline uint64_t fed_ask (fed_t *fed, const char *peer, const char *service,
                                const char *method, const char *actor, const char *request_id,
                                const ProtobufCMessage *message, int64_t timeout_ms)
{
    size_t size;
    uint8_t *body = message_pack (message, &size);
    effect_t effect = {.kind = EFFECT_CALL,
                       .call = {.endpoint = fed->procs [fed_find (fed, peer)].endpoint,
                                .service = service,
                                .method = method,
                                .actor = actor,
                                .request_id = request_id,
                                .body = {.data = body, .size = size},
                                .timeout_ms = timeout_ms}};
    uint64_t id = fed_send (fed, -1, &effect);
    free (body);
    return id;
}

/*  Has it been answered? */
static inline bool fed_answered (fed_t *fed, uint64_t id)
{
    return fed_call_of (fed, id)->over;
}

/*  Run until it is answered or timed out, and unpack the answer; NULL when there is none, with the
 *  status. The caller frees it with message_free. */
static inline ProtobufCMessage *fed_answer (fed_t *fed, uint64_t id,
                                            const ProtobufCMessageDescriptor *descriptor,
                                            call_status_t *status, char reason [256])
{
    fed_call_t *call = fed_call_of (fed, id);
    while (!call->over)
        fed_run (fed, 1);
    *status = call->status;
    snprintf (reason, 256, "%s", call->reason);
    ProtobufCMessage *message = NULL;
    if (call->status == CALL_OK)
        message =
          message_unpack (descriptor, (bytes_t){.data = call->answer, .size = call->answer_size});
    fed_call_t **at = &fed->calls;
    while (*at && *at != call)
        at = &(*at)->next;
    if (*at)
        *at = call->next;
    fed_call_free (call);
    return message;
}

#endif
