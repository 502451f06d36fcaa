/*  chain_nodes - what storage nodes say and are told.
 *
 *  A question is answered at once when what the node should know is not what it was told last and
 *  says to have carried out; else it waits for such a change, at most attend_ms. So whoever starts
 *  anew, here or there, is told everything. Nothing is concluded from what a question leaves out.
 */
#include "chain_state.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- places --- */

place_t *chain_place (const chain_t *self, const char *name)
{
    for (size_t i = 0; i < self->places_count; i++)
        if (strcmp (self->places [i]->name, name) == 0)
            return self->places [i];
    return NULL;
}

static place_t *place_new (chain_t *self, const char *name, bool configured)
{
    if (self->places_count == self->places_room) {
        self->places_room = self->places_room ? 2 * self->places_room : 16;
        self->places = must (realloc (self->places, self->places_room * sizeof *self->places));
    }
    place_t *place = must (calloc (1, sizeof *place));
    snprintf (place->name, sizeof place->name, "%s", name);
    place->configured = configured;
    place->guest = !configured;
    self->places [self->places_count++] = place;
    return place;
}

static void place_free (place_t *place)
{
    chain_files_end (place);
    free (place->told.data);
    free (place);
}

static void move (chain_t *self, const moment_t *now, place_t *place, chain_node_state_t state)
{
    static const char *const words [] = {"awaited", "up", "silent", "lost"};
    if (place->state == state)
        return;
    outbox_log (self->service->outbox, LEVEL_INFO, "storage node %s %s->%s", place->name,
                words [place->state], words [state]);
    place->state = state;
    told_t told = {.kind = TOLD_NODE};
    memcpy (told.node, place->name, sizeof told.node);
    chain_tell (self, now, &told);
}

/*  --- silence --- */

static void on_silence (void *owner, const moment_t *now, uint64_t token);

static void silence_watch (chain_t *self, place_t *place)
{
    timers_cancel (self->service->timers, place->silence);
    place->silence = 0;
    if (place->state == CHAIN_NODE_LOST)
        return;
    int64_t after_ms =
      place->state == CHAIN_NODE_UP ? self->limits.silent_ms : self->limits.lost_ms;
    place->silence = timers_set (self->service->timers, place->heard_ms + after_ms, on_silence,
                                 self, (uint64_t) (uintptr_t) place);
}

static void lose (chain_t *self, const moment_t *now, place_t *place)
{
    char why [CHAIN_WHY_BYTES_MAX + 1];
    snprintf (why, sizeof why, "node %s was not heard for %" PRId64 " s", place->name,
              (now->mono_ms - place->heard_ms) / 1000);
    move (self, now, place, CHAIN_NODE_LOST);
    chain_place_lost (self, now, place, why);
}

static void on_silence (void *owner, const moment_t *now, uint64_t token)
{
    chain_t *self = owner;
    place_t *place = (place_t *) (uintptr_t) token;
    place->silence = 0;
    int64_t quiet_ms = now->mono_ms - place->heard_ms;
    if (quiet_ms >= self->limits.lost_ms)
        lose (self, now, place);
    else if (quiet_ms >= self->limits.silent_ms && place->state == CHAIN_NODE_UP)
        move (self, now, place, CHAIN_NODE_SILENT);
    silence_watch (self, place);
}

/*  Guests that are not heard any more make room for others. */
static void guests_purge (chain_t *self)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->places_count; i++) {
        place_t *place = self->places [i];
        if (!place->guest || place->state != CHAIN_NODE_LOST) {
            self->places [kept++] = place;
            continue;
        }
        timers_cancel (self->service->timers, place->patience);
        timers_cancel (self->service->timers, place->silence);
        place_free (place);
    }
    self->places_count = kept;
}

place_t *chain_guest (chain_t *self, const moment_t *now, const char *name)
{
    guests_purge (self);
    place_t *place = place_new (self, name, false);
    place->heard_ms = now->mono_ms;
    silence_watch (self, place);
    return place;
}

/*  --- what a node should know --- */

static int by_id (const void *one, const void *other)
{
    const wanted_transfer_t *a = one, *b = other;
    return memcmp (a->id.bytes, b->id.bytes, CHAIN_ID_BYTES);
}

static void names_add (char (*names) [CHAIN_FILE_BYTES_MAX + 1], size_t *count, size_t most,
                       const char *name)
{
    if (*count < most)
        snprintf (names [(*count)++], sizeof *names, "%s", name);
}

/*  The answer, its number apart; the caller frees it. */
static packed_t wanted_now (chain_t *self, const moment_t *now, const place_t *place)
{
    storage_wanted_t wanted = {.files_seen = place->files_seen,
                               .attend_ms = self->limits.attend_ms,
                               .report_ms = self->limits.report_ms};
    const char *slash = strchr (self->service->name, '/');
    snprintf (wanted.site, sizeof wanted.site, "%s", slash ? slash + 1 : self->service->name);
    wanted.transfers = must (calloc (WANTED_MAX, sizeof *wanted.transfers));
    wanted.drops = must (calloc (DROPS_MAX, sizeof *wanted.drops));
    wanted.proves = must (calloc (PROVES_MAX, sizeof *wanted.proves));
    for (const transfer_t *transfer = chain_next (self, NULL);
         transfer && wanted.transfers_count < WANTED_MAX; transfer = chain_next (self, transfer))
        wanted.transfers_count +=
          chain_plan_for (self, now, transfer, place, &wanted.transfers [wanted.transfers_count]);
    qsort (wanted.transfers, wanted.transfers_count, sizeof *wanted.transfers, by_id);
    const site_file_t *file = place->files ? ordered_after (place->files, NULL) : NULL;
    for (; file; file = ordered_after (place->files, file->stored.file)) {
        if (file->drop)
            names_add (wanted.drops, &wanted.drops_count, DROPS_MAX, file->stored.file);
        if (file->prove)
            names_add (wanted.proves, &wanted.proves_count, PROVES_MAX, file->stored.file);
    }
    packed_t packed = codec_encode (&storage_wanted_codec, &wanted);
    codec_clear (&storage_wanted_codec, &wanted);
    return packed;
}

/*  --- answering --- */

/*  The last answer, with its number: fields of a message may come in any order. */
static void reply (chain_t *self, const place_t *place)
{
    storage_wanted_t number = {.number = place->told_number};
    packed_t head = codec_encode (&storage_wanted_codec, &number);
    uint8_t *body = must (malloc (head.size + place->told.size + 1));
    memcpy (body, head.data, head.size);
    if (place->told.size > 0)
        memcpy (body + head.size, place->told.data, place->told.size);
    outbox_reply (self->service->outbox, place->reply_to,
                  (bytes_t){.data = body, .size = head.size + place->told.size});
    free (body);
    free (head.data);
}

static void answer (chain_t *self, place_t *place, packed_t *content)
{
    assert (place->waits);
    free (place->told.data);
    place->told = *content;
    place->told_number = ++self->answers;
    reply (self, place);
    place->waits = false;
    timers_cancel (self->service->timers, place->patience);
    place->patience = 0;
}

static void on_patience (void *owner, const moment_t *now, uint64_t token)
{
    chain_t *self = owner;
    place_t *place = (place_t *) (uintptr_t) token;
    place->patience = 0;
    packed_t content = wanted_now (self, now, place);
    answer (self, place, &content);
}

static bool same (const packed_t *a, const packed_t *b)
{
    return a->size == b->size && (a->size == 0 || memcmp (a->data, b->data, a->size) == 0);
}

static void settle (chain_t *self, const moment_t *now, place_t *place)
{
    place->dirty = false;
    if (!place->waits)
        return;
    packed_t content = wanted_now (self, now, place);
    bool knows = place->told_number > 0 && place->seen == place->told_number;
    if (!knows || !same (&content, &place->told)) {
        answer (self, place, &content);
        return;
    }
    free (content.data);
    if (place->patience == 0)
        place->patience = timers_set (self->service->timers, now->mono_ms + self->limits.attend_ms,
                                      on_patience, self, (uint64_t) (uintptr_t) place);
}

void chain_nodes_settle (chain_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->places_count; i++)
        if (self->places [i]->dirty)
            settle (self, now, self->places [i]);
}

void chain_dirty_all (chain_t *self, const moment_t *now, const transfer_t *transfer)
{
    place_t *place;
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if ((place = chain_place (self, transfer->receivers [i].kept.node)))
            chain_dirty (self, now, place);
    for (size_t i = 0; i < transfer->kept.sources_count; i++)
        if ((place = chain_place (self, transfer->kept.sources [i].node)))
            chain_dirty (self, now, place);
}

/*  --- asking --- */

/*  Two agents under one name would both be told what is meant for one. */
static bool store_right (chain_t *self, const moment_t *now, const request_t *request,
                         const storage_attend_t *asked, const place_t *place)
{
    if (!place->came)
        return true;
    int64_t quiet_ms = now->mono_ms - place->heard_ms;
    if (memcmp (asked->store, place->kept.store, STORE_ID_BYTES) != 0) {
        bool taken = place->heard_ms == 0 || quiet_ms >= self->limits.silent_ms;
        if (!taken)
            service_refuse (self->service, request, CALL_DENIED,
                            "store: node %s has another agent, heard %" PRId64
                            " s ago; a new one is taken when that was silent for %u s",
                            asked->node, quiet_ms / 1000, self->limits.silent_ms / 1000);
        return taken;
    }
    if (asked->start < place->kept.start) {
        service_refuse (self->service, request, CALL_DENIED,
                        "start: %u, but this store of node %s has been started %u times: a "
                        "restored backup, or a late question",
                        asked->start, asked->node, place->kept.start);
        return false;
    }
    if (asked->start == place->kept.start && asked->number < place->asked) {
        service_refuse (self->service, request, CALL_BAD_REQUEST,
                        "number: a later question has been heard");
        return false;
    }
    return true;
}

/*  The place that the agent is awaited at; NULL: the request was refused. */
static place_t *place_for (chain_t *self, const moment_t *now, const request_t *request,
                           const storage_attend_t *asked)
{
    static const char kind [] = "storage/";
    place_t *place = chain_place (self, asked->node);
    if (strncmp (request->actor, kind, sizeof kind - 1) != 0 ||
        strcmp (request->actor + sizeof kind - 1, asked->node) != 0) {
        service_refuse (self->service, request, CALL_DENIED,
                        "storage node %s is attended by storage/%s alone, not by %s", asked->node,
                        asked->node, request->actor);
        return NULL;
    }
    if (!place && !asked->guest) {
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "node: %s has no storage node %s; its names are in its configuration",
                        self->service->name, asked->node);
        return NULL;
    }
    if (place && place->configured == asked->guest) {
        service_refuse (self->service, request, CALL_BAD_REQUEST, "guest: %s is %s name",
                        asked->node, place->configured ? "a storage node's" : "a guest's");
        return NULL;
    }
    if (!place && self->places_count >= CHAIN_NODES_MAX) {
        service_refuse (self->service, request, CALL_OVERLOADED, "nodes: at most %d",
                        CHAIN_NODES_MAX);
        return NULL;
    }
    return place ? place : chain_guest (self, now, asked->node);
}

static void place_store (chain_t *self, const place_t *place)
{
    service_put (self->service, TABLE_STORAGE_NODES,
                 (bytes_t){.data = (const uint8_t *) place->name, .size = strlen (place->name)},
                 codec_encode (&kept_node_codec, &place->kept));
}

/*  Another store, or another start of the one that is known: it tells all its files again. */
static void store_take (chain_t *self, const storage_attend_t *asked, place_t *place)
{
    bool other = memcmp (asked->store, place->kept.store, STORE_ID_BYTES) != 0;
    if (place->came && !other && asked->start == place->kept.start)
        return;
    place->came = true;
    memcpy (place->kept.store, asked->store, STORE_ID_BYTES);
    place->kept.start = asked->start;
    place->kept.guest = asked->guest;
    place->asked = 0;
    place->told_number = 0;
    chain_files_unsure (place);
    if (place->configured)
        place_store (self, place);
}

static void hear (chain_t *self, const moment_t *now, place_t *place, const storage_attend_t *asked)
{
    place->heard_ms = now->mono_ms;
    place->heard_wall_ms = now->wall_ms;
    place->bytes_max = asked->bytes_max;
    if (place->state != CHAIN_NODE_UP) {
        move (self, now, place, CHAIN_NODE_UP);
        silence_watch (self, place);
    }
    if (strcmp (place->data, asked->data) != 0) {
        memcpy (place->data, asked->data, sizeof place->data);
        chain_replan_all (self, now, place);
    }
}

/*  It is the question that waits from now on; one that waited was given up, or has come twice. */
static void wait_for (chain_t *self, const moment_t *now, const request_t *request, place_t *place)
{
    if (place->waits && place->told_number > 0)
        reply (self, place);
    else if (place->waits)
        outbox_refuse (self->service->outbox, place->reply_to, CALL_BAD_REQUEST,
                       "start: a later one has been heard");
    place->waits = true;
    place->reply_to = request->reply_to;
    chain_dirty (self, now, place);
}

static void attend (chain_t *self, const moment_t *now, const request_t *request,
                    const storage_attend_t *asked)
{
    place_t *place = place_for (self, now, request, asked);
    if (!place || !store_right (self, now, request, asked, place))
        return;
    store_take (self, asked, place);
    hear (self, now, place, asked);
    if (asked->number > place->asked) {
        place->asked = asked->number;
        place->seen = asked->seen;
        chain_files_take (self, now, place, asked);
        for (size_t i = 0; i < asked->receipts_count; i++)
            chain_receipt (self, now, place, &asked->receipts [i]);
    }
    wait_for (self, now, request, place);
}

static void on_attend (void *owner, const moment_t *now, const request_t *request)
{
    chain_t *self = owner;
    storage_attend_t asked;
    if (!service_decode (self->service, request, &storage_attend_codec, &asked))
        return;
    attend (self, now, request, &asked);
    codec_clear (&storage_attend_codec, &asked);
}

/*  --- life --- */

static void on_record (void *owner, bytes_t key, bytes_t value)
{
    chain_t *self = owner;
    char name [NAME_BYTES_MAX + 1], why [WHY_BYTES];
    snprintf (name, sizeof name, "%.*s", (int) (key.size < sizeof name ? key.size : 0),
              (const char *) key.data);
    place_t *place = chain_place (self, name);
    kept_node_t kept;
    if (!codec_decode (&kept_node_codec, &kept, value, why)) {
        service_bad_record (self->service, "storage nodes", why);
        return;
    }
    if (!place)
        return; /* not configured any more */
    place->kept = kept;
    place->came = true;
}

static void on_start (void *owner, const moment_t *now)
{
    chain_t *self = owner;
    for (size_t i = 0; i < self->places_count; i++) {
        self->places [i]->heard_ms = now->mono_ms;
        silence_watch (self, self->places [i]);
    }
}

void chain_nodes_init (chain_t *self, const chain_place_t *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        place_new (self, places [i].name, true);
    service_load (self->service, TABLE_STORAGE_NODES, on_record, self);
    service_at_start (self->service, on_start, self);
    service_serve (self->service, "Chain", "Attend", on_attend, self);
}

void chain_nodes_end (chain_t *self)
{
    for (size_t i = 0; i < self->places_count; i++)
        place_free (self->places [i]);
    free (self->places);
    self->places = NULL;
    self->places_count = 0;
}

size_t chain_nodes (const chain_t *self)
{
    return self->places_count;
}

chain_node_t chain_node_at (const chain_t *self, size_t node)
{
    assert (node < self->places_count);
    return chain_node_of (self, self->places [node]);
}

bool chain_node_find (const chain_t *self, const char *name, chain_node_t *node)
{
    const place_t *place = chain_place (self, name);
    if (place)
        *node = chain_node_of (self, place);
    return place;
}
