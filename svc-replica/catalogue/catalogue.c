/*  catalogue - files by name; and all files, gone ones too, by the number of their last change. */
#include "catalogue.h"

#include "must.h"
#include "ordered.h"
#include "replica_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TO(state) (1u << (state))

static const uint32_t copy_next [] = {
  [COPY_STAGED] = TO (COPY_SOUND) | TO (COPY_STALE) | TO (COPY_EVICTING) | TO (COPY_QUARANTINED),
  [COPY_SOUND] = TO (COPY_STALE) | TO (COPY_EVICTING) | TO (COPY_STAGED) | TO (COPY_QUARANTINED),
  [COPY_STALE] = TO (COPY_SOUND) | TO (COPY_EVICTING) | TO (COPY_STAGED) | TO (COPY_QUARANTINED),
  [COPY_EVICTING] = TO (COPY_SOUND) | TO (COPY_STAGED),
  [COPY_QUARANTINED] = TO (COPY_SOUND) | TO (COPY_EVICTING) | TO (COPY_STALE),
};

static const char *const copy_words [] = {"staged", "sound", "stale", "evicting", "quarantined"};

struct catalogue {
    service_t *service;
    uint32_t files_max;
    ordered_t *files;   /* of files that are there, by name */
    ordered_t *goners;  /* of files that are gone, by name */
    ordered_t *changes; /* of both, by the number of the last change */
    uint64_t number;    /* of the last change */
    uint64_t forgotten; /* not all changes up to this one are known */
    catalogue_changed_fn *changed;
    void *owner;
};

/*  --- the order of changes --- */

static void link_change (catalogue_t *self, file_t *file)
{
    ordered_remove (self->changes, &file->changed);
    file->changed = ++self->number;
    ordered_add (self->changes, &file->changed, file);
    if (self->changed)
        self->changed (self->owner);
}

static void catalogue_file_free (void *thing)
{
    file_t *file = thing;
    free (file->copies);
    free (file);
}

/*  Forgets the file that has been gone longest. */
static void forget_oldest (catalogue_t *self)
{
    file_t *file = ordered_after (self->changes, NULL);
    while (file && !file->gone)
        file = ordered_after (self->changes, &file->changed);
    if (!file)
        return;
    self->forgotten = file->changed;
    ordered_remove (self->changes, &file->changed);
    ordered_remove (self->goners, file->name);
    catalogue_file_free (file);
}

/*  --- keeping --- */

static void catalogue_file_store (const catalogue_t *self, file_t *file)
{
    service_put (self->service, TABLE_FILES, text_bytes (file->name),
                 codec_encode (&file_codec, file));
    file->used_stored_ms = file->used_ms;
}

static void catalogue_file_changed (catalogue_t *self, file_t *file)
{
    catalogue_file_store (self, file);
    link_change (self, file);
}

/*  The last copy is gone, and so is the file; its name is kept for the indexes. */
static void file_leaves (catalogue_t *self, file_t *file)
{
    assert (file->copies_count == 0);
    outbox_delete (self->service->outbox, TABLE_FILES, text_bytes (file->name));
    outbox_log (self->service->outbox, LEVEL_INFO, "file gone name=%s", file->name);
    service_count (self->service, "files", -1);
    ordered_remove (self->files, file->name);
    file->gone = true;
    ordered_add (self->goners, file->name, file);
    link_change (self, file);
    if (ordered_count (self->goners) > CATALOGUE_GONE_MAX)
        forget_oldest (self);
}

file_t *catalogue_find (const catalogue_t *self, const char *name)
{
    return ordered_find (self->files, name);
}

static file_t *catalogue_file_new (catalogue_t *self, const file_t *from)
{
    file_t *goner = ordered_remove (self->goners, from->name);
    if (goner) {
        ordered_remove (self->changes, &goner->changed);
        catalogue_file_free (goner);
    }
    file_t *file = must (malloc (sizeof *file));
    *file = *from;
    file->copies = NULL;
    file->copies_count = 0;
    file->changed = 0;
    file->rule_set = true;
    file->gone = false;
    ordered_add (self->files, file->name, file);
    service_count (self->service, "files", 1);
    return file;
}

/*  --- copies --- */

copy_t *file_copy (const file_t *file, const char *node)
{
    return file ? list_find (file->copies, file->copies_count, sizeof *file->copies, node) : NULL;
}

bool copy_lasts (const file_t *file, const copy_t *copy)
{
    return copy->state == COPY_QUARANTINED ||
           (copy->state == COPY_SOUND && (file->kept || file->pinned));
}

static copy_t *copy_add (file_t *file, const char *node)
{
    assert (strlen (node) <= NAME_BYTES_MAX && file->copies_count < COPIES_MAX);
    file->copies = must (reallocarray (file->copies, file->copies_count + 1, sizeof (copy_t)));
    copy_t *copy = &file->copies [file->copies_count++];
    *copy = (copy_t){.state = COPY_STAGED};
    memcpy (copy->node, node, strlen (node) + 1);
    return copy;
}

static void tell_copy (const catalogue_t *self, const file_t *file, const copy_t *copy,
                       const char *from)
{
    bool wrong = copy->state == COPY_STALE || copy->state == COPY_QUARANTINED;
    outbox_log (self->service->outbox, wrong ? LEVEL_WARNING : LEVEL_INFO,
                "copy name=%s node=%s %s->%s", file->name, copy->node, from,
                copy_words [copy->state]);
}

static bool copy_move (const catalogue_t *self, const file_t *file, copy_t *copy, copy_state_t to)
{
    if (!(copy_next [copy->state] & TO (to)))
        return false;
    const char *from = copy_words [copy->state];
    copy->state = to;
    tell_copy (self, file, copy, from);
    return true;
}

catalogue_answer_t catalogue_stage (catalogue_t *self, const file_t *from, const char *node)
{
    file_t *file = catalogue_find (self, from->name);
    copy_t *copy = file_copy (file, node);
    if (file && !content_same (&file->content, &from->content))
        return CATALOGUE_OTHER;
    if (!file && ordered_count (self->files) >= self->files_max)
        return CATALOGUE_FULL;
    if (file && !copy && file->copies_count == COPIES_MAX)
        return CATALOGUE_FULL;
    if (!file)
        file = catalogue_file_new (self, from);
    if (from->content.digest_known)
        file->content = from->content;
    file->kept = file->kept || from->kept;
    if (!copy) {
        copy = copy_add (file, node);
        tell_copy (self, file, copy, "absent");
    } else if (copy->state != COPY_STAGED && copy->state != COPY_QUARANTINED) {
        copy_move (self, file, copy, COPY_STAGED);
    }
    catalogue_file_changed (self, file);
    return CATALOGUE_OK;
}

catalogue_answer_t catalogue_prove (catalogue_t *self, const file_t *from, const char *node,
                                    int64_t proved_ms)
{
    assert (from->content.digest_known);
    file_t *file = catalogue_find (self, from->name);
    copy_t *copy = file_copy (file, node);
    if (file && !copy && file->copies_count == COPIES_MAX)
        return CATALOGUE_FULL;
    if (!file)
        file = catalogue_file_new (self, from);
    bool other = !content_same (&file->content, &from->content);
    copy_state_t to = other ? COPY_STALE : COPY_SOUND;
    if (!copy)
        copy = copy_add (file, node);
    if (copy->state == to && copy->proved_ms == proved_ms && file->content.digest_known)
        return other ? CATALOGUE_OTHER : CATALOGUE_OK;
    if (copy->state != to && !copy_move (self, file, copy, to))
        return CATALOGUE_OTHER;
    if (!other) {
        file->content = from->content;
        copy->proved_ms = proved_ms;
    }
    catalogue_file_changed (self, file);
    return other ? CATALOGUE_OTHER : CATALOGUE_OK;
}

catalogue_answer_t catalogue_quarantine (catalogue_t *self, const file_t *from, const char *node,
                                         const damage_t *damage)
{
    uint64_t bad = bad_chunks (damage), bad_at = bad > 0 ? damage->bad [0].offset : 0;
    const copy_t *before = file_copy (catalogue_find (self, from->name), node);
    if (before && before->state == COPY_QUARANTINED && before->bad == bad &&
        before->bad_at == bad_at)
        return CATALOGUE_OK;
    if (!before) { /* it has it all the same */
        catalogue_answer_t answer = catalogue_stage (self, from, node);
        if (answer != CATALOGUE_OK)
            return answer;
    }
    file_t *file = catalogue_find (self, from->name);
    copy_t *copy = file_copy (file, node);
    if (!content_same (&file->content, &from->content))
        return CATALOGUE_OTHER;
    copy_move (self, file, copy, COPY_QUARANTINED);
    copy->bad = bad;
    copy->bad_at = bad_at;
    catalogue_file_changed (self, file);
    return CATALOGUE_OK;
}

void catalogue_unstage (catalogue_t *self, const char *name, const char *node)
{
    const copy_t *copy = file_copy (catalogue_find (self, name), node);
    if (copy && copy->state == COPY_STAGED)
        catalogue_gone (self, name, node);
}

void catalogue_move (catalogue_t *self, const char *name, const char *node, copy_state_t to)
{
    file_t *file = catalogue_find (self, name);
    copy_t *copy = file_copy (file, node);
    if (copy && copy_move (self, file, copy, to))
        catalogue_file_changed (self, file);
}

void catalogue_gone (catalogue_t *self, const char *name, const char *node)
{
    file_t *file = catalogue_find (self, name);
    copy_t *copy = file_copy (file, node);
    if (!copy)
        return;
    outbox_log (self->service->outbox, LEVEL_INFO, "copy name=%s node=%s %s->gone", name, node,
                copy_words [copy->state]);
    *copy = file->copies [--file->copies_count];
    if (file->copies_count == 0)
        file_leaves (self, file);
    else
        catalogue_file_changed (self, file);
}

/*  --- what is said of a file --- */

void catalogue_use (catalogue_t *self, const char *name, int64_t wall_ms)
{
    file_t *file = catalogue_find (self, name);
    if (!file)
        return;
    file->used_ms = wall_ms;
    if (wall_ms - file->used_stored_ms >= USED_KEEP_MS)
        catalogue_file_store (self, file);
}

void catalogue_want (catalogue_t *self, const file_t *wanted)
{
    file_t *file = catalogue_find (self, wanted->name);
    if (file->kept == wanted->kept && file->pinned == wanted->pinned &&
        file->expires_ms == wanted->expires_ms &&
        memcmp (&file->rule, &wanted->rule, sizeof file->rule) == 0)
        return;
    file->kept = wanted->kept;
    file->pinned = wanted->pinned;
    file->expires_ms = wanted->expires_ms;
    file->rule = wanted->rule;
    catalogue_file_changed (self, file);
}

void catalogue_own (catalogue_t *self, const char *name, const char *owner, int64_t created_ms)
{
    file_t *file = catalogue_find (self, name);
    if (*file->owner)
        return;
    snprintf (file->owner, sizeof file->owner, "%s", owner);
    file->created_ms = created_ms;
    catalogue_file_changed (self, file);
}

/*  --- looking --- */

const file_t *catalogue_after (const catalogue_t *self, const char *name)
{
    return ordered_after (self->files, name);
}

uint32_t file_copies (const file_t *file, copy_state_t state)
{
    uint32_t count = 0;
    for (size_t i = 0; i < file->copies_count; i++)
        count += file->copies [i].state == state;
    return count;
}

file_place_t file_place (const file_t *file, const char *site)
{
    file_place_t place = {.content = file->content,
                          .created_ms = file->created_ms,
                          .sound = file_copies (file, COPY_SOUND),
                          .staged = file_copies (file, COPY_STAGED),
                          .kept = file->kept,
                          .nodes = file->rule.nodes};
    for (size_t i = 0; i < file->copies_count; i++)
        if (file->copies [i].state == COPY_QUARANTINED && place.quarantined++ == 0) {
            place.bad = file->copies [i].bad;
            place.bad_at = file->copies [i].bad_at;
        }
    memcpy (place.site, site, strlen (site) + 1);
    memcpy (place.owner, file->owner, sizeof place.owner);
    return place;
}

bool catalogue_knows (const catalogue_t *self, uint64_t number)
{
    return number == 0 || (number >= self->forgotten && number <= self->number);
}

const file_t *catalogue_changed (const catalogue_t *self, uint64_t number)
{
    return ordered_after (self->changes, &number);
}

uint64_t catalogue_number (const catalogue_t *self)
{
    return self->number;
}

void catalogue_on_change (catalogue_t *self, catalogue_changed_fn *changed, void *owner)
{
    self->changed = changed;
    self->owner = owner;
}

/*  --- life --- */

static void load (void *owner, bytes_t key, bytes_t value)
{
    (void) key;
    catalogue_t *self = owner;
    file_t read;
    char why [WHY_BYTES];
    if (!codec_decode (&file_codec, &read, value, why)) {
        service_bad_record (self->service, "files", why); /* the nodes will report what they have */
        return;
    }
    if (!catalogue_find (self, read.name)) {
        file_t *file = catalogue_file_new (self, &read);
        file->copies = read.copies;
        file->copies_count = read.copies_count;
        file->used_stored_ms = file->used_ms;
        link_change (self, file);
        return;
    }
    free (read.copies);
}

catalogue_t *catalogue_new (service_t *service, uint32_t files_max)
{
    catalogue_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->files_max = files_max;
    self->files = ordered_by_text (offsetof (file_t, name));
    self->goners = ordered_by_text (offsetof (file_t, name));
    self->changes = ordered_by_number (offsetof (file_t, changed));
    service_load (service, TABLE_FILES, load, self);
    service_limit (service, "files_max", files_max);
    return self;
}

void catalogue_destroy (catalogue_t **self_p)
{
    catalogue_t *self = *self_p;
    if (!self)
        return;
    ordered_destroy (&self->files);
    ordered_destroy (&self->goners);
    ordered_end (&self->changes, catalogue_file_free);
    free (self);
    *self_p = NULL;
}
