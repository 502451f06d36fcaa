/*  folder_pack - walks by fts, names of a folder by their bytes; archives by libarchive. */
#include "folder_pack.h"

#include "cli.h"
#include "json_fields.h"
#include "must.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <sodium.h>
#include <unistd.h>

#define SAID_MAX 20 /* members that are named before it gives up */

static int by_bytes (const FTSENT **a, const FTSENT **b)
{
    return strcmp ((*a)->fts_name, (*b)->fts_name);
}

static bool tree_add (json_t *members, const FTSENT *at, const char *path, const char *kind)
{
    char target [PATH_MAX] = "";
    bool link = strcmp (kind, "link") == 0;
    if (link && readlink (at->fts_accpath, target, sizeof target - 1) < 0)
        return path_refuse ("put", at->fts_path, strerror (errno));
    if (path_escapes (path) || path_escapes (target))
        return path_refuse ("put", at->fts_path, "its name has an escape sequence; rename it");
    if (json_array_size (members) == FOLDER_MEMBERS_MAX)
        return path_refuse ("put", at->fts_path,
                            "too many: a folder has at most 250,000 members; put "
                            "folders below it one by one");
    json_t *member =
      json_pack ("{s:s, s:s, s:s*}", "kind", kind, "path", path, "target", link ? target : NULL);
    if (!member)
        return path_refuse ("put", at->fts_path, "its name is not UTF-8; rename it");
    folder_member_note (member, at->fts_statp);
    int64_t ns = number_of (member, "mtime_ns");
    if (ns == INT64_MIN || ns == INT64_MAX)
        path_refuse ("put", at->fts_path,
                     "its time is outside the years 1678 to 2261; the nearest one is put");
    take_last (members, member);
    return true;
}

static bool tree_step (json_t *members, const FTSENT *at, const char *path, tree_links_t links)
{
    switch (at->fts_info) {
    case FTS_DP:
        return true;
    case FTS_D:
        return tree_add (members, at, path, "folder");
    case FTS_F:
        return tree_add (members, at, path, "file");
    case FTS_SL:
    case FTS_SLNONE:
        if (links == LINKS_FOLLOW)
            return path_refuse ("put", at->fts_path, "a link that leads nowhere");
        return links == LINKS_SKIP || tree_add (members, at, path, "link");
    case FTS_DEFAULT:
        path_refuse ("put", at->fts_path, "skipped, because it is a device, a pipe or a socket");
        return true;
    case FTS_DC:
        return path_refuse ("put", at->fts_path, "a link to a folder that it lies in");
    default:
        return path_refuse ("put", at->fts_path, strerror (at->fts_errno));
    }
}

json_t *folder_tree_read (const char *top, tree_links_t links)
{
    json_t *self = made (json_pack ("{s:i, s:[], s:[]}", "musubi_folder", 1, "pieces", "members"));
    char path [PATH_MAX];
    char *const tops [] = {path, NULL};
    snprintf (path, sizeof path, "%s", top);
    size_t length = strcmp (top, "/") == 0 ? 0 : strlen (top);
    int bad = 0;
    FTS *walk =
      fts_open (tops, FTS_NOCHDIR | (links == LINKS_FOLLOW ? FTS_LOGICAL : FTS_PHYSICAL), by_bytes);
    for (FTSENT *at; walk && bad < SAID_MAX && !cli_interrupted () && (at = fts_read (walk));)
        if (!tree_step (json_object_get (self, "members"), at,
                        at->fts_level > 0 ? at->fts_path + length + 1 : "", links))
            bad++;
    if (walk)
        fts_close (walk);
    if (bad == 0 && !cli_interrupted () && folder_manifest_find (self, ""))
        return self;
    json_decref (self);
    return NULL;
}

#define HEADER_BYTES 512
#define BLOCK_BYTES  (1 << 18) /* of one write */

/*  --- cutting --- */

static bool pack_begins (const char *path, uint64_t bytes, uint64_t filled)
{
    static const uint8_t key [crypto_shorthash_KEYBYTES] = "musubi folder 1";
    uint8_t hash [crypto_shorthash_BYTES];
    if (filled < PACK_BYTES_LEAST || filled + bytes > PACK_BYTES_MAX)
        return filled == 0 || filled >= PACK_BYTES_LEAST;
    crypto_shorthash (hash, (const uint8_t *) path, strlen (path), key);
    return number_get (hash, sizeof hash) / bytes < UINT64_MAX / PACK_BYTES_MEAN;
}

void folder_pack_plan (json_t *manifest)
{
    json_t *pieces = json_object_get (manifest, "pieces"), *member;
    uint64_t filled = 0;
    size_t pack = 0;
    for (size_t i = 0; (member = folder_member_next (manifest, "file", &i));) {
        uint64_t size = (uint64_t) number_of (member, "size");
        uint64_t bytes = HEADER_BYTES + (size + HEADER_BYTES - 1) / HEADER_BYTES * HEADER_BYTES;
        size_t piece = json_array_size (pieces);
        if (size <= SMALL_BYTES_MAX && !pack_begins (text_of (member, "path"), bytes, filled))
            piece = pack;
        else
            take_last (pieces, json_string (""));
        if (size <= SMALL_BYTES_MAX) {
            filled = piece == pack && filled > 0 ? filled + bytes : bytes;
            pack = piece;
        }
        take (member, "piece", json_integer ((json_int_t) piece));
    }
}

/*  --- reading --- */

int64_t folder_time_ns (struct timespec time)
{
    int64_t ns;
    if (__builtin_mul_overflow (time.tv_sec, INT64_C (1000000000), &ns) ||
        __builtin_add_overflow (ns, time.tv_nsec, &ns))
        return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

bool folder_status_same (const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && folder_time_ns (a->st_mtim) == folder_time_ns (b->st_mtim) &&
           folder_time_ns (a->st_ctim) == folder_time_ns (b->st_ctim);
}

void folder_member_note (json_t *member, const struct stat *status)
{
    take (member, "mode", json_integer (status->st_mode & 07777));
    take (member, "mtime_ns", json_integer (folder_time_ns (status->st_mtim)));
    if (S_ISREG (status->st_mode))
        take (member, "size", json_integer (status->st_size));
}

/*  Reads a small file into the block, which has room for a byte more. False when it can't be read,
 *  with errno, or has changed meanwhile, with errno 0. */
static bool small_read (json_t *member, int file, uint8_t *block)
{
    uint8_t digest [crypto_hash_sha256_BYTES];
    char text [DIGEST_TEXT_BYTES];
    struct stat before, after;
    size_t has = 0;
    ssize_t got = 1;
    if (fstat (file, &before) != 0)
        return false;
    while (got > 0 && has <= SMALL_BYTES_MAX) {
        got = pread (file, block + has, SMALL_BYTES_MAX + 1 - has, (off_t) has);
        has += got > 0 ? (size_t) got : 0;
    }
    if (got < 0 || fstat (file, &after) != 0)
        return false;
    folder_member_note (member, &before);
    crypto_hash_sha256 (digest, block, has);
    sodium_bin2hex (text, sizeof text, digest, sizeof digest);
    take (member, "digest", json_string (text));
    errno = 0;
    return S_ISREG (before.st_mode) && has == (size_t) before.st_size &&
           folder_status_same (&before, &after);
}

static bool small_take (json_t *member, const char *path, uint8_t *block)
{
    descriptor_auto_t file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool whole = false;
    for (int tries = 0; file >= 0 && !whole && tries < 2; tries++)
        whole = small_read (member, file, block);
    return whole || path_refuse ("put", path,
                                 errno ? strerror (errno)
                                       : "it changes while it is read; put the folder again "
                                         "when nobody writes to it");
}

/*  --- writing --- */

static bool small_write (struct archive *pack, const json_t *member, const uint8_t *block)
{
    size_t size = (size_t) number_of (member, "size");
    struct archive_entry *entry = must (archive_entry_new ());
    archive_entry_copy_pathname (entry, text_of (member, "path"));
    archive_entry_set_mode (entry, AE_IFREG | 0644);
    archive_entry_set_mtime (entry, 0, 0);
    archive_entry_set_size (entry, (la_int64_t) size);
    bool put = archive_write_header (pack, entry) == ARCHIVE_OK &&
               archive_write_data (pack, block, size) == (la_ssize_t) size;
    archive_entry_free (entry);
    return put;
}

/*  Names with other letters than ASCII's are written as bytes, whatever the locale. */
static bool names_plain (const json_t *members)
{
    json_each (member, members)
        for (const char *byte = text_of (member, "path"); *byte; byte++)
            if ((unsigned char) *byte >= 0x80)
                return false;
    return true;
}

bool folder_pack_write (const json_t *members, const char *top, const char *path)
{
    struct archive *pack = must (archive_write_new ());
    uint8_t *block = must (malloc (SMALL_BYTES_MAX + 1));
    json_t *member;
    archive_write_set_format_pax_restricted (pack);
    archive_write_set_options (pack, names_plain (members) ? "" : "hdrcharset=BINARY");
    archive_write_set_bytes_per_block (pack, BLOCK_BYTES);
    archive_write_set_bytes_in_last_block (pack, 1);
    bool written = archive_write_open_filename (pack, path) == ARCHIVE_OK, whole = true;
    for (size_t i = 0; written && !cli_interrupted () && (member = json_array_get (members, i));
         i++) {
        text_auto_t *from = must_print ("%s/%s", top, text_of (member, "path"));
        if (small_take (member, from, block))
            written = small_write (pack, member, block);
        else
            whole = false;
    }
    written = written && archive_write_close (pack) == ARCHIVE_OK;
    if (!written)
        path_refuse ("put", path, archive_error_string (pack));
    archive_write_free (pack);
    free (block);
    return written && whole && !cli_interrupted ();
}
