/*  sim_disk - files are named, looked at and removed. */
#include "sim_disk.h"

#include "must.h"
#include "storage_path.h"
#include "storage_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const sim_disk_t *disk;
    int process;
    const char *kind;
    storage_result_t result;
} sim_disk_task_t;

static bool sweep (sim_disk_task_t *task, const storage_work_t *work)
{
    size_t size = strlen (work->from);
    for (sim_file_t *file = sim_flows_files (task->disk->flows); file; file = file->after) {
        bool wanted = file->process != task->process ||
                      strncmp (file->path, work->from, size) != 0 || file->path [size] != '/';
        for (size_t i = 0; i < work->names_count && !wanted; i++)
            wanted = strcmp (file->path + size + 1, work->names [i]) == 0;
        if (!wanted)
            file->path [0] = '\0';
    }
    return true;
}

static bool keep (sim_disk_task_t *task, const storage_work_t *work, sim_file_t *from)
{
    sim_file_t *to = sim_flows_file (task->disk->flows, task->process, work->to, false);
    if (!from)
        return to;
    task->result.damaged = from->damaged;
    if (from->damaged)
        return true;
    if (task->disk->keeps)
        task->disk->keeps (task->disk->owner, task->process, from);
    if (to)
        to->path [0] = '\0';
    snprintf (from->path, sizeof from->path, "%s", work->to);
    return true;
}

static bool prove (sim_disk_task_t *task, const storage_work_t *work, sim_file_t *file)
{
    storage_result_t *result = &task->result;
    result->there = result->content.digest_known = file;
    if (!file)
        return true;
    result->content.size = file->bytes;
    if (file->marked == 0)
        file->marked = file->content;
    sim_file_digest (file, result->content.digest);
    result->damaged =
      work->expected && memcmp (result->content.digest, work->digest, CHAIN_DIGEST_BYTES) != 0;
    result->damage.found = result->content;
    return true;
}

/*  What room there is it doesn't know. */
static bool look (sim_disk_task_t *task, const storage_work_t *work)
{
    const char **missing = must (calloc (work->names_count + 1, sizeof *missing));
    for (size_t i = 0; i < work->names_count; i++) {
        char path [STORAGE_PATH_BYTES];
        storage_path (work->from, "files", work->names [i], path);
        const sim_file_t *file = sim_flows_file (task->disk->flows, task->process, path, false);
        if (!file || file->bytes != work->sizes [i])
            missing [task->result.names_count++] = must (strdup (work->names [i]));
    }
    task->result.names = missing;
    return true;
}

static bool work_do (sim_disk_task_t *task, const storage_work_t *work)
{
    sim_file_t *from = sim_flows_file (task->disk->flows, task->process, work->from, false);
    if (strcmp (task->kind, FILE_SWEEP) == 0)
        return sweep (task, work);
    if (strcmp (task->kind, FILE_KEEP) == 0)
        return keep (task, work, from);
    if (strcmp (task->kind, FILE_PROVE) == 0)
        return prove (task, work, from);
    if (strcmp (task->kind, FILE_LOOK) == 0)
        return look (task, work);
    if (strcmp (task->kind, FILE_DROP) == 0 && from)
        from->path [0] = '\0';
    return true;
}

bool sim_disk_work (void *owner, int process, int64_t mono_ms, const char *kind, bytes_t arguments,
                    uint8_t **result, size_t *result_size)
{
    (void) mono_ms;
    char why [WHY_BYTES] = "it can't be done";
    sim_disk_task_t task = {.disk = owner, .process = process, .kind = kind};
    storage_work_t asked;
    bool done =
      codec_decode (&storage_work_codec, &asked, arguments, why) && work_do (&task, &asked);
    codec_clear (&storage_work_codec, &asked);
    if (!done) {
        *result = (uint8_t *) must (strdup (why));
        *result_size = strlen (why);
        return false;
    }
    packed_t packed = codec_encode (&storage_result_codec, &task.result);
    codec_clear (&storage_result_codec, &task.result);
    *result = packed.data;
    *result_size = packed.size;
    return true;
}
