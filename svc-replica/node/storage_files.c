/*  storage_files - the files of a node. Each has a record, and is reported to the site by the
 *  number of its last change. The record of a new file is stored before the part gets the file's
 *  name, so that this is done again after a crash; the record of a removed file stays until the
 *  site has heard.
 */
#include "storage_state.h"

#include "must.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME_BYTES_MAX                                                                        \
    200 /* on disk; a file with a longer name is named by the digest of its name */
#define USED_MS_LEAST 60000 /* uses that follow faster are reported once */

static void storage_files_file_free (own_file_t *file)
{
    free (file->path);
    free (file);
}

void files_end (storage_t *self)
{
    for (own_file_t *file; (file = ordered_after (self->files, NULL));) {
        ordered_remove (self->files, file->stored.file);
        storage_files_file_free (file);
    }
    ordered_destroy (&self->files);
}

/*  --- names --- */

/*  The name with "/", "%" and a leading "." as %XX. False when it is too long. */
static bool name_on_disk (const char *file, char name [FILE_NAME_BYTES_MAX + 1])
{
    size_t used = 0;
    for (const char *at = file; *at; at++) {
        bool plain = *at != '/' && *at != '%' && !(at == file && *at == '.');
        if (used + (plain ? 1 : 3) > FILE_NAME_BYTES_MAX)
            return false;
        if (plain)
            name [used++] = *at;
        else
            used += (size_t) snprintf (name + used, 4, "%%%02X", (unsigned) (uint8_t) *at);
    }
    name [used] = '\0';
    return true;
}

static const char *path_in (const storage_t *self, const char *folder, const own_file_t *file,
                            char path [STORAGE_PATH_BYTES])
{
    char name [FILE_NAME_BYTES_MAX + 1];
    if (!name_on_disk (file->stored.file, name)) {
        uint8_t digest [16];
        crypto_generichash (digest, sizeof digest, (const uint8_t *) file->stored.file,
                            strlen (file->stored.file), NULL, 0);
        size_t used = (size_t) snprintf (name, sizeof name, "%%-");
        sodium_bin2hex (name + used, sizeof name - used, digest, sizeof digest);
    }
    snprintf (path, STORAGE_PATH_BYTES, "%s/%s/%s", self->settings.folder, folder, name);
    return path;
}

const char *files_path (const storage_t *self, const own_file_t *file,
                        char path [STORAGE_PATH_BYTES])
{
    if (!file->path)
        return path_in (self, "files", file, path);
    snprintf (path, STORAGE_PATH_BYTES, "%s", file->path);
    return path;
}

const char *files_marks (const storage_t *self, const own_file_t *file,
                         char path [STORAGE_PATH_BYTES])
{
    return path_in (self, "marks", file, path);
}

const char *files_part (const storage_t *self, const chain_id_t *id, char path [STORAGE_PATH_BYTES])
{
    size_t used =
      (size_t) snprintf (path, STORAGE_PATH_BYTES - 64, "%s/parts/", self->settings.folder);
    sodium_bin2hex (path + used, STORAGE_PATH_BYTES - used, id->bytes, CHAIN_ID_BYTES);
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
    for (const own_file_t *file = ordered_after (self->files, NULL); file;
         file = ordered_after (self->files, file->stored.file))
        if (!file->stored.gone)
            bytes += file->stored.content.size;
    return bytes;
}

chain_id_t *files_parts (const storage_t *self, size_t more, size_t *count)
{
    *count = 0;
    chain_id_t *parts = must (calloc (ordered_count (self->files) + more + 1, sizeof *parts));
    for (const own_file_t *file = ordered_after (self->files, NULL); file;
         file = ordered_after (self->files, file->stored.file))
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
    for (const own_file_t *file = ordered_after (self->files, NULL); file;
         file = ordered_after (self->files, file->stored.file))
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
    for (own_file_t *file = ordered_after (self->files, NULL), *next; file; file = next) {
        next = ordered_after (self->files, file->stored.file);
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

static void order_keep (storage_t *self, own_file_t *file)
{
    char from [STORAGE_PATH_BYTES], to [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES];
    file->work =
      storage_order (self, FILE_KEEP,
                     &(storage_work_t){.from = files_part (self, &file->stored.part, from),
                                       .to = files_path (self, file, to),
                                       .marks = files_marks (self, file, marks)});
}

/*  After a restart the part is read again first, because the machine may have lost what was not
 *  flushed. */
static void order_look (storage_t *self, own_file_t *file)
{
    char part [STORAGE_PATH_BYTES];
    file->looking = true;
    file->work = storage_order (
      self, FILE_PROVE, &(storage_work_t){.from = files_part (self, &file->stored.part, part)});
}

const own_file_t *files_keeping (const storage_t *self, const chain_id_t *id)
{
    const own_file_t *file = ordered_after (self->files, NULL);
    while (file && !(file->stored.has_part && memcmp (&file->stored.part, id, sizeof *id) == 0))
        file = ordered_after (self->files, file->stored.file);
    return file;
}

static void order_next (storage_t *self, own_file_t *file)
{
    char path [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES];
    if (file->work != 0 || file->stored.has_part || file->stored.gone)
        return;
    storage_work_t work = {.from = files_path (self, file, path),
                           .marks = files_marks (self, file, marks)};
    if (file->drop) {
        file->dropping = true;
        file->work = storage_order (self, FILE_DROP, &work);
    } else if (file->prove) {
        if (file->stored.content.digest_known)
            work.marks = NULL; /* the marks match its digest, which its bytes may not */
        file->work = storage_order (self, FILE_PROVE, &work);
    }
}

void files_keep (storage_t *self, const moment_t *now, const transfer_t *transfer)
{
    own_file_t *file = ordered_find (self->files, transfer->wanted.file);
    if (!file)
        file = storage_files_file_new (self, transfer->wanted.file);
    file->stored.content = transfer->receipt.content;
    file->stored.proved_ms = file->stored.used_ms = now->wall_ms;
    file->stored.gone = file->drop = file->dropping = file->prove = false;
    file->stored.number = file->stored.number > 0 ? file->stored.number : ++self->changes;
    file->stored.has_part = true;
    file->stored.part = transfer->wanted.id;
    if (self->settings.takes_file && strcmp (self->settings.takes_file, file->stored.file) == 0) {
        free (file->path);
        file->path = must (strdup (self->settings.takes_path));
    }
    storage_files_file_store (self, file);
    order_keep (self, file);
}

static void kept (storage_t *self, const moment_t *now, own_file_t *file, const char *why)
{
    chain_id_t id = file->stored.part;
    if (*why) {
        file_forget (self, file);
        transfer_kept (self, now, &id, false, why);
        return;
    }
    file->stored.has_part = false;
    storage_files_file_changed (self, now, file);
    transfer_kept (self, now, &id, false, "");
    order_next (self, file);
}

/*  A part that is missing has got the name of its file already. */
static void looked (storage_t *self, const moment_t *now, own_file_t *file,
                    const storage_result_t *result, const char *why)
{
    chain_id_t id = file->stored.part;
    file->looking = false;
    if (*why == '\0' &&
        (!result->there || (result->content.digest_known &&
                            content_same (&result->content, &file->stored.content)))) {
        order_keep (self, file);
        return;
    }
    outbox_log (self->service->outbox, LEVEL_WARNING,
                "part lost in a restart, will be received again name=\"%s\"", file->stored.file);
    file_forget (self, file);
    transfer_kept (self, now, &id, true, "");
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

/*  The file that a client gives gets its digest so; any other must have the digest that it had. */
static void storage_files_proved (storage_t *self, const moment_t *now, own_file_t *file,
                                  const storage_result_t *result, const char *why)
{
    file->prove = false;
    bool right = *why == '\0' && result->there && result->content.digest_known;
    if (right && file->stored.content.digest_known &&
        !content_same (&result->content, &file->stored.content)) {
        outbox_log (self->service->outbox, LEVEL_ALARM,
                    "file has changed on disk, is removed name=\"%s\"", file->stored.file);
        why = "its bytes do not match its digest";
        right = false;
    }
    if (right) {
        file->stored.content = result->content;
        file->stored.proved_ms = now->wall_ms;
        outbox_log (self->service->outbox, LEVEL_INFO, "file proved name=\"%s\" bytes=%llu",
                    file->stored.file, (unsigned long long) file->stored.content.size);
        storage_files_file_changed (self, now, file);
    } else if (!*why) {
        why = "the file is not on the disk";
    }
    transfers_proved (self, now, file, why);
    if (right)
        return;
    if (file->path) {
        gone (self, now, file); /* it belongs to the user, so it is not removed */
    } else if (result->there || result->content.size == 0) {
        file->drop = true;
        order_next (self, file);
    }
}

bool files_on_work (storage_t *self, const moment_t *now, uint64_t work,
                    const storage_result_t *result, const char *why)
{
    for (own_file_t *file = ordered_after (self->files, NULL); file;
         file = ordered_after (self->files, file->stored.file)) {
        if (file->work != work)
            continue;
        file->work = 0;
        if (file->looking)
            looked (self, now, file, result, why);
        else if (file->stored.has_part)
            kept (self, now, file, why);
        else if (file->dropping)
            dropped (self, now, file, why);
        else
            storage_files_proved (self, now, file, result, why);
        return true;
    }
    return false;
}

/*  --- what the site wants --- */

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
    for (size_t i = 0; i < wanted->proves_count; i++) {
        own_file_t *file = files_find (self, wanted->proves [i]);
        if (file && !file->prove) {
            file->prove = true;
            order_next (self, file);
        }
    }
}

void files_start (storage_t *self, const moment_t *now)
{
    for (own_file_t *file = ordered_after (self->files, NULL); file;
         file = ordered_after (self->files, file->stored.file))
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
