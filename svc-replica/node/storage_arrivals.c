/*  storage_arrivals - what tasks have left in this node's folder for arrivals. Each is read, and
 *  judged by what its site says of its name; then it gets its name in folder/files, within the file
 *  system, or is removed, or stays where it is, with the reason. Nothing is stored but the record
 *  of the file that it becomes: the site says again what it wants, and what is missing here is
 *  found there.
 */
#include "storage_state.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRIVALS_FOLDER "arrivals"
#define CLEAR_MS        60000 /* between two looks for old ones */

/*  Has those removed that were left there long ago, but for the ones that are wanted. */
static void arrivals_clear (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    storage_t *self = owner;
    char folder [STORAGE_PATH_BYTES];
    const char **names = must (calloc (ordered_count (self->arrivals) + 1, sizeof *names));
    storage_work_t work = {.from = folder, .names = names, .older_ms = self->settings.arrivals_ms};
    for (const arrival_t *arrival = NULL; (arrival = ordered_next (self->arrivals, arrival));)
        names [work.names_count++] = arrival->wanted.path;
    snprintf (folder, sizeof folder, "%s/" ARRIVALS_FOLDER, self->settings.folder);
    if (self->clearing == 0)
        self->clearing = storage_order (self, FILE_SWEEP, &work);
    timers_set (self->service->timers, now->mono_ms + CLEAR_MS, arrivals_clear, self, 0);
    free (names);
}

void arrivals_start (storage_t *self, const moment_t *now)
{
    if (self->settings.arrivals_ms > 0 && !self->settings.guest)
        timers_set (self->service->timers, now->mono_ms + CLEAR_MS, arrivals_clear, self, 0);
}

static const char *arrival_path (const storage_t *self, const arrival_t *arrival,
                                 char path [STORAGE_PATH_BYTES])
{
    snprintf (path, STORAGE_PATH_BYTES, "%s/" ARRIVALS_FOLDER "/%s", self->settings.folder,
              arrival->wanted.path);
    return path;
}

static void arrival_told (storage_t *self, const moment_t *now, arrival_t *arrival, bool done,
                          const char *why)
{
    arrival->wanted.done = done;
    snprintf (arrival->wanted.why, sizeof arrival->wanted.why, "%s", why);
    storage_news (self, now, true);
}

static void arrival_read (storage_t *self, arrival_t *arrival)
{
    char path [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES + sizeof FLOW_MARKS];
    arrival_path (self, arrival, path);
    snprintf (marks, sizeof marks, "%s" FLOW_MARKS, path);
    arrival->work = storage_order (self, FILE_PROVE,
                                   &(storage_work_t){.from = path, .marks = marks, .plain = true});
}

static bool arrival_fits (const storage_t *self, const chain_arrival_t *wanted,
                          const content_t *content)
{
    return content->size <= wanted->room &&
           files_bytes (self) + transfers_bytes (self) + content->size <= self->bytes_max;
}

/*  What is done with it, now that it is known what it is. */
static void arrival_judge (storage_t *self, const moment_t *now, arrival_t *arrival)
{
    char path [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES + sizeof FLOW_MARKS], why [WHY_BYTES];
    const chain_arrival_t *wanted = &arrival->wanted;
    const content_t *content = &wanted->content;
    const own_file_t *here = files_find (self, wanted->file);
    arrival->full = false;
    if (files_busy (self, wanted->file))
        return;
    arrival_path (self, arrival, path);
    snprintf (marks, sizeof marks, "%s" FLOW_MARKS, path);
    if (wanted->is_named && memcmp (wanted->named, content->digest, CHAIN_DIGEST_BYTES) != 0) {
        arrival_told (self, now, arrival, false, "its name stands for another file");
    } else if (wanted->have || (here && !here->stored.quarantined &&
                                content_same (&here->stored.content, content))) {
        arrival->work =
          storage_order (self, FILE_DROP, &(storage_work_t){.from = path, .marks = marks});
    } else if (!arrival_fits (self, wanted, content)) {
        arrival->full = true;
        snprintf (why, sizeof why, "disk full: it has %" PRIu64 " bytes", content->size);
        arrival_told (self, now, arrival, false, why);
    } else {
        arrival->taken = files_take (self, now, wanted->file, content, path);
    }
}

/*  What is missing has been taken in before a restart, or the answer that said so was lost; the
 *  file may be looked at still. */
static void arrival_missing (storage_t *self, const moment_t *now, arrival_t *arrival)
{
    const own_file_t *file = files_find (self, arrival->wanted.file);
    if (file) {
        arrival->wanted.content = file->stored.content;
        arrival_told (self, now, arrival, true, "");
    } else if (!files_busy (self, arrival->wanted.file)) {
        arrival_told (self, now, arrival, false,
                      "there is no such file in the folder for arrivals");
    }
}

bool arrivals_on_work (storage_t *self, const moment_t *now, uint64_t work,
                       const storage_result_t *result, const char *why)
{
    arrival_t *arrival = ordered_next (self->arrivals, NULL);
    if (work == self->clearing) {
        self->clearing = 0;
        return true;
    }
    while (arrival && arrival->work != work)
        arrival = ordered_next (self->arrivals, arrival);
    if (!arrival)
        return false;
    arrival->work = 0;
    if (*why) {
        arrival_told (self, now, arrival, false, why);
    } else if (arrival->read) {
        arrival_told (self, now, arrival, true, "");
    } else if (!result->there) {
        arrival_missing (self, now, arrival);
    } else {
        arrival->read = true;
        arrival->wanted.content = result->content;
        arrival_judge (self, now, arrival);
    }
    return true;
}

void arrivals_again (storage_t *self, const moment_t *now, const char *name)
{
    for (arrival_t *arrival = NULL; (arrival = ordered_next (self->arrivals, arrival));)
        if (strcmp (arrival->wanted.file, name) != 0 || arrival->work != 0 || arrival->taken ||
            arrival->wanted.done)
            continue;
        else if (arrival->read)
            arrival_judge (self, now, arrival);
        else
            arrival_read (self, arrival);
}

/*  A change of what is wanted has it judged anew, so does room that it may have and that something
 *  else has left since; one that could not be read is read again. */
static void arrival_want (storage_t *self, const moment_t *now, const chain_arrival_t *wanted)
{
    arrival_t *arrival = ordered_find (self->arrivals, wanted->path);
    bool is_new = !arrival;
    if (is_new) {
        arrival = must (calloc (1, sizeof *arrival));
        memcpy (arrival->wanted.path, wanted->path, sizeof wanted->path);
        ordered_add (self->arrivals, arrival->wanted.path, arrival);
    }
    content_t content = arrival->wanted.content;
    bool done = arrival->wanted.done;
    bool changed = arrival->wanted.room != wanted->room || arrival->wanted.have != wanted->have ||
                   arrival->wanted.is_named != wanted->is_named ||
                   (arrival->full && arrival_fits (self, wanted, &content));
    arrival->mentioned = true;
    if (!is_new && (arrival->work != 0 || arrival->taken || done || !changed))
        return;
    arrival->wanted = *wanted;
    arrival->wanted.content = content;
    arrival->wanted.done = false;
    if (arrival->read)
        arrival_judge (self, now, arrival);
    else
        arrival_read (self, arrival);
}

void arrivals_want (storage_t *self, const moment_t *now, const storage_wanted_t *wanted)
{
    for (arrival_t *arrival = NULL; (arrival = ordered_next (self->arrivals, arrival));)
        arrival->mentioned = false;
    for (size_t i = 0; i < wanted->arrivals_count; i++)
        arrival_want (self, now, &wanted->arrivals [i]);
    for (arrival_t *arrival = ordered_next (self->arrivals, NULL), *next; arrival; arrival = next) {
        next = ordered_next (self->arrivals, arrival);
        if (!arrival->mentioned && arrival->work == 0) {
            ordered_remove (self->arrivals, arrival->wanted.path);
            free (arrival);
        }
    }
}

chain_arrival_t *arrivals_report (const storage_t *self, size_t *count)
{
    chain_arrival_t *reports = must (calloc (ordered_count (self->arrivals) + 1, sizeof *reports));
    *count = 0;
    for (const arrival_t *arrival = ordered_next (self->arrivals, NULL);
         arrival && *count < ARRIVALS_MAX; arrival = ordered_next (self->arrivals, arrival)) {
        chain_arrival_t *report = &reports [(*count)++];
        const own_file_t *file = ordered_find (self->files, arrival->wanted.file);
        *report = arrival->wanted;
        report->why [WHY_BYTES - 1] = '\0';
        if (arrival->taken && files_find (self, arrival->wanted.file))
            report->done = true;
        else if (arrival->taken && !file)
            snprintf (report->why, sizeof report->why, "it could not be given its name");
    }
    return reports;
}
