/*  replay - a window of requests in flight over one client.
 *
 *  A slot is a request, its present call, or the moment when it is sent again, and how often it was
 *  tried. Requests are written as a user would write them and read by the same reader.
 */
#include "replay.h"

#include "answer_form.h"
#include "cli.h"
#include "json.h"
#include "message.h"
#include "must.h"
#include "request_form.h"
#include "services.h"

#include <assert.h>
#include <time.h>

#define WAIT_MS     50   /* between two looks at what is due */
#define AGAIN_MS    200  /* before a request is sent again */
#define LOOK_MS     1000 /* planners are looked for at most so often */
#define PROGRESS_MS 200

typedef struct {
    bool taken;
    uint64_t call;    /* 0 = waits to be sent again */
    int64_t again_ms; /* then */
    size_t request;
    uint8_t *body;
    size_t body_size;
} replay_slot_t;

typedef struct {
    client_t *client;
    const replay_settings_t *settings;
    const coallocation_t *requests;
    replay_outcome_t *outcomes;
    method_t reserve;
    replay_slot_t *slots;
    const char *planners [REPLAY_PLANNERS_MAX];
    size_t planners_count;
    size_t next_planner;
    int64_t looked_ms;
    int64_t told_ms;
    double began_s;
} replay_t;

static double monotonic_s (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/*  The packed ReserveRequest, malloc'ed. What we write ourselves can be read: else we are wrong. */
static uint8_t *replay_pack_request (const replay_t *self, const coallocation_t *request,
                                     size_t *size)
{
    char why [LONG_WHY_BYTES];
    char json_why [WHY_BYTES];
    json_auto_t *written = coallocation_written (request, false, self->settings->policy);
    json_auto_t *body = json_pack ("{s:o}", "request", request_form_read (written, why));
    message_auto_t *message = body ? json_to_message (self->reserve.asked, body, json_why) : NULL;
    assert (message);
    return message_pack (message, size);
}

static void find_planners (replay_t *self)
{
    int64_t now_ms = cli_mono_ms ();
    if (self->looked_ms && now_ms - self->looked_ms < LOOK_MS)
        return;
    self->planners_count = self->settings->planners (self->settings->owner, self->planners);
    self->looked_ms = cli_mono_ms ();
}

/*  Without any planner the slot waits on; that counts as a try. */
static void send_slot (replay_t *self, replay_slot_t *slot)
{
    replay_outcome_t *outcome = &self->outcomes [slot->request];
    outcome->tries++;
    slot->again_ms = cli_mono_ms () + LOOK_MS;
    slot->call = 0;
    if (self->planners_count == 0)
        find_planners (self);
    if (self->planners_count == 0)
        return;
    slot->call = client_send (
      self->client,
      &(client_request_t){.endpoint = self->planners [self->next_planner++ % self->planners_count],
                          .service = self->reserve.service,
                          .method = self->reserve.method,
                          .actor = self->settings->actor,
                          .request_id = outcome->request_id,
                          .body = {.data = slot->body, .size = slot->body_size},
                          .timeout_ms = self->settings->timeout_ms});
}

static void replay_start (replay_t *self, replay_slot_t *slot, size_t request)
{
    const replay_settings_t *settings = self->settings;
    replay_outcome_t *outcome = &self->outcomes [request];
    *outcome = (replay_outcome_t){.status = REPLAY_UNKNOWN,
                                  .asked_links = self->requests [request].links_count,
                                  .sent_s = monotonic_s () - self->began_s};
    snprintf (outcome->request_id, sizeof outcome->request_id, "%.40s-%zu@%.60s",
              settings->id_prefix, request, settings->homes [request % settings->homes_count]);
    *slot = (replay_slot_t){.taken = true, .request = request};
    slot->body = replay_pack_request (self, &self->requests [request], &slot->body_size);
    send_slot (self, slot);
}

/*  The form of a final answer, new; NULL when it is none. */
static json_t *read_reply (const replay_t *self, const replay_slot_t *slot,
                           const client_reply_t *reply)
{
    replay_outcome_t *outcome = &self->outcomes [slot->request];
    if (reply->status == CALL_TIMED_OUT || reply->status == CALL_OVERLOADED ||
        reply->status == CALL_NOT_SERVING || reply->status == CALL_WRONG_STORE)
        return NULL;
    const coallocation_t *request = &self->requests [slot->request];
    json_auto_t *answer =
      reply->status == CALL_OK ? services_answer (&self->reserve, reply->body) : NULL;
    json_t *form = answer ? answer_form (answer) : NULL;
    if (reply->status != CALL_OK) {
        form =
          json_pack ("{s:s, s:[{s:s}]}", "status", "refused", "reasons", "text", reply->reason);
    } else if (!form || answer_code (form) == EXIT_UNKNOWN) {
        json_decref (form);
        return NULL;
    }
    replay_outcome_read (outcome, request, form);
    return form;
}

static void replay_finish (replay_t *self, replay_slot_t *slot, json_t *form)
{
    replay_outcome_t *outcome = &self->outcomes [slot->request];
    outcome->latency_s = monotonic_s () - self->began_s - outcome->sent_s;
    if (!form)
        form = answer_form_unknown (outcome->request_id, "no final answer");
    self->settings->answered (self->settings->owner, outcome, form);
    json_decref (form);
    free (slot->body);
    *slot = (replay_slot_t){0};
}

/*  True when the slot has become free. */
static bool take_reply (replay_t *self, replay_slot_t *slot, const client_reply_t *reply)
{
    replay_outcome_t *outcome = &self->outcomes [slot->request];
    json_t *form = read_reply (self, slot, reply);
    bool timed_out = reply->status == CALL_TIMED_OUT;
    if (!form && outcome->tries < self->settings->tries_max) {
        slot->call = 0;
        slot->again_ms = cli_mono_ms () + AGAIN_MS;
        if (timed_out)
            find_planners (self);
        return false;
    }
    replay_finish (self, slot, form);
    return true;
}

/*  Sends again the requests that have waited long enough. Returns how many were given up instead.
 */
static size_t send_due (replay_t *self)
{
    size_t over = 0;
    for (size_t i = 0; i < self->settings->clients; i++) {
        replay_slot_t *slot = &self->slots [i];
        if (!slot->taken || slot->call || cli_mono_ms () < slot->again_ms)
            continue;
        if (self->outcomes [slot->request].tries < self->settings->tries_max) {
            send_slot (self, slot);
        } else {
            replay_finish (self, slot, NULL);
            over++;
        }
    }
    return over;
}

/*  The slot that waits for the call; when taken is false, any free slot; NULL when there is none.
 */
static replay_slot_t *find_slot (replay_t *self, bool taken, uint64_t call)
{
    for (size_t i = 0; i < self->settings->clients; i++)
        if (self->slots [i].taken == taken && self->slots [i].call == call)
            return &self->slots [i];
    return NULL;
}

/*  May the next one be sent now? */
static bool replay_due (const replay_t *self, size_t sent)
{
    return self->settings->rate <= 0 ||
           monotonic_s () - self->began_s >= (double) sent / self->settings->rate;
}

/*  Waits for one reply, not longer than the next one to send may wait. */
static bool wait_reply (replay_t *self, client_reply_t *reply)
{
    int64_t wait_ms = self->settings->rate > 0 ? 1 : WAIT_MS;
    if (client_in_flight (self->client) > 0)
        return client_wait (self->client, wait_ms, reply);
    cli_rest (wait_ms);
    return false;
}

static bool replay_tell_progress (replay_t *self, size_t answered, size_t of)
{
    int64_t now_ms = cli_mono_ms ();
    if (answered < of && now_ms - self->told_ms < PROGRESS_MS)
        return true;
    self->told_ms = now_ms;
    return self->settings->progress (self->settings->owner, answered, of);
}

size_t replay_run (client_t *client, const coallocation_t *requests, size_t requests_count,
                   const replay_settings_t *settings, replay_outcome_t *outcomes)
{
    assert (settings->clients > 0 && settings->tries_max > 0 && settings->homes_count > 0);
    replay_t self = {.client = client,
                     .settings = settings,
                     .requests = requests,
                     .outcomes = outcomes,
                     .reserve = services_method ("Planner", "Reserve"),
                     .slots = must (calloc (settings->clients, sizeof (replay_slot_t))),
                     .began_s = monotonic_s ()};
    find_planners (&self);

    size_t sent = 0;
    size_t answered = 0;
    bool going_on = true;
    while (answered < sent || (going_on && sent < requests_count)) {
        replay_slot_t *idle = NULL;
        while (going_on && sent < requests_count && replay_due (&self, sent) &&
               (idle = find_slot (&self, false, 0)))
            replay_start (&self, idle, sent++);
        client_reply_t reply;
        if (answered < sent && wait_reply (&self, &reply)) {
            replay_slot_t *slot = find_slot (&self, true, reply.call);
            answered += slot && take_reply (&self, slot, &reply);
        } else if (answered == sent) {
            cli_rest (1); /* all are answered, the next one is not due yet */
        }
        answered += send_due (&self);
        going_on = replay_tell_progress (&self, answered, requests_count) && going_on;
    }
    free (self.slots);
    return sent;
}
