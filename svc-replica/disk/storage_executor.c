/*  storage_executor - works on files and folders; everything is flushed before it is reported. */
#include "storage_executor.h"

#include "clock.h"
#include "flow_marks.h"
#include "must.h"
#include "storage_work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define COPY_BYTES    (1 << 30) /* at most, that one call copies */
#define FOLDER_MODE   0750
#define BITS_PER_BYTE 8
#define BLOCK_BYTES   512 /* of st_blocks */

static bool storage_executor_failed (char why [WHY_BYTES], const char *doing, const char *path)
{
    return wrong (why, "%.30s %.80s: %.40s", doing, path, strerror (errno));
}

/*  Flushes a file or folder. */
static bool flush_path (const char *path, int flags)
{
    descriptor_auto_t file = open (path, flags | O_CLOEXEC);
    return file >= 0 && fsync (file) == 0;
}

static const char *storage_executor_folder_of (const char *path, char folder [STORAGE_PATH_BYTES])
{
    const char *slash = strrchr (path, '/');
    snprintf (folder, STORAGE_PATH_BYTES, "%.*s", slash ? (int) (slash - path) : 1,
              slash ? path : ".");
    return *folder ? folder : "/";
}

static bool flush_folder_of (const char *path)
{
    char folder [STORAGE_PATH_BYTES];
    return flush_path (storage_executor_folder_of (path, folder), O_RDONLY | O_DIRECTORY);
}

/*  --- the node's folders --- */

static const char *const inside [] = {"", "/parts", "/files", "/marks", "/arrivals"};
#define INSIDE (sizeof inside / sizeof *inside)

/*  Those that storage_folders_make has seen to; a process has one node. */
static struct {
    char path [STORAGE_PATH_BYTES];
    struct stat status;
} at_start [INSIDE];

static const char *folder_in (const char *of, const char *name, char path [STORAGE_PATH_BYTES])
{
    snprintf (path, STORAGE_PATH_BYTES, "%s%s", of, name);
    return path;
}

/*  Is this one of them, and is it no more, or another one? Then its disk is away, and what is not
 *  there says nothing. */
static bool is_away (const char *folder, char why [WHY_BYTES])
{
    struct stat status;
    for (size_t i = 0; i < INSIDE; i++)
        if (strcmp (at_start [i].path, folder) == 0 &&
            (stat (folder, &status) != 0 || status.st_dev != at_start [i].status.st_dev ||
             status.st_ino != at_start [i].status.st_ino))
            return !wrong (
              why, "%.120s is not the folder that it was at the start: its disk is away", folder);
    return false;
}

/*  --- write --- */

static bool storage_executor_write_out (const void *order, void *told, char why [WHY_BYTES])
{
    const storage_work_t *work = order;
    storage_result_t *result = told;
    descriptor_auto_t file = open (work->from, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || storage_executor_failed (why, "opening", work->from);
    result->there = true;
    /*  Errors are found when the file is flushed (keep). */
    (void) sync_file_range (file, 0, 0, SYNC_FILE_RANGE_WRITE);
    return true;
}

/*  --- prove --- */

static bool same_file (const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/*  What a proof knows so far. */
typedef struct {
    int file;
    int marks;          /* noted before, by which chunks are judged; -1 = none */
    int anew;           /* those of this reading; -1 = not wanted */
    EVP_MD_CTX *digest; /* of what was read; what can't be read counts as zeros */
    EVP_MD_CTX *zeroed; /* the same with zeros for bad chunks; NULL = none is bad yet */
    uint8_t *chunk;
    storage_result_t *result;
} proof_t;

/*  Returns how many bytes there are at the offset, up to a chunk; -1 with errno. */
static ssize_t chunk_read (const proof_t *self, uint64_t offset)
{
    size_t done = 0;
    while (done < FLOW_CHUNK_BYTES) {
        ssize_t got =
          pread (self->file, self->chunk + done, FLOW_CHUNK_BYTES - done, (off_t) (offset + done));
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            break;
        done += got > 0 ? (size_t) got : 0;
    }
    return (ssize_t) done;
}

/*  When there is no room for one more, the last range covers it too. */
static void range_add (damage_t *damage, uint64_t offset, uint64_t bytes)
{
    bad_range_t *last = &damage->bad [damage->bad_count > 0 ? damage->bad_count - 1 : 0];
    bool joins = damage->bad_count == BAD_RANGES_MAX ||
                 (damage->bad_count > 0 && last->offset + last->bytes == offset);
    if (joins)
        last->bytes = offset + bytes - last->offset;
    else
        damage->bad [damage->bad_count++] = (bad_range_t){.offset = offset, .bytes = bytes};
}

static EVP_MD_CTX *digest_copy (const EVP_MD_CTX *digest)
{
    EVP_MD_CTX *copy = must (EVP_MD_CTX_new ());
    EVP_MD_CTX_copy_ex (copy, digest);
    return copy;
}

static void digest_end (EVP_MD_CTX **digest, uint8_t to [CHAIN_DIGEST_BYTES])
{
    unsigned size;
    EVP_DigestFinal_ex (*digest, to, &size);
    EVP_MD_CTX_free (*digest);
    *digest = NULL;
}

/*  Notes the marks of a chunk. If that fails they are missing, which is allowed (flow.h). */
static void mark_note (const proof_t *self, uint64_t end, flow_mark_t *found)
{
    EVP_MD_CTX *sofar = digest_copy (self->digest);
    digest_end (&sofar, found->mark);
    (void) flow_marks_put (self->anew, end, found);
}

/*  Is the chunk that was read the right one? The marks from before remember the answer. */
static bool chunk_right (const proof_t *self, uint64_t end, uint64_t check, bool read)
{
    flow_mark_t noted;
    bool known = flow_marks_get (self->marks, end, &noted);
    bool right = read && (!known || noted.check == check);
    if (known && noted.bad == right) {
        noted.bad = !right;
        (void) flow_marks_put (self->marks, end, &noted);
    }
    return right;
}

static void chunk_take (proof_t *self, uint64_t offset, size_t size, bool read)
{
    if (!read)
        memset (self->chunk, 0, size);
    flow_mark_t found = {.check = XXH3_64bits (self->chunk, size)};
    bool right = chunk_right (self, offset + size, found.check, read);
    if (!right && !self->zeroed)
        self->zeroed = digest_copy (self->digest);
    EVP_DigestUpdate (self->digest, self->chunk, size);
    if (self->anew >= 0)
        mark_note (self, offset + size, &found);
    if (!right) {
        memset (self->chunk, 0, size);
        range_add (&self->result->damage, offset, size);
    }
    if (self->zeroed)
        EVP_DigestUpdate (self->zeroed, self->chunk, size);
    self->result->damaged = self->result->damaged || !read;
}

/*  Waits until so many bytes may have been read since the beginning. What is read at a rate comes
 *  from the disk, and does not drive others' bytes out of memory. */
static void proof_pace (int file, uint64_t bytes, uint32_t mbps, int64_t begun_ms)
{
    int64_t ms =
      (int64_t) (bytes / mbps * BITS_PER_BYTE / 1000) + begun_ms - clock_ms (CLOCK_MONOTONIC);
    posix_fadvise (file, 0, 0, POSIX_FADV_DONTNEED);
    if (ms > 0)
        nanosleep (&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/*  Reads all that there is; false when the file can't be judged. */
static bool proof_read (proof_t *self, const storage_work_t *work, uint64_t size,
                        char why [WHY_BYTES])
{
    storage_result_t *result = self->result;
    int64_t begun_ms = clock_ms (CLOCK_MONOTONIC);
    for (uint64_t offset = 0; offset < size;) {
        if (work->mbps > 0)
            proof_pace (self->file, offset, work->mbps, begun_ms);
        uint64_t left = size - offset;
        size_t whole = left < FLOW_CHUNK_BYTES ? (size_t) left : FLOW_CHUNK_BYTES;
        ssize_t got = chunk_read (self, offset);
        if (got < 0 && !work->expected)
            return storage_executor_failed (why, "reading", work->from);
        if (got >= 0 && (size_t) got != whole)
            return wrong (why, "%.120s was changed while it was read", work->from);
        chunk_take (self, offset, whole, got >= 0);
        offset += whole;
    }
    result->content.size = size;
    result->content.digest_known = true;
    EVP_MD_CTX *zeroed = self->zeroed ? self->zeroed : digest_copy (self->digest);
    digest_end (&self->digest, result->content.digest);
    result->damage.found = result->content;
    digest_end (&zeroed, result->damage.found.digest);
    self->zeroed = NULL;
    result->damaged =
      work->expected &&
      (result->damaged || memcmp (result->content.digest, work->digest, CHAIN_DIGEST_BYTES) != 0);
    return true;
}

/*  Reads the file and its marks, and puts new marks in their place if the file is right. */
static bool proof_make (proof_t *self, const storage_work_t *work, uint64_t size,
                        char why [WHY_BYTES])
{
    char anew [STORAGE_PATH_BYTES + 8] = "";
    if (*work->marks)
        snprintf (anew, sizeof anew, "%s%%new", work->marks); /* no name has that end */
    self->marks = work->expected ? flow_marks_open (work->marks, O_RDWR) : -1;
    self->anew = flow_marks_open (anew, O_RDWR | O_CREAT | O_TRUNC);
    self->digest = must (EVP_MD_CTX_new ());
    self->chunk = must (malloc (FLOW_CHUNK_BYTES));
    EVP_DigestInit_ex (self->digest, EVP_sha256 (), NULL);
    bool read = proof_read (self, work, size, why);
    if (self->anew >= 0 && (!read || self->result->damaged || rename (anew, work->marks) != 0))
        unlink (anew);
    descriptor_close (&self->anew);
    descriptor_close (&self->marks);
    EVP_MD_CTX_free (self->digest);
    EVP_MD_CTX_free (self->zeroed);
    free (self->chunk);
    return read;
}

static bool prove (const void *order, void *told, char why [WHY_BYTES])
{
    const storage_work_t *work = order;
    storage_result_t *result = told;
    struct stat before, after;
    char folder [STORAGE_PATH_BYTES];
    int how = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (work->plain ? O_NOFOLLOW : 0);
    proof_t proof = {.file = open (work->from, how), .result = result};
    if (proof.file < 0 && errno == ENOENT)
        return !is_away (storage_executor_folder_of (work->from, folder), why);
    result->there = proof.file >= 0 && fstat (proof.file, &before) == 0 && S_ISREG (before.st_mode);
    bool good = result->there && proof_make (&proof, work, (uint64_t) before.st_size, why);
    if (!result->there)
        storage_executor_failed (why, "opening", work->from);
    if (good && (fstat (proof.file, &after) != 0 || !same_file (&before, &after)))
        good = wrong (why, "%.120s was changed while it was read", work->from);
    descriptor_close (&proof.file);
    return good;
}

/*  --- keep --- */

/*  Copies the file, because a file can't be renamed into another file system. */
static bool copy_over (const char *from, const char *to)
{
    char near [STORAGE_PATH_BYTES + 8];
    snprintf (near, sizeof near, "%s.part", to);
    descriptor_auto_t in = open (from, O_RDONLY | O_CLOEXEC);
    unlink (near);
    descriptor_auto_t out = open (near, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    ssize_t copied = in >= 0 && out >= 0 ? 1 : -1;
    while (copied > 0)
        copied = sendfile (out, in, NULL, COPY_BYTES);
    return copied == 0 && flush_path (near, O_RDONLY) && rename (near, to) == 0 &&
           unlink (from) == 0;
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

/*  Does the disk give back the bytes that came, as the marks beside the part tell? */
static bool part_stays (const char *part)
{
    char marks [STORAGE_PATH_BYTES + sizeof FLOW_MARKS];
    snprintf (marks, sizeof marks, "%s" FLOW_MARKS, part);
    proof_t self = {.file = open (part, O_RDONLY | O_CLOEXEC),
                    .marks = flow_marks_open (marks, O_RDONLY),
                    .chunk = must (malloc (FLOW_CHUNK_BYTES))};
    bool stays = self.file >= 0;
    ssize_t got = stays ? 1 : 0;
    for (uint64_t end = 0; stays && got > 0;) {
        flow_mark_t noted;
        got = chunk_read (&self, end);
        end += got > 0 ? (uint64_t) got : 0;
        stays = got >= 0 && (got == 0 || !flow_marks_get (self.marks, end, &noted) ||
                             noted.check == XXH3_64bits (self.chunk, (size_t) got));
    }
    free (self.chunk);
    descriptor_close (&self.marks);
    descriptor_close (&self.file);
    return stays;
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
    result->damaged = !part_stays (work->from);
    if (result->damaged)
        return true;
    if (*work->marks && unlink (work->marks) != 0 && errno != ENOENT)
        return storage_executor_failed (why, "removing",
                                        work->marks); /* of an older file of this name */
    if (rename (work->from, work->to) != 0 && (errno != EXDEV || !copy_over (work->from, work->to)))
        return storage_executor_failed (why, "naming", work->to);
    marks_keep (work->from, work->marks);
    return flush_folder_of (work->to) ||
           storage_executor_failed (why, "flushing the folder of", work->to);
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

/*  A name counts as touched when it was given, too. */
static bool storage_executor_young (int folder, const char *name, int64_t older_ms)
{
    struct stat status;
    return older_ms > 0 && (fstatat (folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
                            time (NULL) - status.st_ctim.tv_sec < older_ms / 1000);
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
            !storage_executor_young (dirfd (folder), entry->d_name, work->older_ms) &&
            unlinkat (dirfd (folder), entry->d_name, 0) != 0 && errno != ENOENT)
            swept = storage_executor_failed (why, "removing", entry->d_name);
    closedir (folder);
    return swept;
}

/*  --- room --- */

uint64_t storage_room (const char *path)
{
    struct statvfs room;
    struct stat status;
    if (statvfs (path, &room) != 0)
        return 0;
    uint64_t bytes = 1 + (uint64_t) room.f_bavail * room.f_frsize; /* not even one is known, too */
    for (size_t i = 1; i < INSIDE; i++) {
        char name [STORAGE_PATH_BYTES];
        DIR *folder = opendir (folder_in (path, inside [i], name));
        for (const struct dirent *entry; folder && (entry = readdir (folder));)
            if (entry->d_name [0] != '.' &&
                fstatat (dirfd (folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
                bytes += (uint64_t) status.st_blocks * BLOCK_BYTES;
        if (folder)
            closedir (folder);
    }
    return bytes;
}

/*  What can't be looked at is not told as missing. */
static bool storage_executor_look (const void *order, void *told, char why [WHY_BYTES])
{
    const storage_work_t *work = order;
    storage_result_t *result = told;
    char path [STORAGE_PATH_BYTES];
    struct stat status;
    const char **missing = must (calloc (work->names_count + 1, sizeof *missing));
    for (size_t i = 0; i < work->sizes_count; i++)
        if (stat (storage_path (work->from, "files", work->names [i], path), &status) == 0
              ? (uint64_t) status.st_size != work->sizes [i]
              : errno == ENOENT)
            missing [result->names_count++] = must (strdup (work->names [i]));
    result->names = missing;
    if (is_away (folder_in (work->from, "/files", path), why) ||
        is_away (folder_in (work->from, "/marks", path), why))
        return false;
    result->content.size = storage_room (work->from);
    return result->content.size > 0 || storage_executor_failed (why, "looking at", work->from);
}

/*  --- all kinds --- */

#define STORAGE_WORK(name, how)                                                                    \
    {                                                                                              \
        .kind = (name), .order = &storage_work_codec, .result = &storage_result_codec,             \
        .carry_out = (how)                                                                         \
    }

const work_kind_t storage_works [] = {
  STORAGE_WORK (FILE_KEEP, storage_executor_keep),
  STORAGE_WORK (FILE_WRITE, storage_executor_write_out),
  STORAGE_WORK (FILE_PROVE, prove),
  STORAGE_WORK (FILE_DROP, storage_executor_drop),
  STORAGE_WORK (FILE_SWEEP, storage_executor_sweep),
  STORAGE_WORK (FILE_LOOK, storage_executor_look),
};
const size_t storage_executor_count = sizeof storage_works / sizeof *storage_works;

bool storage_folders_make (const char *folder)
{
    for (size_t i = 0; i < INSIDE; i++) {
        const char *path = folder_in (folder, inside [i], at_start [i].path);
        if ((mkdir (path, FOLDER_MODE) != 0 && errno != EEXIST) ||
            stat (path, &at_start [i].status) != 0)
            return false;
    }
    return true;
}
