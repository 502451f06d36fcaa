/*  stays - each stay has one timer: to ask again, to renew it, or to end it. */
#include "stays.h"

#include "must.h"
#include "ordered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAY_MS    120000
#define RENEW_MS   (STAY_MS / 3) /* a stay is renewed so soon */
#define AGAIN_MS   1000          /* until a file that is not there is asked about again */
#define LINGER_MS  10000         /* how long a file is stayed with after its last use */
#define TIMEOUT_MS 2000          /* of one question */

struct file_stay {
    stays_t *stays;
    char name [FILE_NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    uint32_t users;
    bool doubted;
    stay_answer_t told;
    char why [STAGED_WHY_BYTES]; /* the question was not answered; "" = it was */
    int64_t asked_ms;            /* mono */
    int64_t late_ms;             /* mono: since when it can't be had */
    int64_t until_ms;            /* mono: a file that is there stays until then */
    uint64_t call;
    uint64_t timer;
};

struct stays {
    service_t *service;
    char site [NAME_BYTES_MAX + 1];
    char replica [NAME_BYTES_MAX + 1];
    stays_moved_fn *moved;
    void *owner;
    ordered_t *all; /* by node, then name */
};

typedef struct {
    const char *name;
    const char *node;
} file_stay_key_t;

static int stays_by_place (const void *key, const void *thing)
{
    const file_stay_key_t *asked = key;
    const file_stay_t *stay = thing;
    int order = strcmp (asked->node, stay->node);
    return order != 0 ? order : strcmp (asked->name, stay->name);
}

uint64_t stays_ask (stays_t *self, const moment_t *now, const char *method, packed_t body,
                    call_done_fn *done, void *owner, uint64_t token)
{
    call_order_t order = {.peer = self->replica,
                          .service = "Replica",
                          .method = method,
                          .timeout_ms = TIMEOUT_MS,
                          .lasting = true,
                          .tries_max = 1};
    return service_ask (self->service, now, &order, body, done, owner, token);
}

/*  --- asking --- */

static void stay_on_timer (void *owner, const moment_t *now, uint64_t token);

static void stay_wait (file_stay_t *stay, const moment_t *now, int64_t wait_ms)
{
    timers_move (stay->stays->service->timers, &stay->timer, now->mono_ms + wait_ms, stay_on_timer,
                 stay, 0);
}

static void stay_take (file_stay_t *stay, const call_result_t *result)
{
    char why [WHY_BYTES];
    stay_answer_t told;
    *stay->why = '\0';
    if (result->status != CALL_OK) {
        snprintf (stay->why, sizeof stay->why, "%s: %.180s", stay->stays->replica, result->reason);
    } else if (!codec_decode (&stay_answer_codec, &told, result->body, why)) {
        snprintf (stay->why, sizeof stay->why, "%s: %.180s", stay->stays->replica, why);
    } else {
        if (stay->told.state != STAGED_LATE)
            stay->late_ms = stay->asked_ms;
        codec_clear (&stay_answer_codec, &stay->told);
        stay->told = told;
        stay->until_ms = stay->asked_ms + STAY_MS;
        stay->doubted = false;
    }
}

static void stay_on_told (void *owner, const moment_t *now, uint64_t token,
                          const call_result_t *result)
{
    (void) token;
    file_stay_t *stay = owner;
    char said [STAGED_WHY_BYTES];
    staged_state_t before = stays_look (stay, now).state;
    memcpy (said, stays_look (stay, now).why, sizeof said);
    stay->call = 0;
    stay_take (stay, result);
    staged_state_t after = stays_look (stay, now).state;
    bool there = after == STAGED_READY && !*stay->why;
    stay_wait (stay, now, there ? RENEW_MS : AGAIN_MS);
    /*  One that is late is told again and again: whoever waits may lose patience. */
    if (before != after || after == STAGED_LATE || strcmp (said, stays_look (stay, now).why) != 0)
        stay->stays->moved (stay->stays->owner, now, stay->node);
}

static void stay_ask (file_stay_t *stay, const moment_t *now)
{
    stays_t *self = stay->stays;
    stay_question_t question = {.stay_ms = stay->users > 0 ? STAY_MS : 0, .doubt = stay->doubted};
    memcpy (question.name, stay->name, sizeof question.name);
    memcpy (question.node, stay->node, sizeof question.node);
    snprintf (question.who, sizeof question.who, "lis/%.59s", self->site);
    packed_t body = codec_encode (&stay_question_codec, &question);
    stay->asked_ms = now->mono_ms;
    if (stay->users > 0)
        stay->call = stays_ask (self, now, "Stay", body, stay_on_told, stay, 0);
    else
        stays_ask (self, now, "Stay", body, NULL, NULL, 0); /* if it is lost, the stay runs out */
}

static void stay_free (void *thing)
{
    file_stay_t *stay = thing;
    calls_cancel (stay->stays->service->calls, stay->call);
    timers_cancel (stay->stays->service->timers, stay->timer);
    codec_clear (&stay_answer_codec, &stay->told);
    free (stay);
}

static void stay_on_timer (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    file_stay_t *stay = owner;
    stay->timer = 0;
    calls_cancel (stay->stays->service->calls, stay->call);
    stay->call = 0;
    stay_ask (stay, now);
    if (stay->users > 0)
        return;
    ordered_remove (stay->stays->all, &(file_stay_key_t){stay->name, stay->node});
    stay_free (stay);
}

/*  --- users --- */

file_stay_t *stays_use (stays_t *self, const moment_t *now, const char *name, const char *node)
{
    file_stay_t *stay = ordered_find (self->all, &(file_stay_key_t){name, node});
    if (!stay) {
        stay = must (calloc (1, sizeof *stay));
        stay->stays = self;
        snprintf (stay->name, sizeof stay->name, "%s", name);
        snprintf (stay->node, sizeof stay->node, "%s", node);
        ordered_add (self->all, &(file_stay_key_t){stay->name, stay->node}, stay);
    }
    /*  One that has lingered may be near its end: it is renewed at once. */
    if (stay->users++ == 0) {
        if (stay->told.state == STAGED_LATE)
            stay->told.state = STAGED_COMING; /* that was another time */
        timers_cancel (self->service->timers, stay->timer);
        stay->timer = 0;
        if (stay->call == 0)
            stay_ask (stay, now);
    }
    return stay;
}

void stays_leave (file_stay_t *stay, const moment_t *now)
{
    if (--stay->users == 0)
        stay_wait (stay, now, LINGER_MS);
}

void stays_doubt (stays_t *self, const moment_t *now, file_stay_t *stay)
{
    calls_cancel (self->service->calls, stay->call);
    stay->doubted = true;
    stay->told.state = STAGED_COMING;
    stay_ask (stay, now);
}

file_stay_view_t stays_look (const file_stay_t *stay, const moment_t *now)
{
    file_stay_view_t view = {.name = stay->name,
                             .node = stay->node,
                             .state = stay->told.state,
                             .path = stay->told.path ? stay->told.path : "",
                             .size = stay->told.size,
                             .late_ms = now->mono_ms - stay->late_ms,
                             .why = *stay->why ? stay->why : stay->told.why};
    if (view.state == STAGED_READY && now->mono_ms >= stay->until_ms)
        view.state = STAGED_COMING;
    return view;
}

/*  --- life --- */

stays_t *stays_new (service_t *service, const char *site, stays_moved_fn *moved, void *owner)
{
    stays_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->moved = moved;
    self->owner = owner;
    snprintf (self->site, sizeof self->site, "%s", site);
    snprintf (self->replica, sizeof self->replica, "replica/%.54s", site);
    self->all = ordered_new (stays_by_place);
    return self;
}

void stays_destroy (stays_t **self_p)
{
    stays_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->all, stay_free);
    free (self);
    *self_p = NULL;
}
