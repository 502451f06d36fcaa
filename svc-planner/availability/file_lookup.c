/*  file_lookup - sends the questions and takes in the answers. Needs for one file share a question.
 */
#include "file_lookup.h"

#include "file_questions.h"
#include "member.h"
#include "must.h"
#include "participant_ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char peer [NAME_BYTES_MAX + 1]; /* "index/i1", "replica/ams" */
    size_t file;                    /* where it is: asked of this one */
    uint64_t call;
    bool suspect; /* it is waited for only for a moment */
} file_question_t;

struct file_lookup {
    file_lookup_order_t order;
    file_question_t *questions;
    size_t questions_count;
    size_t questions_room;
    size_t waiting;
    bool sites_asked; /* where files are: the second round */
    file_lookup_done_fn *done;
    void *owner;
};

static const char *replica_site (const char *peer)
{
    return strncmp (peer, "replica/", 8) == 0 ? peer + 8 : NULL;
}

static bool asks_of_same (const file_lookup_t *self, size_t a, size_t b)
{
    return strcmp (self->order.files [a].name, self->order.files [b].name) == 0;
}

/*  The first need for this file: it asks for all of them. */
static size_t file_lookup_first (const file_lookup_t *self, size_t file)
{
    size_t first = 0;
    while (!asks_of_same (self, first, file))
        first++;
    return first;
}

static void file_lookup_ask (file_lookup_t *self, const moment_t *now, const char *peer,
                             size_t file, packed_t body, call_done_fn *done)
{
    const char *method = self->order.snapshot ? "Staging" : "Locate";
    if (self->questions_count == FILE_LOOKUP_ASKED_MAX) {
        self->order.files [file].unheard = true;
        free (body.data);
        return;
    }
    self->questions = must_grow (self->questions, self->questions_count, &self->questions_room,
                                 sizeof *self->questions);
    file_question_t *question = &self->questions [self->questions_count];
    *question = (file_question_t){
      .file = file, .suspect = unresponsive_has (self->order.unresponsive, now, peer)};
    snprintf (question->peer, sizeof question->peer, "%s", peer);
    int64_t try_ms = self->order.settings->try_ms;
    question->call = service_ask (
      self->order.service, now,
      &(call_order_t){.peer = peer,
                      .service = replica_site (peer) ? "Replica" : "ReplicaIndex",
                      .method = method,
                      .timeout_ms = question->suspect ? unresponsive_try_ms (try_ms) : try_ms,
                      .lasting = !question->suspect,
                      .tries_max = 1},
      body, done, self, self->questions_count);
    self->questions_count++;
    self->waiting++;
}

/*  Closes the question; false: it was not answered. */
static bool file_lookup_answered (file_lookup_t *self, const moment_t *now, size_t at,
                                  const call_result_t *result)
{
    file_question_t *question = &self->questions [at];
    question->call = 0;
    self->waiting--;
    if (result->status == CALL_OK || (result->status == CALL_TIMED_OUT && !question->suspect))
        unresponsive_judge (self->order.unresponsive, now, question->peer,
                            result->status != CALL_OK);
    return result->status == CALL_OK;
}

/*  --- where the files are --- */

/*  A place of the content that counts, or of one that was made earlier and counts from now on. */
static void heed_place (file_places_t *file, const file_place_t *place)
{
    bool same = file->known && memcmp (file->digest, place->content.digest, DIGEST_BYTES) == 0;
    if (place->sound == 0 || (file->known && !same && place->created_ms >= file->created_ms))
        return;
    for (size_t i = 0; !same && i < file->sites_count; i++)
        file->sites [i].has = false;
    if (!file->known || place->created_ms < file->created_ms)
        file->created_ms = place->created_ms;
    file->known = true;
    file->size = place->content.size;
    memcpy (file->digest, place->content.digest, DIGEST_BYTES);
    file_places_at (file, place->site)->has = true;
}

static void conclude_where (file_lookup_t *self)
{
    for (size_t f = 0; f < self->order.count; f++)
        self->order.files [f].nowhere =
          !self->order.files [f].known && !self->order.files [file_lookup_first (self, f)].unheard;
}

static void ask_where (file_lookup_t *self, const moment_t *now, const char *kind);

static void on_where (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    file_lookup_t *self = owner;
    size_t file = self->questions [token].file;
    const char *site = replica_site (self->questions [token].peer);
    places_told_t told = {.count = 0};
    char why [WHY_BYTES];
    bool good = file_lookup_answered (self, now, token, result) &&
                codec_decode (&places_told_codec, &told, result->body, why);
    if (!good && site)
        self->order.files [file].unheard = true;
    for (size_t i = 0; i < told.count; i++)
        for (size_t f = 0; f < self->order.count; f++)
            if (asks_of_same (self, f, file) && (!site || strcmp (told.places [i].site, site) == 0))
                heed_place (&self->order.files [f], &told.places [i]);
    codec_clear (&places_told_codec, &told);
    if (self->waiting == 0 && !self->sites_asked)
        ask_where (self, now, "replica");
    if (self->waiting > 0)
        return;
    conclude_where (self);
    self->done (self->owner, now);
}

/*  Asks all services of a kind about each file that is not known yet. */
static void ask_where (file_lookup_t *self, const moment_t *now, const char *kind)
{
    const directory_t *directory = directory_of (self->order.service);
    bool sites = strcmp (kind, "replica") == 0;
    self->sites_asked = sites;
    for (size_t f = 0; f < self->order.count; f++) {
        if (self->order.files [f].known || file_lookup_first (self, f) != f)
            continue;
        self->order.files [f].unheard = sites && !directory_known (directory);
        file_locate_t asked;
        memcpy (asked.name, self->order.files [f].name, sizeof asked.name);
        const directory_entry_t *entry = directory_next (directory, kind, NULL);
        for (; entry; entry = directory_next (directory, kind, entry))
            file_lookup_ask (self, now, entry->name, f, codec_encode (&locate_codec, &asked),
                             on_where);
    }
}

/*  --- how soon they could be at a site --- */

static void take_staging (file_places_t *file, const char *site, const staging_answer_t *told)
{
    file_site_t *place = file_places_at (file, site);
    free (place->staging.nodes);
    place->told = true;
    place->has = told->nodes_count > 0;
    place->staging = *told;
    place->staging.nodes = must_copy (told->nodes, told->nodes_count * sizeof *told->nodes);
}

static void on_staging (void *owner, const moment_t *now, uint64_t token,
                        const call_result_t *result)
{
    file_lookup_t *self = owner;
    const char *site = replica_site (self->questions [token].peer);
    staging_told_t told = {.count = 0};
    char why [WHY_BYTES];
    if (file_lookup_answered (self, now, token, result) &&
        !codec_decode (&staging_told_codec, &told, result->body, why))
        outbox_log (self->order.service->outbox, LEVEL_WARNING,
                    "replica/%s tells no staging why=%.200s", site, why);
    for (size_t i = 0; i < told.count; i++)
        for (size_t f = 0; f < self->order.count; f++)
            if (strcmp (self->order.files [f].name, told.files [i].name) == 0)
                take_staging (&self->order.files [f], site, &told.files [i]);
    codec_clear (&staging_told_codec, &told);
    if (self->waiting == 0)
        self->done (self->owner, now);
}

/*  One question for all files. The sites that have them are named: the site asked knows only its
 *  own. */
static packed_t staging_question (const file_lookup_t *self, const char *site)
{
    staging_asked_t asked = {.files = must (calloc (self->order.count, sizeof *asked.files))};
    for (size_t f = 0; f < self->order.count; f++) {
        const file_places_t *file = &self->order.files [f];
        if (file_lookup_first (self, f) != f)
            continue;
        staging_question_t *one = &asked.files [asked.count++];
        memcpy (one->name, file->name, sizeof one->name);
        one->size = file->size;
        one->sites = must (calloc (file->sites_count + 1, sizeof *one->sites));
        for (size_t s = 0; s < file->sites_count && one->sites_count < STAGING_SITES_MAX; s++)
            if (file->sites [s].has && strcmp (file->sites [s].site, site) != 0)
                memcpy (one->sites [one->sites_count++], file->sites [s].site, sizeof *one->sites);
    }
    packed_t body = codec_encode (&staging_asked_codec, &asked);
    codec_clear (&staging_asked_codec, &asked);
    return body;
}

static void ask_staging (file_lookup_t *self, const moment_t *now)
{
    const snapshot_t *snapshot = self->order.snapshot;
    for (size_t i = 0; i < snapshot->sources_count; i++) {
        const source_t *source = &snapshot->sources [i];
        const char *site = participant_ref_short_name (source->party.name);
        const file_site_t *known = file_places_find (&self->order.files [0], site);
        char peer [NAME_BYTES_MAX + 16];
        snprintf (peer, sizeof peer, "replica/%s", site);
        if (source->kind == SOURCE_SITE && !source->left_out && !(known && known->told) &&
            directory_find (directory_of (self->order.service), peer))
            file_lookup_ask (self, now, peer, 0, staging_question (self, site), on_staging);
    }
}

file_lookup_t *file_lookup_new (const file_lookup_order_t *order, const moment_t *now,
                                file_lookup_done_fn *done, void *owner)
{
    file_lookup_t *self = must (calloc (1, sizeof *self));
    *self = (file_lookup_t){.order = *order, .done = done, .owner = owner};
    if (order->snapshot) {
        ask_staging (self, now);
    } else {
        ask_where (self, now, "index");
        if (self->waiting == 0)
            ask_where (self, now, "replica");
    }
    if (self->waiting > 0)
        return self;
    if (!order->snapshot)
        conclude_where (self);
    file_lookup_destroy (&self);
    return self;
}

void file_lookup_destroy (file_lookup_t **self_p)
{
    file_lookup_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->questions_count; i++)
        calls_cancel (self->order.service->calls, self->questions [i].call);
    free (self->questions);
    free (self);
    *self_p = NULL;
}
