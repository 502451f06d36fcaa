/*  run_unfold - a folder is laid out beside its pieces, and then gets its place by a rename, which
 *  replaces nothing. A large member is a link to its piece, as any input is to its copy; only one
 *  that may be executed is copied, since the copy may not.
 */
#include "folder_unpack.h"
#include "json_fields.h"
#include "must.h"
#include "run_begin.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool large_place (const char *piece, const json_t *member)
{
    struct stat told;
    const char *to = text_of (member, "path");
    descriptor_auto_t file = open (piece, O_RDONLY | O_CLOEXEC), copy = -1;
    ssize_t more = file < 0 || fstat (file, &told) != 0 ? -1 : 1;
    if (more > 0 && told.st_size != number_of (member, "size"))
        return path_refuse ("get", to, "its piece has not as many bytes as the list says");
    if (more > 0 && (number_of (member, "mode") & 0111) == 0)
        return symlink (piece, to) == 0 || path_refuse ("get", to, strerror (errno));
    if (more > 0 && (copy = open (to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
        more = -1;
    while (more > 0)
        more = copy_file_range (file, NULL, copy, NULL, (size_t) told.st_size, 0);
    return more == 0 ? folder_unpack_settle (to, member)
                     : path_refuse ("get", to, strerror (errno));
}

/*  here: where the pieces are. */
static bool pieces_place (const json_t *manifest, const char *here)
{
    json_auto_t *groups = folder_manifest_groups (manifest);
    const json_t *members, *member;
    bool good = true;
    for (size_t piece = 0; good && (members = json_array_get (groups, piece)); piece++) {
        const char *name = json_string_value (item_of (manifest, "pieces", piece));
        text_auto_t *path = must_print ("%s/%s", here, name);
        bool large = strncmp (name, "file-", 5) == 0, wanted = false;
        for (size_t i = 0; good && (member = json_array_get (members, i)); i++) {
            bool left_out = flag_of (member, "done");
            wanted = wanted || !left_out;
            good = left_out || !large || large_place (path, member);
        }
        good = good && (large || !wanted || folder_unpack (manifest, piece, members, path));
    }
    return good;
}

/*  A folder that its owner may not write to could not be moved, nor what is in it. */
static bool top_place (const char *path, const char *to)
{
    const char *from = *path ? path : "../files", *end = strrchr (from, '/');
    text_auto_t *parent = must_print ("./%.*s", end ? (int) (end - from) : 0, from);
    struct stat told;
    for (const char *slash = to; (slash = strchr (slash + 1, '/'));) {
        text_auto_t *above = must_print ("%.*s", (int) (slash - to), to);
        mkdir (above, 0700);
    }
    bool good = lstat (from, &told) == 0 && chmod (parent, 0700) == 0;
    bool folder = good && S_ISDIR (told.st_mode);
    return (good && (!folder || chmod (from, 0700) == 0) &&
            renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 &&
            (!folder || chmod (to, told.st_mode & 0777) == 0)) ||
           path_refuse ("get", to, strerror (errno));
}

/*  list: FOLDER_PLACE, place, FOLDER_MARK, … (folder_manifest.h), below the working folder. */
static bool list_unfold (const char *work, const char *list, const char *place)
{
    const char *mark = strstr (place, FOLDER_MARK), *last = strrchr (list, '/');
    const char *like = mark + strlen (FOLDER_MARK);
    text_auto_t *member = must_print ("%.*s", last > like ? (int) (last - like) : 0, like);
    text_auto_t *here = must_print ("%s/%.*s", work, (int) (last - list), list);
    text_auto_t *files = must_print ("%s/files", here);
    json_auto_t *manifest = folder_manifest_read (list);
    const json_t *one;
    if (!manifest)
        return false;
    if (folder_manifest_only (manifest, member) == 0)
        return folder_refuse ("the folder has no member %s", member);
    bool good = ((mkdir (files, 0700) == 0 && chdir (files) == 0) ||
                 path_refuse ("get", files, strerror (errno))) &&
                folder_unpack_others (manifest, false) && pieces_place (manifest, here) &&
                folder_unpack_others (manifest, true);
    for (size_t i = 0; good && (one = folder_member_next (manifest, NULL, &i));) {
        const char *path = text_of (one, "path"), *slash = strrchr (path, '/');
        text_auto_t *own = must_print ("%s/%s", work, slash ? slash + 1 : path);
        text_auto_t *to = must_print ("%s/%.*s", work, (int) (mark - place), place);
        bool top = flag_of (one, "top");
        good = !top || top_place (path, strpbrk (member, "*?") ? own : to);
    }
    return good;
}

bool run_unfold (const run_order_t *order, int tell, char why [WHY_BYTES])
{
    static const char begun [WHY_BYTES];
    static char said [WHY_BYTES];
    const char *mark;
    bool good = true;
    text_auto_t *work = getcwd (NULL, 0);
    folder_why = said;
    for (size_t i = 0; i < order->inputs_count && good; i++) {
        const char *list = order->inputs [i].path, *place = list + strlen (FOLDER_PLACE);
        if (strncmp (list, FOLDER_PLACE, strlen (FOLDER_PLACE)) != 0 ||
            !(mark = strstr (place, FOLDER_MARK)) ||
            !strchr ("0123456789", strrchr (mark, '/') [1]))
            continue;
        if (tell >= 0 && write (tell, begun, sizeof begun) < 0)
            return false;
        tell = -1;
        if (!work || !list_unfold (work, list, place) || chdir (work) != 0)
            good = wrong (why, "input %.*s: %s", (int) (mark - place), place,
                          strncmp (said, "get: ", 5) == 0 ? said + 5 : said);
    }
    return good;
}
