/*  router - one work at a time: what is wanted meanwhile is wanted of the next one. */
#include "router.h"

#include "must.h"
#include "service.h"
#include "shape.h"

#include <stdio.h>
#include <stdlib.h>

#define BACKOFF_MS     200
#define BACKOFF_MS_MAX 10000
#define END_MS         5000 /* a domain that is alive takes a circuit back itself */
#define WATCH_GAP_MS   50   /* what somebody changes all the time is not looked at all the time */

typedef struct {
    service_t *service;
    router_settings_t settings;
    agent_poll_t *poll;
    bool told;              /* by an answer, in this start */
    int64_t lease_until_ms; /* mono: after it another agent may be the router's */
    router_work_t wanted;
    router_work_t seen;
    uint64_t ordered; /* works */
    uint64_t work;    /* number of the last to shape */
    uint64_t watch;   /* and to watch */
    bool works;       /* the first of these is under way */
    bool again;       /* and is out of date */
    bool doubted;     /* the machine was changed since it was looked at: */
    bool late;        /* since the look under way has begun */
    uint64_t timer;
    char queue [QUEUE_KIND_BYTES_MAX + 1]; /* as last logged */
} router_t;

static uint64_t router_order (router_t *self, const char *kind, const router_work_t *work)
{
    packed_t arguments = codec_encode (&router_work_codec, work);
    outbox_work (self->service->outbox, ++self->ordered, kind, packed_bytes (arguments));
    free (arguments.data);
    return self->ordered;
}

/*  Gives up what should have been taken back by now; true when there was any. */
static bool router_end_past (router_t *self, const moment_t *now)
{
    size_t kept = 0, count = self->wanted.shapes_count;
    for (size_t i = 0; i < count; i++) {
        shape_t *shape = &self->wanted.shapes [i];
        if (now->wall_ms >= shape->until_ms + END_MS)
            codec_clear (&shape_codec, shape);
        else
            self->wanted.shapes [kept++] = *shape;
    }
    self->wanted.shapes_count = kept;
    return kept < count;
}

static void router_shape (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    router_t *self = owner;
    self->again = self->works;
    if (self->works || !self->told)
        return;
    if (!router_end_past (self, now) && now->mono_ms >= self->lease_until_ms) {
        timers_move (self->service->timers, &self->timer, now->mono_ms + self->settings.look_ms,
                     router_shape, self, 0);
        return;
    }
    self->work = router_order (self, ROUTER_SHAPE, &self->wanted);
    self->works = true;
}

static void router_watch (void *owner, const moment_t *now, uint64_t token)
{
    (void) now, (void) token;
    router_t *self = owner;
    self->watch = router_order (self, ROUTER_WATCH, &(router_work_t){0});
}

/*  --- its service --- */

static packed_t router_ask (void *owner, const agent_poll_question_t *question)
{
    router_t *self = owner;
    router_question_t asked = {.said = question->said, .seen = self->seen};
    snprintf (asked.router, sizeof asked.router, "%s", self->settings.name);
    if (self->doubted)
        asked.seen.shapes_count = 0;
    return codec_encode (&router_question_codec, &asked);
}

static bool router_take (void *owner, const moment_t *now, const agent_poll_question_t *question,
                         bytes_t body, agent_poll_answer_t *answer, char why [WHY_BYTES])
{
    router_t *self = owner;
    router_answer_t told;
    if (!codec_decode (&router_answer_codec, &told, body, why))
        return false;
    *answer = (agent_poll_answer_t){.number = told.number, .attend_ms = told.attend_ms};
    codec_clear (&router_work_codec, &self->wanted);
    self->wanted = told.wanted;
    self->told = true;
    self->lease_until_ms = question->asked_ms + told.lease_ms;
    router_shape (self, now, 0);
    return true;
}

/*  --- work --- */

/*  Work that failed as a whole has seen nothing at any interface. */
static void router_failed (const router_t *self, const event_t *event, router_work_t *seen)
{
    size_t size = event->work.result.size < 200 ? event->work.result.size : 200;
    codec_copy (&router_work_codec, seen,
                &(router_work_t){.interfaces = self->wanted.interfaces,
                                 .interfaces_count = self->wanted.interfaces_count});
    for (size_t i = 0; i < seen->interfaces_count; i++)
        wrong (seen->interfaces [i].trouble, "%.*s", (int) size,
               (const char *) event->work.result.data);
}

static void router_log (router_t *self)
{
    for (size_t i = 0; i < self->seen.interfaces_count; i++) {
        const router_interface_t *one = &self->seen.interfaces [i];
        if (*one->trouble)
            outbox_log (self->service->outbox, LEVEL_WARNING, "router %s: %s", self->settings.name,
                        one->trouble);
        if (!*one->queue || strcmp (one->queue, self->queue) == 0)
            continue;
        memcpy (self->queue, one->queue, sizeof self->queue);
        outbox_log (self->service->outbox, LEVEL_INFO, "router %s: circuits at %s wait in a %s",
                    self->settings.name, one->name, one->queue);
    }
}

static void router_on_shaped (router_t *self, const moment_t *now, const event_t *event)
{
    router_work_t seen = {0};
    char why [WHY_BYTES];
    self->works = false;
    if (!event->work.ok || !codec_decode (&router_work_codec, &seen, event->work.result, why))
        router_failed (self, event, &seen);
    bool news =
      !codec_same (&router_work_codec, &seen, &self->seen) || (self->doubted && !self->late);
    self->doubted = self->late;
    self->late = false;
    codec_clear (&router_work_codec, &self->seen);
    self->seen = seen;
    if (news) {
        router_log (self);
        agent_poll_news (self->poll, now, 0);
    }
    timers_move (self->service->timers, &self->timer,
                 now->mono_ms + (self->again ? 0 : self->settings.look_ms), router_shape, self, 0);
}

/*  Where nothing can be watched, looks remain. */
static void router_on_watched (router_t *self, const moment_t *now, const event_t *event)
{
    router_work_t touched;
    char why [WHY_BYTES];
    outbox_t *outbox = self->service->outbox;
    if (!event->work.ok || !codec_decode (&router_work_codec, &touched, event->work.result, why)) {
        outbox_log (outbox, LEVEL_WARNING, "router %s: what others change is seen by looks alone",
                    self->settings.name);
        return;
    }
    if (touched.interfaces_count > 0) {
        outbox_log (outbox, LEVEL_INFO, "router %s: %s was changed by somebody else",
                    self->settings.name, touched.interfaces->name);
        self->doubted = true;
        self->late = self->works;
        agent_poll_news (self->poll, now, 0);
        router_shape (self, now, 0);
    }
    codec_clear (&router_work_codec, &touched);
    timers_set (self->service->timers, now->mono_ms + WATCH_GAP_MS, router_watch, self, 0);
}

static bool router_on_work (void *owner, const moment_t *now, const event_t *event)
{
    router_t *self = owner;
    bool shaped = event->work.work == self->work;
    if (!shaped && event->work.work != self->watch)
        return false;
    (shaped ? router_on_shaped : router_on_watched) (self, now, event);
    return true;
}

/*  --- its life --- */

static void router_on_start (void *owner, const moment_t *now)
{
    agent_poll_start (((router_t *) owner)->poll, now);
    router_watch (owner, now, 0);
}

static void router_destroy (void *owner)
{
    router_t *self = owner;
    codec_clear (&router_work_codec, &self->wanted);
    codec_clear (&router_work_codec, &self->seen);
    agent_poll_destroy (&self->poll);
    service_destroy (&self->service);
    free (self);
}

void router_core (const router_settings_t *settings, core_t *core)
{
    router_t *self = must (calloc (1, sizeof *self));
    char name [NAME_BYTES_MAX + 1];
    self->settings = *settings;
    snprintf (name, sizeof name, "router/%.56s", settings->name);
    self->service = service_new (name);
    self->poll = agent_poll_new (self->service,
                                 &(agent_poll_settings_t){.service = "Routers",
                                                          .sites = settings->endpoints,
                                                          .sites_count = settings->endpoints_count,
                                                          .backoff_ms = BACKOFF_MS,
                                                          .backoff_ms_max = BACKOFF_MS_MAX,
                                                          .ask = router_ask,
                                                          .take = router_take,
                                                          .owner = self});
    service_at_start (self->service, router_on_start, self);
    service_on_work (self->service, router_on_work, self);
    *core = service_core (self, router_destroy);
}
