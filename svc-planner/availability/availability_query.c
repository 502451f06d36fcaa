/*  availability_query - sends questions, and puts what is answered into the snapshot. */
#include "availability_query.h"

#include "calendar_wire.h"
#include "must.h"
#include "participant_ref.h"
#include "windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t call;
    bool suspect;               /* it is not waited for */
    window_question_t *windows; /* when asked for windows */
    size_t windows_count;
} availability_query_question_t;

struct query {
    service_t *service;
    const planner_settings_t *settings;
    availability_query_order_t order;
    snapshot_t *snapshot;
    int64_t from_ms; /* of the frame asked for */
    int64_t until_ms;
    int64_t links_from_ms; /* the part of it in which network needs may carry */
    int64_t links_until_ms;
    char reservation [NAME_BYTES_MAX + 1];
    availability_query_question_t *questions; /* one a source */
    size_t waiting;                           /* questions to those that are no suspects */
    bool hasty;
    uint64_t timer; /* ends it when there is nobody to ask */
    availability_query_done_fn *done;
    void *owner;
};

static void leave_out (availability_query_t *self, size_t at, const char *why)
{
    char words [PARTICIPANT_REF_WORDS_BYTES];
    const source_t *source = &self->snapshot->sources [at];
    snapshot_leave_out (self->snapshot, at, why);
    service_count (self->service,
                   source->kind == SOURCE_DOMAIN ? "domains_left_out" : "sites_left_out", 1);
    outbox_log (self->service->outbox, LEVEL_WARNING, "%s left out why=%.200s",
                participant_ref_words (source->party.name, words), why);
}

/*  Leaves out those that were not waited for, and ends the query. */
static void availability_query_finish (availability_query_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->snapshot->sources_count; i++) {
        if (self->questions [i].call == 0)
            continue;
        calls_cancel (self->service->calls, self->questions [i].call);
        self->questions [i].call = 0;
        self->hasty = self->snapshot->sources [i].silent = true;
        snapshot_leave_out (self->snapshot, i, "it has not answered lately");
    }
    self->done (self->owner, now, self->hasty);
}

/*  A question is answered, or its time is over. */
static void availability_query_answered (availability_query_t *self, const moment_t *now, size_t at,
                                         call_status_t status)
{
    source_t *source = &self->snapshot->sources [at];
    bool silent = status == CALL_TIMED_OUT;
    unresponsive_judge (self->order.unresponsive, now, source->party.name, silent);
    source->silent = source->silent || silent || status == CALL_NOT_SERVING; /* not known yet */
    self->hasty = self->hasty || (silent && !self->order.patient);
    if (!self->questions [at].suspect && --self->waiting == 0)
        availability_query_finish (self, now);
}

/*  --- windows --- */

static void take_windows (availability_query_t *self, size_t at, bytes_t body)
{
    const availability_query_question_t *question = &self->questions [at];
    bool *fits = must (calloc (question->windows_count + 1, sizeof *fits));
    char why [WHY_BYTES];
    bool good = windows_decode (body, fits, question->windows_count, why);
    if (!good)
        leave_out (self, at, why);
    for (size_t i = 0; good && i < question->windows_count; i++) /* drop what was asked before */
        free_profile_clear (
          snapshot_free_profile (self->snapshot, at, question->windows [i].resource));
    for (size_t i = 0; good && i < question->windows_count; i++) {
        const window_question_t *asked = &question->windows [i];
        free_profile_window (snapshot_free_profile (self->snapshot, at, asked->resource),
                             (window_t){.from_ms = asked->over.from,
                                        .until_ms = asked->over.until,
                                        .quantity = fits [i] ? asked->quantity : 0});
    }
    free (fits);
}

static void availability_query_on_windows (void *owner, const moment_t *now, uint64_t token,
                                           const call_result_t *result)
{
    availability_query_t *self = owner;
    self->questions [token].call = 0;
    if (result->status == CALL_OK)
        take_windows (self, token, result->body);
    else if (result->status == CALL_DENIED) /* to whoever asks: nothing is wrong there */
        snapshot_leave_out (self->snapshot, token, result->reason);
    else
        leave_out (self, token, result->reason);
    availability_query_answered (self, now, token, result->status);
}

static void availability_query_ask (availability_query_t *self, const moment_t *now, size_t at,
                                    const char *method, packed_t body, call_done_fn *done)
{
    const participant_ref_t *party = &self->snapshot->sources [at].party;
    self->questions [at].call =
      service_ask (self->service, now,
                   &(call_order_t){.peer = party->name,
                                   .endpoint = party->endpoint,
                                   .service = "Calendar",
                                   .method = method,
                                   .timeout_ms = self->order.patient ? self->settings->try_ms_max
                                                                     : self->settings->try_ms,
                                   .lasting = true,
                                   .tries_max = 1},
                   body, done, self, at);
}

static void ask_windows (availability_query_t *self, const moment_t *now, size_t at)
{
    availability_query_question_t *question = &self->questions [at];
    question->windows =
      windows_choose (self->snapshot, &self->order.starts, self->snapshot->windows_starts,
                      now->wall_ms, at, &question->windows_count);
    for (size_t i = 0; i < question->windows_count; i++) {
        uint64_t quantity = (uint64_t) question->windows [i].quantity * 100;
        quantity = (quantity + self->order.visible - 1) / self->order.visible;
        question->windows [i].quantity = quantity < UINT32_MAX ? (uint32_t) quantity : UINT32_MAX;
    }
    availability_query_ask (self, now, at, "Windows",
                            windows_encode (question->windows, question->windows_count,
                                            self->reservation, self->order.actor),
                            availability_query_on_windows);
}

/*  --- profiles --- */

static void take_profiles (availability_query_t *self, size_t at, bytes_t body)
{
    profile_answer_t told;
    char why [WHY_BYTES];
    if (!codec_decode (&profile_answer_codec, &told, body, why)) {
        leave_out (self, at, why);
        return;
    }
    for (size_t i = 0; i < told.count; i++) {
        free_profile_t *free_profile =
          snapshot_free_profile (self->snapshot, at, told.profiles [i].resource);
        if (free_profile)
            free_profile_set (free_profile, &told.profiles [i]);
    }
    codec_clear (&profile_answer_codec, &told);
}

static void availability_query_on_profile (void *owner, const moment_t *now, uint64_t token,
                                           const call_result_t *result)
{
    availability_query_t *self = owner;
    self->questions [token].call = 0;
    if (result->status == CALL_DENIED) { /* it has changed its disclosure since it was announced,
                                             or the actor has no account */
        ask_windows (self, now, token);
        return;
    }
    if (result->status == CALL_OK)
        take_profiles (self, token, result->body);
    else
        leave_out (self, token, result->reason);
    availability_query_answered (self, now, token, result->status);
}

static void name_resource (profile_question_t *question, const char *name)
{
    snprintf (question->resources [question->resources_count++], sizeof *question->resources, "%s",
              name);
}

/*  Names what a source is asked about; no names: about all it has. */
static void name_resources (const availability_query_t *self, size_t at,
                            profile_question_t *question)
{
    const snapshot_t *snapshot = self->snapshot;
    size_t links = 0, most = snapshot->places_count + snapshot->links_count;
    question->resources = must (calloc (most + 1, sizeof *question->resources));
    for (size_t i = 0; i < snapshot->places_count; i++)
        if (snapshot->places [i].source == at && *snapshot->places [i].class_name)
            name_resource (question, snapshot->places [i].class_name);
    for (size_t i = 0; i < snapshot->links_count; i++) {
        if (snapshot->links [i].source != at)
            continue;
        links++;
        if (snapshot->links [i].useful)
            name_resource (question, graph_link (snapshot->graph, i)->link->name);
    }
    if (links > 0 && question->resources_count == links)
        question->resources_count = 0;
}

static void ask_profile (availability_query_t *self, const moment_t *now, size_t at)
{
    const source_t *source = &self->snapshot->sources [at];
    int64_t from_ms = self->from_ms, until_ms = self->until_ms + source->gap_ms;
    int64_t horizon_ms = now->wall_ms + source->horizon_ms;
    if (source->kind == SOURCE_DOMAIN) {
        from_ms = self->links_from_ms;
        until_ms = self->links_until_ms;
    }
    if (source->kind == SOURCE_STORAGE) /* files come ahead of what they are for */
        from_ms = now->wall_ms;
    if (source->horizon_ms > 0 && until_ms > horizon_ms)
        until_ms = horizon_ms;
    if (until_ms <= from_ms) {
        leave_out (self, at, "the times asked for lie beyond its horizon");
        return;
    }
    profile_question_t question = {.over = {from_ms, until_ms}};
    memcpy (question.reservation, self->reservation, sizeof question.reservation);
    snprintf (question.actor, sizeof question.actor, "%s", self->order.actor);
    name_resources (self, at, &question);
    availability_query_ask (self, now, at, "Profile",
                            codec_encode (&profile_question_codec, &question),
                            availability_query_on_profile);
    codec_clear (&profile_question_codec, &question);
}

static void availability_query_on_nobody (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    availability_query_t *self = owner;
    self->timer = 0;
    availability_query_finish (self, now);
}

/*  Counts whom to wait for: suspects only when all are suspects. */
static void count_waiting (availability_query_t *self, const moment_t *now, bool patient)
{
    size_t asked = 0;
    for (size_t i = 0; i < self->snapshot->sources_count; i++) {
        if (self->questions [i].call == 0)
            continue;
        asked++;
        self->questions [i].suspect =
          !patient &&
          unresponsive_has (self->order.unresponsive, now, self->snapshot->sources [i].party.name);
        self->waiting += !self->questions [i].suspect;
    }
    if (asked > 0 && self->waiting == 0)
        count_waiting (self, now, true);
}

/*  Finds the time in which a link may be wanted. */
static void frame_links (availability_query_t *self, const moment_t *now)
{
    const user_request_t *request = self->snapshot->request;
    self->links_from_ms = INT64_MAX;
    self->links_until_ms = INT64_MIN;
    for (size_t i = 0; i < request->network_count; i++) {
        int64_t from_ms, until_ms;
        network_need_interval (request, i, &from_ms, &until_ms);
        from_ms += self->order.starts.earliest_ms;
        until_ms += self->order.starts.latest_ms;
        if (from_ms < self->links_from_ms)
            self->links_from_ms = from_ms;
        if (until_ms > self->links_until_ms)
            self->links_until_ms = until_ms;
    }
    if (self->links_from_ms < now->wall_ms)
        self->links_from_ms = now->wall_ms;
}

/*  Chooses about how many starts to ask. If that number has changed, sources with windows are asked
 *  again. */
static void choose_starts (const availability_query_order_t *order)
{
    snapshot_t *snapshot = order->snapshot;
    size_t starts = windows_starts (snapshot, &order->starts);
    if (order->starts_most > 0 && starts > order->starts_most)
        starts = order->starts_most;
    for (size_t i = 0; i < snapshot->sources_count && starts != snapshot->windows_starts; i++)
        if (snapshot->sources [i].disclosure == DISCLOSE_WINDOWS)
            snapshot->sources [i].asked = false;
    snapshot->windows_starts = starts;
}

availability_query_t *availability_query_new (service_t *service,
                                              const planner_settings_t *settings,
                                              const moment_t *now,
                                              const availability_query_order_t *order,
                                              availability_query_done_fn *done, void *owner)
{
    snapshot_t *snapshot = order->snapshot;
    availability_query_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = settings;
    self->snapshot = snapshot;
    self->order = *order;
    self->order.visible = order->visible ? order->visible : 100;
    choose_starts (order);
    self->done = done;
    self->owner = owner;
    snprintf (self->reservation, sizeof self->reservation, "%s", order->reservation);
    self->from_ms = order->starts.earliest_ms + user_request_offset_least (snapshot->request);
    if (self->from_ms < now->wall_ms)
        self->from_ms = now->wall_ms; /* what has passed is not asked about */
    self->until_ms = order->starts.latest_ms + user_request_span (snapshot->request);
    frame_links (self, now);
    self->questions = must (calloc (snapshot->sources_count + 1, sizeof *self->questions));
    for (size_t i = 0; i < snapshot->sources_count; i++) {
        if (snapshot->sources [i].left_out || snapshot->sources [i].asked ||
            snapshot->sources [i].put_off || !snapshot->sources [i].useful)
            continue;
        snapshot->sources [i].asked = true;
        if (snapshot->sources [i].disclosure == DISCLOSE_WINDOWS)
            ask_windows (self, now, i);
        else
            ask_profile (self, now, i);
    }
    count_waiting (self, now, order->patient);
    if (self->waiting == 0)
        self->timer =
          timers_set (service->timers, now->mono_ms, availability_query_on_nobody, self, 0);
    return self;
}

void availability_query_destroy (availability_query_t **self_p)
{
    availability_query_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->snapshot->sources_count; i++) {
        calls_cancel (self->service->calls, self->questions [i].call);
        free (self->questions [i].windows);
    }
    timers_cancel (self->service->timers, self->timer);
    free (self->questions);
    free (self);
    *self_p = NULL;
}
