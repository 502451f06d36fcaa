/*  planner_wire - requests and answers, to and from proto/planner.proto. */
#include "planner_wire.h"

#include "connection_wire.h"
#include "message.h"
#include "transaction_wire.h"

#include "must.h"
#include "planner.pb-c.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_BYTES 96

static_assert ((int) ANSWER_CONFLICT == MUSUBI__ANSWER_STATUS__ANSWER_CONFLICT, "same numbers");
static_assert ((int) ANSWER_COMMITTED == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, "same numbers");

static void *list_new (size_t count, size_t size)
{
    return count > 0 ? must (calloc (count, size)) : NULL;
}

/*  Length only: what characters mean is checked with the request. */
static bool copy_text (char *to, size_t bytes_max, const char *from, const char *field,
                       char why [WHY_BYTES])
{
    size_t length = strlen (from);
    if (length > bytes_max)
        return wrong (why, "%s: longer than %zu bytes", field, bytes_max);
    memcpy (to, from, length + 1);
    return true;
}

/*  --- requests --- */

static instant_t instant_take (const Musubi__Instant *from)
{
    if (!from || from->when_case == MUSUBI__INSTANT__WHEN__NOT_SET)
        return (instant_t){0};
    if (from->when_case == MUSUBI__INSTANT__WHEN_AT_MS)
        return (instant_t){.set = true, .ms = from->at_ms};
    return (instant_t){.set = true, .from_now = true, .ms = from->from_now_ms};
}

static frame_t frame_take (const Musubi__TimeFrame *from)
{
    if (!from)
        return (frame_t){0};
    return (frame_t){.start = instant_take (from->start),
                     .earliest = instant_take (from->earliest),
                     .latest = instant_take (from->latest),
                     .deadline = instant_take (from->deadline)};
}

static bool requirement_take (requirement_t *to, const Musubi__Requirement *from, const char *field,
                              char why [WHY_BYTES])
{
    if (!copy_text (to->attribute, NAME_BYTES_MAX, from->attribute, field, why))
        return false;
    if (from->test_case == MUSUBI__REQUIREMENT__TEST_MIN) {
        to->numeric = true;
        to->min = from->min;
        return true;
    }
    if (from->test_case != MUSUBI__REQUIREMENT__TEST_VALUE)
        return wrong (why, "%s: needs a value or a min", field);
    return copy_text (to->value, ATTRIBUTE_VALUE_BYTES_MAX, from->value, field, why);
}

static bool requirements_take (requirement_t **to, size_t *count, Musubi__Requirement *const *from,
                               size_t from_count, const char *need, char why [WHY_BYTES])
{
    if (from_count > CLASS_ATTRIBUTES_MAX)
        return wrong (why, "%s.require: has more than %d attributes", need, CLASS_ATTRIBUTES_MAX);
    *to = list_new (from_count, sizeof **to);
    *count = from_count;
    for (size_t i = 0; i < from_count; i++) {
        char field [FIELD_BYTES];
        snprintf (field, sizeof field, "%.60s.require[%zu]", need, i);
        if (!requirement_take (&(*to) [i], from [i], field, why))
            return false;
    }
    return true;
}

static bool stages_take (stages_t *to, Musubi__Stage *const *from, size_t count, const char *need,
                         char why [WHY_BYTES])
{
    if (count > STAGES_MAX)
        return wrong (why, "%s.stages: %zu, at most %d", need, count, STAGES_MAX);
    for (size_t i = 0; i < count; i++)
        to->list [to->count++] = (stage_t){from [i]->until_ms, from [i]->amount};
    return true;
}

static bool need_take (compute_need_t *to, const Musubi__ComputeNeed *from, size_t at,
                       char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "request.compute[%zu].id", at);
    if (!copy_text (to->id, NAME_BYTES_MAX, from->id, field, why))
        return false;
    snprintf (field, sizeof field, "request.compute[%zu].site", at);
    if (!copy_text (to->site, NAME_BYTES_MAX, from->site, field, why))
        return false;
    to->cpus = from->cpus;
    to->offset_ms = from->offset_ms;
    to->duration_ms = from->duration_ms;
    snprintf (field, sizeof field, "request.compute[%zu]", at);
    return stages_take (&to->stages, from->stages, from->n_stages, field, why) &&
           requirements_take (&to->require, &to->require_count, from->require, from->n_require,
                              field, why);
}

/*  Whole microseconds; a limit that is none in them would say "any". */
static bool latency_take (network_need_t *to, double ms, size_t at, char why [WHY_BYTES])
{
    if (ms == 0)
        return true;
    if (!(ms >= 0.001 && ms <= LATENCY_MS_MAX))
        return wrong (why, "request.network[%zu].latency_ms_max: must be 0.001 to %d, or 0 for any",
                      at, LATENCY_MS_MAX);
    to->latency_us_max = llround (ms * 1000);
    return true;
}

static bool link_take (network_need_t *to, const Musubi__NetworkNeed *from, size_t at,
                       char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    to->ends_count = from->n_between;
    to->mbps = from->mbps;
    to->offset_ms = from->offset_ms;
    to->duration_ms = from->duration_ms;
    snprintf (field, sizeof field, "request.network[%zu].id", at);
    if (!copy_text (to->id, NAME_BYTES_MAX, from->id, field, why) ||
        !latency_take (to, from->latency_ms_max, at, why))
        return false;
    for (size_t end = 0; end < 2 && end < from->n_between; end++) {
        snprintf (field, sizeof field, "request.network[%zu].between[%zu]", at, end);
        if (!copy_text (to->ends [end], NAME_BYTES_MAX, from->between [end], field, why))
            return false;
    }
    snprintf (field, sizeof field, "request.network[%zu]", at);
    return stages_take (&to->stages, from->stages, from->n_stages, field, why) &&
           requirements_take (&to->require, &to->require_count, from->require, from->n_require,
                              field, why);
}

static bool file_take (data_need_t *to, const Musubi__DataNeed *from, size_t at,
                       char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "request.data[%zu].file", at);
    if (!copy_text (to->file, sizeof to->file - 1, from->file, field, why))
        return false;
    snprintf (field, sizeof field, "request.data[%zu].at", at);
    return copy_text (to->at, NAME_BYTES_MAX, from->at, field, why);
}

static bool counts_sound (const Musubi__Request *from, char why [WHY_BYTES])
{
    if (from->n_compute > NEEDS_MAX)
        return wrong (why, "request.compute: %zu needs, at most %d", from->n_compute, NEEDS_MAX);
    if (from->n_network > NETWORK_NEEDS_MAX)
        return wrong (why, "request.network: %zu needs, at most %d", from->n_network,
                      NETWORK_NEEDS_MAX);
    if (from->n_data > FILES_MAX)
        return wrong (why, "request.data: %zu needs, at most %d", from->n_data, FILES_MAX);
    return true;
}

static bool needs_take (user_request_t *to, const Musubi__Request *from, char why [WHY_BYTES])
{
    to->compute = list_new (from->n_compute, sizeof *to->compute);
    to->compute_count = from->n_compute;
    for (size_t i = 0; i < from->n_compute; i++)
        if (!need_take (&to->compute [i], from->compute [i], i, why))
            return false;
    to->network = list_new (from->n_network, sizeof *to->network);
    to->network_count = from->n_network;
    for (size_t i = 0; i < from->n_network; i++)
        if (!link_take (&to->network [i], from->network [i], i, why))
            return false;
    to->data = list_new (from->n_data, sizeof *to->data);
    to->data_count = from->n_data;
    for (size_t i = 0; i < from->n_data; i++)
        if (!file_take (&to->data [i], from->data [i], i, why))
            return false;
    return true;
}

static bool request_take (user_request_t *to, const Musubi__Request *from, char why [WHY_BYTES])
{
    *to = (user_request_t){.window = frame_take (from->window),
                           .duration_ms = from->duration_ms,
                           .distinct_sites = from->distinct_sites};
    if (counts_sound (from, why) &&
        copy_text (to->name, NAME_BYTES_MAX, from->name, "request.name", why) &&
        copy_text (to->policy, NAME_BYTES_MAX, from->policy, "request.policy", why) &&
        copy_text (to->algorithm, NAME_BYTES_MAX, from->algorithm, "request.algorithm", why) &&
        copy_text (to->route, NAME_BYTES_MAX, from->route, "request.route", why) &&
        needs_take (to, from, why)) {
        user_request_name (to);
        return true;
    }
    user_request_clear (to);
    return false;
}

/*  Planners write stages; nobody asks for them. */
static bool unstaged (const user_request_t *request, const char *field, char why [WHY_BYTES])
{
    for (size_t i = 0; i < request->compute_count; i++)
        if (request->compute [i].stages.count > 0)
            return wrong (why, "%s.compute[%zu].stages: come with changes, they can't be asked for",
                          field, i);
    for (size_t i = 0; i < request->network_count; i++)
        if (request->network [i].stages.count > 0)
            return wrong (why, "%s.network[%zu].stages: come with changes, they can't be asked for",
                          field, i);
    return true;
}

bool reserve_decode (bytes_t body, user_request_t *request, bool *dry_run, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__reserve_request__descriptor, body);
    if (!message)
        return wrong (why, "not a ReserveRequest");
    const Musubi__ReserveRequest *reserve = (Musubi__ReserveRequest *) message;
    *dry_run = reserve->dry_run;
    bool good = reserve->request ? request_take (request, reserve->request, why)
                                 : wrong (why, "request: missing");
    message_free (message);
    if (good && !unstaged (request, "request", why)) {
        user_request_clear (request);
        good = false;
    }
    return good;
}

bool user_request_decode (user_request_t *self, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__request__descriptor, body);
    if (!message)
        return wrong (why, "not a Request");
    bool good = request_take (self, (Musubi__Request *) message, why);
    message_free (message);
    return good;
}

/*  Needs that come and go. */
static bool patch_take_needs (request_patch_t *to, const Musubi__ModifyRequest *from,
                              char why [WHY_BYTES])
{
    Musubi__Request added = MUSUBI__REQUEST__INIT;
    added.n_compute = from->n_add_compute;
    added.compute = from->add_compute;
    added.n_network = from->n_add_network;
    added.network = from->add_network;
    if (!request_take (&to->added, &added, why) || !unstaged (&to->added, "request", why))
        return false;
    if (from->n_remove > NEEDS_MAX + NETWORK_NEEDS_MAX)
        return wrong (why, "remove: %zu needs, at most %d", from->n_remove,
                      NEEDS_MAX + NETWORK_NEEDS_MAX);
    to->removed = list_new (from->n_remove, sizeof *to->removed);
    to->removed_count = from->n_remove;
    for (size_t i = 0; i < from->n_remove; i++) {
        char field [FIELD_BYTES];
        snprintf (field, sizeof field, "remove[%zu]", i);
        if (!copy_text (to->removed [i], NAME_BYTES_MAX, from->remove [i], field, why))
            return false;
    }
    return true;
}

static bool patch_take (request_patch_t *to, const Musubi__ModifyRequest *from,
                        char why [WHY_BYTES])
{
    *to = (request_patch_t){.dry_run = from->dry_run,
                            .window_set = from->window != NULL,
                            .window = frame_take (from->window),
                            .duration_ms = from->duration_ms};
    if (from->n_compute > NEEDS_MAX)
        return wrong (why, "compute: %zu needs, at most %d", from->n_compute, NEEDS_MAX);
    to->compute = list_new (from->n_compute, sizeof *to->compute);
    to->compute_count = from->n_compute;
    if (!copy_text (to->reservation, NAME_BYTES_MAX, from->reservation, "reservation", why))
        return false;
    for (size_t i = 0; i < from->n_compute; i++) {
        char field [FIELD_BYTES];
        snprintf (field, sizeof field, "compute[%zu].id", i);
        to->compute [i].cpus = from->compute [i]->cpus;
        if (!copy_text (to->compute [i].id, NAME_BYTES_MAX, from->compute [i]->id, field, why))
            return false;
        snprintf (field, sizeof field, "compute[%zu].site", i);
        if (!copy_text (to->compute [i].site, NAME_BYTES_MAX, from->compute [i]->site, field, why))
            return false;
    }
    if (from->n_network > NETWORK_NEEDS_MAX)
        return wrong (why, "network: %zu needs, at most %d", from->n_network, NETWORK_NEEDS_MAX);
    to->network = list_new (from->n_network, sizeof *to->network);
    to->network_count = from->n_network;
    for (size_t i = 0; i < from->n_network; i++) {
        char field [FIELD_BYTES];
        snprintf (field, sizeof field, "network[%zu].id", i);
        to->network [i].mbps = from->network [i]->mbps;
        if (!copy_text (to->network [i].id, NAME_BYTES_MAX, from->network [i]->id, field, why))
            return false;
    }
    return patch_take_needs (to, from, why);
}

bool modify_decode (bytes_t body, request_patch_t *patch, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__modify_request__descriptor, body);
    if (!message)
        return wrong (why, "not a ModifyRequest");
    bool good = patch_take (patch, (Musubi__ModifyRequest *) message, why);
    if (!good)
        request_patch_clear (patch);
    message_free (message);
    return good;
}

bool reservation_decode (bytes_t body, char reservation [NAME_BYTES_MAX + 1], char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__release_request__descriptor, body);
    if (!message)
        return wrong (why, "not a message with a reservation");
    const Musubi__ReleaseRequest *request = (Musubi__ReleaseRequest *) message;
    bool good =
      copy_text (reservation, NAME_BYTES_MAX, request->reservation, "reservation", why) &&
      (name_sound (reservation) || wrong (why, "reservation: must be a reservation's id"));
    message_free (message);
    return good;
}

/*  --- a request, packed --- */

typedef struct {
    Musubi__Instant instants [4];
    Musubi__TimeFrame frame;
} frame_wire_t;

static Musubi__Instant *instant_put (Musubi__Instant *to, const instant_t *from)
{
    if (!from->set)
        return NULL;
    musubi__instant__init (to);
    to->when_case =
      from->from_now ? MUSUBI__INSTANT__WHEN_FROM_NOW_MS : MUSUBI__INSTANT__WHEN_AT_MS;
    if (from->from_now)
        to->from_now_ms = from->ms;
    else
        to->at_ms = from->ms;
    return to;
}

static void frame_put (frame_wire_t *to, const frame_t *from)
{
    musubi__time_frame__init (&to->frame);
    to->frame.start = instant_put (&to->instants [0], &from->start);
    to->frame.earliest = instant_put (&to->instants [1], &from->earliest);
    to->frame.latest = instant_put (&to->instants [2], &from->latest);
    to->frame.deadline = instant_put (&to->instants [3], &from->deadline);
}

static void requirement_put (Musubi__Requirement *to, const requirement_t *from)
{
    to->attribute = (char *) from->attribute;
    if (from->numeric) {
        to->test_case = MUSUBI__REQUIREMENT__TEST_MIN;
        to->min = from->min;
    } else {
        to->test_case = MUSUBI__REQUIREMENT__TEST_VALUE;
        to->value = (char *) from->value;
    }
}

static Musubi__Requirement **requirements_put (const requirement_t *from, size_t count)
{
    Musubi__Requirement **list = messages_new (&musubi__requirement__descriptor, count);
    for (size_t i = 0; i < count; i++)
        requirement_put (list [i], &from [i]);
    return list;
}

static Musubi__Stage **stages_put (const stages_t *from)
{
    Musubi__Stage **list = messages_new (&musubi__stage__descriptor, from->count);
    for (size_t i = 0; i < from->count; i++) {
        list [i]->until_ms = from->list [i].until_ms;
        list [i]->amount = from->list [i].amount;
    }
    return list;
}

static void needs_put (Musubi__Request *request, const user_request_t *from)
{
    request->n_compute = from->compute_count;
    request->compute = messages_new (&musubi__compute_need__descriptor, from->compute_count);
    for (size_t i = 0; i < from->compute_count; i++) {
        const compute_need_t *need = &from->compute [i];
        Musubi__ComputeNeed *to = request->compute [i];
        to->id = (char *) need->id;
        to->cpus = need->cpus;
        to->offset_ms = need->offset_ms;
        to->duration_ms = need->duration_ms;
        to->site = (char *) need->site;
        to->n_require = need->require_count;
        to->require = requirements_put (need->require, need->require_count);
        to->n_stages = need->stages.count;
        to->stages = stages_put (&need->stages);
    }
}

/*  ends: of each, to be freed after the request. */
static void links_put (Musubi__Request *request, const user_request_t *from, char *(*ends) [2])
{
    request->n_network = from->network_count;
    request->network = messages_new (&musubi__network_need__descriptor, from->network_count);
    for (size_t i = 0; i < from->network_count; i++) {
        Musubi__NetworkNeed *to = request->network [i];
        const network_need_t *need = &from->network [i];
        ends [i][0] = (char *) need->ends [0];
        ends [i][1] = (char *) need->ends [1];
        to->id = (char *) need->id;
        to->n_between = 2;
        to->between = ends [i];
        to->mbps = need->mbps;
        to->latency_ms_max = (double) need->latency_us_max / 1000;
        to->offset_ms = need->offset_ms;
        to->duration_ms = need->duration_ms;
        to->n_require = need->require_count;
        to->require = requirements_put (need->require, need->require_count);
        to->n_stages = need->stages.count;
        to->stages = stages_put (&need->stages);
    }
}

static void files_put (Musubi__Request *request, const user_request_t *from)
{
    request->n_data = from->data_count;
    request->data = messages_new (&musubi__data_need__descriptor, from->data_count);
    for (size_t i = 0; i < from->data_count; i++) {
        request->data [i]->file = (char *) from->data [i].file;
        request->data [i]->at = (char *) from->data [i].at;
    }
}

static void request_put_end (Musubi__Request *wire)
{
    for (size_t i = 0; i < wire->n_compute; i++) {
        free (wire->compute [i]->require);
        free (wire->compute [i]->stages);
    }
    for (size_t i = 0; i < wire->n_network; i++) {
        free (wire->network [i]->require);
        free (wire->network [i]->stages);
    }
    free (wire->compute);
    free (wire->network);
    free (wire->data);
}

packed_t user_request_encode (const user_request_t *self)
{
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    frame_wire_t frame;
    char *(*ends) [2] = must (calloc (self->network_count + 1, sizeof *ends));
    frame_put (&frame, &self->window);
    needs_put (&request, self);
    links_put (&request, self, ends);
    files_put (&request, self);
    request.name = (char *) self->name;
    request.window = &frame.frame;
    request.duration_ms = self->duration_ms;
    request.distinct_sites = self->distinct_sites;
    request.policy = (char *) self->policy;
    request.algorithm = (char *) self->algorithm;
    request.route = (char *) self->route;
    packed_t packed = packed_of (&request.base);
    request_put_end (&request);
    free (ends);
    return packed;
}

/*  --- answers --- */

static void reasons_put (Musubi__Answer *to, const answer_t *from)
{
    to->n_reasons = from->reasons_count;
    to->reasons = messages_new (&musubi__reason__descriptor, from->reasons_count);
    for (size_t i = 0; i < from->reasons_count; i++) {
        const reason_t *reason = &from->reasons [i];
        to->reasons [i]->need = (char *) reason->need;
        to->reasons [i]->resource = (char *) reason->resource;
        to->reasons [i]->from_ms = reason->from_ms;
        to->reasons [i]->until_ms = reason->until_ms;
        to->reasons [i]->wanted = reason->wanted;
        to->reasons [i]->free = reason->free;
        to->reasons [i]->text = (char *) reason->text;
    }
}

static void alternatives_put (Musubi__Answer *to, const answer_t *from)
{
    to->n_alternatives = from->alternatives_count;
    to->alternatives = messages_new (&musubi__alternative__descriptor, from->alternatives_count);
    for (size_t i = 0; i < from->alternatives_count; i++) {
        to->alternatives [i]->start_ms = from->alternatives [i].start_ms;
        to->alternatives [i]->change = (char *) from->alternatives [i].change;
    }
}

packed_t answer_encode (const answer_t *self)
{
    Musubi__Answer answer = MUSUBI__ANSWER__INIT;
    connections_wire_t connections;
    connections_put (&connections, self->network, self->network_count);
    answer.n_network = self->network_count;
    answer.network = connections.list;
    answer.status = (Musubi__AnswerStatus) self->status;
    answer.reservation = (char *) self->reservation;
    answer.start_ms = self->start_ms;
    answer.end_ms = self->end_ms;
    answer.n_compute = self->compute_count;
    answer.compute = placements_put (self->compute, self->compute_count);
    answer.cost = self->cost;
    answer.planner = (char *) self->planner;
    answer.algorithm = (char *) self->algorithm;
    answer.rounds = self->rounds;
    answer.planning_ms = self->planning_ms;
    reasons_put (&answer, self);
    alternatives_put (&answer, self);
    answer.version = self->version;
    answer.request_id = (char *) self->request_id;
    char *awaited [PARTICIPANTS_MAX];
    for (size_t i = 0; i < self->awaited_count; i++)
        awaited [i] = (char *) self->awaited [i].name;
    answer.n_awaited = self->awaited_count;
    answer.awaited = awaited;
    packed_t packed = packed_of (&answer.base);
    free (answer.compute);
    free (answer.reasons);
    free (answer.alternatives);
    connections_put_end (&connections);
    return packed;
}
