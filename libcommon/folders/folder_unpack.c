/*  folder_unpack - written by libarchive, which follows no links; what is written is held against
 *  the manifest before.
 */
#include "folder_unpack.h"

#include "json_fields.h"
#include "must.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK_BYTES  (1 << 18)
#define TIME_EXACT_S 2 /* on disks with the coarsest times */
#define DISK_FLAGS                                                                                 \
    (ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_UNLINK |                        \
     ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_SECURE_NODOTDOT |                           \
     ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS)

static mode_t mode_of (const json_t *member)
{
    mode_t mask = umask (077);
    umask (mask);
    return (mode_t) number_of (member, "mode") & 0777 & ~mask;
}

static struct timespec time_of (const json_t *member)
{
    int64_t ns = number_of (member, "mtime_ns"), rest = (ns % 1000000000 + 1000000000) % 1000000000;
    return (struct timespec){.tv_sec = (ns - rest) / 1000000000, .tv_nsec = rest};
}

bool folder_unpack_has (int folder, const json_t *member)
{
    char digest [DIGEST_TEXT_BYTES];
    struct stat status;
    uint64_t size;
    descriptor_auto_t file =
      openat (folder, text_of (member, "path"), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    return file >= 0 && fstat (file, &status) == 0 && S_ISREG (status.st_mode) &&
           status.st_size == number_of (member, "size") &&
           file_digest_read (file, (uint64_t) status.st_size, &size, digest) &&
           strcmp (digest, text_of (member, "digest")) == 0;
}

bool folder_unpack_settle (const char *path, const json_t *member)
{
    const struct timespec time = time_of (member), times [2] = {{.tv_nsec = UTIME_OMIT}, time};
    struct stat is;
    if (lstat (path, &is) == 0 && (is.st_mode & 07777) == mode_of (member) &&
        is.st_mtim.tv_sec == time.tv_sec && is.st_mtim.tv_nsec == time.tv_nsec)
        return true;
    return (chmod (path, mode_of (member)) == 0 &&
            utimensat (AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0) ||
           path_refuse ("get", text_of (member, "path"), strerror (errno));
}

/*  Disks differ in how exact and how far from now times may be. */
static void times_check (const json_t *manifest)
{
    struct stat status;
    json_each_of (member, manifest, "members") {
        const char *path = text_of (member, "path");
        time_t wanted = time_of (member).tv_sec;
        if (lstat (*path ? path : ".", &status) == 0 &&
            llabs ((long long) status.st_mtim.tv_sec - wanted) > TIME_EXACT_S)
            path_refuse ("get", *path ? path : "the folder",
                         "this disk can't hold its time, and has put another");
    }
}

/*  --- to the disk --- */

static struct archive *disk_open (void)
{
    struct archive *disk = must (archive_write_disk_new ());
    archive_write_disk_set_options (disk, DISK_FLAGS);
    return disk;
}

static bool disk_close (struct archive *disk, bool good)
{
    if (good && archive_write_close (disk) != ARCHIVE_OK)
        good = path_refuse ("get", "the folder", archive_error_string (disk));
    archive_write_free (disk);
    return good;
}

/*  Writes a member; the bytes of a file come from the pack. */
static bool member_write (struct archive *disk, const json_t *member, mode_t mode,
                          struct archive *pack)
{
    const char *path = text_of (member, "path"), *kind = text_of (member, "kind");
    mode_t type = pack ? AE_IFREG : strcmp (kind, "link") == 0 ? AE_IFLNK : AE_IFDIR;
    struct timespec time = time_of (member);
    struct archive_entry *entry = must (archive_entry_new ());
    archive_entry_copy_pathname (entry, *path ? path : ".");
    archive_entry_set_mode (entry, type | mode);
    archive_entry_set_mtime (entry, time.tv_sec, time.tv_nsec);
    if (pack)
        archive_entry_set_size (entry, number_of (member, "size"));
    else if (type == AE_IFLNK)
        archive_entry_copy_symlink (entry, text_of (member, "target"));
    int end = archive_write_header (disk, entry);
    const void *bytes;
    size_t size;
    la_int64_t offset;
    while (pack && end == ARCHIVE_OK &&
           (end = archive_read_data_block (pack, &bytes, &size, &offset)) == ARCHIVE_OK)
        end = archive_write_data_block (disk, bytes, size, offset) < 0 ? ARCHIVE_FATAL : ARCHIVE_OK;
    archive_entry_free (entry);
    if (end >= ARCHIVE_OK && archive_write_finish_entry (disk) == ARCHIVE_OK)
        return true;
    const char *what = archive_error_string (disk);
    return path_refuse ("get", path, what ? what : archive_error_string (pack));
}

bool folder_unpack_others (const json_t *manifest, bool settled)
{
    struct archive *disk = disk_open ();
    struct stat status;
    bool good = true;
    const json_t *member;
    for (size_t i = 0; good && (member = folder_member_next (manifest, NULL, &i));) {
        const char *path = text_of (member, "path"), *kind = text_of (member, "kind");
        bool folder = strcmp (kind, "folder") == 0;
        if (folder && *path && lstat (path, &status) == 0 && !S_ISDIR (status.st_mode))
            good = path_refuse ("get", path,
                                "is there and is a link or a file; nothing is written "
                                "through it");
        else if (folder || (!settled && strcmp (kind, "link") == 0))
            good = member_write (disk, member, mode_of (member) | (settled ? 0 : 0700), NULL);
    }
    good = disk_close (disk, good);
    if (good && settled)
        times_check (manifest);
    return good;
}

/*  --- from a piece --- */

static bool entry_right (struct archive_entry *entry, const json_t *member, size_t piece)
{
    return archive_entry_filetype (entry) == AE_IFREG && !archive_entry_hardlink (entry) &&
           strcmp (text_of (member, "kind"), "file") == 0 &&
           number_of (member, "piece") == (int64_t) piece &&
           archive_entry_size (entry) == number_of (member, "size");
}

static bool pack_unpack (const json_t *manifest, size_t piece, const json_t *members,
                         struct archive *pack, struct archive *disk)
{
    struct archive_entry *entry;
    int got;
    size_t at = 0;
    while ((got = archive_read_next_header (pack, &entry)) == ARCHIVE_OK &&
           !folder_interrupted ()) {
        const char *path = archive_entry_pathname (entry);
        json_t *member = path ? folder_manifest_find (manifest, path) : NULL;
        if (!member || !entry_right (entry, member, piece))
            return path_refuse ("get", path ? path : "a member without a name",
                                "its pack and the folder's list of members do not agree about it");
        if (member != json_array_get (members, at++))
            return path_refuse ("get", path, "its pack has it twice, or lacks the one before it");
        bool done = flag_of (member, "done");
        if (!done && !folder_unpack_has (AT_FDCWD, member) &&
            !member_write (disk, member, mode_of (member), pack))
            return false;
    }
    if (got != ARCHIVE_EOF || at < json_array_size (members))
        return path_refuse ("get", "a pack",
                            folder_interrupted () ? "interrupted"
                            : got != ARCHIVE_EOF  ? archive_error_string (pack)
                                                  : "it lacks members at its end");
    return true;
}

/*  A large file only has to be renamed. */
static bool alone_unpack (const json_t *member, const char *path)
{
    const char *to = text_of (member, "path");
    struct stat status;
    if (lstat (path, &status) != 0 || status.st_size != number_of (member, "size"))
        return path_refuse ("get", to,
                            "its bytes are not as many as the folder's list of members says");
    return folder_unpack_settle (path, member) &&
           (rename (path, to) == 0 || path_refuse ("get", to, strerror (errno)));
}

bool folder_unpack (const json_t *manifest, size_t piece, const json_t *members, const char *path)
{
    const char *name = json_string_value (item_of (manifest, "pieces", piece));
    if (strncmp (name, "file-", 5) == 0)
        return json_array_size (members) == 1
                 ? alone_unpack (json_array_get (members, 0), path)
                 : path_refuse ("get", name, "two files are to be this one");
    struct archive *pack = must (archive_read_new ());
    archive_read_support_format_tar (pack);
    bool good = archive_read_open_filename (pack, path, BLOCK_BYTES) == ARCHIVE_OK ||
                path_refuse ("get", name, archive_error_string (pack));
    struct archive *disk = disk_open ();
    good = disk_close (disk, good && pack_unpack (manifest, piece, members, pack, disk));
    archive_read_free (pack);
    return good;
}
