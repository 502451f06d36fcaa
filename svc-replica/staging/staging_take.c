/*  staging_take - outputs of tasks become files of the federation. Other sites are asked what the
 *  name stands for; then the node judges what lies there, and gives it its name.
 */
#include "member.h"
#include "staging.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  An output that is asked about. */
typedef struct {
    char key [ARRIVAL_PATH_BYTES_MAX + NAME_BYTES_MAX + 2]; /* node, newline, path */
    take_ins_t *taking;
    char name [FILE_NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    char owner [NAME_BYTES_MAX + 1];
    chain_arrival_t wanted;
    char home [NAME_BYTES_MAX + 1]; /* site that is to have it; "" = this one */
    bool is_home;
    int64_t came_ms;   /* monotonic: when it was known here and not at home; 0 = it was not */
    uint64_t question; /* what the name stands for elsewhere; 0 = that is known */
    int64_t asked_ms;  /* monotonic: when it was last asked about */
} take_in_t;

struct take_ins {
    fetcher_parts_t parts;
    const access_t *access;
    rules_t *rules;
    int64_t home_ms;
    ordered_t *outputs; /* by key */
    uint64_t timer;
};

static void output_free (take_in_t *output)
{
    locating_cancel (output->taking->parts.locating, output->question);
    ordered_remove (output->taking->outputs, output->key);
    free (output);
}

/*  The file that was put first is the one that counts. */
static void taking_on_located (void *owner, const moment_t *now, const file_copies_t *located)
{
    (void) now;
    take_in_t *output = owner;
    const file_t *file = catalogue_find (output->taking->parts.catalogue, output->name);
    const file_place_t *first = NULL;
    output->question = 0;
    for (size_t i = 0; i < located->count; i++) {
        const file_place_t *place = &located->places [i];
        if (!first || file_place_order (place, first) < 0)
            first = place;
        if (file && output->came_ms != 0 && strcmp (place->site, output->home) == 0 &&
            place->kept && place->sound > 0 && content_equal (&place->content, &file->content))
            output->is_home = true;
    }
    output->wanted.is_named = first;
    if (first)
        memcpy (output->wanted.named, first->content.digest, FILE_DIGEST_BYTES);
}

/*  How its node says that it stands, after it was told what is wanted now; NULL = its node has too
 *  many.
 */
static const chain_arrival_t *output_ask (const take_ins_t *self, const moment_t *now,
                                          take_in_t *output)
{
    const file_t *file = catalogue_find (self->parts.catalogue, output->name);
    chain_arrival_t wanted = output->wanted;
    const copy_t *copy = file_copy (file, output->node);
    wanted.have = file && file_copies (file, COPY_SOUND) > (copy && copy->state == COPY_SOUND);
    if (file && file->content.digest_known) {
        wanted.is_named = true;
        memcpy (wanted.named, file->content.digest, FILE_DIGEST_BYTES);
    }
    return chain_arrival (self->parts.chain, now, output->node, &wanted);
}

/*  May its home have it? Not if no svc-replica is known there. */
static bool home_takes (const take_ins_t *self, const take_in_t *output)
{
    char name [NAME_BYTES_MAX + 16];
    snprintf (name, sizeof name, "replica/%s", output->home);
    return *output->home && strcmp (output->home, self->parts.site) != 0 &&
           directory_of (self->parts.service) &&
           directory_find (directory_of (self->parts.service), name);
}

/*  It has come: whose it is, that it is kept, and where its home is, is noted with the catalogue's
 *  word. */
static bool output_known (const take_ins_t *self, const moment_t *now, const take_in_t *output,
                          const chain_arrival_t *arrival)
{
    const file_t *file = catalogue_find (self->parts.catalogue, output->name);
    if (output->is_home)
        return true;
    if (!file || file_copies (file, COPY_SOUND) == 0 ||
        !content_equal (&file->content, &arrival->content))
        return false;
    file_t wanted = *file;
    wanted.kept = true;
    if (!*file->owner && file->rule.copies == 0 && home_takes (self, output)) {
        wanted.rule = (replica_rule_t){.copies = 1};
        memcpy (wanted.rule.sites, output->home, sizeof output->home);
        rules_hurry (self->rules, now);
    }
    catalogue_want (self->parts.catalogue, &wanted);
    catalogue_own (self->parts.catalogue, output->name, output->owner, now->wall_ms);
    return true;
}

/*  It is over when its home keeps it; then the copy here is one that may be evicted. */
static staged_state_t output_home (take_ins_t *self, const moment_t *now, take_in_t *output,
                                   char why [STAGED_WHY_BYTES])
{
    const file_t *file = catalogue_find (self->parts.catalogue, output->name);
    if (!file || file->rule.copies != 1 || strcmp (file->rule.sites, output->home) != 0)
        return STAGED_READY;
    file_t wanted = *file;
    if (output->is_home) {
        wanted.kept = false;
        wanted.rule = (replica_rule_t){.copies = 0};
        catalogue_want (self->parts.catalogue, &wanted);
        return STAGED_READY;
    }
    if (output->came_ms == 0)
        output->came_ms = now->mono_ms;
    if (now->mono_ms - output->came_ms > self->home_ms) {
        outbox_log (self->parts.service->outbox, LEVEL_WARNING,
                    "output name=%s is not at home yet site=%s; its rule goes on", output->name,
                    output->home);
        return STAGED_READY;
    }
    output->question =
      locating_ask (self->parts.locating, now, output->name, true, taking_on_located, output);
    snprintf (why, STAGED_WHY_BYTES, "%.120s is on its way home to %.63s", output->name,
              output->home);
    return STAGED_COMING;
}

/*  What its node says that it has no room for may have it as soon as the cache has made it. A node
 *  that says so of room that is held for this output has not heard of that yet, or something is
 *  about to leave there, or its disk is smaller now: it is judged anew. */
static staged_state_t output_room (const take_ins_t *self, const moment_t *now, take_in_t *output,
                                   const chain_arrival_t *arrival, char why [WHY_BYTES])
{
    file_t wanted = {.content = arrival->content, .kept = true};
    memcpy (wanted.name, output->name, sizeof wanted.name);
    snprintf (why, WHY_BYTES, "disk full: room is awaited at %s", output->node);
    output->wanted.room = 0;
    (void) output_ask (self, now, output);
    cache_answer_t answer = cache_room_at (self->parts.cache, now, &wanted, output->node, why);
    if (answer == CACHE_READY) {
        output->wanted.room = wanted.content.size;
        (void) output_ask (self, now, output);
    }
    return answer == CACHE_FULL ? STAGED_LATE : STAGED_COMING;
}

static void output_tell (take_ins_t *self, const moment_t *now, take_in_t *output,
                         take_in_answer_t *answer)
{
    answer->state = STAGED_COMING;
    const chain_arrival_t *arrival = output->question == 0 ? output_ask (self, now, output) : NULL;
    if (!arrival)
        return;
    answer->size = arrival->content.size;
    answer->digest_known = arrival->content.digest_known;
    memcpy (answer->digest, arrival->content.digest, sizeof answer->digest);
    if (arrival->done && output_known (self, now, output, arrival)) {
        answer->state = output_home (self, now, output, answer->why);
    } else if (arrival->content.digest_known && strncmp (arrival->why, "disk full", 9) == 0) {
        answer->state = output_room (self, now, output, arrival, answer->why);
    } else if (*arrival->why) {
        answer->state = STAGED_LATE;
        snprintf (answer->why, sizeof answer->why, "%.120s: %.120s", output->name, arrival->why);
    }
    if (answer->state == STAGED_LATE && output->wanted.room > 0) { /* others may have the room */
        output->wanted.room = 0;
        (void) output_ask (self, now, output);
    }
}

static void taking_on_prune (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    take_ins_t *self = owner;
    take_in_t *output = ordered_after (self->outputs, NULL);
    for (take_in_t *next; output; output = next) {
        next = ordered_after (self->outputs, output->key);
        if (now->mono_ms - output->asked_ms < TAKING_KEEP_MS)
            continue;
        chain_arrival_end (self->parts.chain, now, output->node, output->wanted.path);
        output_free (output);
    }
    self->timer = ordered_count (self->outputs) > 0
                    ? timers_set (self->parts.service->timers, now->mono_ms + TAKING_KEEP_MS,
                                  taking_on_prune, self, 0)
                    : 0;
}

static take_in_t *output_new (take_ins_t *self, const moment_t *now, const char *key,
                              const take_in_question_t *question)
{
    take_in_t *output = must (calloc (1, sizeof *output));
    output->taking = self;
    snprintf (output->key, sizeof output->key, "%s", key);
    memcpy (output->name, question->name, sizeof output->name);
    memcpy (output->node, question->node, sizeof output->node);
    memcpy (output->owner, question->owner, sizeof output->owner);
    memcpy (output->home, question->home, sizeof output->home);
    snprintf (output->wanted.path, sizeof output->wanted.path, "%s", question->path);
    snprintf (output->wanted.file, sizeof output->wanted.file, "%s", question->name);
    ordered_add (self->outputs, output->key, output);
    output->question =
      locating_ask (self->parts.locating, now, output->name, true, taking_on_located, output);
    if (self->timer == 0)
        self->timer = timers_set (self->parts.service->timers, now->mono_ms + TAKING_KEEP_MS,
                                  taking_on_prune, self, 0);
    return output;
}

static bool path_allowed (const take_ins_t *self, const request_t *request, const char *path)
{
    return (path && *path && *path != '.' && !strchr (path, '/') && !strchr (path, '\n') &&
            strlen (path) <= ARRIVAL_PATH_BYTES_MAX) ||
           service_refuse (self->parts.service, request, CALL_BAD_REQUEST,
                           "path: should be the name of a file in the folder for arrivals, of 1 to "
                           "%d bytes, without a slash and not beginning with a dot",
                           ARRIVAL_PATH_BYTES_MAX);
}

static void on_take_in (void *owner, const moment_t *now, const request_t *request, void *body)
{
    take_ins_t *self = owner;
    const take_in_question_t *question = body;
    char key [ARRIVAL_PATH_BYTES_MAX + NAME_BYTES_MAX + 2];
    take_in_answer_t answer = {.state = STAGED_COMING};
    if (!staging_allows (&self->parts, self->access, request, question->node) ||
        !path_allowed (self, request, question->path))
        return;
    snprintf (key, sizeof key, "%s\n%s", question->node, question->path);
    take_in_t *output = ordered_find (self->outputs, key);
    if (output && strcmp (output->name, question->name) != 0) {
        service_refuse (self->parts.service, request, CALL_DENIED,
                        "path: %.120s is being taken in as %.120s", question->path, output->name);
        return;
    }
    if (!output && ordered_count (self->outputs) >= TAKINGS_MAX) {
        service_refuse (self->parts.service, request, CALL_OVERLOADED,
                        "%d outputs are the most at once; ask again later", TAKINGS_MAX);
        return;
    }
    if (!output)
        output = output_new (self, now, key, question);
    output->asked_ms = now->mono_ms;
    output_tell (self, now, output, &answer);
    service_reply (self->parts.service, request, codec_encode (&take_in_answer_codec, &answer));
}

take_ins_t *taking_new (const fetcher_parts_t *parts, const access_t *access, rules_t *rules,
                        int64_t home_ms)
{
    take_ins_t *self = must (calloc (1, sizeof *self));
    *self = (take_ins_t){.parts = *parts,
                         .access = access,
                         .rules = rules,
                         .home_ms = home_ms,
                         .outputs = ordered_by_text (offsetof (take_in_t, key))};
    service_serve (parts->service, "Replica", "TakeIn", &take_in_question_codec, ALWAYS, on_take_in,
                   self);
    return self;
}

void taking_destroy (take_ins_t **self_p)
{
    take_ins_t *self = *self_p;
    if (!self)
        return;
    for (take_in_t *output; (output = ordered_after (self->outputs, NULL));)
        output_free (output);
    timers_cancel (self->parts.service->timers, self->timer);
    ordered_destroy (&self->outputs);
    free (self);
    *self_p = NULL;
}
