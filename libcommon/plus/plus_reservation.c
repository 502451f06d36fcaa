/*  plus_reservation - answers Reservation: holds each change as a command, and tells what a
 *  reservation is. */
#include "plus_state.h"

#include "access.h"
#include "codec_table.h"
#include "must.h"
#include "plus_bookings.h"

#include "plus.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  After its begin a reservation can have another quantity so long after the soonest start,
 *  which leaves time to commit. */
#define TURN_MS 30000

/*  The edge of a command (T9), with the site's lead. */
static int64_t edge_ms_of (const plus_t *self, const moment_t *now, const plus_bookings_t *old,
                           const plus_bookings_t *next)
{
    bool lacks;
    int64_t edge_ms = plus_bookings_edge (old, next, &lacks);
    if (lacks)
        edge_ms -= free_capacity_terms (self->parts.room)->lead_ms;
    int64_t now_ms =
      free_capacity_now_ms (self->parts.room, now); /* an edge in the past would be refused as
                                                       late */
    return edge_ms > now_ms ? edge_ms : now_ms + 1;
}

/*  Fills the plan and the part of a command; old: what the reservation has now. */
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
    participant_ref_t *party = &plan->participants [0];
    snprintf (party->name, sizeof party->name, "%s", service->name);
    snprintf (party->endpoint, sizeof party->endpoint, "%s", service->endpoint);
    memcpy (party->store, service->store.id, STORE_ID_BYTES);
    plan->coordinator = *party;
    (void) txid_planner (&plan->txid, plan->coordinator.name);
    snprintf (plan->actor, sizeof plan->actor, "%.*s", NAME_BYTES_MAX, request->actor);
    snprintf (plan->request_id, sizeof plan->request_id, "%.*s", REQUEST_ID_BYTES_MAX,
              request->request_id);
    plan->decide_by_ms = now->wall_ms + self->limits.wait_ms;
    plan->edge_ms = edge_ms_of (self, now, old, next);
    plan->end_ms = plus_bookings_end (old, next);
    if (next->count == 0)
        return;
    hold->part_kind = self->parts.reader.part_kind;
    packed_t part = plus_part_encode (hold->part_kind, next->list, next->count);
    hold->part = part.data;
    hold->part_size = part.size;
    packed_t kept = plus_request_encode (hold->part_kind, free_capacity_name (self->parts.room),
                                         next->list, next->count);
    plan->request = kept.data;
    plan->request_size = kept.size;
}

/*  How long the command waits for its commit: no longer than it could be committed. */
static uint32_t wait_of (const plus_t *self, const moment_t *now, const plan_t *plan)
{
    int64_t left_ms = plan->edge_ms - now->wall_ms;
    bool short_of = plan->operation != OPERATION_RELEASE && left_ms < self->limits.wait_ms;
    return (uint32_t) (short_of ? left_ms : self->limits.wait_ms);
}

/*  Holds the command and answers. */
static void plus_reservation_take (plus_t *self, const moment_t *now, const request_t *request,
                                   hold_t *hold)
{
    command_answer_t answer;
    char why [WHY_BYTES] = "";
    txid_t txid = hold->plan.txid;
    if (!participant_local_hold (self->parts.participant, now, hold,
                                 wait_of (self, now, &hold->plan), &answer, why)) {
        plus_refuse (self, now, request, hold->plan.reservation, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (answer.state != COMMAND_HELD) {
        plus_refuse_command (self, now, request, hold->plan.reservation, &answer);
        return;
    }
    plus_created_prolong (self, hold->plan.reservation, now->wall_ms + self->limits.wait_ms);
    plus_asked_keep (self, now, request, hold->plan.reservation, &txid);
    service_count (self->parts.service, "plus_commands", 1);
    plus_tell_answer (self, now, request, &answer);
}

/*  The resource that the wish names; without a name the first that has room, or else the first.
 *  NULL, with the request answered, if there is none. */
static const resource_offer_t *offer_for (plus_t *self, const moment_t *now,
                                          const request_t *request, const plus_wish_t *wish)
{
    const free_capacity_t *room = self->parts.room;
    size_t offers = free_capacity_offers (room);
    interval_t over = {wish->from_ms, wish->until_ms + free_capacity_terms (room)->gap_ms};
    for (size_t i = 0; i < offers; i++)
        if (*wish->resource ? strcmp (free_capacity_offer (room, i)->name, wish->resource) == 0
                            : free_capacity_least (room, i, over, NULL) >= (int64_t) wish->quantity)
            return free_capacity_offer (room, i);
    if (!*wish->resource && offers > 0)
        return free_capacity_offer (room, 0);
    plus_refuse (self, now, request, wish->reservation, CALL_NOT_FOUND,
                 "resource: this site has no %s %.63s", free_capacity_words (room)->resource,
                 wish->resource);
    return NULL;
}

/*  False, with the request answered, when that is more than can be counted: CPUs in 32 bits, bytes
 *  up to SPACE_BYTES_MAX. */
static bool countable (plus_t *self, const moment_t *now, const request_t *request,
                       const plus_wish_t *wish, const resource_offer_t *offer)
{
    uint64_t most = self->parts.reader.part_kind == PART_SPACE ? SPACE_BYTES_MAX / SPACE_UNIT
                                                               : UINT32_MAX / offer->unit;
    if (wish->quantity <= most)
        return true;
    plus_refuse (self, now, request, wish->reservation, CALL_BAD_REQUEST,
                 "quantity: more than a site can have");
    return false;
}

/*  Finds the reservation; false, with the request answered, if there is none or the actor may not
 *  change it. */
static bool plus_reservation_begin (plus_t *self, const request_t *request, const char *reservation,
                                    verb_t verb, reservation_view_t *view,
                                    const created_t **created)
{
    *created = ordered_find (self->created, reservation);
    bool known = participant_find (self->parts.participant, reservation, view);
    if (!known)
        *view = (reservation_view_t){.id = reservation};
    const char *owner = known ? view->owner : *created ? (*created)->kept.owner : NULL;
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

static void plus_reservation_reserve (plus_t *self, const moment_t *now, const request_t *request,
                                      const plus_wish_t *wish)
{
    reservation_view_t view;
    const created_t *created;
    if (!plus_reservation_begin (self, request, wish->reservation, VERB_MODIFY, &view, &created))
        return;
    if (view.version > 0) {
        plus_refuse (self, now, request, wish->reservation, CALL_BAD_REQUEST,
                     "reservation %.63s is reserved already: modify it, or create another",
                     wish->reservation);
        return;
    }
    const resource_offer_t *offer = offer_for (self, now, request, wish);
    if (!offer || !countable (self, now, request, wish, offer))
        return;
    plus_bookings_t old = {.count = 0};
    plus_bookings_t next;
    plus_bookings_new (&next, offer, wish);
    hold_t hold = {.plan = {.operation = OPERATION_RESERVE}};
    snprintf (hold.plan.reservation, sizeof hold.plan.reservation, "%s", wish->reservation);
    snprintf (hold.plan.owner, sizeof hold.plan.owner, "%s",
              created ? created->kept.owner : view.owner);
    plan_fill (self, now, request, &hold, &old, &next);
    plus_reservation_take (self, now, request, &hold);
    codec_clear (&hold_codec, &hold);
}

/*  Do only request homes vote on the plan, beside this site? */
static bool is_alone (const plan_t *plan)
{
    size_t others = 0;
    for (size_t i = 0; i < plan->participants_count; i++)
        others += strncmp (plan->participants [i].name, "gis/", 4) != 0;
    return others == 1;
}

/*  Reads what the reservation has; false, with the request answered, if this interface can't change
 *  that. */
static bool read_booked (plus_t *self, const moment_t *now, const request_t *request,
                         const reservation_view_t *view, plus_bookings_t *old)
{
    plan_t plan = {0};
    if (view->version > 0 && !view->over &&
        !participant_ready (self->parts.participant, request, &view->made_by))
        return false;
    if (view->version == 0 || view->over) {
        plus_refuse (self, now, request, view->id, CALL_NOT_FOUND, "reservation %.63s %s", view->id,
                     view->over ? "is over" : "is not reserved");
        return false;
    }
    bool alone =
      !participant_made_by (self->parts.participant, view->id, &plan) || is_alone (&plan);
    codec_clear (&plan_codec, &plan);
    bool good =
      alone && plus_bookings_read (old, &self->parts.reader, view->part) && old->count > 0;
    if (!good)
        plus_refuse (self, now, request, view->id, CALL_BAD_REQUEST,
                     "reservation %.63s has parts at other sites, or several needs: use musubi "
                     "modify or musubi release",
                     view->id);
    return good;
}

static void plus_reservation_change (plus_t *self, const moment_t *now, const request_t *request,
                                     const plus_wish_t *wish, operation_t operation)
{
    const free_capacity_t *room = self->parts.room;
    reservation_view_t view;
    const created_t *created;
    plus_bookings_t old;
    plus_bookings_t next = {.count = 0};
    char why [WHY_BYTES];
    verb_t verb = operation == OPERATION_RELEASE ? VERB_RELEASE : VERB_MODIFY;
    if (!plus_reservation_begin (self, request, wish->reservation, verb, &view, &created) ||
        !read_booked (self, now, request, &view, &old))
        return;
    if (operation == OPERATION_MODIFY) {
        size_t resource;
        const resource_offer_t *offer = free_capacity_find (room, old.list [0].resource, &resource)
                                          ? free_capacity_offer (room, resource)
                                          : NULL;
        int64_t turn_ms = free_capacity_soonest_ms (room, now) + TURN_MS;
        if (offer && !countable (self, now, request, wish, offer))
            return;
        if (!offer || !plus_bookings_change (&next, &old, offer, wish,
                                             free_capacity_now_ms (room, now), turn_ms, why)) {
            plus_refuse (self, now, request, wish->reservation, CALL_BAD_REQUEST, "%s",
                         offer ? why : "the site no longer offers what the reservation has");
            return;
        }
    }
    hold_t hold = {.plan = {.operation = operation, .base_version = view.version}};
    snprintf (hold.plan.reservation, sizeof hold.plan.reservation, "%s", wish->reservation);
    snprintf (hold.plan.owner, sizeof hold.plan.owner, "%s", view.owner);
    plan_fill (self, now, request, &hold, &old, &next);
    plus_reservation_take (self, now, request, &hold);
    codec_clear (&hold_codec, &hold);
}

/*  Answers a request that has come before as its command stands now; otherwise carries it out. */
void plus_on_change (void *owner, const moment_t *now, const request_t *request, void *body)
{
    plus_t *self = owner;
    const plus_wish_t *wish = body;
    const plus_request_entry_t *before;
    if (plus_asked_before (self, request, &before)) {
        if (before && participant_ready (self->parts.participant, request, &before->asked.command))
            plus_tell_command (self, now, request, &before->asked.command);
    } else if (plus_asked_room (self, request)) {
        if (strcmp (request->method, "Reserve") == 0)
            plus_reservation_reserve (self, now, request, wish);
        else
            plus_reservation_change (self, now, request, wish,
                                     strcmp (request->method, "Modify") == 0 ? OPERATION_MODIFY
                                                                             : OPERATION_RELEASE);
    }
}

/*  --- properties --- */

static char *copied (arena_t *arena, const char *text)
{
    return strcpy (arena_take (arena, strlen (text) + 1), text);
}

/*  Tells the command under way, and what it wants, if there is one. */
static void plus_reservation_command_of (plus_t *self, const moment_t *now,
                                         Musubi__PlusProperties *told, plus_bookings_t *wanted,
                                         arena_t *arena)
{
    participant_t *participant = self->parts.participant;
    txid_t txid;
    bytes_t part;
    char actor [NAME_BYTES_MAX + 1];
    int64_t waits_until_ms;
    wanted->count = 0;
    if (!participant_pending (participant, told->reservation, &txid, &part))
        return;
    command_answer_t answer =
      participant_local_state (participant, now, &txid, actor, &waits_until_ms);
    plus_command_t *command = arena_take (arena, sizeof *command);
    *command = plus_command_of (&answer, waits_until_ms);
    told->n_commands = 1;
    told->commands = arena_take (arena, sizeof *told->commands);
    told->commands [0] = codec_put (&plus_command_codec, command, arena);
    if (participant_pending (participant, told->reservation, &txid, &part)) /* it may be over by
                                                                               now */
        (void) plus_bookings_read (wanted, &self->parts.reader, part);
}

static Musubi__ReservationState plus_reservation_state_of (const reservation_view_t *view,
                                                           const Musubi__PlusProperties *told,
                                                           int64_t now_ms)
{
    if (view->version == 0)
        return MUSUBI__RESERVATION_STATE__CREATED;
    if (view->failed)
        return MUSUBI__RESERVATION_STATE__FAILED;
    if (view->over || now_ms >= told->until_ms)
        return MUSUBI__RESERVATION_STATE__RELEASED;
    return now_ms < told->from_ms ? MUSUBI__RESERVATION_STATE__RESERVED
                                  : MUSUBI__RESERVATION_STATE__ACTIVATED;
}

/*  Copies what it tells: asking for the state of a command may end it, and its reservation with
 *  it. */
static void properties_of (plus_t *self, const moment_t *now, const reservation_view_t *view,
                           Musubi__PlusProperties *told, arena_t *arena)
{
    plus_bookings_t booked;
    plus_bookings_t wanted;
    told->reservation = copied (arena, view->id);
    told->owner = copied (arena, view->owner);
    if (!plus_bookings_read (&booked, &self->parts.reader, view->part))
        booked.count = 0;
    plus_reservation_command_of (self, now, told, &wanted, arena);
    const plus_bookings_t *shown = view->version > 0 ? &booked : &wanted;
    if (shown->count > 0) {
        const admission_want_t *last = &shown->list [shown->count - 1];
        told->from_ms = shown->list [0].from_ms;
        told->until_ms = last->until_ms;
        told->quantity = last->quantity;
        for (size_t i = 0; i < shown->count; i++)
            if (shown->list [i].until_ms > now->wall_ms) {
                told->quantity = shown->list [i].quantity;
                break;
            }
        told->resource = copied (arena, last->resource);
    }
    told->state = plus_reservation_state_of (view, told, now->wall_ms);
}

/*  The next reservation after that id, created or known to the participant; false at the end. */
static bool next_of_all (const plus_t *self, const char *after, reservation_view_t *view)
{
    const created_t *created = ordered_after (self->created, after);
    bool known = participant_next (self->parts.participant, *after ? after : NULL, view);
    if (created && (!known || strcmp (created->id, view->id) < 0)) {
        *view = (reservation_view_t){.id = created->id, .owner = created->kept.owner};
        known = true;
    }
    return known;
}

static bool visible (const plus_t *self, const request_t *request, const char *owner)
{
    return may (self->parts.access, VERB_SHOW, request->actor, request->actor, owner);
}

/*  Tells one reservation; false, with the request refused, if there is none or the actor may not
 *  see it. */
static bool one_of (plus_t *self, const moment_t *now, const request_t *request,
                    const char *reservation, Musubi__PlusProperties *told, arena_t *arena)
{
    reservation_view_t view;
    const created_t *created = ordered_find (self->created, reservation);
    bool known = participant_find (self->parts.participant, reservation, &view);
    if (!known && created) {
        view = (reservation_view_t){.id = created->id, .owner = created->kept.owner};
        known = true;
    }
    if (!known || !visible (self, request, view.owner))
        return service_refuse (self->parts.service, request, CALL_NOT_FOUND,
                               "reservation %.63s is not known here, or not yours", reservation);
    properties_of (self, now, &view, told, arena);
    return true;
}

/*  Tells a page of the reservations that the actor may see. */
static void page_of (plus_t *self, const moment_t *now, const request_t *request,
                     plus_question_t *question, Musubi__PlusPropertiesAnswer *page, size_t most,
                     arena_t *arena)
{
    reservation_view_t view;
    char *after = question->after;
    for (size_t looks = 0; next_of_all (self, after, &view); looks++) {
        bool shown = visible (self, request, view.owner);
        page->more = looks == self->limits.looks_max || (shown && page->n_reservations == most);
        if (page->more)
            break;
        snprintf (after, sizeof question->after, "%s", view.id);
        if (shown)
            properties_of (self, now, &view, page->reservations [page->n_reservations++], arena);
    }
    if (page->more)
        page->next = after;
}

void plus_on_properties (void *owner, const moment_t *now, const request_t *request, void *body)
{
    plus_t *self = owner;
    plus_question_t *question = body;
    bool one = *question->reservation;
    size_t most = question->most > 0 && question->most < self->limits.list_max
                    ? question->most
                    : self->limits.list_max;
    ARENA (arena);
    Musubi__PlusPropertiesAnswer page = MUSUBI__PLUS_PROPERTIES_ANSWER__INIT;
    page.reservations =
      codec_messages (&musubi__plus_properties__descriptor, one ? 1 : most, &arena);
    page.n_reservations = one;
    if (!one)
        page_of (self, now, request, question, &page, most, &arena);
    if (!one || one_of (self, now, request, question->reservation, page.reservations [0], &arena))
        service_reply (self->parts.service, request, packed_of (&page.base));
}
