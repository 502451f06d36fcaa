/*  part_folder - is removed under another name, so that a next one may be made meanwhile; a lock
 *  counts only if it is still that of the folder.
 */
#include "part_folder.h"

#include "cli.h"
#include "json_fields.h"
#include "must.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX       ".musubi-part"
#define LOCK_MS      1000
#define LOCK_REST_MS 20
#define PART         "/node/parts/part"

bool path_failed (char why [LONG_WHY_BYTES], const char *what, const char *path)
{
    snprintf (why, LONG_WHY_BYTES, "%.300s: %s: %s", path, what, strerror (errno));
    return false;
}

char *path_temporary (const char *name)
{
    const char *folder = getenv ("TMPDIR");
    return must_print ("%s/%s", folder && *folder ? folder : "/tmp", name);
}

/*  --- removing --- */

static bool gone_on_with (const FTSENT *at)
{
    return (at->fts_level == 3 && strncmp (at->fts_name, "part", 4) == 0) || /* and its marks */
           (at->fts_level == 1 && listed ("lock folder", at->fts_name));
}

/*  Removes a folder, or what is in it but need not be kept; a folder that is not empty stays. */
static void folder_remove (char *path, bool kept)
{
    char *const tops [] = {path, NULL};
    FTS *walk = fts_open (tops, FTS_NOCHDIR | FTS_PHYSICAL, NULL);
    for (FTSENT *at; walk && (at = fts_read (walk));)
        if (kept && gone_on_with (at))
            fts_set (walk, at, FTS_SKIP);
        else if (at->fts_info != FTS_D)
            remove (at->fts_path);
    if (walk)
        fts_close (walk);
}

/*  What an earlier one has left: a verified file that has not got its name is a part again. */
static void part_folder_tidy (const part_folder_t *self)
{
    text_auto_t *whole = must_print ("%s/whole", self->path);
    text_auto_t *whole_marks = must_print ("%s.marks", whole);
    text_auto_t *part = must_print ("%s" PART, self->path);
    text_auto_t *part_marks = must_print ("%s.marks", part);
    if (rename (whole, part) == 0)
        (void) rename (whole_marks, part_marks); /* without marks its bytes are received again */
    folder_remove (self->path, true);
}

/*  --- the lock --- */

/*  The guest inherits the lock, so that it is not free before the guest has ended, too. False with
 *  errno; the lock is closed by its caller in either case. */
static bool part_folder_lock (part_folder_t *self)
{
    struct stat held, there;
    text_auto_t *path = must_print ("%s/lock", self->path);
    self->lock = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return self->lock >= 0 && fcntl (self->lock, F_SETFD, 0) == 0 &&
           flock (self->lock, LOCK_EX | LOCK_NB) == 0 && fstat (self->lock, &held) == 0 &&
           stat (path, &there) == 0 && held.st_ino == there.st_ino;
}

/*  Nobody else may put anything into it. False with errno. */
static bool part_folder_make (const part_folder_t *self)
{
    struct stat found;
    if (mkdir (self->path, 0700) == 0)
        return true;
    return errno == EEXIST && lstat (self->path, &found) == 0 && S_ISDIR (found.st_mode) &&
           found.st_uid == geteuid () && (found.st_mode & 022) == 0;
}

static bool part_folder_take (part_folder_t *self)
{
    for (int64_t until_ms = cli_mono_ms () + LOCK_MS; part_folder_make (self);) {
        if (part_folder_lock (self))
            return true;
        descriptor_close (&self->lock);
        if (cli_mono_ms () > until_ms || cli_interrupted ())
            break;
        cli_rest (LOCK_REST_MS);
    }
    return false;
}

static void old_ones_remove (const char *parent)
{
    DIR *folder = opendir (parent);
    for (const struct dirent *entry; folder && (entry = readdir (folder));) {
        struct stat found;
        text_auto_t *path = must_print ("%s%s", parent, entry->d_name);
        part_folder_t old = {.path = path, .lock = -1};
        if (entry->d_name [0] == '.' && strstr (entry->d_name, SUFFIX) &&
            lstat (path, &found) == 0 && S_ISDIR (found.st_mode) &&
            time (NULL) - found.st_mtime > PARTS_KEPT_DAYS * 86400 && part_folder_lock (&old))
            folder_remove (path, false);
        descriptor_close (&old.lock);
    }
    if (folder)
        closedir (folder);
}

/*  --- its life --- */

static char *folder_of (const char *target)
{
    return must_print ("%.*s", (int) (strrchr (target, '/') - target + 1), target);
}

bool part_folder_open (part_folder_t *self, const char *target, char why [LONG_WHY_BYTES])
{
    text_auto_t *parent = folder_of (target);
    old_ones_remove (parent);
    *self = (part_folder_t){
      .path = must_print ("%s.%.200s" SUFFIX, parent, target + strlen (parent)), .lock = -1};
    if (part_folder_take (self)) {
        part_folder_tidy (self);
        return true;
    }
    if (errno == EWOULDBLOCK)
        snprintf (why, LONG_WHY_BYTES, "%.400s is being fetched already by another get", target);
    else
        path_failed (why, "can't be used", self->path);
    free (self->path);
    self->path = NULL;
    return false;
}

/*  -1 when there is no such file in it. */
static int64_t part_folder_size (const part_folder_t *self, const char *name)
{
    struct stat found;
    text_auto_t *path = must_print ("%s%s", self->path, name);
    return stat (path, &found) == 0 ? found.st_size : -1;
}

uint64_t part_folder_bytes (const part_folder_t *self)
{
    int64_t part = part_folder_size (self, PART), whole = part_folder_size (self, "/whole");
    return (uint64_t) (part > 0 ? part : whole > 0 ? whole : 0);
}

bool part_folder_whole (const part_folder_t *self)
{
    return part_folder_size (self, "/whole") >= 0;
}

bool part_folder_name (const part_folder_t *self, const char *target, char why [LONG_WHY_BYTES])
{
    text_auto_t *whole = must_print ("%s/whole", self->path);
    text_auto_t *parent = folder_of (target);
    mode_t mask = umask (0);
    umask (mask);
    if (chmod (whole, 0666 & ~mask) != 0 || rename (whole, target) != 0)
        return path_failed (why, "can't get the file", target);
    descriptor_auto_t folder = open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return (folder >= 0 && fsync (folder) == 0) || path_failed (why, "can't be flushed", parent);
}

void part_folder_close (part_folder_t *self, bool stays)
{
    if (!self->path)
        return;
    if (!stays || (part_folder_bytes (self) == 0 && part_folder_size (self, "/folder") < 0)) {
        text_auto_t *aside = must_print ("%s.%ld", self->path, (long) getpid ());
        folder_remove (rename (self->path, aside) == 0 ? aside : self->path, false);
    }
    descriptor_close (&self->lock);
    free (self->path);
    self->path = NULL;
}
