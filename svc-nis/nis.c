/*  nis - a domain: a provider whose resources are links. Its own are its graph, told to everybody
 *  who asks and to the directories, the paths through it, and the use of its circuits.
 */
#include "nis.h"

#include "codec_table.h"
#include "member.h"
#include "must.h"
#include "nis_wire.h"
#include "readmission_wire.h"

#include "nis.pb-c.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- paths: questions asked of path.h, with the room that the calendars show --- */

/*  Steps of all searches of one request together (path.h), enough for 256 questions over 4096
 *  links; a question that comes too late for them is answered as not found, saying so. */
#define PATH_SERVICE_STEPS_MAX 8000000

/*  How many questions without a path are told the reason, in one answer: a reason costs a dozen
 *  searches. */
#define PATH_SERVICE_EXPLAINED_MAX 32

struct paths {
    service_t *service;
    const domain_t *domain;
    const free_capacity_t *room;
    calendar_service_t *questions;
    uint32_t asks_max;
    graph_t *graph; /* NULL while the capacities in it may be old */
};

/*  One request while it is answered. */
typedef struct {
    const path_service_t *paths;
    const path_ask_t *ask;
    const interval_list_t *counted;
    bool disclosed;
    int64_t *rooms; /* what is free of each link for this ask; ROOM_UNKNOWN = not looked at yet */
    uint64_t steps;
    size_t explains;
    arena_t *arena;
} answering_t;

#define ROOM_UNKNOWN INT64_MIN
#define REASON_BYTES 256

/*  A caller without the right to see free capacity is told only, link by link, whether the
 *  bandwidth asked for fits. */
static int64_t room_for (const answering_t *self, size_t link)
{
    const path_ask_t *ask = self->ask;
    if (!link_meets (&self->paths->domain->links [link], ask->require, ask->require_count))
        return -1;
    int64_t least = free_capacity_least (self->paths->room, link, ask->over, self->counted);
    if (!self->disclosed)
        return least >= ask->mbps ? ask->mbps : 0;
    return least > 0 ? least : 0;
}

/*  The graph has one domain, so its links are in the same order as the resources. */
static int64_t path_service_free_of (void *owner, size_t link)
{
    answering_t *self = owner;
    if (self->rooms [link] == ROOM_UNKNOWN)
        self->rooms [link] = room_for (self, link);
    return self->rooms [link];
}

/*  Free capacities looked up for one question are reused if the next one is about the same
 *  interval and requirements. */
static bool rooms_same (const answering_t *self, const path_ask_t *a, const path_ask_t *b)
{
    if (a->over.from != b->over.from || a->over.until != b->over.until ||
        a->require_count != b->require_count || (!self->disclosed && a->mbps != b->mbps))
        return false;
    return a->require_count == 0 ||
           memcmp (a->require, b->require, a->require_count * sizeof *a->require) == 0;
}

static void ask_begin (answering_t *self, const path_ask_t *ask)
{
    bool same = self->ask && rooms_same (self, self->ask, ask);
    self->ask = ask;
    for (size_t i = 0; !same && i < self->paths->domain->links_count; i++)
        self->rooms [i] = ROOM_UNKNOWN;
}

/*  --- one answer --- */

static void tell_found (const answering_t *self, const path_t *path, Musubi__PathAnswer *told)
{
    const graph_t *graph = self->paths->graph;
    size_t vertices [PATH_HOPS_MAX + 1];
    size_t count = path_vertices (graph, path, vertices);
    assert (count == path->links_count + 1);
    told->found = true;
    told->n_links = path->links_count;
    told->n_vertices = count;
    told->links = arena_take (self->arena, count * sizeof *told->links);
    told->vertices = arena_take (self->arena, count * sizeof *told->vertices);
    told->latency_ms = (double) path->latency_us / 1000;
    told->mbps =
      path->links_count == 0 || path->mbps > UINT32_MAX ? self->ask->mbps : (uint32_t) path->mbps;
    for (size_t i = 0; i < path->links_count; i++)
        told->links [i] = (char *) graph_link (graph, path->links [i])->link->name;
    for (size_t i = 0; i < count; i++)
        told->vertices [i] = (char *) graph_vertex_name (graph, vertices [i]);
}

static bool vertex_find (const path_service_t *self, const char *name, size_t *vertex, char *reason)
{
    *vertex = graph_vertex (self->graph, name);
    if (*vertex == SIZE_MAX)
        snprintf (reason, REASON_BYTES, "%s has no vertex %s", free_capacity_name (self->room),
                  name);
    return *vertex != SIZE_MAX;
}

/*  Does not disclose how much is free, unless the caller may know. */
static void path_service_tell_none (answering_t *self, const path_question_t *question,
                                    char *reason)
{
    const path_service_t *paths = self->paths;
    size_t link;
    if (self->explains == PATH_SERVICE_EXPLAINED_MAX) {
        snprintf (reason, REASON_BYTES,
                  "no such path; only the first %d questions without a path are told why",
                  PATH_SERVICE_EXPLAINED_MAX);
        return;
    }
    self->explains++;
    path_explain (paths->graph, question, &link, reason);
    if (link != SIZE_MAX && !self->disclosed)
        snprintf (reason, REASON_BYTES,
                  "%s/%s, like every other path, has less than the %u Mbit/s asked for; how much "
                  "is free is not disclosed here",
                  free_capacity_name (paths->room), free_capacity_resource_name (paths->room, link),
                  self->ask->mbps);
}

static void path_answer (answering_t *self, const path_ask_t *ask, Musubi__PathAnswer *told)
{
    const graph_t *graph = self->paths->graph;
    path_question_t question = {
      .order = ask->order,
      .latency_us_max = ask->latency_us_max,
      .mbps = ask->mbps,
      .free = path_service_free_of,
      .owner = self,
    };
    char *reason = arena_take (self->arena, REASON_BYTES);
    *reason = '\0';
    told->reason = reason;
    if (!vertex_find (self->paths, ask->from, &question.from, reason) ||
        !vertex_find (self->paths, ask->to, &question.to, reason))
        return;
    ask_begin (self, ask);
    path_t path;
    switch (path_find (graph, &question, &path, &self->steps)) {
    case PATH_FOUND:
        tell_found (self, &path, told);
        break;
    case PATH_NONE:
        path_service_tell_none (self, &question, reason);
        break;
    case PATH_UNKNOWN:
        snprintf (reason, REASON_BYTES,
                  "the search was stopped before this path was found, because the request asks too "
                  "much: ask fewer questions at once");
        break;
    }
}

static void path_service_reply (path_service_t *self, const request_t *request,
                                const Musubi__PathsAnswer *told)
{
    if (protobuf_c_message_get_packed_size (&told->base) <= BODY_BYTES_MAX)
        service_reply (self->service, request, packed_of (&told->base));
    else
        service_refuse (self->service, request, CALL_BAD_REQUEST,
                        "questions: the paths are too long for one answer, ask fewer at once");
}

static void path_service_step (path_service_t *self, const request_t *request,
                               const paths_question_t *question)
{
    const interval_list_t *counted;
    if (!calendar_service_counted (self->questions, request, question->reservation, &counted))
        return;
    if (!self->graph) {
        self->graph = graph_new ();
        graph_add (self->graph, free_capacity_name (self->room), self->domain);
    }
    ARENA (arena);
    answering_t answering = {
      .paths = self,
      .counted = counted,
      .disclosed = calendar_service_disclosed (self->questions, request),
      .rooms = must (calloc (self->domain->links_count + 1, sizeof *answering.rooms)),
      .steps = PATH_SERVICE_STEPS_MAX,
      .arena = &arena,
    };
    Musubi__PathsAnswer answer = MUSUBI__PATHS_ANSWER__INIT;
    answer.version = free_capacity_version (self->room);
    answer.n_answers = question->asks_count;
    answer.answers = codec_messages (&musubi__path_answer__descriptor, answer.n_answers, &arena);
    for (size_t i = 0; i < question->asks_count; i++)
        path_answer (&answering, &question->asks [i], answer.answers [i]);
    path_service_reply (self, request, &answer);
    free (answering.rooms);
}

static void on_paths (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    path_service_t *self = owner;
    const paths_question_t *question = body;
    if (question->asks_count > self->asks_max)
        service_refuse (self->service, request, CALL_BAD_REQUEST, "questions: more than %u",
                        self->asks_max);
    else
        path_service_step (self, request, question);
}

/*  Registers Nis.Paths. domain is borrowed for life, its links are in the order of the room's
 *  resources; so are the others. At most asks_max questions in one request. */
static path_service_t *path_service_new (service_t *service, const domain_t *domain,
                                         const free_capacity_t *room, calendar_service_t *questions,
                                         uint32_t asks_max)
{
    path_service_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->domain = domain;
    self->room = room;
    self->questions = questions;
    self->asks_max = asks_max;
    service_serve (service, "Nis", "Paths", &paths_question_codec, ALWAYS, on_paths, self);
    return self;
}

static void path_service_destroy (path_service_t **self_p)
{
    path_service_t *self = *self_p;
    if (!self)
        return;
    graph_destroy (&self->graph);
    free (self);
    *self_p = NULL;
}

/*  The capacities in domain have changed. */
static void path_service_changed (path_service_t *self)
{
    graph_destroy (&self->graph);
}

static const setting_t nis_rows [] = {
  SET_INSIDE (nis_settings_t, provider, "", provider_settings_t, &provider_table),
  SET_FIXED (nis_settings_t, provider.limits.bookings.fresh_steps_max, "limits/fresh_steps_max",
             8192),
  SET_FIXED (nis_settings_t, provider.limits.questions.profile_steps_max,
             "limits/profile_steps_max", CALENDAR_SERVICE_STEPS_MOST),
  SET_FIXED (nis_settings_t, provider.limits.questions.windows_max, "limits/windows_max",
             NIS_WINDOWS_MOST),
  SET_FIXED (nis_settings_t, paths_max, "limits/paths_max", NIS_PATHS_MOST),
  SET_INSIDE (nis_settings_t, routers, "agents/", routers_settings_t, &routers_table),
};

static const void *nis_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    calendar_service_limits_t *questions =
      &((nis_settings_t *) settings)->provider.limits.questions;
    questions->resources_max = DOMAIN_LINKS_MAX;
    questions->quantity_max = LINK_MBPS_MAX;
    return NULL;
}

const setting_table_t nis_table = SETTING_TABLE (nis_settings_t, nis_rows, nis_rule);

/*  The description of the domain, with its present capacities. */
static const domain_t *domain_now (nis_t *self)
{
    for (size_t i = 0; i < self->domain.links_count; i++)
        self->domain.links [i].mbps = free_capacity_offer (self->provider.room, i)->quantity;
    return &self->domain;
}

static void nis_announce (void *owner, const moment_t *now)
{
    nis_t *self = owner;
    domain_t domain = *domain_now (self);
    path_service_changed (self->paths);
    member_announce (self->provider.service, now, &(directory_entry_t){.domain = &domain});
}

/*  For readmission: the bookings of an answer in this domain. */
static bool nis_part_told (void *owner, const answer_t *answer, packed_t *part,
                           char why [WHY_BYTES])
{
    const nis_t *self = owner;
    return allocated_in_domain (answer, self->provider.service->name + strlen ("nis/"),
                                &self->domain, part, why);
}

static void nis_destroy (void *owner)
{
    nis_t *self = owner;
    path_service_destroy (&self->paths);
    routers_destroy (&self->routers);
    provider_close (&self->provider);
    circuit_usage_destroy (&self->uses);
    provider_end (&self->provider);
    codec_clear (&domain_codec, &self->domain);
    free (self);
}

static void settings_check (const nis_settings_t *settings)
{
    uint32_t windows_max = settings->provider.limits.questions.windows_max;
    char why [WHY_BYTES];
    assert (strncmp (settings->provider.name, "nis/", 4) == 0);
    assert (domain_check (&settings->domain, settings->provider.name + 4, why));
    assert (windows_max > 0 && windows_max <= NIS_WINDOWS_MOST);
    assert (settings->paths_max > 0 && settings->paths_max <= NIS_PATHS_MOST);
}

void nis_core (const nis_settings_t *settings, core_t *core)
{
    settings_check (settings);
    nis_t *self = must (calloc (1, sizeof *self));
    provider_t *provider = &self->provider;
    part_reader_t reader;
    codec_copy (&domain_codec, &self->domain, &settings->domain);
    provider_begin (provider, &settings->provider);
    member_follow_none (provider->service);
    provider->room = circuits_room (settings->provider.name + strlen ("nis/"), &self->domain,
                                    &provider->service->timekeeper);
    self->circuits = (circuits_t){provider->room, &self->domain};
    circuits_reader (&self->circuits, &reader);
    provider_book (provider, &settings->provider, &reader);
    self->uses = circuit_usage_new (provider->service, &provider->access, settings->use);
    if (settings->agents) {
        self->routers =
          routers_new (provider->service, provider->service->name + strlen ("nis/"), &self->domain,
                       &settings->routers, circuit_usage_moved, self->uses);
        circuit_usage_back_end (self->uses, routers_back_end (self->routers));
    }
    circuit_usage_tell (self->uses, &provider->resource.usage);
    provider_vote (provider, &settings->provider);
    circuit_usage_attach (self->uses, provider->participant);
    provider_answer (provider, &settings->provider, nis_part_told, nis_announce, self);
    self->paths = path_service_new (provider->service, &self->domain, provider->room,
                                    provider->questions, settings->paths_max);
    provider_open (provider, &settings->provider, nis_announce, core, nis_destroy);
}
