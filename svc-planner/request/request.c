/*  request - checks a user's request and fixes it in time.
 *
 *  Checks go in the order in which a person reads the request; each refusal names the field.
 */
#include "request.h"
#include "least.h"
#include "participant_ref.h"
#include "stages.h"
#include "timetext.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FIELD_BYTES 64

bool name_sound (const char *name)
{
    size_t length = strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-");
    return length > 0 && name [length] == 0;
}

size_t user_request_need (const user_request_t *self, const char *id)
{
    for (size_t i = 0; i < self->compute_count; i++)
        if (strcmp (self->compute [i].id, id) == 0)
            return i;
    return SIZE_MAX;
}

size_t user_request_network (const user_request_t *self, const char *id)
{
    for (size_t i = 0; i < self->network_count; i++)
        if (strcmp (self->network [i].id, id) == 0)
            return i;
    return SIZE_MAX;
}

/*  span_ms: how long what starts there lasts. */
static bool check_instant (const instant_t *instant, int64_t span_ms, const char *field,
                           char why [WHY_BYTES])
{
    char last [TIMETEXT_BYTES];
    int64_t most = instant->from_now ? FROM_NOW_MS_MAX : INSTANT_MS_MAX - span_ms;
    if (!instant->set || (instant->ms >= 0 && instant->ms <= most))
        return true;
    if (instant->from_now)
        return wrong (why, "%s: must be 0 s to %s from now", field,
                      timetext_format_duration (most, last));
    return wrong (why, "%s: must be from 1970 to %s, so that it ends before 9999", field,
                  timetext_format (most, last));
}

/*  Is a + add_ms before b, whenever it is asked? Both must be absolute, or both relative to now. */
static bool request_surely_before (const instant_t *a, const instant_t *b, int64_t add_ms)
{
    return a->set && b->set && a->from_now == b->from_now && a->ms < b->ms + add_ms;
}

static bool check_frame (const frame_t *frame, int64_t span_ms, char why [WHY_BYTES])
{
    char span [TIMETEXT_BYTES];
    if (!check_instant (&frame->start, span_ms, "request.window.start", why) ||
        !check_instant (&frame->earliest, span_ms, "request.window.earliest", why) ||
        !check_instant (&frame->latest, span_ms, "request.window.latest", why) ||
        !check_instant (&frame->deadline, 0, "request.window.deadline", why))
        return false;
    if (frame->start.set && (frame->earliest.set || frame->latest.set || frame->deadline.set))
        return wrong (why, "request.window.start: excludes earliest, latest and deadline; "
                           "give one or the other");
    if (request_surely_before (&frame->latest, &frame->earliest, 0))
        return wrong (why, "request.window.latest: is before earliest");
    if (request_surely_before (&frame->deadline, &frame->earliest, span_ms))
        return wrong (why,
                      "request.window.deadline: must be at least %s after the earliest start, "
                      "because the request lasts so long",
                      timetext_format_duration (span_ms, span));
    return true;
}

static bool check_need (const user_request_t *self, size_t at, char why [WHY_BYTES])
{
    const compute_need_t *need = &self->compute [at];
    if (!name_sound (need->id))
        return wrong (
          why, "request.compute[%zu].id: must be letters, digits and . _ -, at least one", at);
    if (user_request_need (self, need->id) != at)
        return wrong (why, "request.compute[%zu].id: '%s' is used twice", at, need->id);
    if (need->cpus < 1 || need->cpus > CPUS_MAX)
        return wrong (why, "request.compute[%zu].cpus: must be 1 to %d", at, CPUS_MAX);
    if (need->offset_ms < 0 || need->offset_ms > OFFSET_MS_MAX)
        return wrong (why, "request.compute[%zu].offset: must be 0 to 31 days", at);
    if (need->duration_ms < 0 || need->duration_ms > DURATION_MS_MAX)
        return wrong (why, "request.compute[%zu].duration: must be 1 ms to 366 days", at);
    if (need->duration_ms == 0 && self->duration_ms == 0)
        return wrong (
          why, "request.compute[%zu].duration: must be given here or for the whole request", at);
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "request.compute[%zu]", at);
    if (*need->site && !name_sound (need->site))
        return wrong (why, "request.compute[%zu].site: must be a site's name, or absent", at);
    return stages_check (&need->stages, need->offset_ms, need->offset_ms + need_duration (self, at),
                         field, why);
}

static bool check_count (size_t count, size_t most, const char *field, char why [WHY_BYTES])
{
    return count <= most ||
           wrong (why, "%s: has %zu needs, must have at most %zu", field, count, most);
}

static const char *const policies [] = {
  [POLICY_TIME] = "time",     [POLICY_COST] = "cost",       [POLICY_LOAD] = "load",
  [POLICY_RANDOM] = "random", [POLICY_QUALITY] = "quality",
};
#define POLICIES (sizeof policies / sizeof policies [0])

static bool request_among (const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (word, words [i]) == 0)
            return true;
    return *word == 0;
}

/*  What the integer programs of ip can't express. */
static bool check_programmed (const user_request_t *self, char why [WHY_BYTES])
{
    policy_t policy = user_request_policy (self);
    if (policy == POLICY_LOAD || policy == POLICY_RANDOM)
        return wrong (why, "request.policy: must be time, cost or quality with ip");
    if (strcmp (self->route, "fixed") == 0)
        return wrong (why, "request.route: must be free with ip");
    for (size_t i = 0; i < self->network_count; i++)
        for (size_t k = 0; k < i; k++) {
            const char (*ends) [NAME_BYTES_MAX + 1] = self->network [i].ends;
            const char (*other) [NAME_BYTES_MAX + 1] = self->network [k].ends;
            int side = strcmp (ends [0], other [0]) == 0 ? 0 : 1;
            if (strcmp (ends [0], other [side]) != 0 || strcmp (ends [1], other [1 - side]) != 0)
                continue;
            return wrong (
              why,
              "request.network[%zu].between: joins the same needs as request.network[%zu]; "
              "with ip there may be only one connection between two needs",
              i, k);
        }
    return true;
}

static bool check_choice (const user_request_t *self, char why [WHY_BYTES])
{
    static const char *const algorithms [] = {"auto", "bbr", "bir", "ip"};
    static const char *const routes [] = {"free", "fixed"};
    if (!request_among (self->policy, policies, POLICIES))
        return wrong (why, "request.policy: '%s' must be time, cost, load, random or quality",
                      self->policy);
    if (!request_among (self->algorithm, algorithms, 4))
        return wrong (why, "request.algorithm: '%s' must be auto, bbr, bir or ip", self->algorithm);
    if (!request_among (self->route, routes, 2))
        return wrong (why, "request.route: '%s' must be free or fixed", self->route);
    if (strcmp (self->algorithm, "ip") == 0)
        return check_programmed (self, why);
    if (user_request_policy (self) == POLICY_QUALITY)
        return wrong (why, "request.policy: quality needs request.algorithm ip");
    bool by_paper = *self->algorithm && strcmp (self->algorithm, "auto") != 0;
    if (by_paper && strcmp (self->route, "free") == 0)
        return wrong (why, "request.route: must be fixed with %s", self->algorithm);
    return true;
}

static bool request_check_needs (const user_request_t *self, char why [WHY_BYTES])
{
    for (size_t i = 0; i < self->compute_count; i++)
        if (!check_need (self, i, why))
            return false;
    return network_needs_check (self, why) && data_needs_check (self, why);
}

bool user_request_check (const user_request_t *self, char why [WHY_BYTES])
{
    if (self->compute_count == 0)
        return wrong (why, "request.compute: must have at least one need");
    if (!check_count (self->compute_count, NEEDS_MAX, "request.compute", why) ||
        !check_count (self->network_count, NETWORK_NEEDS_MAX, "request.network", why) ||
        !check_count (self->data_count, FILES_MAX, "request.data", why) ||
        !check_count (self->space_count, SPACE_NEEDS_MAX, "request.space", why))
        return false;
    if (self->duration_ms < 0 || self->duration_ms > DURATION_MS_MAX)
        return wrong (why, "request.duration: must be 1 ms to 366 days");
    return request_check_needs (self, why) &&
           check_frame (&self->window, user_request_span (self), why) && check_choice (self, why);
}

bool plan_user_request (const plan_t *plan, user_request_t *request, char why [WHY_BYTES])
{
    *request = (user_request_t){0};
    if (plan->request_size == 0)
        return wrong (why, "the request it was made for is not on record any more");
    return codec_decode (&user_request_codec, request,
                         (bytes_t){.data = plan->request, .size = plan->request_size}, why);
}

policy_t user_request_policy (const user_request_t *self)
{
    for (size_t i = 0; i < POLICIES; i++)
        if (strcmp (self->policy, policies [i]) == 0)
            return (policy_t) i;
    return POLICY_TIME;
}

int64_t need_duration (const user_request_t *self, size_t need)
{
    int64_t own_ms = self->compute [need].duration_ms;
    return own_ms > 0 ? own_ms : self->duration_ms;
}

int64_t user_request_span (const user_request_t *self)
{
    int64_t span_ms = 0;
    for (size_t i = 0; i < self->compute_count; i++) {
        int64_t end_ms = self->compute [i].offset_ms + need_duration (self, i);
        span_ms = end_ms > span_ms ? end_ms : span_ms;
    }
    return span_ms;
}

int64_t user_request_offset_least (const user_request_t *self)
{
    int64_t least_ms = INT64_MAX;
    for (size_t i = 0; i < self->compute_count; i++)
        if (self->compute [i].derived.kind == DERIVED_NOT && self->compute [i].offset_ms < least_ms)
            least_ms = self->compute [i].offset_ms;
    return least_ms;
}

/*  A time relative to now is at least margin_ms ahead. */
static int64_t instant_wall (const instant_t *instant, int64_t wall_ms, int64_t margin_ms)
{
    if (!instant->from_now)
        return instant->ms;
    return wall_ms + (instant->ms > margin_ms ? instant->ms : margin_ms);
}

static bool resolve_fixed (const frame_t *window, const planner_settings_t *settings,
                           int64_t wall_ms, starts_t *starts, char why [WHY_BYTES])
{
    int64_t start_ms = instant_wall (&window->start, wall_ms, settings->margin_ms);
    *starts = (starts_t){start_ms, start_ms, INT64_MAX};
    return start_ms >= wall_ms || wrong (why, "request.window.start: has passed");
}

bool user_request_resolve (const user_request_t *self, const planner_settings_t *settings,
                           int64_t wall_ms, starts_t *starts, char why [WHY_BYTES])
{
    const frame_t *window = &self->window;
    char text [TIMETEXT_BYTES];
    if (window->start.set)
        return resolve_fixed (window, settings, wall_ms, starts, why);

    int64_t soonest_ms = wall_ms + settings->margin_ms;
    int64_t span_ms = user_request_span (self);
    starts->earliest_ms =
      window->earliest.set
        ? greatest (soonest_ms, instant_wall (&window->earliest, wall_ms, settings->margin_ms))
        : soonest_ms;
    starts->deadline_ms =
      window->deadline.set ? instant_wall (&window->deadline, wall_ms, 0) : INT64_MAX;
    starts->latest_ms = window->latest.set
                          ? instant_wall (&window->latest, wall_ms, settings->margin_ms)
                        : window->deadline.set ? starts->deadline_ms - span_ms
                                               : starts->earliest_ms + settings->frame_ms;
    if (window->deadline.set && starts->deadline_ms - span_ms < starts->earliest_ms)
        return wrong (why, "request.window.deadline: can't be kept any more: the request lasts %s",
                      timetext_format_duration (span_ms, text));
    if (window->deadline.set)
        starts->latest_ms = least (starts->latest_ms, starts->deadline_ms - span_ms);
    if (starts->latest_ms < starts->earliest_ms)
        return wrong (why, "request.window.latest: has passed, or is too near for sites to "
                           "accept it");
    if (starts->latest_ms - starts->earliest_ms > settings->frame_ms_max)
        return wrong (why,
                      "request.window: earliest and latest start must not be further apart than "
                      "limits/frame_max = %s",
                      timetext_format_duration (settings->frame_ms_max, text));
    return true;
}

void user_request_fix (user_request_t *self, const planner_settings_t *settings, int64_t wall_ms)
{
    frame_t *window = &self->window;
    instant_t *instants [] = {&window->start, &window->earliest, &window->latest,
                              &window->deadline};
    for (size_t i = 0; i < sizeof instants / sizeof instants [0]; i++) {
        if (!instants [i]->set)
            continue;
        int64_t margin_ms = instants [i] == &window->deadline ? 0 : settings->margin_ms;
        *instants [i] =
          (instant_t){.set = true, .ms = instant_wall (instants [i], wall_ms, margin_ms)};
    }
}

bool word_sound (const char *word, size_t length)
{
    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char) word [i] <= 0x20 || word [i] == 0x7f)
            return false;
    return true;
}

bool request_name_parse (request_name_t *self, const char *actor, const char *request_id,
                         const char *const *homes, size_t homes_count, char why [WHY_BYTES])
{
    assert (homes_count > 0);
    const char *at = strrchr (request_id, '@');
    size_t length = at ? (size_t) (at - request_id) : strlen (request_id);
    if (strlen (request_id) > REQUEST_ID_BYTES_MAX || !word_sound (request_id, length))
        return wrong (why, "request id: must be ID or ID@HOME, without blanks, 1 to %d bytes",
                      REQUEST_ID_BYTES_MAX);
    *self = (request_name_t){0};
    if (!at) {
        const char *home = homes [request_slot (actor, request_id) % homes_count];
        int written = snprintf (self->full, sizeof self->full, "%s@%s", request_id,
                                participant_ref_short_name (home));
        if (written < 0 || (size_t) written >= sizeof self->full)
            return wrong (why,
                          "request id: must not be longer than %d bytes together with its home",
                          REQUEST_ID_BYTES_MAX);
        snprintf (self->home, sizeof self->home, "%s", home);
        return true;
    }
    for (size_t i = 0; i < homes_count; i++)
        if (strcmp (participant_ref_short_name (homes [i]), at + 1) == 0) {
            snprintf (self->full, sizeof self->full, "%s", request_id);
            snprintf (self->home, sizeof self->home, "%s", homes [i]);
            return true;
        }
    return wrong (why, "request id: no directory is named '%.40s', which would be its home",
                  at + 1);
}
