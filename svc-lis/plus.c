/*  plus - what is created, what was asked, and the commands, which are the participant's. */
#include "plus.h"

#include "must.h"
#include "ordered.h"
#include "plus_bookings.h"
#include "plus_wire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const plus_limits_t plus_limits_default = {
  .wait_ms = 15 * 60000,
  .created_max = 10000,
  .created_per_actor_max = 1000,
  .asked_max = 100000,
  .asked_ms = 24 * 3600000,
  .list_max = 1000,
};

#define SWEEP_MS  30000
#define TURN_MS   5000 /* a change of what has begun counts from so much after the soonest start */
#define KEY_BYTES (NAME_BYTES_MAX + REQUEST_ID_BYTES_MAX + 3)

/*  Keys in the store: 'c' and the id of a reservation; 'q', actor, NUL, request id. */
typedef struct {
    char key [KEY_BYTES];
    size_t key_size;
    char owner [NAME_BYTES_MAX + 1];
    int64_t until_ms; /* wall: gone then, unless a command of it waits */
} created_t;

typedef struct {
    char key [KEY_BYTES];
    size_t key_size;
    plus_asked_t asked;
} asked_t;

struct plus {
    plus_parts_t parts;
    plus_limits_t limits;
    ordered_t *created; /* by key */
    ordered_t *asked;
    uint64_t counter; /* of txids in this start */
};

static int key_compare (const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp (a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

static int created_compare (const void *key, const void *thing)
{
    const created_t *a = key;
    const created_t *b = thing;
    return key_compare (a->key, a->key_size, b->key, b->key_size);
}

static int asked_compare (const void *key, const void *thing)
{
    const asked_t *a = key;
    const asked_t *b = thing;
    return key_compare (a->key, a->key_size, b->key, b->key_size);
}

static void created_key (created_t *self, const char *reservation)
{
    self->key_size = (size_t) snprintf (self->key, sizeof self->key, "c%s", reservation);
}

static void asked_key (asked_t *self, const request_t *request)
{
    snprintf (self->key, sizeof self->key, "q%.*s", NAME_BYTES_MAX, request->actor);
    size_t id = strlen (self->key) + 1;
    snprintf (self->key + id, sizeof self->key - id, "%.*s", REQUEST_ID_BYTES_MAX,
              request->request_id);
    self->key_size = id + strlen (self->key + id);
}

static const char *created_id (const created_t *self)
{
    return self->key + 1;
}

static created_t *created_find (const plus_t *self, const char *reservation)
{
    created_t wanted;
    created_key (&wanted, reservation);
    return ordered_find (self->created, &wanted);
}

static void created_end (plus_t *self, created_t *created)
{
    outbox_delete (self->parts.service->outbox, TABLE_PLUS,
                   (bytes_t){(const uint8_t *) created->key, created->key_size});
    ordered_remove (self->created, created);
    free (created);
}

/*  --- what was asked before (R9) --- */

/*  True when this request is answered by what was asked before: with *asked; or refused, when the
 *  id came with another body: then *asked is NULL. */
static bool asked_before (plus_t *self, const request_t *request, const asked_t **asked)
{
    asked_t wanted;
    uint8_t digest [DIGEST_BYTES];
    *asked = NULL;
    if (!*request->request_id)
        return false;
    asked_key (&wanted, request);
    const asked_t *found = ordered_find (self->asked, &wanted);
    if (!found)
        return false;
    plus_digest (request->method, request->body, digest);
    if (memcmp (digest, found->asked.digest, DIGEST_BYTES) == 0)
        *asked = found;
    else
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                        "request id %.64s was used with another request", request->request_id);
    return true;
}

/*  Room for one more; the oldest leave in sweeps. */
static bool asked_room (plus_t *self, const request_t *request)
{
    if (!*request->request_id || ordered_count (self->asked) < self->limits.asked_max)
        return true;
    service_refuse (self->parts.service, request, CALL_OVERLOADED,
                    "plus/asked_max: %" PRIu32 " request ids are kept; ask without one, or later",
                    self->limits.asked_max);
    return false;
}

/*  command NULL: a create. */
static void asked_keep (plus_t *self, const moment_t *now, const request_t *request,
                        const char *reservation, const txid_t *command)
{
    if (!*request->request_id)
        return;
    asked_t *asked = must (calloc (1, sizeof *asked));
    asked_key (asked, request);
    plus_digest (request->method, request->body, asked->asked.digest);
    snprintf (asked->asked.reservation, sizeof asked->asked.reservation, "%s", reservation);
    if (command)
        asked->asked.command = *command;
    asked->asked.asked_ms = now->wall_ms;
    ordered_add (self->asked, asked, asked);
    packed_t value = plus_asked_encode (&asked->asked);
    outbox_put (self->parts.service->outbox, TABLE_PLUS,
                (bytes_t){(const uint8_t *) asked->key, asked->key_size},
                (bytes_t){value.data, value.size});
    free (value.data);
}

/*  --- answers --- */

static void reply (plus_t *self, const request_t *request, packed_t body)
{
    outbox_reply (self->parts.service->outbox, request->reply_to, (bytes_t){body.data, body.size});
    free (body.data);
}

/*  As the command stands; NOT_FOUND when it is not known any more. True when it was told. */
static bool tell_command (plus_t *self, const moment_t *now, const request_t *request,
                          const txid_t *command)
{
    char actor [NAME_BYTES_MAX + 1];
    int64_t expires_ms;
    char text [TXID_TEXT_BYTES];
    command_answer_t answer =
      participant_local_state (self->parts.participant, now, command, actor, &expires_ms);
    if (answer.state == COMMAND_UNKNOWN) {
        service_refuse (self->parts.service, request, CALL_NOT_FOUND,
                        "command %s is not known here", txid_text (command, text));
        return false;
    }
    if (answer.state == COMMAND_EXPIRED)
        snprintf (answer.refusal.text, sizeof answer.refusal.text,
                  "it was not committed in time (plus/wait)");
    if (*answer.refusal.text)
        answer.refusal.reason = REFUSAL_ENDED;
    reply (self, request, plus_command_encode (&answer, expires_ms));
    return true;
}

static void tell_answer (plus_t *self, const moment_t *now, const request_t *request,
                         command_answer_t *answer)
{
    char actor [NAME_BYTES_MAX + 1];
    int64_t expires_ms = 0;
    if (answer->state == COMMAND_HELD)
        (void) participant_local_state (self->parts.participant, now, &answer->txid, actor,
                                        &expires_ms);
    reply (self, request, plus_command_encode (answer, expires_ms));
    command_answer_clear (answer);
}

/*  --- Factory --- */

static size_t created_by (const plus_t *self, const char *actor)
{
    size_t count = 0;
    for (const created_t *at = NULL; (at = ordered_after (self->created, at));)
        count += strcmp (at->owner, actor) == 0;
    return count;
}

static bool create_allowed (plus_t *self, const request_t *request)
{
    service_t *service = self->parts.service;
    if (!may (self->parts.access, VERB_HOLD, "planner/plus", request->actor, request->actor)) {
        service_refuse (service, request, CALL_DENIED, "%.63s has no account here", request->actor);
        return false;
    }
    if (ordered_count (self->created) >= self->limits.created_max ||
        created_by (self, request->actor) >= self->limits.created_per_actor_max) {
        service_refuse (service, request, CALL_OVERLOADED,
                        "plus/created_max, plus/created_per_actor_max: at most %" PRIu32
                        " reservations are created and not reserved, %" PRIu32 " of one actor",
                        self->limits.created_max, self->limits.created_per_actor_max);
        return false;
    }
    return asked_room (self, request);
}

static created_t *created_add (plus_t *self, const char *reservation, const char *owner,
                               int64_t created_ms)
{
    created_t *created = must (calloc (1, sizeof *created));
    created_key (created, reservation);
    snprintf (created->owner, sizeof created->owner, "%s", owner);
    created->until_ms = created_ms + self->limits.wait_ms;
    ordered_add (self->created, created, created);
    return created;
}

static void on_create (void *owner, const moment_t *now, const request_t *request)
{
    plus_t *self = owner;
    service_t *service = self->parts.service;
    char why [WHY_BYTES];
    const asked_t *asked;
    if (!plus_create_decode (request->body, why)) {
        service_refuse (service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (asked_before (self, request, &asked)) {
        if (asked)
            reply (self, request, plus_create_encode (asked->asked.reservation));
        return;
    }
    if (!create_allowed (self, request))
        return;
    char id [NAME_BYTES_MAX + 1];
    reservation_view_t view;
    do
        snprintf (id, sizeof id, "plus-%016" PRIx64, prng_next (&service->prng));
    while (created_find (self, id) || participant_find (self->parts.participant, id, &view));
    created_t *created = created_add (self, id, request->actor, now->wall_ms);
    packed_t value = plus_created_encode (created->owner, now->wall_ms);
    outbox_put (service->outbox, TABLE_PLUS,
                (bytes_t){(const uint8_t *) created->key, created->key_size},
                (bytes_t){value.data, value.size});
    free (value.data);
    asked_keep (self, now, request, id, NULL);
    reply (self, request, plus_create_encode (id));
}

/*  --- Reservation --- */

/*  The plan and part of a command; what it had before is old. */
static void plan_fill (plus_t *self, const moment_t *now, const request_t *request, hold_t *hold,
                       const plus_bookings_t *old, const plus_bookings_t *next)
{
    service_t *service = self->parts.service;
    plan_t *plan = &hold->plan;
    plan->txid.start = service->store.start;
    plan->txid.counter = ++self->counter;
    memcpy (plan->txid.store, service->store.id, STORE_ID_BYTES);
    plan->participants = must (calloc (1, sizeof *plan->participants));
    plan->participants_count = 1;
    party_t *party = &plan->participants [0];
    snprintf (party->name, sizeof party->name, "%s", service->name);
    snprintf (party->endpoint, sizeof party->endpoint, "%s", service->endpoint);
    memcpy (party->store, service->store.id, STORE_ID_BYTES);
    plan->coordinator = *party;
    (void) txid_planner (&plan->txid, plan->coordinator.name);
    snprintf (plan->actor, sizeof plan->actor, "%.*s", NAME_BYTES_MAX, request->actor);
    snprintf (plan->request_id, sizeof plan->request_id, "%.*s", REQUEST_ID_BYTES_MAX,
              request->request_id);
    plan->decide_by_ms = now->wall_ms + self->limits.wait_ms;
    int64_t edge_ms = plus_bookings_edge (old, next);
    plan->edge_ms = edge_ms > now->wall_ms ? edge_ms : now->wall_ms + 1;
    plan->end_ms = plus_bookings_end (old, next);
    if (next->count == 0)
        return;
    hold->part_kind = PART_COMPUTE;
    packed_t part = compute_part_encode (next->list, next->count);
    hold->part = part.data;
    hold->part_size = part.size;
    packed_t kept = plus_request_encode (service->name + strlen ("lis/"), next->list, next->count);
    plan->request = kept.data;
    plan->request_size = kept.size;
}

/*  Holds it and answers. */
static void take (plus_t *self, const moment_t *now, const request_t *request, hold_t *hold)
{
    command_answer_t answer;
    char why [WHY_BYTES] = "";
    txid_t txid = hold->plan.txid;
    if (!participant_local_hold (self->parts.participant, now, hold,
                                 (uint32_t) self->limits.wait_ms, &answer, why)) {
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (answer.state == COMMAND_HELD) {
        created_t *created = created_find (self, hold->plan.reservation);
        if (created)
            created->until_ms = now->wall_ms + 2 * self->limits.wait_ms;
        asked_keep (self, now, request, hold->plan.reservation, &txid);
        service_count (self->parts.service, "plus_commands", 1);
    }
    tell_answer (self, now, request, &answer);
}

static bool is_named (const node_class_t *class, const char *name)
{
    return strcmp (class->name, name) == 0;
}

/*  The class that is named; else the first that has room, else the first. NULL, answered: none. */
static const node_class_t *class_for (plus_t *self, const request_t *request,
                                      const plus_wish_t *wish)
{
    const site_t *site = self->parts.site;
    const room_t *room = self->parts.room;
    interval_t over = {wish->from_ms, wish->until_ms + room_terms (room)->gap_ms};
    for (size_t i = 0; i < site->classes_count; i++)
        if (*wish->class_name ? is_named (&site->classes [i], wish->class_name)
                              : room_least (room, i, over, NULL) >= (int64_t) wish->nodes)
            return &site->classes [i];
    if (!*wish->class_name && site->classes_count > 0)
        return &site->classes [0];
    service_refuse (self->parts.service, request, CALL_NOT_FOUND,
                    "class_name: there is no class %.63s here", wish->class_name);
    return NULL;
}

/*  The reservation, when the asker may change it; false when that was answered. */
static bool begin (plus_t *self, const request_t *request, const char *reservation, verb_t verb,
                   reservation_view_t *view, const created_t **created)
{
    *created = created_find (self, reservation);
    bool known = participant_find (self->parts.participant, reservation, view);
    if (!known)
        *view = (reservation_view_t){.id = reservation};
    const char *owner = known ? view->owner : *created ? (*created)->owner : NULL;
    if (!owner)
        service_refuse (self->parts.service, request, CALL_NOT_FOUND,
                        "reservation %.63s is not known here", reservation);
    else if (!may (self->parts.access, verb, "planner/plus", request->actor, owner))
        service_refuse (self->parts.service, request, CALL_DENIED,
                        "%.63s may not change reservation %.63s", request->actor, reservation);
    else
        return true;
    return false;
}

static void reserve (plus_t *self, const moment_t *now, const request_t *request,
                     const plus_wish_t *wish)
{
    reservation_view_t view;
    const created_t *created;
    if (!begin (self, request, wish->reservation, VERB_MODIFY, &view, &created))
        return;
    if (view.version > 0) {
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                        "reservation %.63s is reserved: modify it, or create another",
                        wish->reservation);
        return;
    }
    const node_class_t *class = class_for (self, request, wish);
    if (!class)
        return;
    if ((uint64_t) wish->nodes * class->cpus_per_node > UINT32_MAX) {
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                        "nodes: more than a site can have");
        return;
    }
    plus_bookings_t old = {.count = 0};
    plus_bookings_t next;
    plus_bookings_new (&next, class, wish);
    hold_t hold = {.plan = {.operation = OPERATION_RESERVE}};
    snprintf (hold.plan.reservation, sizeof hold.plan.reservation, "%s", wish->reservation);
    snprintf (hold.plan.owner, sizeof hold.plan.owner, "%s", created ? created->owner : view.owner);
    plan_fill (self, now, request, &hold, &old, &next);
    take (self, now, request, &hold);
    hold_clear (&hold);
}

static void on_reserve (void *owner, const moment_t *now, const request_t *request)
{
    plus_t *self = owner;
    plus_wish_t wish;
    const asked_t *asked;
    char why [WHY_BYTES];
    if (!plus_reserve_decode (request->body, &wish, why)) {
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (asked_before (self, request, &asked)) {
        if (asked)
            (void) tell_command (self, now, request, &asked->asked.command);
        return;
    }
    if (asked_room (self, request))
        reserve (self, now, request, &wish);
}

/*  Nobody but request homes votes on it beside this site. */
static bool is_alone (const plan_t *plan)
{
    size_t others = 0;
    for (size_t i = 0; i < plan->participants_count; i++)
        others += strncmp (plan->participants [i].name, "gis/", 4) != 0;
    return others == 1;
}

/*  What it has, when that is of a form which plus can change; false when that was answered. */
static bool read_booked (plus_t *self, const request_t *request, const reservation_view_t *view,
                         plus_bookings_t *old)
{
    plan_t plan = {0};
    service_t *service = self->parts.service;
    if (view->version == 0 || view->over) {
        service_refuse (service, request, CALL_NOT_FOUND, "reservation %.63s %s", view->id,
                        view->over ? "is over" : "is not reserved");
        return false;
    }
    bool alone =
      !participant_made_by (self->parts.participant, view->id, &plan) || is_alone (&plan);
    plan_clear (&plan);
    bool good = alone && plus_bookings_read (old, view->part) && old->count > 0;
    if (!good)
        service_refuse (service, request, CALL_BAD_REQUEST,
                        "reservation %.63s was made for several needs or sites: use musubi modify, "
                        "musubi release",
                        view->id);
    return good;
}

static void change (plus_t *self, const moment_t *now, const request_t *request,
                    const plus_wish_t *wish, operation_t operation)
{
    service_t *service = self->parts.service;
    const room_t *room = self->parts.room;
    reservation_view_t view;
    const created_t *created;
    plus_bookings_t old;
    plus_bookings_t next = {.count = 0};
    char why [WHY_BYTES];
    verb_t verb = operation == OPERATION_RELEASE ? VERB_RELEASE : VERB_MODIFY;
    if (!begin (self, request, wish->reservation, verb, &view, &created) ||
        !read_booked (self, request, &view, &old))
        return;
    if (operation == OPERATION_MODIFY) {
        const node_class_t *class = site_class (self->parts.site, old.list [0].class_name);
        int64_t turn_ms = room_soonest_ms (room, now) + TURN_MS;
        if (!class || !plus_bookings_change (&next, &old, class, wish, room_now_ms (room, now),
                                             turn_ms, why)) {
            service_refuse (service, request, CALL_BAD_REQUEST, "%s",
                            class ? why : "its class is not offered any more");
            return;
        }
    }
    hold_t hold = {.plan = {.operation = operation, .base_version = view.version}};
    snprintf (hold.plan.reservation, sizeof hold.plan.reservation, "%s", wish->reservation);
    snprintf (hold.plan.owner, sizeof hold.plan.owner, "%s", view.owner);
    plan_fill (self, now, request, &hold, &old, &next);
    take (self, now, request, &hold);
    hold_clear (&hold);
}

static void change_asked (plus_t *self, const moment_t *now, const request_t *request,
                          const plus_wish_t *wish, operation_t operation)
{
    const asked_t *asked;
    if (asked_before (self, request, &asked)) {
        if (asked)
            (void) tell_command (self, now, request, &asked->asked.command);
        return;
    }
    if (asked_room (self, request))
        change (self, now, request, wish, operation);
}

static void on_modify (void *owner, const moment_t *now, const request_t *request)
{
    plus_t *self = owner;
    plus_wish_t wish;
    char why [WHY_BYTES];
    if (plus_modify_decode (request->body, &wish, why))
        change_asked (self, now, request, &wish, OPERATION_MODIFY);
    else
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST, "%s", why);
}

static void on_release (void *owner, const moment_t *now, const request_t *request)
{
    plus_t *self = owner;
    plus_wish_t wish;
    char why [WHY_BYTES];
    if (plus_release_decode (request->body, &wish, why))
        change_asked (self, now, request, &wish, OPERATION_RELEASE);
    else
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST, "%s", why);
}

/*  --- Reservation.Properties --- */

static void command_of (plus_t *self, const moment_t *now, plus_properties_t *told)
{
    txid_t txid;
    char actor [NAME_BYTES_MAX + 1];
    told->pending = participant_pending (self->parts.participant, told->reservation, &txid);
    if (told->pending)
        told->command = participant_local_state (self->parts.participant, now, &txid, actor,
                                                 &told->waits_until_ms);
}

static plus_state_t state_of (const reservation_view_t *view, const plus_properties_t *told,
                              int64_t now_ms)
{
    if (view->version == 0)
        return PLUS_CREATED;
    if (view->over || now_ms >= told->until_ms)
        return PLUS_RELEASED;
    return now_ms < told->from_ms ? PLUS_RESERVED : PLUS_ACTIVATED;
}

static void properties_of (plus_t *self, const moment_t *now, const reservation_view_t *view,
                           plus_properties_t *told)
{
    plus_bookings_t booked = {.count = 0};
    *told = (plus_properties_t){.state = PLUS_CREATED};
    snprintf (told->reservation, sizeof told->reservation, "%s", view->id);
    snprintf (told->owner, sizeof told->owner, "%s", view->owner);
    if (plus_bookings_read (&booked, view->part) && booked.count > 0) {
        const compute_booking_t *last = &booked.list [booked.count - 1];
        told->from_ms = booked.list [0].from_ms;
        told->until_ms = last->until_ms;
        told->nodes = last->nodes;
        for (size_t i = 0; i < booked.count; i++)
            if (booked.list [i].until_ms > now->wall_ms) {
                told->nodes = booked.list [i].nodes;
                break;
            }
        snprintf (told->class_name, sizeof told->class_name, "%s", last->class_name);
    }
    told->state = state_of (view, told, now->wall_ms);
    command_of (self, now, told);
}

/*  Of created and known ones together, the first id after that one; false at the end. */
static bool next_of_all (const plus_t *self, const char *after, reservation_view_t *view)
{
    created_t key;
    created_key (&key, after);
    const created_t *created = ordered_after (self->created, &key);
    bool known = participant_next (self->parts.participant, *after ? after : NULL, view);
    if (created && (!known || strcmp (created_id (created), view->id) < 0)) {
        *view = (reservation_view_t){.id = created_id (created), .owner = created->owner};
        known = true;
    }
    return known;
}

static bool visible (const plus_t *self, const request_t *request, const char *owner)
{
    return may (self->parts.access, VERB_SHOW, request->actor, request->actor, owner);
}

static void tell_one (plus_t *self, const moment_t *now, const request_t *request,
                      const char *reservation)
{
    reservation_view_t view;
    const created_t *created = created_find (self, reservation);
    bool known = participant_find (self->parts.participant, reservation, &view);
    if (!known && created) {
        view = (reservation_view_t){.id = created_id (created), .owner = created->owner};
        known = true;
    }
    if (!known || !visible (self, request, view.owner)) {
        service_refuse (self->parts.service, request, CALL_NOT_FOUND,
                        "reservation %.63s is not known here, or not yours", reservation);
        return;
    }
    plus_properties_t told;
    properties_of (self, now, &view, &told);
    reply (self, request, plus_properties_encode (&told, 1, false));
}

static void on_properties (void *owner, const moment_t *now, const request_t *request)
{
    plus_t *self = owner;
    plus_question_t question;
    char why [WHY_BYTES];
    if (!plus_properties_decode (request->body, &question, why)) {
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (*question.reservation) {
        tell_one (self, now, request, question.reservation);
        return;
    }
    size_t most = question.most > 0 && question.most < self->limits.list_max
                    ? question.most
                    : self->limits.list_max;
    plus_properties_t *list = must (calloc (most + 1, sizeof *list));
    size_t count = 0;
    bool more = false;
    reservation_view_t view;
    char after [NAME_BYTES_MAX + 1];
    snprintf (after, sizeof after, "%s", question.after);
    while (!more && next_of_all (self, after, &view)) {
        snprintf (after, sizeof after, "%s", view.id);
        more = count == most;
        if (!more && visible (self, request, view.owner))
            properties_of (self, now, &view, &list [count++]);
    }
    reply (self, request, plus_properties_encode (list, count, more));
    free (list);
}

/*  --- Command --- */

static bool command_begin (plus_t *self, const moment_t *now, const request_t *request,
                           txid_t *command)
{
    service_t *service = self->parts.service;
    char why [WHY_BYTES];
    char text [TXID_TEXT_BYTES];
    char actor [NAME_BYTES_MAX + 1];
    int64_t expires_ms;
    if (!plus_command_decode (request->body, command, why)) {
        service_refuse (service, request, CALL_BAD_REQUEST, "%s", why);
        return false;
    }
    bool own = memcmp (command->store, service->store.id, STORE_ID_BYTES) == 0;
    command_answer_t answer = {.state = COMMAND_UNKNOWN};
    if (own)
        answer =
          participant_local_state (self->parts.participant, now, command, actor, &expires_ms);
    if (answer.state == COMMAND_UNKNOWN)
        service_refuse (service, request, CALL_NOT_FOUND, "command %s is not known here",
                        txid_text (command, text));
    else if (!may (self->parts.access, VERB_MODIFY, "planner/plus", request->actor, actor))
        service_refuse (service, request, CALL_DENIED, "command %s is not yours",
                        txid_text (command, text));
    else
        return true;
    return false;
}

static void on_commit (void *owner, const moment_t *now, const request_t *request)
{
    plus_t *self = owner;
    txid_t command;
    command_answer_t answer;
    if (!command_begin (self, now, request, &command))
        return;
    participant_local_commit (self->parts.participant, now, &command, &answer);
    tell_answer (self, now, request, &answer);
}

static void on_abort (void *owner, const moment_t *now, const request_t *request)
{
    plus_t *self = owner;
    txid_t command;
    command_answer_t answer;
    if (!command_begin (self, now, request, &command))
        return;
    participant_local_abort (self->parts.participant, now, &command, &answer);
    tell_answer (self, now, request, &answer);
}

static void on_state (void *owner, const moment_t *now, const request_t *request)
{
    plus_t *self = owner;
    txid_t command;
    if (command_begin (self, now, request, &command))
        (void) tell_command (self, now, request, &command);
}

/*  --- its life --- */

static void sweep (void *owner, const moment_t *now, uint64_t token)
{
    plus_t *self = owner;
    (void) token;
    service_t *service = self->parts.service;
    reservation_view_t view;
    created_t *before = NULL;
    for (created_t *at = NULL; (at = ordered_after (self->created, before));) {
        bool known = participant_find (self->parts.participant, created_id (at), &view);
        bool over = known ? view.version > 0 : at->until_ms <= now->wall_ms;
        if (over)
            created_end (self, at);
        else
            before = at;
    }
    asked_t *last = NULL;
    for (asked_t *at = NULL; (at = ordered_after (self->asked, last));) {
        if (at->asked.asked_ms + self->limits.asked_ms > now->wall_ms) {
            last = at;
            continue;
        }
        outbox_delete (service->outbox, TABLE_PLUS,
                       (bytes_t){(const uint8_t *) at->key, at->key_size});
        ordered_remove (self->asked, at);
        free (at);
    }
    (void) timers_set (service->timers, now->mono_ms + SWEEP_MS, sweep, self, 0);
}

static void load_created (plus_t *self, bytes_t key, bytes_t value)
{
    char owner [NAME_BYTES_MAX + 1];
    char reservation [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES];
    int64_t created_ms;
    if (key.size < 2 || key.size > NAME_BYTES_MAX + 1 ||
        !plus_created_decode (value, owner, &created_ms, why)) {
        service_count (self->parts.service, "bad_records", 1);
        return;
    }
    snprintf (reservation, sizeof reservation, "%.*s", (int) key.size - 1,
              (const char *) key.data + 1);
    if (!created_find (self, reservation))
        (void) created_add (self, reservation, owner, created_ms);
}

static void load_asked (plus_t *self, bytes_t key, bytes_t value)
{
    char why [WHY_BYTES];
    asked_t *asked = must (calloc (1, sizeof *asked));
    bool good =
      key.size > 1 && key.size < KEY_BYTES && plus_asked_decode (value, &asked->asked, why);
    if (good) {
        memcpy (asked->key, key.data, key.size);
        asked->key_size = key.size;
        good = !ordered_find (self->asked, asked);
    }
    if (good) {
        ordered_add (self->asked, asked, asked);
    } else {
        service_count (self->parts.service, "bad_records", 1);
        free (asked);
    }
}

static void load (void *owner, bytes_t key, bytes_t value)
{
    plus_t *self = owner;
    if (key.size > 0 && key.data [0] == 'c')
        load_created (self, key, value);
    else
        load_asked (self, key, value);
}

static void start (void *owner, const moment_t *now)
{
    plus_t *self = owner;
    (void) timers_set (self->parts.service->timers, now->mono_ms + SWEEP_MS, sweep, self, 0);
}

plus_t *plus_new (const plus_parts_t *parts, const plus_limits_t *limits)
{
    assert (limits->wait_ms > 0 && limits->wait_ms <= PLUS_WAIT_MS_MAX);
    plus_t *self = must (calloc (1, sizeof *self));
    self->parts = *parts;
    self->limits = *limits;
    self->created = ordered_new (created_compare);
    self->asked = ordered_new (asked_compare);
    service_t *service = parts->service;
    service_serve (service, "Factory", "Create", on_create, self);
    service_serve (service, "Reservation", "Reserve", on_reserve, self);
    service_serve (service, "Reservation", "Modify", on_modify, self);
    service_serve (service, "Reservation", "Release", on_release, self);
    service_serve (service, "Reservation", "Properties", on_properties, self);
    service_serve (service, "Command", "Commit", on_commit, self);
    service_serve (service, "Command", "Abort", on_abort, self);
    service_serve (service, "Command", "State", on_state, self);
    service_load (service, TABLE_PLUS, load, self);
    service_at_start (service, start, self);
    return self;
}

void plus_destroy (plus_t **self_p)
{
    plus_t *self = *self_p;
    if (!self)
        return;
    for (created_t *at; (at = ordered_after (self->created, NULL));) {
        ordered_remove (self->created, at);
        free (at);
    }
    for (asked_t *at; (at = ordered_after (self->asked, NULL));) {
        ordered_remove (self->asked, at);
        free (at);
    }
    ordered_destroy (&self->created);
    ordered_destroy (&self->asked);
    free (self);
    *self_p = NULL;
}
