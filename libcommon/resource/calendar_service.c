/*  calendar_service - answers about profiles, windows, spans and shares; and sets capacities. */
#include "calendar_service.h"

#include "access.h"
#include "calendar_wire.h"
#include "change_notice.h"
#include "domain.h"
#include "member.h"
#include "must.h"
#include "transaction_wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert (CALENDAR_SERVICE_STEPS_MOST >= DOMAIN_LINKS_MAX, "a step for each link");
static_assert (PROFILES_MAX >= DOMAIN_LINKS_MAX, "readers take a profile of each link");

#define SPANS_PRESET        16 /* answered when a question does not say how many */
#define OVERBOOKED_TOLD_MAX 16 /* reservations named in the log */
#define SPANS_SORTED        16 /* times so many are gathered before the later ones are left out */

/*  How much there is of a resource. */
typedef struct {
    uint32_t configured; /* before an administrator changed it */
    uint32_t set;        /* as configured, or as the administrator set it */
    uint32_t there;      /* no more than these */
} capacity_t;

struct questions {
    calendar_service_parts_t parts;
    calendar_service_limits_t limits;
    capacity_t *capacities; /* of each resource */
    int64_t short_since_ms; /* there is less than was promised; 0 = there is enough */
    calendar_service_work_fn *work;
    void *work_owner;
    change_notice_t freed;
    change_notice_t settled;
};

/*  --- answering --- */

/*  Does the question keep to the configured limit? False when it has been refused. */
static bool count_allowed (const calendar_service_t *self, const request_t *request,
                           const char *field, size_t count, size_t most)
{
    if (count > most)
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                        "%s: at most %zu in one question", field, most);
    return count <= most;
}

static bool calendar_service_administers (const calendar_service_t *self, const request_t *request)
{
    return may (self->parts.access, VERB_ADMINISTER, request->actor, request->actor, "");
}

bool calendar_service_disclosed (const calendar_service_t *self, const request_t *request)
{
    return free_capacity_terms (self->parts.room)->disclosure == DISCLOSE_PROFILE ||
           calendar_service_administers (self, request);
}

static bool check_disclosed (calendar_service_t *self, const request_t *request)
{
    if (calendar_service_disclosed (self, request))
        return true;
    return service_refuse (self->parts.service, request, CALL_DENIED,
                           "%s tells only whether given windows fit: ask Calendar.Windows instead",
                           self->parts.service->name);
}

/*  Is it known what is free, and would a hold for this actor not be refused whatever that is? Asked
 *  as the vote is. */
static bool check_actor (const calendar_service_t *self, const request_t *request,
                         const char *actor)
{
    service_t *service = self->parts.service;
    const char *unfit = participant_unfit (self->parts.participant, actor);
    const char *unknown = participant_unknown (self->parts.participant);
    if (*unknown)
        return service_refuse (service, request, CALL_NOT_SERVING, "%s: %s", service->name,
                               unknown);
    if (*actor && !may (self->parts.access, VERB_HOLD, request->actor, actor, request->actor))
        return service_refuse (service, request, CALL_DENIED, "%s has no account here", actor);
    return !*unfit || service_refuse (service, request, CALL_DENIED,
                                      "%s may have nothing new here: %s", actor, unfit);
}

bool calendar_service_counted (calendar_service_t *self, const request_t *request,
                               const char *reservation, const interval_list_t **counted)
{
    const void *current =
      *reservation ? participant_current (self->parts.participant, reservation) : NULL;
    *counted = timetable_held (current);
    if (!current || may (self->parts.access, VERB_SHOW, request->actor, request->actor,
                         timetable_owner (current)))
        return true;
    return service_refuse (self->parts.service, request, CALL_DENIED,
                           "reservation: %.63s may not see what it holds", request->actor);
}

/*  From here to free_capacity_as_all the calendars are as they are for whom a hold would be
 *  made. */
static void calendar_service_as (const calendar_service_t *self, const request_t *request,
                                 const char *actor)
{
    free_capacity_as (self->parts.room, *actor ? actor : request->actor);
}

static bool resource_find (calendar_service_t *self, const request_t *request, const char *name,
                           size_t *resource)
{
    if (free_capacity_find (self->parts.room, name, resource))
        return true;
    return service_refuse (self->parts.service, request, CALL_NOT_FOUND, "%s has no %s %.63s",
                           self->parts.service->name,
                           free_capacity_words (self->parts.room)->resource, name);
}

/*  --- Profile --- */

/*  The resources asked for; false when one is not offered. The caller frees them. */
static bool resources_find (calendar_service_t *self, const request_t *request,
                            const profile_question_t *question, size_t **resources, size_t *count)
{
    bool all = question->resources_count == 0;
    *count = all ? free_capacity_offers (self->parts.room) : question->resources_count;
    *resources = must (calloc (*count + 1, sizeof **resources));
    bool found = true;
    for (size_t i = 0; i < *count && found; i++) {
        (*resources) [i] = i;
        found = all || resource_find (self, request, question->resources [i], &(*resources) [i]);
    }
    return found;
}

static void calendar_service_on_profile (void *owner, const moment_t *now, const request_t *request,
                                         void *body)
{
    (void) now;
    calendar_service_t *self = owner;
    const profile_question_t *question = body;
    const interval_list_t *counted;
    if (!count_allowed (self, request, "resources", question->resources_count,
                        self->limits.resources_max) ||
        !check_actor (self, request, question->actor) || !check_disclosed (self, request) ||
        !calendar_service_counted (self, request, question->reservation, &counted))
        return;
    interval_list_t work = {0};
    if (question->without_work && self->work) {
        work = self->work (self->work_owner);
        counted = &work;
    }
    size_t *resources;
    size_t count;
    if (resources_find (self, request, question, &resources, &count)) {
        profile_t *profiles = must (calloc (count + 1, sizeof *profiles));
        if (!question->without_work)
            calendar_service_as (self, request, question->actor);
        free_capacity_profiles (self->parts.room, resources, count, question->over, counted,
                                self->limits.profile_steps_max, profiles);
        free_capacity_as_all (self->parts.room);
        profile_answer_t answer = {profiles, count, free_capacity_version (self->parts.room)};
        service_reply (self->parts.service, request, codec_encode (&profile_answer_codec, &answer));
        for (size_t i = 0; i < count; i++)
            free_capacity_profile_clear (&profiles [i]);
        free (profiles);
    }
    free (resources);
    interval_list_clear (&work);
}

/*  --- Windows --- */

/*  Would a hold of so much over the window be granted now, beside what is counted? Judged as a hold
 *  is. A window is about its own resource, so what is counted of others does not matter. */
static bool calendar_service_fits (const calendar_service_t *self, const moment_t *now,
                                   size_t resource, interval_t window, int64_t quantity,
                                   const interval_list_t *counted)
{
    window.until += free_capacity_terms (self->parts.room)->gap_ms;
    resource_interval_t stretch = {.resource = resource, .over = window, .quantity = quantity};
    interval_list_t asked = {.list = &stretch, .count = 1};
    interval_list_t there = interval_list_of_resource (counted, resource);
    interval_changes_t changes = interval_list_changes (&there, &asked);
    verdict_t verdict = admission_judge (self->parts.room, now, &changes, JUDGED_PLAINLY);
    interval_changes_clear (&changes);
    return verdict.reason == REFUSAL_NONE;
}

static void calendar_service_on_windows (void *owner, const moment_t *now, const request_t *request,
                                         void *body)
{
    calendar_service_t *self = owner;
    const windows_question_t *question = body;
    const interval_list_t *counted;
    if (!count_allowed (self, request, "windows", question->windows_count,
                        self->limits.windows_max) ||
        !check_actor (self, request, question->actor) ||
        !calendar_service_counted (self, request, question->reservation, &counted))
        return;
    bool *fits = must (calloc (question->windows_count + 1, sizeof *fits));
    bool found = true;
    calendar_service_as (self, request, question->actor);
    for (size_t i = 0; i < question->windows_count && found; i++) {
        const window_question_t *window = &question->windows [i];
        size_t resource;
        found = resource_find (self, request, window->resource, &resource);
        if (found)
            fits [i] =
              calendar_service_fits (self, now, resource, window->over, window->quantity, counted);
    }
    free_capacity_as_all (self->parts.room);
    windows_answer_t answer = {fits, question->windows_count,
                               free_capacity_version (self->parts.room)};
    if (found)
        service_reply (self->parts.service, request, codec_encode (&windows_answer_codec, &answer));
    free (fits);
}

/*  --- Free --- */

static int span_compare (const void *left, const void *right)
{
    const free_span_t *a = left;
    const free_span_t *b = right;
    if (a->over.from != b->over.from)
        return a->over.from < b->over.from ? -1 : 1;
    return strcmp (a->resource, b->resource);
}

/*  The first spans of some resources, at most so many; the caller frees them. */
typedef struct {
    free_span_t *list;
    size_t count;
    size_t most;
} span_list_t;

static void spans_sort (span_list_t *self)
{
    qsort (self->list, self->count, sizeof *self->list, span_compare);
    self->count = self->count < self->most ? self->count : self->most;
}

static void spans_add (span_list_t *self, const calendar_service_t *questions, const moment_t *now,
                       size_t resource, const free_question_t *question, interval_t *found)
{
    const free_capacity_t *room = questions->parts.room;
    size_t count = free_capacity_spans (
      room, now, resource, free_capacity_quantity_for (room, resource, question->amount),
      question->duration_ms, question->over, found, self->most);
    for (size_t i = 0; i < count; i++)
        self->list [self->count++] = (free_span_t){
          .resource = free_capacity_resource_name (room, resource), .over = found [i]};
    if (self->count > (SPANS_SORTED - 1) * self->most)
        spans_sort (self);
}

static void on_free (void *owner, const moment_t *now, const request_t *request, void *body)
{
    calendar_service_t *self = owner;
    const free_capacity_t *room = self->parts.room;
    const free_question_t *question = body;
    if (!check_actor (self, request, question->actor) || !check_disclosed (self, request))
        return;
    bool any = !*question->resource;
    size_t first = 0;
    size_t end = free_capacity_offers (room);
    if (!any) {
        if (!resource_find (self, request, question->resource, &first))
            return;
        end = first + 1;
    }
    size_t most = question->most > 0 ? question->most : SPANS_PRESET;
    most = most < self->limits.spans_max ? most : self->limits.spans_max;
    span_list_t spans = {.most = most};
    spans.list = must (calloc (SPANS_SORTED * most, sizeof *spans.list));
    interval_t *found = must (calloc (most, sizeof *found));
    calendar_service_as (self, request, question->actor);
    for (size_t i = first; i < end; i++)
        spans_add (&spans, self, now, i, question, found);
    spans_sort (&spans);
    double utilisation = any ? free_capacity_utilisation_all (room, question->over)
                             : free_capacity_utilisation (room, first, question->over);
    free_capacity_as_all (self->parts.room);
    free_answer_t answer = {spans.list, spans.count, utilisation};
    service_reply (self->parts.service, request, codec_encode (&free_answer_codec, &answer));
    free (found);
    free (spans.list);
}

/*  --- Utilisation --- */

static void on_utilisation (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    calendar_service_t *self = owner;
    const free_capacity_t *room = self->parts.room;
    const interval_t *over = body;
    if (!check_disclosed (self, request))
        return;
    size_t count = free_capacity_offers (room);
    resource_use_t *uses = must (calloc (count + 1, sizeof *uses));
    for (size_t i = 0; i < count; i++)
        uses [i] = (resource_use_t){.resource = free_capacity_resource_name (room, i),
                                    .utilisation = free_capacity_utilisation (room, i, *over)};
    utilisation_answer_t answer = {uses, count, free_capacity_utilisation_all (room, *over)};
    service_reply (self->parts.service, request, codec_encode (&utilisation_answer_codec, &answer));
    free (uses);
}

/*  --- Capacity ---
 *
 *  A record of TABLE_CAPACITIES: key = name of the resource, value = quantity, four bytes,
 *  big-endian. A resource as it is configured has no record. Of an empty name, with its zero: since
 *  when there is less than was promised, eight bytes.
 */
#define CAPACITY_BYTES 4
#define SINCE_BYTES    8

static uint32_t in_force (const calendar_service_t *self, size_t resource)
{
    const capacity_t *capacity = &self->capacities [resource];
    return capacity->set < capacity->there ? capacity->set : capacity->there;
}

static void on_capacity_record (void *owner, bytes_t key, bytes_t value)
{
    calendar_service_t *self = owner;
    outbox_t *outbox = self->parts.service->outbox;
    const free_capacity_words_t *words = free_capacity_words (self->parts.room);
    char name [NAME_BYTES_MAX + 1] = "";
    if (key.size == 1 && *key.data == '\0' && value.size == SINCE_BYTES) {
        self->short_since_ms = (int64_t) number_get (value.data, SINCE_BYTES);
        return;
    }
    if (key.size <= NAME_BYTES_MAX)
        memcpy (name, key.data, key.size);
    size_t resource;
    if (value.size != CAPACITY_BYTES || !free_capacity_find (self->parts.room, name, &resource)) {
        outbox_log (outbox, LEVEL_WARNING,
                    "capacity record ignored %s=%s: nothing of that name is configured",
                    words->resource, name);
        return;
    }
    uint32_t quantity = (uint32_t) number_get (value.data, CAPACITY_BYTES);
    self->capacities [resource].set = quantity;
    free_capacity_set_quantity (self->parts.room, resource, in_force (self, resource));
    outbox_log (outbox, LEVEL_INFO,
                "%s %s quantity=%u configured=%u: as an administrator has set it", words->resource,
                name, quantity, self->capacities [resource].configured);
}

static ledger_quantity_t quantity_of (const calendar_service_t *self, size_t resource)
{
    const free_capacity_t *room = self->parts.room;
    ledger_quantity_t quantity = {.quantity = free_capacity_offer (room, resource)->quantity,
                                  .gap_ms = free_capacity_terms (room)->gap_ms,
                                  .missing =
                                    self->capacities [resource].set - in_force (self, resource)};
    snprintf (quantity.resource, sizeof quantity.resource, "%s",
              free_capacity_resource_name (room, resource));
    return quantity;
}

/*  For the ledger. */
static ledger_quantity_t *calendar_service_quantities (void *owner, size_t *count)
{
    const calendar_service_t *self = owner;
    *count = free_capacity_offers (self->parts.room);
    ledger_quantity_t *list = must (calloc (*count + 1, sizeof *list));
    for (size_t i = 0; i < *count; i++)
        list [i] = quantity_of (self, i);
    return list;
}

static void capacity_tell_ledger (const calendar_service_t *self, size_t resource)
{
    ledger_quantity_t now_there = quantity_of (self, resource);
    ledger_append (ledger_of (self->parts.service),
                   &(ledger_entry_t){.kind = LEDGER_CHANGED_CAPACITY,
                                     .quantities = &now_there,
                                     .quantities_count = 1});
}

static void capacity_store (const calendar_service_t *self, size_t resource, uint32_t quantity)
{
    outbox_t *outbox = self->parts.service->outbox;
    const char *name = free_capacity_resource_name (self->parts.room, resource);
    bytes_t key = text_bytes (name);
    uint8_t value [CAPACITY_BYTES] = {quantity >> 24, quantity >> 16 & 0xff, quantity >> 8 & 0xff,
                                      quantity & 0xff};
    if (quantity == self->capacities [resource].configured)
        outbox_delete (outbox, TABLE_CAPACITIES, key);
    else
        outbox_put (outbox, TABLE_CAPACITIES, key, (bytes_t){.data = value, .size = sizeof value});
    capacity_tell_ledger (self, resource);
}

static void short_since (calendar_service_t *self, int64_t since_ms)
{
    uint8_t value [SINCE_BYTES];
    bytes_t key = {.data = (const uint8_t *) "", .size = 1};
    if (since_ms == self->short_since_ms)
        return;
    self->short_since_ms = since_ms;
    number_put (value, (uint64_t) since_ms, SINCE_BYTES);
    if (since_ms == 0)
        outbox_delete (self->parts.service->outbox, TABLE_CAPACITIES, key);
    else
        outbox_put (self->parts.service->outbox, TABLE_CAPACITIES, key,
                    (bytes_t){.data = value, .size = sizeof value});
}

/*  The reservations concerned are told to the administrator who set it, and kept in the log. */
size_t calendar_service_overbooked (calendar_service_t *self, const moment_t *now,
                                    const char **names, size_t names_max)
{
    int64_t from_ms = free_capacity_now_ms (self->parts.room, now);
    size_t count = timetable_overbooked (self->parts.timetable, from_ms, names, names_max);
    if (count == 0 || self->short_since_ms == 0)
        short_since (self, count > 0 ? now->wall_ms : 0);
    const free_capacity_t *room = self->parts.room;
    outbox_t *outbox = self->parts.service->outbox;
    if (count > 0)
        outbox_log (outbox, LEVEL_ALARM, "%s overbooked reservations=%zu first=%s",
                    self->parts.service->name, count, names [0]);
    for (size_t i = 0; i < count && i < names_max && i < OVERBOOKED_TOLD_MAX; i++)
        outbox_log (outbox, LEVEL_ALARM, "reservation %s overbooked %s=%s/%s", names [i],
                    free_capacity_words (room)->resource, free_capacity_name (room),
                    timetable_overbooked_on (self->parts.timetable, from_ms, names [i]));
    return count;
}

/*  Puts into force what is set now, or what is there when that is less. */
static void quantity_take (calendar_service_t *self, const moment_t *now, size_t resource,
                           uint32_t before, const char *by)
{
    free_capacity_t *room = self->parts.room;
    uint32_t quantity = in_force (self, resource);
    if (!free_capacity_overbooked (room, free_capacity_now_ms (room, now)))
        short_since (self, 0); /* that is over, if it ever was */
    free_capacity_set_quantity (room, resource, quantity);
    outbox_log (self->parts.service->outbox, LEVEL_INFO, "%s %s/%s quantity=%u->%u by=%.63s",
                free_capacity_words (room)->resource, free_capacity_name (room),
                free_capacity_resource_name (room, resource), before, quantity, by);
    self->parts.changed (self->parts.owner, now);
    if (quantity > before)
        change_notice_tell (&self->freed);
}

static void capacity_set (calendar_service_t *self, const moment_t *now, const request_t *request,
                          size_t resource, uint32_t quantity)
{
    if (quantity == self->capacities [resource].set)
        return;
    uint32_t before = in_force (self, resource);
    self->capacities [resource].set = quantity;
    quantity_take (self, now, resource, before, request->actor);
    capacity_store (self, resource, quantity);
}

void calendar_service_there (calendar_service_t *self, const moment_t *now, size_t resource,
                             uint32_t there)
{
    if (there == self->capacities [resource].there)
        return;
    uint32_t before = in_force (self, resource);
    self->capacities [resource].there = there;
    if (before == in_force (self, resource))
        return;
    quantity_take (self, now, resource, before, self->parts.service->name);
    capacity_tell_ledger (self, resource);
}

static void on_capacity (void *owner, const moment_t *now, const request_t *request, void *body)
{
    calendar_service_t *self = owner;
    const capacity_question_t *question = body;
    if (question->quantity > self->limits.quantity_max) {
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                        "quantity: %u must be at most %u", question->quantity,
                        self->limits.quantity_max);
        return;
    }
    if (!calendar_service_administers (self, request)) {
        service_refuse (self->parts.service, request, CALL_DENIED,
                        "%.63s is no administrator of %s", request->actor,
                        self->parts.service->name);
        return;
    }
    size_t resource;
    if (!resource_find (self, request, question->resource, &resource))
        return;
    capacity_set (self, now, request, resource, question->quantity);
    const char *names [OVERBOOKED_MAX];
    size_t count = calendar_service_overbooked (self, now, names, OVERBOOKED_MAX);
    capacity_answer_t answer = {names, count < OVERBOOKED_MAX ? count : OVERBOOKED_MAX,
                                (uint32_t) count};
    service_reply (self->parts.service, request, codec_encode (&capacity_answer_codec, &answer));
}

/*  --- its life --- */

static void calendar_service_on_start (void *owner, const moment_t *now)
{
    const char *names [OVERBOOKED_MAX];
    calendar_service_overbooked (owner, now, names, OVERBOOKED_MAX);
}

static shortage_t calendar_service_shortage (const void *owner, const moment_t *now)
{
    const calendar_service_t *self = owner;
    shortage_t told = {.since_ms = self->short_since_ms ? self->short_since_ms : now->wall_ms};
    told.reservations = (uint32_t) timetable_overbooked (
      self->parts.timetable, free_capacity_now_ms (self->parts.room, now), &told.first, 1);
    return told;
}

void calendar_service_work (calendar_service_t *self, calendar_service_work_fn *work, void *owner)
{
    self->work = work;
    self->work_owner = owner;
}

calendar_service_t *calendar_service_new (const calendar_service_parts_t *parts,
                                          const calendar_service_limits_t *limits)
{
    size_t offers = free_capacity_offers (parts->room);
    assert (limits->profile_steps_max >= offers &&
            limits->profile_steps_max >= limits->resources_max);
    assert (limits->profile_steps_max <= CALENDAR_SERVICE_STEPS_MOST);
    assert (limits->spans_max > 0 && limits->spans_max <= CALENDAR_SERVICE_SPANS_MOST);
    calendar_service_t *self = must (calloc (1, sizeof *self));
    self->parts = *parts;
    self->limits = *limits;
    self->freed = (change_notice_t){.service = parts->service, .topic = "calendar"};
    self->settled = (change_notice_t){.service = parts->service, .topic = "reservation"};
    self->capacities = must (calloc (offers + 1, sizeof *self->capacities));
    for (size_t i = 0; i < offers; i++) {
        uint32_t quantity = free_capacity_offer (parts->room, i)->quantity;
        self->capacities [i] =
          (capacity_t){.configured = quantity, .set = quantity, .there = UINT32_MAX};
    }
    timetable_on_freed (parts->timetable, change_notice_tell, &self->freed);
    timetable_on_settled (parts->timetable, change_notice_tell, &self->settled);
    service_serve (parts->service, "Calendar", "Profile", &profile_question_codec, ALWAYS,
                   calendar_service_on_profile, self);
    service_serve (parts->service, "Calendar", "Windows", &windows_question_codec, ALWAYS,
                   calendar_service_on_windows, self);
    service_serve (parts->service, "Calendar", "Free", &free_question_codec, ALWAYS, on_free, self);
    service_serve (parts->service, "Calendar", "Utilisation", &utilisation_question_codec, ALWAYS,
                   on_utilisation, self);
    service_serve (parts->service, "Calendar", "Capacity", &capacity_question_codec, ALWAYS,
                   on_capacity, self);
    service_load (parts->service, TABLE_CAPACITIES, on_capacity_record, self);
    ledger_capacities (ledger_of (parts->service), calendar_service_quantities, self);
    service_at_start (parts->service, calendar_service_on_start, self);
    parts->service->shortage = calendar_service_shortage;
    parts->service->shortage_owner = self;
    return self;
}

void calendar_service_destroy (calendar_service_t **self_p)
{
    calendar_service_t *self = *self_p;
    if (!self)
        return;
    change_notice_end (&self->freed);
    change_notice_end (&self->settled);
    timetable_off_freed (self->parts.timetable, &self->freed);
    timetable_on_settled (self->parts.timetable, NULL, NULL);
    free (self->capacities);
    free (self);
    *self_p = NULL;
}
