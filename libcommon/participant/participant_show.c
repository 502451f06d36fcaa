/*  participant_show - questions that change nothing: one reservation, a page of reservations, a
 *  page of commands.
 *
 *  A page ends when it is full, or when LOOKS_MAX records have been looked at for it, so that
 *  records that are hidden or not asked for never make a step long. next says where to go on.
 *
 *  Who owns a reservation and what it books is shown to its owner, to planners (which ask in their
 *  users' names and answer each user only about his own) and to administrators. Others see only
 *  that it exists, and its state.
 */
#include "access.h"
#include "must.h"
#include "participant_state.h"

#include <stdlib.h>
#include <string.h>

/*  The state as S3 defines it, which changes with time alone, too. */
static record_state_t participant_show_state_of (const moment_t *now,
                                                 const reservation_t *reservation)
{
    int64_t at_ms = now->wall_ms;
    if (reservation->version == 0)
        return RECORD_CREATED;
    if (reservation->failed)
        return RECORD_FAILED;
    if (reservation->released || !reservation->span.set || at_ms >= reservation->span.until_ms)
        return RECORD_RELEASED;
    return at_ms < reservation->span.from_ms ? RECORD_RESERVED : RECORD_ACTIVATED;
}

static part_view_t participant_show_view_of (participant_t *self, const moment_t *now, verb_t verb,
                                             const request_t *request,
                                             const reservation_t *reservation)
{
    const resource_t *resource = &self->resource;
    bool first = reservation->version == 0;
    bool shelved = !first && command_shelved (self, &reservation->made_by);
    return (part_view_t){
      .now = now,
      .usage = &resource->usage,
      .lacks = resource->lacks && resource->lacks (resource->owner, now, reservation->current),
      .whole = verb == VERB_SHOW,
      .participant = self->service->name,
      .reservation = reservation,
      .state = participant_show_state_of (now, reservation),
      .details = may (self->access, verb, request->actor, request->actor, reservation->owner),
      .by = first     ? reservation->pending
            : shelved ? NULL
                      : command_find (self, &reservation->made_by),
      .shelved = shelved,
    };
}

/*  Must the plan be read that made it? */
static bool view_wants (const part_view_t *view)
{
    return view->shelved && view->details;
}

static uint32_t page_size (const participant_t *self, uint32_t asked)
{
    return asked > 0 && asked < self->limits.list_max ? asked : self->limits.list_max;
}

void participant_on_show (void *owner, const moment_t *now, const request_t *request, void *body)
{
    participant_t *self = owner;
    const show_request_t *asked = body;
    page_t *page = page_new (1);
    bool ready = true;
    reservation_t *reservation = reservation_find (self, asked->reservation);
    if (reservation && reservation->pending) {
        command_age (reservation->pending, now);
        reservation = reservation_find (self, asked->reservation); /* it may have ended with it */
    }
    if (reservation) {
        part_view_t view = participant_show_view_of (self, now, VERB_SHOW, request, reservation);
        ready = !view_wants (&view) || reads_ready (self, request, &reservation->made_by, 1);
        if (ready)
            page_add_part (page, &view);
    }
    if (ready)
        service_reply (self->service, request, page_show_encode (page));
    page_destroy (&page);
}

/*  The records that are missing for a page. */
typedef struct {
    txid_t *txids;
    size_t count;
    size_t most;
} page_wants_t;

static page_wants_t page_wants (uint32_t most)
{
    size_t bound = most < PAGE_READS_MAX ? most : PAGE_READS_MAX;
    return (page_wants_t){.txids = must (malloc (bound * sizeof (txid_t))), .most = bound};
}

/*  False when the page ends before this record. After the first wait it is made of what is there,
 *  however often commands are shelved meanwhile. */
static bool page_want (const participant_t *self, page_wants_t *wants, int looks,
                       const txid_t *txid)
{
    if (wants->count == wants->most || (self->served_again && looks > 0))
        return false;
    wants->txids [wants->count++] = *txid;
    return true;
}

/*  As reads_ready; ends the wants. */
static bool page_ready (participant_t *self, const request_t *request, page_wants_t *wants)
{
    bool ready = reads_ready (self, request, wants->txids, wants->count);
    free (wants->txids);
    return ready;
}

static bool asked_for (const list_request_t *question, const part_view_t *view)
{
    const reservation_t *reservation = view->reservation;
    if (*question->owner && (!view->details || strcmp (question->owner, reservation->owner) != 0))
        return false;
    if (question->from_ms == 0 && question->until_ms == 0)
        return true;
    return reservation->span.set && reservation->span.from_ms < question->until_ms &&
           reservation->span.until_ms > question->from_ms;
}

void participant_on_list (void *owner, const moment_t *now, const request_t *request, void *body)
{
    participant_t *self = owner;
    const list_request_t *question = body;
    uint32_t most = page_size (self, question->most);
    page_t *page = page_new (most);
    page_wants_t wants = page_wants (most);
    const char *at = *question->after ? question->after : NULL;
    const reservation_t *reservation;
    for (int looks = 0; (reservation = ordered_after (self->reservations, at)); looks++) {
        part_view_t view = participant_show_view_of (self, now, VERB_LIST, request, reservation);
        bool asked = looks < LOOKS_MAX && asked_for (question, &view);
        if (looks == LOOKS_MAX ||
            (asked && view_wants (&view) &&
             !page_want (self, &wants, looks, &reservation->made_by)) ||
            (asked && !view_wants (&view) && !page_add_part (page, &view)))
            break;
        at = reservation->id;
    }
    if (page_ready (self, request, &wants))
        service_reply (self->service, request, page_list_encode (page, reservation ? at : NULL));
    page_destroy (&page);
}

static bool may_see (const participant_t *self, const request_t *request, const command_t *command)
{
    if (!command->actor)
        return false; /* a tombstone has nothing to tell */
    if (command->request && participant_is_home (request->actor)) {
        plan_t plan = command_plan (command);
        bool own = strcmp (plan.home, request->actor) == 0; /* it may have lost the claim (T2) */
        codec_clear (&plan_codec, &plan);
        if (own)
            return true;
    }
    return may (self->access, VERB_LIST, request->actor, request->actor, command->actor->name);
}

static void tell_command (participant_t *self, const request_t *request, const txid_t *txid)
{
    if (!reads_ready (self, request, txid, 1))
        return;
    page_t *page = page_new (1);
    const command_t *command = command_find (self, txid);
    if (command && may_see (self, request, command))
        page_add_command (page, command);
    service_reply (self->service, request, page_commands_encode (page, NULL));
    page_destroy (&page);
}

void participant_on_commands (void *owner, const moment_t *now, const request_t *request,
                              void *body)
{
    (void) now;
    participant_t *self = owner;
    const commands_request_t *question = body;
    if (question->only_set) {
        tell_command (self, request, &question->only);
        return;
    }
    uint32_t most = page_size (self, question->most);
    page_t *page = page_new (most);
    page_wants_t wants = page_wants (most);
    const txid_t *at = question->after_set ? &question->after : NULL;
    const shelved_t *shelved;
    command_t *command;
    for (int looks = 0; (shelved = shelf_next (self, at, &command)) || command; looks++) {
        if (looks == LOOKS_MAX || (shelved && !page_want (self, &wants, looks, &shelved->txid)) ||
            (!shelved && may_see (self, request, command) && !page_add_command (page, command)))
            break;
        at = shelved ? &shelved->txid : &command->txid;
    }
    if (page_ready (self, request, &wants))
        service_reply (self->service, request,
                       page_commands_encode (page, shelved || command ? at : NULL));
    page_destroy (&page);
}
