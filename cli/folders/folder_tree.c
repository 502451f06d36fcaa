/*  folder_tree - walks by fts, names of a folder by their bytes. */
#include "folder_pack.h"

#include "cli.h"
#include "json_fields.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
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
