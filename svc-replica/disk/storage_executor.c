/*  storage_executor - works on files and folders; everything is flushed before it is reported. */
#include "storage_executor.h"

#include "must.h"
#include "storage_work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES  (512 * 1024)
#define FOLDER_MODE 0750

static bool storage_executor_failed (char why [WHY_BYTES], const char *doing, const char *path)
{
    return wrong (why, "%.30s %.80s: %.40s", doing, path, strerror (errno));
}

/*  Flushes a file or folder. */
static bool flush_path (const char *path, int flags)
{
    int file = open (path, flags | O_CLOEXEC);
    if (file < 0)
        return false;
    bool flushed = fsync (file) == 0;
    int error = errno;
    close (file);
    errno = error;
    return flushed;
}

static bool flush_folder_of (const char *path)
{
    char folder [STORAGE_PATH_BYTES];
    const char *slash = strrchr (path, '/');
    snprintf (folder, sizeof folder, "%.*s", slash ? (int) (slash - path) : 1, slash ? path : ".");
    return flush_path (*folder ? folder : "/", O_RDONLY | O_DIRECTORY);
}

/*  --- keep --- */

/*  Copies the file, because a file can't be renamed into another file system. */
static bool copy_over (const char *from, const char *to)
{
    char near [STORAGE_PATH_BYTES + 8];
    snprintf (near, sizeof near, "%s.part", to);
    int in = open (from, O_RDONLY | O_CLOEXEC);
    unlink (near);
    int out = open (near, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    uint8_t *buffer = must (malloc (READ_BYTES));
    ssize_t got = in >= 0 && out >= 0 ? 1 : -1;
    while (got > 0) {
        got = read (in, buffer, READ_BYTES);
        for (ssize_t done = 0, put; got > 0 && done < got; done += put) {
            put = write (out, buffer + done, (size_t) (got - done));
            if (put < 0) {
                got = -1;
                break;
            }
        }
    }
    int error = errno;
    free (buffer);
    if (in >= 0)
        close (in);
    if (out >= 0)
        close (out);
    errno = error;
    return got == 0 && flush_path (near, O_RDONLY) && rename (near, to) == 0 && unlink (from) == 0;
}

/*  Moves the marks that the flow has noted beside the part (flow.h). If that fails, the file has no
 *  marks, which is allowed. */
static void marks_keep (const char *part, const char *to)
{
    char marks [STORAGE_PATH_BYTES + sizeof FLOW_MARKS];
    snprintf (marks, sizeof marks, "%s" FLOW_MARKS, part);
    if (!*to || rename (marks, to) != 0)
        (void) unlink (marks); /* if this fails, the next sweep does it */
}

static bool storage_executor_keep (const void *order, void *told, char why [WHY_BYTES])
{
    const storage_work_t *work = order;
    storage_result_t *result = told;
    result->there = true;
    if (!flush_path (work->from, O_RDONLY)) {
        if (errno == ENOENT && access (work->to, F_OK) == 0)
            return true; /* it was done before */
        return storage_executor_failed (why, "flushing", work->from);
    }
    if (*work->marks && unlink (work->marks) != 0 && errno != ENOENT)
        return storage_executor_failed (why, "removing",
                                        work->marks); /* of an older file of this name */
    if (rename (work->from, work->to) != 0 && (errno != EXDEV || !copy_over (work->from, work->to)))
        return storage_executor_failed (why, "naming", work->to);
    marks_keep (work->from, work->marks);
    return flush_folder_of (work->to) ||
           storage_executor_failed (why, "flushing the folder of", work->to);
}

/*  --- write --- */

static bool storage_executor_write_out (const void *order, void *told, char why [WHY_BYTES])
{
    const storage_work_t *work = order;
    storage_result_t *result = told;
    int file = open (work->from, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || storage_executor_failed (why, "opening", work->from);
    result->there = true;
    /*  Errors are found when the file is flushed (keep). */
    (void) sync_file_range (file, 0, 0, SYNC_FILE_RANGE_WRITE);
    close (file);
    return true;
}

/*  --- prove --- */

static bool same_file (const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/*  Notes the digest so far, after a chunk. If that fails, the mark is missing, which is allowed
 *  (flow.h). */
static void mark_note (int marks, EVP_MD_CTX *sofar, const EVP_MD_CTX *digest)
{
    uint8_t mark [CHAIN_DIGEST_BYTES];
    unsigned size;
    EVP_MD_CTX_copy_ex (sofar, digest);
    EVP_DigestFinal_ex (sofar, mark, &size);
    ssize_t put = write (marks, mark, sizeof mark);
    (void) put;
}

static bool digest_file (const char *path, int file, int marks, storage_result_t *result,
                         char why [WHY_BYTES])
{
    EVP_MD_CTX *context = must (EVP_MD_CTX_new ()), *sofar = must (EVP_MD_CTX_new ());
    uint8_t *buffer = must (malloc (READ_BYTES));
    unsigned size;
    ssize_t got = 1;
    EVP_DigestInit_ex (context, EVP_sha256 (), NULL);
    while (got > 0) {
        uint64_t left = FLOW_CHUNK_BYTES - result->content.size % FLOW_CHUNK_BYTES;
        got = read (file, buffer, left < READ_BYTES ? (size_t) left : READ_BYTES);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0) {
            EVP_DigestUpdate (context, buffer, (size_t) got);
            result->content.size += (uint64_t) got;
            if (marks >= 0 && (uint64_t) got == left)
                mark_note (marks, sofar, context);
        }
    }
    EVP_DigestFinal_ex (context, result->content.digest, &size);
    result->content.digest_known = got == 0;
    EVP_MD_CTX_free (context);
    EVP_MD_CTX_free (sofar);
    free (buffer);
    return got == 0 || storage_executor_failed (why, "reading", path);
}

static bool prove (const void *order, void *told, char why [WHY_BYTES])
{
    const storage_work_t *work = order;
    storage_result_t *result = told;
    struct stat before, after;
    int file = open (work->from, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return true;
    if (file < 0 || fstat (file, &before) != 0 || !S_ISREG (before.st_mode)) {
        storage_executor_failed (why, "opening", work->from);
        if (file >= 0)
            close (file);
        return false;
    }
    result->there = true;
    int marks = *work->marks
                  ? open (work->marks, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640)
                  : -1;
    bool read_all = digest_file (work->from, file, marks, result, why) && fstat (file, &after) == 0;
    close (file);
    if (marks >= 0)
        close (marks);
    if (!read_all)
        return false;
    if (same_file (&before, &after))
        return true;
    return wrong (why, "%.120s was changed while it was read", work->from);
}

/*  --- drop and sweep --- */

static bool storage_executor_drop (const void *order, void *told, char why [WHY_BYTES])
{
    (void) told;
    const storage_work_t *work = order;
    if ((*work->marks && unlink (work->marks) != 0 && errno != ENOENT) ||
        (unlink (work->from) != 0 && errno != ENOENT))
        return storage_executor_failed (why, "removing", work->from);
    return flush_folder_of (work->from) ||
           storage_executor_failed (why, "flushing the folder of", work->from);
}

static bool storage_executor_named (const storage_work_t *work, const char *name)
{
    for (size_t i = 0; i < work->names_count; i++) {
        size_t size = strlen (work->names [i]);
        if (strncmp (work->names [i], name, size) == 0 &&
            (name [size] == '\0' || strcmp (name + size, FLOW_MARKS) == 0))
            return true;
    }
    return false;
}

static bool storage_executor_sweep (const void *order, void *told, char why [WHY_BYTES])
{
    (void) told;
    const storage_work_t *work = order;
    DIR *folder = opendir (work->from);
    if (!folder)
        return storage_executor_failed (why, "opening", work->from);
    bool swept = true;
    for (const struct dirent *entry; (entry = readdir (folder));)
        if (entry->d_name [0] != '.' && !storage_executor_named (work, entry->d_name) &&
            unlinkat (dirfd (folder), entry->d_name, 0) != 0 && errno != ENOENT)
            swept = storage_executor_failed (why, "removing", entry->d_name);
    closedir (folder);
    return swept;
}

/*  --- all kinds --- */

#define STORAGE_WORK(storage_executor_named, how)                                                  \
    {                                                                                              \
        .kind = (storage_executor_named), .order = &storage_work_codec,                            \
        .result = &storage_result_codec, .carry_out = (how)                                        \
    }

const work_kind_t storage_works [] = {
  STORAGE_WORK (FILE_KEEP, storage_executor_keep),
  STORAGE_WORK (FILE_WRITE, storage_executor_write_out),
  STORAGE_WORK (FILE_PROVE, prove),
  STORAGE_WORK (FILE_DROP, storage_executor_drop),
  STORAGE_WORK (FILE_SWEEP, storage_executor_sweep),
};
const size_t storage_executor_count = sizeof storage_works / sizeof *storage_works;

bool storage_folders_make (const char *folder)
{
    static const char *const inside [] = {"", "/parts", "/files", "/marks"};
    char path [STORAGE_PATH_BYTES];
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        snprintf (path, sizeof path, "%s%s", folder, inside [i]);
        if (mkdir (path, FOLDER_MODE) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}
