/*  storage_works - files and folders of a storage node. Everything is flushed before it is told. */
#include "storage_works.h"

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

typedef struct {
    storage_result_t result;
    char why [WHY_BYTES];
} done_t;

static bool failed (done_t *outcome, const char *doing, const char *path)
{
    snprintf (outcome->why, sizeof outcome->why, "%.30s %.80s: %.40s", doing, path,
              strerror (errno));
    return false;
}

/*  Flushes a file, or the folder that a path lies in. */
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

/*  From one file system to another there is no rename. */
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

/*  What the flow noted beside a part (flow.h) goes with it. A file may be without marks, and is
 *  when they can't be moved. */
static void marks_keep (const char *part, const char *to)
{
    char marks [STORAGE_PATH_BYTES + sizeof FLOW_MARKS];
    snprintf (marks, sizeof marks, "%s" FLOW_MARKS, part);
    if (!*to || rename (marks, to) != 0)
        (void) unlink (marks); /* else the next sweep does it */
}

static bool keep (done_t *outcome, const storage_work_t *work)
{
    outcome->result.there = true;
    if (!flush_path (work->from, O_RDONLY)) {
        if (errno == ENOENT && access (work->to, F_OK) == 0)
            return true; /* it was done before */
        return failed (outcome, "flushing", work->from);
    }
    if (*work->marks && unlink (work->marks) != 0 && errno != ENOENT)
        return failed (outcome, "removing", work->marks); /* another file's, of this name */
    if (rename (work->from, work->to) != 0 && (errno != EXDEV || !copy_over (work->from, work->to)))
        return failed (outcome, "naming", work->to);
    marks_keep (work->from, work->marks);
    return flush_folder_of (work->to) || failed (outcome, "flushing the folder of", work->to);
}

/*  --- write --- */

static bool write_out (done_t *outcome, const storage_work_t *work)
{
    int file = open (work->from, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || failed (outcome, "opening", work->from);
    outcome->result.there = true;
    /*  Whether it got there is found when it is flushed (keep). */
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

/*  The digest so far, after a chunk. Those that can't be noted are missing (flow.h). */
static void mark_note (int marks, EVP_MD_CTX *sofar, const EVP_MD_CTX *digest)
{
    uint8_t mark [CHAIN_DIGEST_BYTES];
    unsigned size;
    EVP_MD_CTX_copy_ex (sofar, digest);
    EVP_DigestFinal_ex (sofar, mark, &size);
    ssize_t put = write (marks, mark, sizeof mark);
    (void) put;
}

static bool digest_file (done_t *outcome, int file, int marks, const char *path)
{
    EVP_MD_CTX *context = must (EVP_MD_CTX_new ()), *sofar = must (EVP_MD_CTX_new ());
    uint8_t *buffer = must (malloc (READ_BYTES));
    unsigned size;
    ssize_t got = 1;
    EVP_DigestInit_ex (context, EVP_sha256 (), NULL);
    while (got > 0) {
        uint64_t left = FLOW_CHUNK_BYTES - outcome->result.size % FLOW_CHUNK_BYTES;
        got = read (file, buffer, left < READ_BYTES ? (size_t) left : READ_BYTES);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0) {
            EVP_DigestUpdate (context, buffer, (size_t) got);
            outcome->result.size += (uint64_t) got;
            if (marks >= 0 && (uint64_t) got == left)
                mark_note (marks, sofar, context);
        }
    }
    EVP_DigestFinal_ex (context, outcome->result.digest, &size);
    outcome->result.digest_known = got == 0;
    EVP_MD_CTX_free (context);
    EVP_MD_CTX_free (sofar);
    free (buffer);
    return got == 0 || failed (outcome, "reading", path);
}

static bool prove (done_t *outcome, const storage_work_t *work)
{
    struct stat before, after;
    int file = open (work->from, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return true;
    if (file < 0 || fstat (file, &before) != 0 || !S_ISREG (before.st_mode)) {
        failed (outcome, "opening", work->from);
        if (file >= 0)
            close (file);
        return false;
    }
    outcome->result.there = true;
    int marks = *work->marks
                  ? open (work->marks, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640)
                  : -1;
    bool read_all = digest_file (outcome, file, marks, work->from) && fstat (file, &after) == 0;
    close (file);
    if (marks >= 0)
        close (marks);
    if (!read_all)
        return false;
    if (same_file (&before, &after))
        return true;
    snprintf (outcome->why, sizeof outcome->why, "%.120s changed while it was read", work->from);
    return false;
}

/*  --- drop and sweep --- */

static bool drop (done_t *outcome, const storage_work_t *work)
{
    if ((*work->marks && unlink (work->marks) != 0 && errno != ENOENT) ||
        (unlink (work->from) != 0 && errno != ENOENT))
        return failed (outcome, "removing", work->from);
    return flush_folder_of (work->from) || failed (outcome, "flushing the folder of", work->from);
}

static bool named (const storage_work_t *work, const char *name)
{
    for (size_t i = 0; i < work->names_count; i++) {
        size_t size = strlen (work->names [i]);
        if (strncmp (work->names [i], name, size) == 0 &&
            (name [size] == '\0' || strcmp (name + size, FLOW_MARKS) == 0))
            return true;
    }
    return false;
}

static bool sweep (done_t *outcome, const storage_work_t *work)
{
    DIR *folder = opendir (work->from);
    if (!folder)
        return failed (outcome, "opening", work->from);
    bool swept = true;
    for (const struct dirent *entry; (entry = readdir (folder));)
        if (entry->d_name [0] != '.' && !named (work, entry->d_name) &&
            unlinkat (dirfd (folder), entry->d_name, 0) != 0 && errno != ENOENT)
            swept = failed (outcome, "removing", entry->d_name);
    closedir (folder);
    return swept;
}

/*  --- as workers --- */

static bool run (bytes_t arguments, bool (*carry_out) (done_t *, const storage_work_t *),
                 uint8_t **result, size_t *result_size)
{
    done_t outcome = {.why = "it can't be done"};
    storage_work_t work;
    bool done = codec_decode (&storage_work_codec, &work, arguments, outcome.why) &&
                carry_out (&outcome, &work);
    codec_clear (&storage_work_codec, &work);
    if (done) {
        packed_t packed = codec_encode (&storage_result_codec, &outcome.result);
        *result = packed.data;
        *result_size = packed.size;
    } else {
        *result = (uint8_t *) must (strdup (outcome.why));
        *result_size = strlen (outcome.why);
    }
    return done;
}

static bool run_keep (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    return run (arguments, keep, result, result_size);
}

static bool run_write (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    return run (arguments, write_out, result, result_size);
}

static bool run_prove (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    return run (arguments, prove, result, result_size);
}

static bool run_drop (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    return run (arguments, drop, result, result_size);
}

static bool run_sweep (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    return run (arguments, sweep, result, result_size);
}

const work_kind_t storage_works [] = {{.kind = FILE_KEEP, .run = run_keep},
                                      {.kind = FILE_WRITE, .run = run_write},
                                      {.kind = FILE_PROVE, .run = run_prove},
                                      {.kind = FILE_DROP, .run = run_drop},
                                      {.kind = FILE_SWEEP, .run = run_sweep}};
const size_t storage_works_count = sizeof storage_works / sizeof *storage_works;

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
