/*  lis - a site: its room, the timetable in its participant, and the answers to questions.
 *
 *  The site is one participant like any other; what is its own is the questions, the number of
 *  nodes that an administrator can set, and the word to the federation: the entry in the directory
 *  and the hint that something has become free.
 */
#include "lis.h"

#include "admission.h"
#include "lis_wire.h"
#include "timetable.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const lis_limits_t lis_limits_default = {
  .bookings_max = 4000000,
  .profile_steps_max = 16384,
  .fresh_steps_max = 2048,
  .spans_max = 1024,
};

static_assert (LIS_STEPS_LEAST >= SITE_CLASSES_MAX, "a step for each class");

#define SPANS_PRESET 16 /* answered when a question does not say how many */

/*  Hints are told at most so often: clients that wait for capacity all ask again at each. */
#define HINT_EVERY_MS 100

typedef struct {
    service_t *service;
    room_t *room;
    timetable_t *timetable;
    resource_t resource;
    participant_t *participant;
    participant_limits_t participant_limits;
    lis_limits_t limits;
    access_t access;
    uint32_t *configured; /* nodes of each class, before an administrator changed them */
    uint64_t hint_timer;
    int64_t hint_from_ms; /* monotonic: no hint before */
} lis_t;

/*  --- the word to the federation --- */

static void announce (lis_t *self, const moment_t *now)
{
    if (!self->service->directory)
        return;
    site_t site = *room_site (self->room);
    directory_entry_t entry = {.start = self->service->store.start, .site = &site};
    memcpy (entry.name, self->service->name, sizeof entry.name);
    memcpy (entry.store, self->service->store.id, sizeof entry.store);
    static_assert (sizeof entry.endpoint == sizeof self->service->endpoint, "same bound");
    memcpy (entry.endpoint, self->service->endpoint, sizeof entry.endpoint);
    memcpy (entry.events, self->service->events, sizeof entry.events);
    directory_announce (self->service->directory, now, &entry);
}

static void hint_publish (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    lis_t *self = owner;
    self->hint_timer = 0;
    self->hint_from_ms = now->mono_ms + HINT_EVERY_MS;
    outbox_publish (self->service->outbox, "calendar", (bytes_t){0});
}

/*  A timer that is due fires at the end of the step that set it. */
static void on_freed (void *owner)
{
    lis_t *self = owner;
    if (self->hint_timer == 0)
        self->hint_timer =
          timers_set (self->service->timers, self->hint_from_ms, hint_publish, self, 0);
}

/*  --- questions --- */

static void reply (const lis_t *self, const request_t *request, packed_t answer)
{
    outbox_reply (self->service->outbox, request->reply_to,
                  (bytes_t){.data = answer.data, .size = answer.size});
    free (answer.data);
}

static bool administers (const lis_t *self, const request_t *request)
{
    return may (&self->access, VERB_ADMINISTER, request->actor, request->actor, "");
}

/*  A site that discloses windows only tells quantities to its administrators only. */
static bool disclosed (lis_t *self, const request_t *request)
{
    if (room_site (self->room)->disclosure == DISCLOSE_PROFILE || administers (self, request))
        return true;
    service_refuse (self->service, request, CALL_DENIED,
                    "%s discloses only whether windows fit: ask Windows", self->service->name);
    return false;
}

/*  What the reservation named in a question holds here. Refuses when the asker may not know. */
static bool counted_find (lis_t *self, const request_t *request, const char *reservation,
                          const stretches_t **counted)
{
    const void *current =
      *reservation ? participant_current (self->participant, reservation) : NULL;
    *counted = timetable_held (current);
    if (!current ||
        may (&self->access, VERB_SHOW, request->actor, request->actor, timetable_owner (current)))
        return true;
    service_refuse (self->service, request, CALL_DENIED, "reservation: not shown to %.63s",
                    request->actor);
    return false;
}

static bool class_find (lis_t *self, const request_t *request, const char *name,
                        size_t *class_index)
{
    if (room_class (self->room, name, class_index))
        return true;
    service_refuse (self->service, request, CALL_NOT_FOUND, "%s has no class %.63s",
                    self->service->name, name);
    return false;
}

static void bad_request (lis_t *self, const request_t *request, const char *why)
{
    service_refuse (self->service, request, CALL_BAD_REQUEST, "%s", why);
}

static void on_site (void *owner, const moment_t *now, const request_t *request)
{
    (void) now;
    lis_t *self = owner;
    char why [WHY_BYTES];
    if (!site_question_decode (request->body, why))
        bad_request (self, request, why);
    else
        reply (self, request, site_answer_encode (self->service->name, room_site (self->room)));
}

static void on_profile (void *owner, const moment_t *now, const request_t *request)
{
    (void) now;
    lis_t *self = owner;
    profile_question_t question;
    char why [WHY_BYTES];
    if (!profile_question_decode (&question, request->body, why)) {
        bad_request (self, request, why);
        return;
    }
    const stretches_t *counted;
    if (!disclosed (self, request) || !counted_find (self, request, question.reservation, &counted))
        return;
    bool all = question.classes_count == 0;
    size_t count = all ? room_site (self->room)->classes_count : question.classes_count;
    size_t indices [SITE_CLASSES_MAX];
    for (size_t i = 0; i < count; i++) {
        indices [i] = i;
        if (!all && !class_find (self, request, question.classes [i], &indices [i]))
            return;
    }
    profile_t profiles [SITE_CLASSES_MAX];
    for (size_t i = 0; i < count; i++)
        room_profile (self->room, indices [i], question.over, counted,
                      self->limits.profile_steps_max / count, &profiles [i]);
    reply (self, request, profile_answer_encode (profiles, count, room_version (self->room)));
    for (size_t i = 0; i < count; i++)
        room_profile_clear (&profiles [i]);
}

/*  Asked of the very judge that a hold would meet. */
static bool window_fits (const lis_t *self, const moment_t *now, size_t class_index,
                         const window_t *window, const stretches_t *counted)
{
    stretch_t stretch = {.class_index = class_index, .over = window->over, .nodes = window->nodes};
    stretch.over.until += room_site (self->room)->cleaning_gap_ms;
    stretches_t asked = {.list = &stretch, .count = 1};
    changes_t changes = changes_between (counted, &asked);
    verdict_t verdict = admission_judge (self->room, now, &changes, false);
    changes_clear (&changes);
    return verdict.reason == REFUSAL_NONE;
}

static void on_windows (void *owner, const moment_t *now, const request_t *request)
{
    lis_t *self = owner;
    windows_question_t question;
    char why [WHY_BYTES];
    if (!windows_question_decode (&question, request->body, why)) {
        bad_request (self, request, why);
        return;
    }
    const stretches_t *counted;
    if (!counted_find (self, request, question.reservation, &counted))
        return;
    bool fits [WINDOWS_MAX];
    for (size_t i = 0; i < question.windows_count; i++) {
        size_t class_index;
        if (!class_find (self, request, question.windows [i].class_name, &class_index))
            return;
        fits [i] = window_fits (self, now, class_index, &question.windows [i], counted);
    }
    reply (self, request,
           windows_answer_encode (fits, question.windows_count, room_version (self->room)));
}

static int span_compare (const void *left, const void *right)
{
    const free_span_t *a = left;
    const free_span_t *b = right;
    if (a->over.from != b->over.from)
        return a->over.from < b->over.from ? -1 : 1;
    return strcmp (a->class_name, b->class_name);
}

/*  The spans of one class, added to those of others. */
static size_t spans_add (const lis_t *self, const moment_t *now, size_t class_index,
                         const free_question_t *question, size_t most, free_span_t *spans)
{
    interval_t *found = calloc (most, sizeof *found);
    if (!found)
        abort ();
    const node_class_t *offered = &room_site (self->room)->classes [class_index];
    size_t count =
      room_spans (self->room, now, class_index, class_nodes_for (offered, question->cpus),
                  question->duration_ms, question->over, found, most);
    for (size_t i = 0; i < count; i++)
        spans [i] = (free_span_t){.class_name = offered->name, .over = found [i]};
    free (found);
    return count;
}

static void on_free (void *owner, const moment_t *now, const request_t *request)
{
    lis_t *self = owner;
    free_question_t question;
    char why [WHY_BYTES];
    if (!free_question_decode (&question, request->body, why)) {
        bad_request (self, request, why);
        return;
    }
    if (!disclosed (self, request))
        return;
    bool any = !*question.class_name;
    size_t first = 0;
    size_t end = room_site (self->room)->classes_count;
    if (!any) {
        if (!class_find (self, request, question.class_name, &first))
            return;
        end = first + 1;
    }
    size_t most = question.most > 0 ? question.most : SPANS_PRESET;
    most = most < self->limits.spans_max ? most : self->limits.spans_max;
    free_span_t *spans = calloc ((end - first) * most + 1, sizeof *spans);
    if (!spans)
        abort ();
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        count += spans_add (self, now, i, &question, most, spans + count);
    qsort (spans, count, sizeof *spans, span_compare);
    double utilisation = any ? room_utilisation_all (self->room, question.over)
                             : room_utilisation (self->room, first, question.over);
    reply (self, request, free_answer_encode (spans, count < most ? count : most, utilisation));
    free (spans);
}

static void on_utilisation (void *owner, const moment_t *now, const request_t *request)
{
    (void) now;
    lis_t *self = owner;
    interval_t over;
    char why [WHY_BYTES];
    if (!utilisation_question_decode (&over, request->body, why)) {
        bad_request (self, request, why);
        return;
    }
    if (!disclosed (self, request))
        return;
    class_use_t uses [SITE_CLASSES_MAX];
    const site_t *site = room_site (self->room);
    for (size_t i = 0; i < site->classes_count; i++)
        uses [i] = (class_use_t){.class_name = site->classes [i].name,
                                 .utilisation = room_utilisation (self->room, i, over)};
    reply (self, request,
           utilisation_answer_encode (uses, site->classes_count,
                                      room_utilisation_all (self->room, over)));
}

/*  --- the number of nodes ---
 *
 *  A record of TABLE_CAPACITIES: key = name of the class, value = nodes, four bytes, big-endian. A
 *  class as it is configured has no record.
 */
#define CAPACITY_BYTES 4

static void on_capacity_record (void *owner, bytes_t key, bytes_t value)
{
    lis_t *self = owner;
    char name [NAME_BYTES_MAX + 1] = "";
    if (key.size <= NAME_BYTES_MAX)
        memcpy (name, key.data, key.size);
    size_t class_index;
    if (value.size != CAPACITY_BYTES || !room_class (self->room, name, &class_index)) {
        outbox_log (self->service->outbox, LEVEL_WARNING,
                    "capacity ignored class=%s: not configured", name);
        return;
    }
    uint32_t nodes = 0;
    for (size_t i = 0; i < CAPACITY_BYTES; i++)
        nodes = nodes << 8 | value.data [i];
    room_set_nodes (self->room, class_index, nodes);
    outbox_log (self->service->outbox, LEVEL_INFO, "class %s nodes=%u configured=%u: as set before",
                name, nodes, self->configured [class_index]);
}

static void capacity_store (const lis_t *self, size_t class_index, uint32_t nodes)
{
    const char *name = room_class_name (self->room, class_index);
    bytes_t key = {.data = (const uint8_t *) name, .size = strlen (name)};
    uint8_t value [CAPACITY_BYTES] = {nodes >> 24, nodes >> 16 & 0xff, nodes >> 8 & 0xff,
                                      nodes & 0xff};
    if (nodes == self->configured [class_index])
        outbox_delete (self->service->outbox, TABLE_CAPACITIES, key);
    else
        outbox_put (self->service->outbox, TABLE_CAPACITIES, key,
                    (bytes_t){.data = value, .size = sizeof value});
}

/*  Who is hit is told to whoever set it, and kept in the log. */
static size_t overbooked_tell (const lis_t *self, const moment_t *now, const char **names)
{
    size_t count =
      timetable_overbooked (self->timetable, room_now_ms (self->room, now), names, OVERBOOKED_MAX);
    if (count > 0)
        outbox_log (self->service->outbox, LEVEL_ALARM,
                    "site %s overbooked reservations=%zu first=%s", room_name (self->room), count,
                    names [0]);
    return count;
}

static void on_capacity (void *owner, const moment_t *now, const request_t *request)
{
    lis_t *self = owner;
    capacity_question_t question;
    char why [WHY_BYTES];
    if (!capacity_question_decode (&question, request->body, why)) {
        bad_request (self, request, why);
        return;
    }
    if (!administers (self, request)) {
        service_refuse (self->service, request, CALL_DENIED, "%.63s does not administer %s",
                        request->actor, self->service->name);
        return;
    }
    size_t class_index;
    if (!class_find (self, request, question.class_name, &class_index))
        return;
    uint32_t before = room_site (self->room)->classes [class_index].nodes;
    if (question.nodes != before) {
        room_set_nodes (self->room, class_index, question.nodes);
        capacity_store (self, class_index, question.nodes);
        outbox_log (self->service->outbox, LEVEL_INFO, "class %s/%s nodes=%u->%u by=%.63s",
                    room_name (self->room), question.class_name, before, question.nodes,
                    request->actor);
        announce (self, now);
        if (question.nodes > before)
            on_freed (self);
    }
    const char *names [OVERBOOKED_MAX];
    size_t count = overbooked_tell (self, now, names);
    reply (self, request,
           capacity_answer_encode (names, count < OVERBOOKED_MAX ? count : OVERBOOKED_MAX, count));
}

/*  --- the life of the core --- */

static void on_start (void *owner, const moment_t *now)
{
    lis_t *self = owner;
    const char *names [OVERBOOKED_MAX];
    overbooked_tell (self, now, names);
    announce (self, now);
}

static void lis_step (void *owner, const moment_t *now, const event_t *event)
{
    lis_t *self = owner;
    if (self->service->directory)
        room_set_skew (self->room, directory_skew_ms (self->service->directory));
    service_step (self->service, now, event);
}

static bool lis_next (void *owner, effect_t *effect)
{
    lis_t *self = owner;
    return service_next (self->service, effect);
}

static void names_clear (const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free ((char *) names [i]);
    free ((char **) names);
}

static const char *const *names_copy (const char *const *names, size_t count)
{
    char **copy = calloc (count + 1, sizeof *copy);
    if (!copy)
        abort ();
    for (size_t i = 0; i < count; i++)
        if (!(copy [i] = strdup (names [i])))
            abort ();
    return (const char *const *) copy;
}

static void lis_destroy (void *owner)
{
    lis_t *self = owner;
    participant_destroy (&self->participant);
    timetable_destroy (&self->timetable);
    room_destroy (&self->room);
    service_destroy (&self->service);
    names_clear (self->access.accounts, self->access.accounts_count);
    names_clear (self->access.administrators, self->access.administrators_count);
    free (self->configured);
    free (self);
}

static void settings_copy (lis_t *self, const lis_settings_t *settings)
{
    assert (strncmp (settings->name, "lis/", 4) == 0);
    assert (settings->site.classes_count <= SITE_CLASSES_MAX);
    assert (settings->limits.profile_steps_max >= LIS_STEPS_LEAST &&
            settings->limits.profile_steps_max <= LIS_STEPS_MOST);
    assert (settings->limits.fresh_steps_max >= LIS_STEPS_LEAST &&
            settings->limits.fresh_steps_max <= LIS_STEPS_MOST);
    assert (settings->limits.spans_max > 0 && settings->limits.spans_max <= LIS_SPANS_MOST);
    const access_t *access = &settings->access;
    self->participant_limits = settings->participant;
    self->limits = settings->limits;
    self->access = (access_t){
      .accounts = names_copy (access->accounts, access->accounts_count),
      .accounts_count = access->accounts_count,
      .administrators = names_copy (access->administrators, access->administrators_count),
      .administrators_count = access->administrators_count,
    };
    self->configured = calloc (settings->site.classes_count + 1, sizeof *self->configured);
    if (!self->configured)
        abort ();
    for (size_t i = 0; i < settings->site.classes_count; i++)
        self->configured [i] = settings->site.classes [i].nodes;
}

void lis_core (const lis_settings_t *settings, core_t *core)
{
    lis_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    settings_copy (self, settings);
    self->service = service_new (settings->name, settings->gis_endpoints, settings->gis_count);
    self->room =
      room_new (settings->name + strlen ("lis/"), &settings->site, &self->service->timekeeper);
    self->timetable = timetable_new (self->room, &self->limits);
    timetable_on_freed (self->timetable, on_freed, self);
    timetable_resource (self->timetable, &self->resource);
    self->participant =
      participant_new (self->service, &self->resource, &self->participant_limits, &self->access);
    service_serve (self->service, "Lis", "Site", on_site, self);
    service_serve (self->service, "Calendar", "Profile", on_profile, self);
    service_serve (self->service, "Calendar", "Windows", on_windows, self);
    service_serve (self->service, "Calendar", "Free", on_free, self);
    service_serve (self->service, "Calendar", "Utilisation", on_utilisation, self);
    service_serve (self->service, "Calendar", "Capacity", on_capacity, self);
    service_load (self->service, TABLE_CAPACITIES, on_capacity_record, self);
    service_at_start (self->service, on_start, self);
    *core = (core_t){.self = self, .step = lis_step, .next = lis_next, .destroy = lis_destroy};
}
