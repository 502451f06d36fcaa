/*  storage_files - the files of a node. Each has a record, and is reported to the site by the
 *  number of its last change. The record of a new file is stored before the part gets the file's
 *  name, so that this is done again after a crash, or before an arrival gets it, so that its bytes
 *  are never without one; the record of a removed file stays until the site has heard.
 */
#include "storage_state.h"

#include "must.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USED_MS_LEAST  60000 /* uses that follow faster are reported once */
#define LOOK_FILES_MAX 4096  /* that one look goes through */

static const chain_id_t arrival_part; /* zeros: no part, an arrival is about to become the file */

static void storage_files_file_free (void *thing)
{
    own_file_t *file = thing;
    free (file->path);
    free (file);
}

void files_end (storage_t *self)
{
    ordered_end (&self->files, storage_files_file_free);
}

/*  --- names --- */

const char *files_path (const storage_t *self, const own_file_t *file,
                        char path [STORAGE_PATH_BYTES])
{
    if (!file->path)
        return storage_path (self->settings.folder, "files", file->stored.file, path);
    snprintf (path, STORAGE_PATH_BYTES, "%s", file->path);
    return path;
}

const char *files_marks (const storage_t *self, const own_file_t *file,
                         char path [STORAGE_PATH_BYTES])
{
    if (!file->path || !self->settings.takes_path)
        return storage_path (self->settings.folder, "marks", file->stored.file, path);
    snprintf (path, STORAGE_PATH_BYTES, "%s" FLOW_MARKS, file->path);
    return path;
}

const char *files_part (const storage_t *self, const chain_id_t *id, char path [STORAGE_PATH_BYTES])
{
    char name [2 * CHAIN_ID_BYTES + 1] = STORAGE_GUEST_PART;
    if (!self->settings.takes_file)
        sodium_bin2hex (name, sizeof name, id->bytes, CHAIN_ID_BYTES);
    snprintf (path, STORAGE_PATH_BYTES, "%s/parts/%s", self->settings.folder, name);
    return path;
}

/*  --- records --- */

static void storage_files_file_store (storage_t *self, const own_file_t *file)
{
    service_put (self->service, TABLE_KEPT_FILES, text_bytes (file->stored.file),
                 codec_encode (&stored_file_codec, &file->stored));
}

static void file_forget (storage_t *self, own_file_t *file)
{
    outbox_delete (self->service->outbox, TABLE_KEPT_FILES, text_bytes (file->stored.file));
    ordered_remove (self->files, file->stored.file);
    storage_files_file_free (file);
}

static void storage_files_file_changed (storage_t *self, const moment_t *now, own_file_t *file)
{
    file->stored.number = ++self->changes;
    if (!file->path)
        storage_files_file_store (self, file);
    storage_news (self, now, true);
}

static own_file_t *storage_files_file_new (storage_t *self, const char *name)
{
    own_file_t *file = must (calloc (1, sizeof *file));
    snprintf (file->stored.file, sizeof file->stored.file, "%s", name);
    ordered_add (self->files, file->stored.file, file);
    return file;
}

static void storage_files_on_record (void *owner, bytes_t key, bytes_t value)
{
    (void) key;
    storage_t *self = owner;
    char why [WHY_BYTES] = "another record has the same name";
    own_file_t *file = must (calloc (1, sizeof *file));
    if (!codec_decode (&stored_file_codec, &file->stored, value, why) ||
        ordered_find (self->files, file->stored.file)) {
        service_bad_record (self->service, "kept files", why);
        free (file);
        return;
    }
    if (file->stored.number > self->changes)
        self->changes = file->stored.number;
    ordered_add (self->files, file->stored.file, file);
}

void files_init (storage_t *self)
{
    self->files = ordered_by_text (offsetof (own_file_t, stored.file));
    service_load (self->service, TABLE_KEPT_FILES, storage_files_on_record, self);
}

/*  --- what is known --- */

own_file_t *files_find (const storage_t *self, const char *file)
{
    own_file_t *found = ordered_find (self->files, file);
    return found && !found->stored.gone && !found->stored.has_part && !found->dropping ? found
                                                                                       : NULL;
}

uint64_t files_bytes (const storage_t *self)
{
    uint64_t bytes = 0;
    for (const own_file_t *file = NULL; (file = ordered_next (self->files, file));)
        if (!file->stored.gone)
            bytes += file->stored.content.size;
    return bytes;
}

chain_id_t *files_parts (const storage_t *self, size_t more, size_t *count)
{
    *count = 0;
    chain_id_t *parts = must (calloc (ordered_count (self->files) + more + 1, sizeof *parts));
    for (const own_file_t *file = NULL; (file = ordered_next (self->files, file));)
        if (file->stored.has_part)
            parts [(*count)++] = file->stored.part;
    return parts;
}

static int storage_files_by_number (const void *one, const void *other)
{
    const stored_file_t *const *a = one, *const *b = other;
    return (*a)->number < (*b)->number ? -1 : (*a)->number > (*b)->number;
}

size_t files_told (const storage_t *self, stored_file_t *files, size_t most)
{
    size_t count = 0;
    if (self->changes <= self->files_seen)
        return 0;
    const stored_file_t **news = must (calloc (ordered_count (self->files) + 1, sizeof *news));
    for (const own_file_t *file = NULL; (file = ordered_next (self->files, file));)
        if (!file->stored.has_part && file->stored.number > self->files_seen)
            news [count++] = &file->stored;
    qsort (news, count, sizeof *news, storage_files_by_number);
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++)
        files [i] = *news [i];
    free (news);
    return count;
}

/*  The record of the very last change stays, so that numbers go on after a restart. */
void files_heard (storage_t *self, uint64_t number)
{
    for (own_file_t *file = ordered_next (self->files, NULL), *next; file; file = next) {
        next = ordered_next (self->files, file);
        if (file->stored.gone && file->work == 0 && file->stored.number <= number &&
            file->stored.number < self->changes)
            file_forget (self, file);
    }
}

void files_used (storage_t *self, const moment_t *now, const char *name)
{
    own_file_t *file = files_find (self, name);
    if (!file || now->wall_ms - file->stored.used_ms < USED_MS_LEAST)
        return;
    file->stored.used_ms = now->wall_ms;
    storage_files_file_changed (self, now, file);
}

/*  --- work --- */

/*  From a path; NULL = its part. */
static void order_keep (storage_t *self, own_file_t *file, const char *from)
{
    char part [STORAGE_PATH_BYTES], to [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES];
    file->work = storage_order (
      self, FILE_KEEP,
      &(storage_work_t){.from = from ? from : files_part (self, &file->stored.part, part),
                        .to = files_path (self, file, to),
                        .marks = files_marks (self, file, marks)});
}

static void order_reading (storage_t *self, own_file_t *file, uint32_t mbps)
{
    char path [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES];
    storage_work_t work = {.from = files_path (self, file, path),
                           .marks = files_marks (self, file, marks),
                           .expected = file->stored.content.digest_known,
                           .mbps = mbps};
    memcpy (work.digest, file->stored.content.digest, sizeof work.digest);
    file->work = storage_order (self, FILE_PROVE, &work);
}

static bool was_arrival (const own_file_t *file)
{
    return memcmp (&file->stored.part, &arrival_part, sizeof arrival_part) == 0;
}

/*  After a restart the part is read again first, because the machine may have lost what was not
 *  flushed. What was an arrival is read under the file's name: there, or an arrival still. */
static void order_look (storage_t *self, own_file_t *file)
{
    char part [STORAGE_PATH_BYTES];
    file->looking = true;
    if (was_arrival (file))
        order_reading (self, file, 0);
    else
        file->work = storage_order (
          self, FILE_PROVE, &(storage_work_t){.from = files_part (self, &file->stored.part, part)});
}

const own_file_t *files_keeping (const storage_t *self, const chain_id_t *id)
{
    const own_file_t *file = ordered_next (self->files, NULL);
    while (file && !(file->stored.has_part && memcmp (&file->stored.part, id, sizeof *id) == 0))
        file = ordered_next (self->files, file);
    return file;
}

static void order_next (storage_t *self, own_file_t *file)
{
    char path [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES];
    if (file->work != 0 || file->stored.has_part || file->stored.gone)
        return;
    if (file->drop) {
        file->dropping = true;
        file->work = storage_order (self, FILE_DROP,
                                    &(storage_work_t){.from = files_path (self, file, path),
                                                      .marks = files_marks (self, file, marks)});
    } else if (file->prove && (file->mbps == 0 || self->scrubbing == 0)) {
        order_reading (self, file, file->mbps);
        if (file->mbps > 0)
            self->scrubbing = file->work;
    }
}

/*  Something is about to become this file. Its record is the caller's to store. */
static own_file_t *storage_files_begin (storage_t *self, const moment_t *now, const char *name,
                                        const content_t *content, const chain_id_t *part)
{
    own_file_t *file = ordered_find (self->files, name);
    if (!file)
        file = storage_files_file_new (self, name);
    file->stored.content = *content;
    file->stored.proved_ms = file->stored.used_ms = now->wall_ms;
    file->stored.gone = file->drop = file->dropping = file->prove = file->looking = false;
    file->stored.number = file->stored.number > 0 ? file->stored.number : ++self->changes;
    file->stored.has_part = true;
    file->stored.part = *part;
    return file;
}

void files_keep (storage_t *self, const moment_t *now, const transfer_t *transfer)
{
    own_file_t *file = storage_files_begin (self, now, transfer->wanted.file,
                                            &transfer->receipt.content, &transfer->wanted.id);
    if (self->settings.takes_file && strcmp (self->settings.takes_file, file->stored.file) == 0) {
        free (file->path);
        file->path = must (strdup (self->settings.takes_path));
    }
    storage_files_file_store (self, file);
    order_keep (self, file, NULL);
}

bool files_busy (const storage_t *self, const char *name)
{
    const own_file_t *file = ordered_find (self->files, name);
    return file && (file->stored.has_part || file->dropping);
}

bool files_take (storage_t *self, const moment_t *now, const char *name, const content_t *content,
                 const char *path)
{
    own_file_t *file = ordered_find (self->files, name);
    if (file && (file->work != 0 || !file->stored.gone))
        return false;
    file = storage_files_begin (self, now, name, content, &arrival_part);
    file->stored.looked_ms = now->wall_ms;
    file->stored.quarantined = false;
    storage_files_file_store (self, file);
    order_keep (self, file, path);
    return true;
}

/*  The part has not become the file. A quarantined file stays as it was. */
static void part_lost (storage_t *self, own_file_t *file)
{
    if (!file->stored.quarantined) {
        file_forget (self, file);
        return;
    }
    file->stored.has_part = false;
    storage_files_file_store (self, file);
}

static void kept (storage_t *self, const moment_t *now, own_file_t *file, bool damaged,
                  const char *why)
{
    chain_id_t id = file->stored.part;
    if (*why || damaged) {
        part_lost (self, file);
        transfer_kept (self, now, &id, damaged, why);
        return;
    }
    file->stored.has_part = file->stored.quarantined = false;
    storage_files_file_changed (self, now, file);
    transfer_kept (self, now, &id, false, "");
    order_next (self, file);
}

static void gone (storage_t *self, const moment_t *now, own_file_t *file)
{
    file->stored.gone = true;
    file->dropping = file->drop = file->prove = false;
    storage_files_file_changed (self, now, file);
}

static void dropped (storage_t *self, const moment_t *now, own_file_t *file, const char *why)
{
    file->dropping = false;
    if (!*why)
        gone (self, now, file);
}

/*  The file is kept for what is right of it. */
static void quarantine (storage_t *self, own_file_t *file, const damage_t *damage,
                        char why [WHY_BYTES])
{
    file->stored.quarantined = true;
    file->stored.damage = *damage;
    snprintf (why, WHY_BYTES, "its bytes do not match its digest: %llu of its MiBs are bad",
              (unsigned long long) bad_chunks (damage));
    if (damage->bad_count == 0)
        snprintf (why, WHY_BYTES, "its bytes do not match its digest");
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "file quarantined name=\"%s\" bad_mib=%llu first_at=%llu", file->stored.file,
                (unsigned long long) bad_chunks (damage),
                (unsigned long long) (damage->bad_count > 0 ? damage->bad [0].offset : 0));
}

static void file_right (storage_t *self, const moment_t *now, own_file_t *file,
                        const content_t *content)
{
    file->stored.content = *content;
    file->stored.proved_ms = now->wall_ms;
    file->stored.quarantined = false;
    outbox_log (self->service->outbox, LEVEL_INFO, "file proved name=\"%s\" bytes=%llu",
                file->stored.file, (unsigned long long) content->size);
}

/*  The file that a client gives gets its digest so; any other must have the digest that it had. A
 *  file that can't be read now stays as it was. */
static void storage_files_proved (storage_t *self, const moment_t *now, own_file_t *file,
                                  const storage_result_t *result, const char *why)
{
    char wrong_why [WHY_BYTES];
    bool wrong = *why == '\0' && result->damaged;
    bool missing = *why == '\0' && !result->there;
    file->prove = false;
    file->stored.looked_ms = now->wall_ms;
    if (wrong) {
        quarantine (self, file, &result->damage, wrong_why);
        why = wrong_why;
    } else if (missing) {
        why = "the file is not on the disk";
    } else if (!*why) {
        file_right (self, now, file, &result->content);
    }
    if (missing || (wrong && file->path)) /* what belongs to the user is not ours to keep */
        gone (self, now, file);
    else
        storage_files_file_changed (self, now, file);
    transfers_proved (self, now, file, why);
    order_next (self, file);
}

/*  A part that is missing has got the name of its file already. */
static void looked (storage_t *self, const moment_t *now, own_file_t *file,
                    const storage_result_t *result, const char *why)
{
    chain_id_t id = file->stored.part;
    file->looking = false;
    if (was_arrival (file)) {
        file->stored.has_part = false;
        storage_files_proved (self, now, file, result, why);
        return;
    }
    if (*why == '\0' &&
        (!result->there || (result->content.digest_known &&
                            content_same (&result->content, &file->stored.content)))) {
        order_keep (self, file, NULL);
        return;
    }
    outbox_log (self->service->outbox, LEVEL_WARNING,
                "part lost in a restart, will be received again name=\"%s\"", file->stored.file);
    part_lost (self, file);
    transfer_kept (self, now, &id, true, "");
}

static void files_scrub_on (storage_t *self)
{
    for (own_file_t *file = ordered_next (self->files, NULL); file && self->scrubbing == 0;
         file = ordered_next (self->files, file))
        if (file->prove)
            order_next (self, file);
}

bool files_on_work (storage_t *self, const moment_t *now, uint64_t work,
                    const storage_result_t *result, const char *why)
{
    for (own_file_t *file = NULL; (file = ordered_next (self->files, file));) {
        if (file->work != work)
            continue;
        char name [CHAIN_FILE_BYTES_MAX + 1]; /* the record may end here */
        memcpy (name, file->stored.file, sizeof name);
        file->work = 0;
        if (work == self->scrubbing)
            self->scrubbing = 0;
        if (file->looking)
            looked (self, now, file, result, why);
        else if (file->stored.has_part)
            kept (self, now, file, result->damaged, why);
        else if (file->dropping)
            dropped (self, now, file, why);
        else
            storage_files_proved (self, now, file, result, why);
        if (self->scrubbing == 0)
            files_scrub_on (self);
        arrivals_again (self, now, name);
        return true;
    }
    return false;
}

/*  --- what the site wants --- */

/*  What is to be read at once does not wait for its turn any more. */
static void order_proof (storage_t *self, const char *name, uint32_t mbps)
{
    own_file_t *file = files_find (self, name);
    if (!file || (file->prove && (mbps > 0 || file->mbps == 0)))
        return;
    file->prove = true;
    file->mbps = mbps;
    order_next (self, file);
}

void files_want (storage_t *self, const moment_t *now, const storage_wanted_t *wanted)
{
    (void) now;
    for (size_t i = 0; i < wanted->drops_count; i++) {
        own_file_t *file = files_find (self, wanted->drops [i]);
        if (file && !file->path) {
            file->drop = true;
            order_next (self, file);
        }
    }
    for (size_t i = 0; i < wanted->proves_count; i++)
        order_proof (self, wanted->proves [i], 0);
    for (size_t i = 0; i < wanted->scrubs_count; i++)
        order_proof (self, wanted->scrubs [i], wanted->scrub_mbps);
}

uint64_t files_look (storage_t *self)
{
    const char *names [LOOK_FILES_MAX];
    uint64_t sizes [LOOK_FILES_MAX];
    storage_work_t work = {.from = self->settings.folder, .names = names, .sizes = sizes};
    const own_file_t *file = ordered_after (self->files, self->looked_at);
    for (; file && work.names_count < LOOK_FILES_MAX; file = ordered_next (self->files, file)) {
        const stored_file_t *stored = &file->stored;
        if (files_find (self, stored->file) != file)
            continue;
        names [work.names_count++] = stored->file;
        sizes [work.sizes_count++] =
          stored->quarantined ? stored->damage.found.size : stored->content.size;
    }
    snprintf (self->looked_at, sizeof self->looked_at, "%s",
              file ? names [LOOK_FILES_MAX - 1] : "");
    return storage_order (self, FILE_LOOK, &work);
}

void files_looked (storage_t *self, const storage_result_t *result)
{
    for (size_t i = 0; i < result->names_count; i++)
        order_proof (self, result->names [i], 0);
}

void files_start (storage_t *self, const moment_t *now)
{
    for (own_file_t *file = NULL; (file = ordered_next (self->files, file));)
        if (file->stored.has_part)
            order_look (self, file);
    if (!self->settings.gives_file)
        return;
    own_file_t *given = ordered_find (self->files, self->settings.gives_file);
    given = given ? given : storage_files_file_new (self, self->settings.gives_file);
    given->path = must (strdup (self->settings.gives_path));
    given->stored.content.digest_known = given->stored.gone = given->stored.has_part = false;
    given->prove = true;
    storage_files_file_changed (self, now, given);
    order_next (self, given);
}
