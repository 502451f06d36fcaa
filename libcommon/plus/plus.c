/*  plus - answers Factory and Command, and puts the parts together. */
#include "plus_state.h"

#include "access.h"
#include "codec_table.h"
#include "must.h"

#include "plus.pb-c.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const setting_t plus_rows [] = {
  SET_DURATION (plus_limits_t, wait_ms, "plus/wait", 15 * MS_MINUTE, MS_SECOND, PLUS_WAIT_MS_MAX,
                "how long a command of the PluS interface waits for its commit"),
  SET_FIXED (plus_limits_t, created_max, "plus/created_max", 10000),
  SET_FIXED (plus_limits_t, created_per_actor_max, "plus/created_per_actor_max", 1000),
  SET_FIXED (plus_limits_t, asked_max, "plus/asked_max", 100000),
  SET_FIXED (plus_limits_t, refused_max, "plus/refused_max", 20000),
};

static const void *plus_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    plus_limits_t *limits = settings;
    limits->asked_ms = MS_DAY;
    limits->list_max = 1000;
    limits->looks_max = 4096;
    return NULL;
}

const setting_table_t plus_table = SETTING_TABLE (plus_limits_t, plus_rows, plus_rule);

#define SWEEP_MS 30000

/*  --- answers --- */

static void plus_tell (plus_t *self, const request_t *request, const command_answer_t *answer,
                       int64_t waits_until_ms)
{
    plus_command_t command = plus_command_of (answer, waits_until_ms);
    service_reply (self->parts.service, request, codec_encode (&plus_command_codec, &command));
}

void plus_tell_command (plus_t *self, const moment_t *now, const request_t *request,
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
        return;
    }
    if (answer.state == COMMAND_EXPIRED)
        snprintf (answer.refusal.text, sizeof answer.refusal.text,
                  "the command was not committed in time (plus/wait)");
    if (*answer.refusal.text)
        answer.refusal.reason = REFUSAL_ENDED;
    plus_tell (self, request, &answer, expires_ms);
}

void plus_tell_answer (plus_t *self, const moment_t *now, const request_t *request,
                       command_answer_t *answer)
{
    char actor [NAME_BYTES_MAX + 1];
    int64_t expires_ms = 0;
    if (answer->state == COMMAND_HELD)
        (void) participant_local_state (self->parts.participant, now, &answer->txid, actor,
                                        &expires_ms);
    plus_tell (self, request, answer, expires_ms);
    codec_clear (&command_answer_codec, answer);
}

/*  --- Factory --- */

static bool create_allowed (plus_t *self, const request_t *request)
{
    service_t *service = self->parts.service;
    if (!may (self->parts.access, VERB_HOLD, "planner/plus", request->actor, request->actor))
        return service_refuse (service, request, CALL_DENIED, "%.63s has no account at this site",
                               request->actor);
    if (ordered_count (self->created) >= self->limits.created_max ||
        plus_created_by (self, request->actor) >= self->limits.created_per_actor_max)
        return service_refuse (service, request, CALL_OVERLOADED,
                               "too many reservations are created and not reserved yet: at most "
                               "%" PRIu32 ", and %" PRIu32 " of one actor",
                               self->limits.created_max, self->limits.created_per_actor_max);
    return plus_asked_room (self, request);
}

static void tell_created (service_t *service, const request_t *request, const char *reservation)
{
    Musubi__FactoryCreateAnswer answer = MUSUBI__FACTORY_CREATE_ANSWER__INIT;
    answer.reservation = (char *) reservation;
    service_reply (service, request, packed_of (&answer.base));
}

static void on_create (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) body;
    plus_t *self = owner;
    service_t *service = self->parts.service;
    const plus_request_entry_t *asked;
    if (plus_asked_before (self, request, &asked)) {
        if (asked)
            tell_created (service, request, asked->asked.reservation);
        return;
    }
    if (!create_allowed (self, request))
        return;
    char id [NAME_BYTES_MAX + 1];
    reservation_view_t view;
    do
        snprintf (id, sizeof id, "plus-%016" PRIx64, prng_next (&service->prng));
    while (ordered_find (self->created, id) ||
           participant_find (self->parts.participant, id, &view));
    plus_created_add (self, id, request->actor, now->wall_ms);
    plus_asked_keep (self, now, request, id, NULL);
    tell_created (service, request, id);
}

/*  --- Command --- */

static bool command_begin (plus_t *self, const moment_t *now, const request_t *request,
                           const txid_t *command)
{
    service_t *service = self->parts.service;
    char text [TXID_TEXT_BYTES];
    char actor [NAME_BYTES_MAX + 1];
    int64_t expires_ms;
    bool own = memcmp (command->store, service->store.id, STORE_ID_BYTES) == 0;
    command_answer_t answer = {.state = COMMAND_UNKNOWN};
    if (own && !participant_ready (self->parts.participant, request, command))
        return false;
    if (own)
        answer =
          participant_local_state (self->parts.participant, now, command, actor, &expires_ms);
    if (answer.state == COMMAND_UNKNOWN)
        service_refuse (service, request, CALL_NOT_FOUND, "command %s is not known here",
                        txid_text (command, text));
    else if (!may (self->parts.access, VERB_MODIFY, "planner/plus", request->actor, actor))
        service_refuse (service, request, CALL_DENIED, "command %s belongs to another actor",
                        txid_text (command, text));
    else
        return true;
    return false;
}

static void plus_on_decision (void *owner, const moment_t *now, const request_t *request,
                              void *body)
{
    plus_t *self = owner;
    const txid_t *command = body;
    command_answer_t answer;
    if (!command_begin (self, now, request, command))
        return;
    if (strcmp (request->method, "Commit") == 0)
        participant_local_commit (self->parts.participant, now, command, &answer);
    else
        participant_local_abort (self->parts.participant, now, command, &answer);
    plus_tell_answer (self, now, request, &answer);
}

static void plus_on_state (void *owner, const moment_t *now, const request_t *request, void *body)
{
    plus_t *self = owner;
    const txid_t *command = body;
    if (command_begin (self, now, request, command))
        plus_tell_command (self, now, request, command);
}

/*  --- its life --- */

static void plus_sweep (void *owner, const moment_t *now, uint64_t token)
{
    plus_t *self = owner;
    (void) token;
    plus_tables_sweep (self, now);
    (void) timers_set (self->parts.service->timers, now->mono_ms + SWEEP_MS, plus_sweep, self, 0);
}

static void plus_start (void *owner, const moment_t *now)
{
    plus_t *self = owner;
    (void) timers_set (self->parts.service->timers, now->mono_ms + SWEEP_MS, plus_sweep, self, 0);
}

plus_t *plus_new (const plus_parts_t *parts, const plus_limits_t *limits)
{
    assert (limits->wait_ms > 0 && limits->wait_ms <= PLUS_WAIT_MS_MAX);
    plus_t *self = must (calloc (1, sizeof *self));
    self->parts = *parts;
    self->limits = *limits;
    plus_tables_make (self);
    service_t *service = parts->service;
    service_serve (service, "Factory", "Create", &plus_create_codec, BEGINS, on_create, self);
    service_serve (service, "Reservation", "Reserve", &plus_reserve_codec, ALWAYS, plus_on_change,
                   self);
    service_serve (service, "Reservation", "Modify", &plus_modify_codec, ALWAYS, plus_on_change,
                   self);
    service_serve (service, "Reservation", "Release", &plus_release_codec, UNTIL_END,
                   plus_on_change, self);
    service_serve (service, "Reservation", "Properties", &plus_question_codec, ALWAYS,
                   plus_on_properties, self);
    service_serve (service, "Command", "Commit", &plus_handle_codec, ALWAYS, plus_on_decision,
                   self);
    service_serve (service, "Command", "Abort", &plus_handle_codec, ALWAYS, plus_on_decision, self);
    service_serve (service, "Command", "State", &plus_handle_codec, ALWAYS, plus_on_state, self);
    service_load (service, TABLE_PLUS, plus_tables_load, self);
    service_at_start (service, plus_start, self);
    return self;
}

void plus_destroy (plus_t **self_p)
{
    plus_t *self = *self_p;
    if (!self)
        return;
    plus_tables_destroy (self);
    free (self);
    *self_p = NULL;
}
