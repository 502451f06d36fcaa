/*  replay - a window of requests in flight over one client.
 *
 *  Slots hold what is in flight: a slot is a request, its present call and how often it was tried.
 */
#include "replay.h"

#include "message.h"
#include "planner.pb-c.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_MS 100

typedef struct {
    uint64_t call; /* 0: the slot is free */
    size_t request;
    uint8_t *body;
    size_t body_size;
} slot_t;

typedef struct {
    client_t *client;
    const replay_settings_t *settings;
    const coallocation_t *requests;
    replay_outcome_t *outcomes;
    slot_t *slots;
    const char *planners [REPLAY_PLANNERS_MAX];
    size_t planners_count;
    size_t next_planner;
    double began_s;
} replay_t;

static double monotonic_s (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

uint8_t *replay_request (const coallocation_t *request, const char *policy, size_t *size)
{
    static const char *const ids [COALLOCATION_NEEDS_MAX] = {"a", "b", "c", "d"};
    Musubi__ComputeNeed needs [COALLOCATION_NEEDS_MAX];
    Musubi__ComputeNeed *need_list [COALLOCATION_NEEDS_MAX];
    for (size_t i = 0; i < request->needs; i++) {
        musubi__compute_need__init (&needs [i]);
        needs [i].id = (char *) ids [i];
        needs [i].cpus = request->cpus [i];
        need_list [i] = &needs [i];
    }
    Musubi__Instant earliest = MUSUBI__INSTANT__INIT, latest = earliest, deadline = earliest;
    earliest.when_case = latest.when_case = deadline.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    earliest.at_ms = request->earliest_ms;
    latest.at_ms = request->latest_ms;
    deadline.at_ms = request->deadline_ms;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    frame.earliest = &earliest;
    frame.latest = &latest;
    frame.deadline = &deadline;
    Musubi__Request message = MUSUBI__REQUEST__INIT;
    message.window = &frame;
    message.duration_ms = request->duration_ms;
    message.n_compute = request->needs;
    message.compute = need_list;
    message.distinct_sites = true;
    message.policy = (char *) policy;
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    reserve.request = &message;
    return message_pack (&reserve.base, size);
}

static void find_planners (replay_t *self)
{
    self->planners_count = self->settings->planners (self->settings->owner, self->planners);
}

static void send_slot (replay_t *self, slot_t *slot)
{
    replay_outcome_t *outcome = &self->outcomes [slot->request];
    if (self->planners_count == 0)
        find_planners (self);
    const char *planner =
      self->planners_count > 0
        ? self->planners [self->next_planner++ % self->planners_count]
        : "tcp://127.0.0.1:9"; /* nobody: times out, and asks for planners again */
    outcome->tries++;
    slot->call = client_send (
      self->client, &(client_request_t){.endpoint = planner,
                                        .service = "Planner",
                                        .method = "Reserve",
                                        .actor = self->settings->actor,
                                        .request_id = outcome->request_id,
                                        .body = {.data = slot->body, .size = slot->body_size},
                                        .timeout_ms = self->settings->timeout_ms});
}

static void start (replay_t *self, slot_t *slot, size_t request)
{
    replay_outcome_t *outcome = &self->outcomes [request];
    *outcome =
      (replay_outcome_t){.status = REPLAY_UNKNOWN, .sent_s = monotonic_s () - self->began_s};
    snprintf (outcome->request_id, sizeof outcome->request_id, "%s-%zu@%s",
              self->settings->id_prefix, request, self->settings->home);
    slot->request = request;
    slot->body =
      replay_request (&self->requests [request], self->settings->policy, &slot->body_size);
    send_slot (self, slot);
}

/*  True when the answer is final. */
static bool take_answer (const client_reply_t *reply, replay_outcome_t *outcome)
{
    if (reply->status == CALL_TIMED_OUT || reply->status == CALL_OVERLOADED ||
        reply->status == CALL_WRONG_STORE)
        return false;
    if (reply->status != CALL_OK) {
        outcome->status = REPLAY_REFUSED;
        snprintf (outcome->reason, sizeof outcome->reason, "%.*s", REPLAY_REASON_BYTES - 1,
                  reply->reason);
        return true;
    }
    ProtobufCMessage *message = message_unpack (&musubi__answer__descriptor, reply->body);
    if (!message)
        return false;
    const Musubi__Answer *answer = (const Musubi__Answer *) message;
    bool final = true;
    if (answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED) {
        outcome->status = REPLAY_COMMITTED;
        snprintf (outcome->reservation, sizeof outcome->reservation, "%s", answer->reservation);
    } else if (answer->status == MUSUBI__ANSWER_STATUS__ANSWER_REFUSED ||
               answer->status == MUSUBI__ANSWER_STATUS__ANSWER_CONFLICT) {
        outcome->status = REPLAY_REFUSED;
        snprintf (outcome->reason, sizeof outcome->reason, "%s",
                  answer->n_reasons > 0 ? answer->reasons [0]->text : "no reason given");
    } else
        final = false;
    message_free (message);
    return final;
}

/*  True when the slot has become free. */
static bool take_reply (replay_t *self, slot_t *slot, const client_reply_t *reply)
{
    replay_outcome_t *outcome = &self->outcomes [slot->request];
    bool final = take_answer (reply, outcome);
    if (!final && outcome->tries < self->settings->tries_max) {
        find_planners (self);
        send_slot (self, slot);
        return false;
    }
    outcome->latency_s = monotonic_s () - self->began_s - outcome->sent_s;
    free (slot->body);
    *slot = (slot_t){0};
    return true;
}

static slot_t *slot_of (replay_t *self, uint64_t call)
{
    for (size_t i = 0; i < self->settings->clients; i++)
        if (self->slots [i].call == call)
            return &self->slots [i];
    return NULL;
}

/*  May the next one be sent now? */
static bool due (const replay_t *self, size_t sent)
{
    return self->settings->rate <= 0 ||
           monotonic_s () - self->began_s >= (double) sent / self->settings->rate;
}

size_t replay_run (client_t *client, const coallocation_t *requests, size_t requests_count,
                   const replay_settings_t *settings, replay_outcome_t *outcomes)
{
    assert (settings->clients > 0 && settings->tries_max > 0);
    replay_t self = {.client = client,
                     .settings = settings,
                     .requests = requests,
                     .outcomes = outcomes,
                     .slots = calloc (settings->clients, sizeof (slot_t)),
                     .began_s = monotonic_s ()};
    if (!self.slots)
        abort ();
    find_planners (&self);

    size_t sent = 0, answered = 0;
    bool going_on = true;
    while (answered < sent || (going_on && sent < requests_count)) {
        slot_t *idle = NULL;
        while (going_on && sent < requests_count && due (&self, sent) &&
               (idle = slot_of (&self, 0)))
            start (&self, idle, sent++);
        client_reply_t reply;
        if (client_wait (client, settings->rate > 0 ? 1 : WAIT_MS, &reply)) {
            slot_t *slot = slot_of (&self, reply.call);
            if (slot && take_reply (&self, slot, &reply))
                answered++;
        }
        if (settings->progress)
            going_on = settings->progress (settings->owner, answered, requests_count) && going_on;
    }
    free (self.slots);
    return sent;
}
