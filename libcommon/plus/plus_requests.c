/*  plus_requests - keeps reservations that are created and not reserved yet, and requests that were
 *  answered. */
#include "plus_state.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int plus_requests_key_compare (const void *key, const void *thing)
{
    const plus_key_t *a = key;
    const plus_key_t *b = thing;
    int order = memcmp (a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static bytes_t plus_requests_key_bytes (const plus_key_t *key)
{
    return (bytes_t){key->bytes, key->size};
}

static plus_key_t created_key (const char *reservation)
{
    plus_key_t key;
    key.size = (size_t) snprintf ((char *) key.bytes, sizeof key.bytes, "c%s", reservation);
    return key;
}

static plus_key_t asked_key (const request_t *request)
{
    plus_key_t key;
    char *text = (char *) key.bytes;
    snprintf (text, sizeof key.bytes, "q%.*s", NAME_BYTES_MAX, request->actor);
    size_t id = strlen (text) + 1;
    snprintf (text + id, sizeof key.bytes - id, "%.*s", REQUEST_ID_BYTES_MAX, request->request_id);
    key.size = id + strlen (text + id);
    return key;
}

static void created_end (plus_t *self, created_t *created)
{
    plus_key_t key = created_key (created->id);
    outbox_delete (self->parts.service->outbox, TABLE_PLUS, plus_requests_key_bytes (&key));
    free (ordered_remove (self->created, created->id));
}

static created_t *created_new (plus_t *self, const char *reservation, const plus_created_t *kept)
{
    created_t *created = must (calloc (1, sizeof *created));
    snprintf (created->id, sizeof created->id, "%s", reservation);
    created->kept = *kept;
    ordered_add (self->created, created->id, created);
    return created;
}

static void created_put (plus_t *self, const created_t *created)
{
    plus_key_t key = created_key (created->id);
    service_put (self->parts.service, TABLE_PLUS, plus_requests_key_bytes (&key),
                 codec_encode (&plus_created_codec, &created->kept));
}

void plus_created_add (plus_t *self, const char *reservation, const char *owner, int64_t now_ms)
{
    plus_created_t kept = {.until_ms = now_ms + self->limits.wait_ms};
    snprintf (kept.owner, sizeof kept.owner, "%s", owner);
    created_put (self, created_new (self, reservation, &kept));
}

void plus_created_prolong (plus_t *self, const char *reservation, int64_t from_ms)
{
    created_t *created = ordered_find (self->created, reservation);
    if (!created)
        return;
    created->kept.until_ms = from_ms + self->limits.wait_ms;
    created_put (self, created);
}

size_t plus_created_by (const plus_t *self, const char *actor)
{
    size_t count = 0;
    const created_t *at = ordered_after (self->created, NULL);
    for (; at; at = ordered_after (self->created, at->id))
        count += strcmp (at->kept.owner, actor) == 0;
    return count;
}

/*  --- what was asked before (R9) --- */

static void asked_add (plus_t *self, plus_request_entry_t *asked)
{
    ordered_add (self->asked, asked, asked);
    self->refused += asked->asked.refusal.size > 0;
}

static void asked_end (plus_t *self, plus_request_entry_t *asked)
{
    ordered_remove (self->asked, asked);
    self->refused -= asked->asked.refusal.size > 0;
    free (asked->asked.refusal.data);
    free (asked);
}

static void tell_refusal (plus_t *self, const request_t *request, const plus_asked_t *asked)
{
    if (asked->status == CALL_OK)
        outbox_reply (self->parts.service->outbox, request->reply_to,
                      packed_bytes (asked->refusal));
    else
        service_refuse (self->parts.service, request, asked->status, "%.*s",
                        (int) asked->refusal.size, (const char *) asked->refusal.data);
}

bool plus_asked_before (plus_t *self, const request_t *request, const plus_request_entry_t **asked)
{
    uint8_t digest [DIGEST_BYTES];
    *asked = NULL;
    if (!*request->request_id)
        return false;
    plus_key_t key = asked_key (request);
    const plus_request_entry_t *found = ordered_find (self->asked, &key);
    if (!found)
        return false;
    plus_digest (request->method, request->body, digest);
    bool same = memcmp (digest, found->asked.digest, DIGEST_BYTES) == 0;
    if (same && found->asked.refusal.size == 0)
        *asked = found;
    else if (same)
        tell_refusal (self, request, &found->asked);
    else
        service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                        "request id %.64s was used for another request; give this one another id",
                        request->request_id);
    return true;
}

bool plus_asked_room (plus_t *self, const request_t *request)
{
    if (!*request->request_id ||
        ordered_count (self->asked) - self->refused < self->limits.asked_max)
        return true;
    return service_refuse (self->parts.service, request, CALL_OVERLOADED,
                           "the site keeps %" PRIu32
                           " request ids already, its most; ask without one, or later",
                           self->limits.asked_max);
}

/*  Keeps what became of a request, as like says, and takes over the refusal in like. */
static void plus_requests_keep (plus_t *self, const moment_t *now, const request_t *request,
                                const char *reservation, const plus_asked_t *like)
{
    plus_request_entry_t *asked = must (calloc (1, sizeof *asked));
    assert (like->refusal.size <= PLUS_REFUSAL_BYTES_MAX);
    asked->asked = *like;
    asked->key = asked_key (request);
    plus_digest (request->method, request->body, asked->asked.digest);
    snprintf (asked->asked.reservation, sizeof asked->asked.reservation, "%s", reservation);
    asked->asked.asked_ms = now->wall_ms;
    asked_add (self, asked);
    service_put (self->parts.service, TABLE_PLUS, plus_requests_key_bytes (&asked->key),
                 codec_encode (&plus_asked_codec, &asked->asked));
}

void plus_asked_keep (plus_t *self, const moment_t *now, const request_t *request,
                      const char *reservation, const txid_t *command)
{
    if (*request->request_id)
        plus_requests_keep (self, now, request, reservation,
                            &(plus_asked_t){.command = command ? *command : (txid_t){.start = 0}});
}

/*  Sends a refusal, keeps it if there is room, and takes it over. why: its words. */
static void plus_requests_refuse (plus_t *self, const moment_t *now, const request_t *request,
                                  const char *reservation, plus_asked_t refused, const char *why)
{
    bool named = *request->request_id != '\0';
    bool room = now->store_free_bytes >= now->store_bytes / PLUS_RESERVE_PARTS;
    if (named && (!room || self->refused >= self->limits.refused_max)) {
        service_refuse (self->parts.service, request, CALL_OVERLOADED,
                        "%s, so this refusal is not kept: %s",
                        room ? "the site keeps as many refusals as it can"
                             : "store/bytes: the store is nearly full",
                        why);
        free (refused.refusal.data);
        return;
    }
    tell_refusal (self, request, &refused);
    if (named)
        plus_requests_keep (self, now, request, reservation, &refused);
    else
        free (refused.refusal.data);
}

void plus_refuse (plus_t *self, const moment_t *now, const request_t *request,
                  const char *reservation, call_status_t status, const char *format, ...)
{
    char why [512];
    format_rest (why, sizeof why, format);
    packed_t words = {.data = must ((uint8_t *) strdup (why)), .size = strlen (why)};
    plus_requests_refuse (self, now, request, reservation,
                          (plus_asked_t){.refusal = words, .status = status}, why);
}

void plus_refuse_command (plus_t *self, const moment_t *now, const request_t *request,
                          const char *reservation, command_answer_t *answer)
{
    if (answer->refusal.reason == REFUSAL_STORE_FULL) {
        service_refuse (self->parts.service, request, CALL_OVERLOADED, "store/bytes: %s",
                        answer->refusal.text);
    } else {
        plus_command_t command = plus_command_of (answer, 0);
        plus_requests_refuse (
          self, now, request, reservation,
          (plus_asked_t){.refusal = codec_encode (&plus_command_codec, &command)},
          answer->refusal.text);
    }
    codec_clear (&command_answer_codec, answer);
}

/*  --- both tables --- */

static void sweep_created (plus_t *self, const moment_t *now)
{
    reservation_view_t view;
    const char *before = NULL;
    for (created_t *at; (at = ordered_after (self->created, before));) {
        bool known = participant_find (self->parts.participant, at->id, &view);
        bool over = known ? view.version > 0 : at->kept.until_ms <= now->wall_ms;
        if (over)
            created_end (self, at);
        else
            before = at->id;
    }
}

static void sweep_asked (plus_t *self, const moment_t *now)
{
    plus_request_entry_t *last = NULL;
    for (plus_request_entry_t *at = NULL; (at = ordered_after (self->asked, last));) {
        if (at->asked.asked_ms + self->limits.asked_ms > now->wall_ms) {
            last = at;
            continue;
        }
        outbox_delete (self->parts.service->outbox, TABLE_PLUS, plus_requests_key_bytes (&at->key));
        asked_end (self, at);
    }
}

void plus_tables_sweep (plus_t *self, const moment_t *now)
{
    sweep_created (self, now);
    sweep_asked (self, now);
}

static void load_created (plus_t *self, bytes_t key, bytes_t value)
{
    plus_created_t kept;
    char reservation [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "its key is malformed";
    if (key.size < 2 || key.size > NAME_BYTES_MAX + 1 ||
        !codec_decode (&plus_created_codec, &kept, value, why)) {
        service_bad_record (self->parts.service, "plus", why);
        return;
    }
    snprintf (reservation, sizeof reservation, "%.*s", (int) key.size - 1,
              (const char *) key.data + 1);
    if (!ordered_find (self->created, reservation))
        (void) created_new (self, reservation, &kept);
}

static void load_asked (plus_t *self, bytes_t key, bytes_t value)
{
    char why [WHY_BYTES] = "its key is malformed, or another record has it";
    plus_request_entry_t *asked = must (calloc (1, sizeof *asked));
    bool good = key.size > 1 && key.size < PLUS_KEY_BYTES &&
                codec_decode (&plus_asked_codec, &asked->asked, value, why);
    if (good) {
        memcpy (asked->key.bytes, key.data, key.size);
        asked->key.size = key.size;
        good = !ordered_find (self->asked, asked);
    }
    if (good) {
        asked_add (self, asked);
    } else {
        service_bad_record (self->parts.service, "plus", why);
        free (asked->asked.refusal.data);
        free (asked);
    }
}

void plus_tables_load (void *owner, bytes_t key, bytes_t value)
{
    plus_t *self = owner;
    if (key.size > 0 && key.data [0] == 'c')
        load_created (self, key, value);
    else
        load_asked (self, key, value);
}

void plus_tables_make (plus_t *self)
{
    self->created = ordered_by_text (offsetof (created_t, id));
    self->asked = ordered_new (plus_requests_key_compare);
}

void plus_tables_destroy (plus_t *self)
{
    for (plus_request_entry_t *at; (at = ordered_after (self->asked, NULL));)
        asked_end (self, at);
    ordered_end (&self->created, free);
    ordered_destroy (&self->asked);
}
