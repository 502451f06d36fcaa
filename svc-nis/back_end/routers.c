/*  routers - places (vertices with an agent) and wants (reservations with circuits in use); each
 *  change of either brings those that it concerns up to date.
 */
#include "routers.h"

#include "agent_session.h"
#include "member.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static_assert (SHAPE_MBPS_MAX == LINK_MBPS_MAX, "a circuit may have all of a link");

typedef struct {
    agent_session_t agent;  /* must be first */
    const char *name;       /* "r1"; NULL = no interfaces here */
    router_work_t has;      /* its interfaces, as they are configured; no shapes */
    router_work_t reported; /* by its last question */
    bool full;              /* more is wanted here than an answer has */
} place_t;

/*  A shape at a place. */
typedef struct {
    size_t place;
    shape_t shape;
} placed_t;

/*  What is wanted for one reservation. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    placed_t *list;
    size_t count;
    size_t room;
    char why [WHY_BYTES];     /* it can't be shaped at all; "" = it can */
    char blocked [WHY_BYTES]; /* by another one; "" = it is not */
    circuit_state_t state;    /* as last told */
} want_t;

struct routers {
    service_t *service;
    const char *name; /* borrowed from the service's */
    const domain_t *domain;
    link_interfaces_t *links;
    vertex_prefixes_t *prefixes;
    place_t *places; /* one for each vertex */
    agent_sessions_t agents;
    ordered_t *wants; /* by reservation */
    circuit_state_fn *told;
    void *told_owner;
};

static const setting_t routers_rows [] = {
  SET_MERGED_DURATION (routers_settings_t, attend_ms, "attend", "five twelfths of agents/silent"),
  SET_DURATION (
    routers_settings_t, silent_ms, "silent", 12 * MS_SECOND, 200, MS_HOUR,
    "an agent that was not heard for so long is silent, and circuits through its router "
    "are degraded; its question waits five twelfths of that when there is nothing new"),
};

static const void *routers_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    routers_settings_t *routers = settings;
    routers->attend_ms = 5 * routers->silent_ms / 12;
    routers->lost_ms = 2 * routers->silent_ms;
    return NULL;
}

const setting_table_t routers_table =
  SETTING_TABLE (routers_settings_t, routers_rows, routers_rule);

const char *vertex_local_name (const vertex_t *vertex, const char *domain)
{
    size_t length = strlen (domain);
    bool own = vertex->kind == VERTEX_ROUTER && strncmp (vertex->name, domain, length) == 0 &&
               vertex->name [length] == '/';
    return own ? vertex->name + length + 1 : vertex->name;
}

static size_t vertex_index (const routers_t *self, const char *name)
{
    size_t at = 0;
    while (strcmp (self->domain->vertices [at].name, name) != 0)
        at++;
    return at;
}

/*  --- how far is it? --- */

/*  What is wrong at that interface there, or at the first one (NULL) at which something is; "" =
 *  nothing. */
static const char *place_trouble (const place_t *place, const char *interface)
{
    for (size_t i = 0; i < place->reported.interfaces_count; i++) {
        const router_interface_t *one = &place->reported.interfaces [i];
        if (*one->trouble && (!interface || strcmp (one->name, interface) == 0))
            return one->trouble;
    }
    return "";
}

static circuit_state_t place_state (const place_t *place, const shape_t *shape,
                                    char why [WHY_BYTES])
{
    const char *trouble = place_trouble (place, shape->interface);
    if (place->agent.state != AGENT_UP) {
        wrong (why, "router %s: its agent does not ask", place->name);
        return place->agent.state == AGENT_AWAITED ? CIRCUITS_OPENING : CIRCUITS_DEGRADED;
    }
    if (*trouble) {
        wrong (why, "router %s: %.180s", place->name, trouble);
        return CIRCUITS_DEGRADED;
    }
    if (router_work_has (&place->reported, shape))
        return CIRCUITS_ACTIVE;
    if (place->full) {
        wrong (why, "router %s shapes %d directions of circuits already, the most", place->name,
               SHAPES_MAX);
        return CIRCUITS_DEGRADED;
    }
    wrong (why, "router %s is about to shape it", place->name);
    return CIRCUITS_OPENING;
}

static circuit_state_t want_state (const routers_t *self, const want_t *want, char why [WHY_BYTES])
{
    circuit_state_t worst = CIRCUITS_ACTIVE;
    char at [WHY_BYTES];
    *why = '\0';
    if (*want->why || *want->blocked) {
        wrong (why, "%s", *want->why ? want->why : want->blocked);
        return CIRCUITS_DEGRADED;
    }
    for (size_t i = 0; i < want->count && worst != CIRCUITS_DEGRADED; i++) {
        const placed_t *placed = &want->list [i];
        circuit_state_t state = place_state (&self->places [placed->place], &placed->shape, at);
        if (state == CIRCUITS_ACTIVE)
            continue;
        worst = state;
        memcpy (why, at, WHY_BYTES);
    }
    return want->count > 0 ? worst : CIRCUITS_IDLE;
}

static const char *const circuit_words [] = {"idle", "opening", "active", "degraded"};

static const state_step_t circuit_steps [] = {
  {STATES (CIRCUITS_DEGRADED), CIRCUITS_IDLE, .when = "it is given up, or its window has closed"},
  {STATES (CIRCUITS_DEGRADED), CIRCUITS_OPENING, .when = "it is wanted, and not seen yet"},
  {STATES (CIRCUITS_DEGRADED), CIRCUITS_ACTIVE, .when = "it is seen at all its routers"},
  {STATES (CIRCUITS_DEGRADED), CIRCUITS_DEGRADED, .when = "a router is silent, or can't do it"},
};
const state_table_t circuit_states = {
  .name = "circuit", .states = circuit_words, STATE_STEPS (circuit_steps)};

static void want_refresh (routers_t *self, const moment_t *now, want_t *want)
{
    char why [WHY_BYTES];
    circuit_state_t from = want->state;
    circuit_state_t to = want_state (self, want, why);
    STATE_MOVE (&circuit_states, want->state, to);
    if (to != from)
        self->told (self->told_owner, now, want->reservation, from, to, why);
}

/*  Something is new of that place. */
static void place_refresh (routers_t *self, const moment_t *now, const place_t *place)
{
    for (want_t *want = NULL; (want = ordered_next (self->wants, want));)
        for (size_t i = 0; i < want->count; i++)
            if (&self->places [want->list [i].place] == place) {
                want_refresh (self, now, want);
                break;
            }
}

/*  In the queue of that shape. Of a circuit's queues only the first one fills: it lets no more
 *  through than the others do. */
static uint32_t placed_wait_us (const routers_t *self, const placed_t *placed)
{
    const router_work_t *reported = &self->places [placed->place].reported;
    for (size_t i = 0; i < reported->interfaces_count; i++)
        if (strcmp (reported->interfaces [i].name, placed->shape.interface) == 0)
            return shape_wait_us (reported->interfaces [i].queue, placed->shape.mbps);
    return 0;
}

static circuit_state_t routers_state (const void *owner, const char *reservation, uint32_t *wait_us,
                                      char why [WHY_BYTES])
{
    const routers_t *self = owner;
    const want_t *want = ordered_find (self->wants, reservation);
    *why = '\0';
    *wait_us = 0;
    for (size_t i = 0; want && i < want->count; i++) {
        uint32_t wait = placed_wait_us (self, &want->list [i]);
        *wait_us = wait > *wait_us ? wait : *wait_us;
    }
    return want ? want_state (self, want, why) : CIRCUITS_IDLE;
}

/*  --- what agents should know, and say --- */

static bool want_works (const want_t *want)
{
    return !*want->why && !*want->blocked;
}

static packed_t routers_wanted (void *owner, const moment_t *now, agent_session_t *agent)
{
    (void) now;
    routers_t *self = owner;
    place_t *place = (place_t *) agent;
    size_t at = (size_t) (place - self->places);
    router_answer_t answer = {.attend_ms = self->agents.attend_ms,
                              .lease_ms = self->agents.silent_ms,
                              .wanted = place->has};
    shape_t *shapes = must (calloc (SHAPES_MAX, sizeof *shapes));
    place->full = false;
    for (const want_t *want = NULL; (want = ordered_next (self->wants, want));)
        for (size_t i = 0; i < want->count && want_works (want); i++)
            if (want->list [i].place == at && answer.wanted.shapes_count < SHAPES_MAX)
                shapes [answer.wanted.shapes_count++] = want->list [i].shape;
            else if (want->list [i].place == at)
                place->full = true;
    answer.wanted.shapes = shapes;
    packed_t packed = codec_encode (&router_answer_codec, &answer);
    free (shapes);
    return packed;
}

static packed_t routers_numbered (uint64_t number)
{
    return codec_encode (&router_answer_codec, &(router_answer_t){.number = number});
}

/*  What an operator should look at. */
static void place_warn (routers_t *self, const place_t *place)
{
    char about [NAME_BYTES_MAX + 16], text [WHY_BYTES] = "";
    agent_state_t state = place->agent.state;
    snprintf (about, sizeof about, "router %.50s", place->name);
    if (state == AGENT_SILENT || state == AGENT_LOST)
        wrong (text, "router %s: its agent does not ask, so circuits through it are degraded",
               place->name);
    else if (*place_trouble (place, NULL))
        wrong (text, "router %s: %.180s", place->name, place_trouble (place, NULL));
    service_warn (self->service, about, text, INT64_MAX);
}

static void routers_on_moved (void *owner, const moment_t *now, agent_session_t *agent,
                              agent_state_t from, const char *why)
{
    (void) why;
    routers_t *self = owner;
    const place_t *place = (const place_t *) agent;
    outbox_log (self->service->outbox, agent->state == AGENT_LOST ? LEVEL_WARNING : LEVEL_INFO,
                "router %s %s->%s", place->name, agent_state_word (from),
                agent_state_word (agent->state));
    place_warn (self, place);
    if (agent->state != AGENT_UP) /* of one that is up its report is heard first */
        place_refresh (self, now, place);
}

static place_t *routers_place_of (routers_t *self, const char *name)
{
    for (size_t i = 0; i < self->domain->vertices_count; i++)
        if (self->places [i].name && strcmp (self->places [i].name, name) == 0)
            return &self->places [i];
    return NULL;
}

static void routers_on_attend (void *owner, const moment_t *now, const request_t *request,
                               void *body)
{
    routers_t *self = owner;
    router_question_t *asked = body;
    place_t *place = routers_place_of (self, asked->router);
    if (restore_guard_state (restore_guard_of (self->service)) != RESTORE_GUARD_GOOD) {
        service_refuse (self->service, request, CALL_NOT_SERVING,
                        "%s does not know yet whether its store is the latest one; ask again",
                        self->service->name);
        return;
    }
    if (!agent_is (request->actor, "router/", asked->router)) {
        service_refuse (self->service, request, CALL_DENIED,
                        "router %s is attended by router/%s alone, not by %s", asked->router,
                        asked->router, request->actor);
        return;
    }
    if (!place) {
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "router: domain %s has no interface at a vertex %s; its links name them, "
                        "links/LINK/interfaces/%s",
                        self->name, asked->router, asked->router);
        return;
    }
    if (agent_session_take (&place->agent, now, request, &asked->said) == AGENT_REFUSED)
        return;
    if (agent_session_hear (&place->agent, now, &asked->said)) {
        codec_clear (&router_work_codec, &place->reported);
        place->reported = asked->seen;
        asked->seen = (router_work_t){0};
        place_warn (self, place);
        place_refresh (self, now, place);
    }
    agent_session_wait (&place->agent, request);
    agent_session_settle (&place->agent, now);
}

/*  --- what is wanted --- */

static void want_empty (want_t *want)
{
    for (size_t i = 0; i < want->count; i++)
        codec_clear (&shape_codec, &want->list [i].shape);
    free (want->list);
    want->list = NULL;
    want->count = want->room = 0;
    *want->why = '\0';
}

static void want_free (void *thing)
{
    want_empty (thing);
    free (thing);
}

/*  Of an end: what of it is meant. Malloc'ed. */
static prefix_t *end_prefixes (const vertex_prefixes_t *end, const traffic_t *traffic,
                               size_t *count)
{
    prefix_t *list = must (calloc (SHAPE_PREFIXES_MAX + 1, sizeof *list));
    *count = 0;
    for (size_t a = 0; a < traffic->addresses_count; a++) {
        prefix_t given = {0};
        bool within = false;
        prefix_parse (traffic->addresses [a], &given, (char [WHY_BYTES]){""});
        for (size_t i = 0; i < end->count && !within; i++)
            within = given.bits >= end->list [i].bits && prefixes_meet (&given, &end->list [i]);
        if (within)
            list [(*count)++] = given;
    }
    if (*count > 0)
        return list;
    *count = end->count;
    memcpy (list, end->list, end->count * sizeof *list);
    return list;
}

/*  Traffic in one direction of a circuit, which leaves a vertex over a link of it. */
typedef struct {
    const circuit_t *circuit;
    const traffic_t *traffic;
    size_t from, to; /* vertices: its ends */
    size_t link;
    const char *leaves;
} stream_t;

/*  The last one joins another one of the same traffic, if there is one: together they have both
 *  bandwidths. */
static void want_join (want_t *want, placed_t *last)
{
    for (placed_t *one = want->list; one < last; one++) {
        if (one->place != last->place || !shapes_meet (&one->shape, &last->shape))
            continue;
        one->shape.mbps += last->shape.mbps;
        if (one->shape.until_ms < last->shape.until_ms)
            one->shape.until_ms = last->shape.until_ms;
        codec_clear (&shape_codec, &last->shape);
        want->count--;
        return;
    }
}

/*  Adds it at the end of the link from which it leaves, or as it comes in at the other. */
static void want_add (routers_t *self, want_t *want, const stream_t *stream)
{
    const circuit_t *circuit = stream->circuit;
    const link_interfaces_t *interfaces = &self->links [stream->link];
    const link_t *link = &self->domain->links [stream->link];
    size_t leaves = strcmp (link->ends [0], stream->leaves) != 0;
    bool inward = !*interfaces->ends [leaves];
    size_t end = inward ? 1 - leaves : leaves;
    want->list = must_grow (want->list, want->count, &want->room, sizeof *want->list);
    placed_t *placed = &want->list [want->count++];
    *placed = (placed_t){.place = vertex_index (self, link->ends [end]),
                         .shape = {.hop = circuit->hop,
                                   .inward = inward,
                                   .mbps = circuit->mbps,
                                   .until_ms = circuit->until_ms,
                                   .dscp = stream->traffic->dscp,
                                   .port = stream->traffic->port}};
    shape_t *shape = &placed->shape;
    memcpy (shape->reservation, want->reservation, sizeof shape->reservation);
    memcpy (shape->need, circuit->need, sizeof shape->need);
    memcpy (shape->interface, interfaces->ends [end], sizeof shape->interface);
    shape->from =
      end_prefixes (&self->prefixes [stream->from], stream->traffic, &shape->from_count);
    shape->to = end_prefixes (&self->prefixes [stream->to], stream->traffic, &shape->to_count);
    want_join (want, placed);
}

/*  The way of a circuit in the present graph; false when it has none there any more. */
static bool circuit_way (const routers_t *self, const circuit_t *circuit, size_t *links,
                         const char **vertices)
{
    bool again;
    size_t count = circuit->links_count;
    assert (count > 0 && count <= CIRCUIT_LINKS_MAX);
    for (size_t l = 0; l < count; l++)
        if ((links [l] = domain_link (self->domain, circuit->links [l])) == SIZE_MAX)
            return false;
    return domain_walk (self->domain, links, count, vertices, &again) == count;
}

static void want_circuit (routers_t *self, want_t *want, const circuit_t *circuit,
                          const traffic_t *traffic)
{
    size_t links [CIRCUIT_LINKS_MAX];
    const char *vertices [CIRCUIT_LINKS_MAX + 1];
    if (!circuit_way (self, circuit, links, vertices)) {
        wrong (want->why, "need %s: its links are not in the configuration any more",
               circuit->need);
        return;
    }
    size_t from = vertex_index (self, vertices [0]);
    size_t to = vertex_index (self, vertices [circuit->links_count]);
    if (self->prefixes [from].count == 0 || self->prefixes [to].count == 0) {
        wrong (want->why, "need %s: it ends at a router, which stands for no addresses",
               circuit->need);
        return;
    }
    for (size_t l = 0; l < circuit->links_count; l++) {
        want_add (self, want, &(stream_t){circuit, traffic, from, to, links [l], vertices [l]});
        want_add (self, want, &(stream_t){circuit, traffic, to, from, links [l], vertices [l + 1]});
    }
}

/*  --- which can be shaped together --- */

static bool wants_meet (const want_t *a, const want_t *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            if (a->list [i].place == b->list [j].place &&
                shapes_meet (&a->list [i].shape, &b->list [j].shape))
                return true;
    return false;
}

/*  Blocks it while another one that is not blocked has its traffic: what is there stays. */
static void want_block (const routers_t *self, want_t *want)
{
    *want->blocked = '\0';
    for (const want_t *other = NULL;
         (other = ordered_next (self->wants, other)) && !*want->blocked;)
        if (other != want && want_works (other) && wants_meet (want, other))
            wrong (want->blocked,
                   "reservation %s has circuits between the same addresses: tell them apart by "
                   "musubi provision %s --port, --dscp or --address",
                   other->reservation, want->reservation);
}

static want_t *want_new (routers_t *self, const char *reservation)
{
    want_t *want = must (calloc (1, sizeof *want));
    snprintf (want->reservation, sizeof want->reservation, "%s", reservation);
    ordered_add (self->wants, want->reservation, want);
    return want;
}

/*  A want has changed: others that it blocked may be free now. */
static void wants_settle (routers_t *self, const moment_t *now)
{
    for (want_t *want = NULL; (want = ordered_next (self->wants, want));)
        if (*want->blocked) {
            want_block (self, want);
            want_refresh (self, now, want);
        }
    for (size_t i = 0; i < self->domain->vertices_count; i++)
        agent_session_settle (&self->places [i].agent, now);
}

static void routers_want (void *owner, const moment_t *now, const char *reservation,
                          const circuit_t *circuits, size_t count, const traffic_t *traffic)
{
    routers_t *self = owner;
    want_t *want = ordered_find (self->wants, reservation);
    if (!want && count == 0)
        return;
    want = want ? want : want_new (self, reservation);
    want_empty (want);
    for (size_t i = 0; i < count; i++)
        want_circuit (self, want, &circuits [i], traffic);
    want_block (self, want);
    want_refresh (self, now, want);
    if (count == 0)
        want_free (ordered_remove (self->wants, reservation));
    wants_settle (self, now);
}

/*  --- its life --- */

static void routers_on_start (void *owner, const moment_t *now)
{
    routers_t *self = owner;
    for (size_t i = 0; i < self->domain->vertices_count; i++)
        if (self->places [i].name)
            agent_session_start (&self->places [i].agent, &self->agents, self->places [i].name,
                                 now);
}

/*  An interface at an end of a link: its vertex is a place. */
static void interface_add (routers_t *self, size_t link, size_t end)
{
    assert (self->links);
    const char *name = self->links [link].ends [end];
    if (!*name)
        return;
    size_t at = vertex_index (self, self->domain->links [link].ends [end]);
    place_t *place = &self->places [at];
    router_work_t *has = &place->has;
    place->name = vertex_local_name (&self->domain->vertices [at], self->name);
    has->interfaces =
      must (reallocarray (has->interfaces, has->interfaces_count + 1, sizeof *has->interfaces));
    router_interface_t *interface = &has->interfaces [has->interfaces_count++];
    *interface = (router_interface_t){.mbps = self->domain->links [link].mbps};
    memcpy (interface->name, name, sizeof interface->name);
}

routers_t *routers_new (service_t *service, const char *name, const domain_t *domain,
                        const routers_settings_t *settings, circuit_state_fn *told, void *owner)
{
    routers_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->name = name;
    self->domain = domain;
    self->told = told;
    self->told_owner = owner;
    self->links = must_copy (settings->links, domain->links_count * sizeof *settings->links);
    self->prefixes =
      must_copy (settings->vertices, domain->vertices_count * sizeof *settings->vertices);
    self->places = must (calloc (domain->vertices_count + 1, sizeof *self->places));
    self->wants = ordered_by_text (offsetof (want_t, reservation));
    self->agents = (agent_sessions_t){.service = service,
                                      .attend_ms = settings->attend_ms,
                                      .silent_ms = settings->silent_ms,
                                      .lost_ms = settings->lost_ms,
                                      .owner = self,
                                      .wanted = routers_wanted,
                                      .numbered = routers_numbered,
                                      .moved = routers_on_moved};
    for (size_t l = 0; l < domain->links_count; l++)
        for (size_t end = 0; end < 2; end++)
            interface_add (self, l, end);
    service_serve (service, "Routers", "Attend", &router_question_codec, ALWAYS, routers_on_attend,
                   self);
    service_at_start (service, routers_on_start, self);
    return self;
}

void routers_destroy (routers_t **self_p)
{
    routers_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->domain->vertices_count; i++) {
        agent_session_end (&self->places [i].agent);
        free (self->places [i].has.interfaces);
        codec_clear (&router_work_codec, &self->places [i].reported);
    }
    ordered_end (&self->wants, want_free);
    free (self->places);
    free (self->links);
    free (self->prefixes);
    free (self);
    *self_p = NULL;
}

circuit_back_end_t routers_back_end (routers_t *self)
{
    return (circuit_back_end_t){.owner = self, .want = routers_want, .state = routers_state};
}
