/*  survey - questions out, profiles and windows into the snapshot. */
#include "survey.h"

#include "must.h"
#include "question_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t call;
    bool suspect;            /* nobody waits for it */
    window_asked_t *windows; /* when asked for windows */
    size_t windows_count;
} question_t;

struct survey {
    service_t *service;
    const planner_settings_t *settings;
    snapshot_t *snapshot;
    starts_t starts;
    int64_t from_ms; /* of the frame asked for */
    int64_t until_ms;
    char reservation [NAME_BYTES_MAX + 1];
    question_t *questions; /* one a site */
    size_t waiting;        /* for those who are no suspects */
    suspects_t *suspects;
    uint64_t timer; /* when there is nobody to ask */
    survey_done_fn *done;
    void *owner;
};

static void leave_out (survey_t *self, size_t site, const char *why)
{
    snapshot_leave_out (self->snapshot, site, why);
    service_count (self->service, "sites_left_out", 1);
    outbox_log (self->service->outbox, LEVEL_WARNING, "site %s left out why=%.200s",
                self->snapshot->sources [site].party.name, why);
}

/*  Whoever was not waited for is left out. */
static void finish (survey_t *self, const moment_t *now)
{
    bool hasty = false;
    for (size_t i = 0; i < self->snapshot->sources_count; i++) {
        if (self->questions [i].call == 0)
            continue;
        calls_cancel (self->service->calls, self->questions [i].call);
        self->questions [i].call = 0;
        hasty = true;
        snapshot_leave_out (self->snapshot, i, "it did not answer lately");
    }
    self->done (self->owner, now, hasty);
}

/*  One question has its answer, or none. */
static void answered (survey_t *self, const moment_t *now, size_t site, call_status_t status)
{
    const char *name = self->snapshot->sources [site].party.name;
    if (status == CALL_TIMED_OUT)
        suspects_add (self->suspects, now, name);
    else
        suspects_remove (self->suspects, name);
    if (!self->questions [site].suspect && --self->waiting == 0)
        finish (self, now);
}

/*  --- windows --- */

static void take_windows (survey_t *self, size_t site, bytes_t body)
{
    const question_t *question = &self->questions [site];
    bool fits [WINDOWS_ASKED_MAX];
    char why [WHY_BYTES];
    if (!windows_decode (body, fits, question->windows_count, why)) {
        leave_out (self, site, why);
        return;
    }
    for (size_t i = 0; i < question->windows_count; i++) {
        const window_asked_t *asked = &question->windows [i];
        supply_window (&self->snapshot->places [asked->place].supply,
                       (window_t){.from_ms = asked->from_ms,
                                  .until_ms = asked->until_ms,
                                  .quantity = fits [i] ? asked->nodes : 0});
    }
}

static void on_windows (void *owner, const moment_t *now, uint64_t token,
                        const call_result_t *result)
{
    survey_t *self = owner;
    self->questions [token].call = 0;
    if (result->status == CALL_OK)
        take_windows (self, token, result->body);
    else
        leave_out (self, token, result->reason);
    answered (self, now, token, result->status);
}

/*  Candidate windows of a site: for each of its options as many starts as the question has room
 *  for, the first and the last among them, the others at equal distances (S4). */
static void choose_windows (survey_t *self, const moment_t *now, size_t site)
{
    question_t *question = &self->questions [site];
    const snapshot_t *snapshot = self->snapshot;
    size_t options = 0;
    for (size_t n = 0; n < snapshot->request->compute_count; n++)
        for (size_t i = 0; i < snapshot->needs [n].options_count; i++)
            options += snapshot->places [snapshot->needs [n].options [i].place].source == site;
    int64_t spread_ms = self->starts.latest_ms - self->starts.earliest_ms;
    size_t each = options > 0 ? WINDOWS_ASKED_MAX / options : 1;
    each = each < 1 || spread_ms == 0 ? 1 : each;
    question->windows = must (calloc (WINDOWS_ASKED_MAX, sizeof *question->windows));
    for (size_t n = 0; n < snapshot->request->compute_count; n++) {
        for (size_t i = 0; i < snapshot->needs [n].options_count; i++) {
            const option_t *option = &snapshot->needs [n].options [i];
            if (snapshot->places [option->place].source != site)
                continue;
            for (size_t k = 0; k < each && question->windows_count < WINDOWS_ASKED_MAX; k++) {
                int64_t start_ms = self->starts.earliest_ms;
                if (each > 1)
                    start_ms += spread_ms / (int64_t) (each - 1) * (int64_t) k;
                int64_t begin_ms = start_ms + snapshot->request->compute [n].offset_ms;
                int64_t from_ms = begin_ms > now->wall_ms ? begin_ms : now->wall_ms;
                if (from_ms >= begin_ms + need_duration (snapshot->request, n))
                    continue;
                question->windows [question->windows_count++] =
                  (window_asked_t){.place = option->place,
                                   .nodes = option->nodes,
                                   .from_ms = from_ms,
                                   .until_ms = begin_ms + need_duration (snapshot->request, n)};
            }
        }
    }
}

static void ask (survey_t *self, const moment_t *now, size_t site, const char *method,
                 packed_t body, call_done_fn *done)
{
    const party_t *party = &self->snapshot->sources [site].party;
    self->questions [site].call =
      calls_start (self->service->calls, now,
                   &(call_order_t){.peer = party->name,
                                   .endpoint = party->endpoint,
                                   .service = "Calendar",
                                   .method = method,
                                   .actor = self->service->name,
                                   .request_id = "",
                                   .body = {.data = body.data, .size = body.size},
                                   .timeout_ms = self->settings->try_ms,
                                   .tries_max = 1},
                   done, self, site);
    free (body.data);
}

static void ask_windows (survey_t *self, const moment_t *now, size_t site)
{
    choose_windows (self, now, site);
    ask (self, now, site, "Windows",
         windows_encode (self->snapshot, self->questions [site].windows,
                         self->questions [site].windows_count, self->reservation),
         on_windows);
}

/*  --- profiles --- */

static void take_profiles (survey_t *self, size_t site, bytes_t body)
{
    profile_t *profiles;
    size_t count;
    char why [WHY_BYTES];
    if (!profile_decode (body, &profiles, &count, why)) {
        leave_out (self, site, why);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        supply_t *supply = snapshot_supply (self->snapshot, site, profiles [i].resource);
        if (supply)
            supply_profile (supply, &profiles [i]);
    }
    profiles_free (profiles, count);
}

static void on_profile (void *owner, const moment_t *now, uint64_t token,
                        const call_result_t *result)
{
    survey_t *self = owner;
    self->questions [token].call = 0;
    if (result->status == CALL_DENIED) { /* it has changed its mind since it was announced */
        ask_windows (self, now, token);
        return;
    }
    if (result->status == CALL_OK)
        take_profiles (self, token, result->body);
    else
        leave_out (self, token, result->reason);
    answered (self, now, token, result->status);
}

static void ask_profile (survey_t *self, const moment_t *now, size_t site)
{
    const snapshot_t *snapshot = self->snapshot;
    const char *classes [SITE_CLASSES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < snapshot->places_count && count < SITE_CLASSES_MAX; i++)
        if (snapshot->places [i].source == site)
            classes [count++] = snapshot->places [i].class_name;
    int64_t until_ms = self->until_ms + snapshot->sources [site].gap_ms;
    int64_t horizon_ms = now->wall_ms + snapshot->sources [site].horizon_ms;
    if (snapshot->sources [site].horizon_ms > 0 && until_ms > horizon_ms)
        until_ms = horizon_ms;
    if (until_ms <= self->from_ms) {
        leave_out (self, site, "the window lies beyond its horizon");
        return;
    }
    ask (self, now, site, "Profile",
         profile_encode (classes, count, self->from_ms, until_ms, self->reservation), on_profile);
}

static void on_nobody (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    survey_t *self = owner;
    self->timer = 0;
    finish (self, now);
}

/*  Suspects are waited for when everybody is one. */
static void count_waiting (survey_t *self, const moment_t *now, bool patient)
{
    size_t asked = 0;
    for (size_t i = 0; i < self->snapshot->sources_count; i++) {
        if (self->questions [i].call == 0)
            continue;
        asked++;
        self->questions [i].suspect =
          !patient && suspects_has (self->suspects, now, self->snapshot->sources [i].party.name);
        self->waiting += !self->questions [i].suspect;
    }
    if (asked > 0 && self->waiting == 0)
        count_waiting (self, now, true);
}

survey_t *survey_new (service_t *service, const planner_settings_t *settings, const moment_t *now,
                      const survey_order_t *order, survey_done_fn *done, void *owner)
{
    snapshot_t *snapshot = order->snapshot;
    survey_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = settings;
    self->snapshot = snapshot;
    self->starts = order->starts;
    self->suspects = order->suspects;
    self->done = done;
    self->owner = owner;
    snprintf (self->reservation, sizeof self->reservation, "%s", order->reservation);
    self->from_ms = order->starts.earliest_ms + user_request_offset_least (snapshot->request);
    if (self->from_ms < now->wall_ms)
        self->from_ms = now->wall_ms; /* what has passed is nobody's any more */
    self->until_ms = order->starts.latest_ms + user_request_span (snapshot->request);
    self->questions = must (calloc (snapshot->sources_count + 1, sizeof *self->questions));
    for (size_t i = 0; i < snapshot->sources_count; i++) {
        if (snapshot->sources [i].left_out)
            continue;
        if (snapshot->sources [i].disclosure == DISCLOSE_WINDOWS)
            ask_windows (self, now, i);
        else
            ask_profile (self, now, i);
    }
    count_waiting (self, now, order->patient);
    if (self->waiting == 0)
        self->timer = timers_set (service->timers, now->mono_ms, on_nobody, self, 0);
    return self;
}

void survey_destroy (survey_t **self_p)
{
    survey_t *self = *self_p;
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
