/*  folder_manifest - reads a manifest with suspicion. */
#include "folder_manifest.h"

#include "json_fields.h"
#include "must.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define PATH_SHOWN_BYTES 320

char *folder_why;

static bool never (void)
{
    return false;
}

bool (*folder_interrupted) (void) = never;

bool folder_refuse (const char *format, ...)
{
    char text [PATH_MAX + LONG_WHY_BYTES];
    format_rest (folder_why ? folder_why : text, folder_why ? WHY_BYTES : sizeof text, format);
    if (!folder_why)
        fprintf (stderr, "musubi: %s\n", text);
    return false;
}

bool path_refuse (const char *command, const char *path, const char *what)
{
    char text [PATH_SHOWN_BYTES];
    snprintf (text, sizeof text, "%s", path);
    for (unsigned char *byte = (unsigned char *) text; *byte; byte++)
        if (*byte < ' ' || *byte == 0x7f || (*byte == 0xc2 && byte [1] < 0xa0))
            *byte = '?';
    return folder_refuse ("%s: %s: %s", command, text, what);
}

bool path_escapes (const char *path)
{
    for (; *path && *path != 0x1b; path++)
        if (path [0] == '\xc2' && (unsigned char) path [1] < 0xa0)
            break;
    return *path != '\0';
}

/*  What is wrong with a path by itself; NULL = nothing. */
static const char *path_wrong (const char *path)
{
    if (*path == '/')
        return "an absolute name; members lie below their folder";
    if (strlen (path) >= PATH_MAX)
        return "longer than 4095 bytes";
    if (path_escapes (path))
        return "its name has an escape sequence";
    for (const char *at = path;; at++) {
        size_t bytes = strcspn (at, "/");
        if (bytes == 0 || bytes > NAME_MAX)
            return "a name between slashes is empty, or longer than 255 bytes";
        if (bytes <= 2 && strspn (at, ".") >= bytes)
            return "\".\" and \"..\" lead out of the folder";
        at += bytes;
        if (*at == '\0')
            return NULL;
    }
}

static int path_order (const char *a, const char *b)
{
    for (; *a && *a == *b; b++)
        a++;
    int left = *a == '/' ? 1 : (unsigned char) *a * 2;
    return left - (*b == '/' ? 1 : (unsigned char) *b * 2);
}

/*  What is wrong with a member behind that path; folders are the paths of those before. */
static const char *member_wrong (const json_t *member, const char *before, const json_t *folders,
                                 const json_t *pieces)
{
    const char *path = text_of (member, "path"), *kind = text_of (member, "kind");
    bool file = strcmp (kind, "file") == 0, link = strcmp (kind, "link") == 0;
    const json_t *piece = json_object_get (member, "piece");
    const char *slash = strrchr (path, '/');
    text_auto_t *parent = must_print ("%.*s", slash ? (int) (slash - path) : 0, path);
    if (path_wrong (path))
        return path_wrong (path);
    if (path_order (before, path) >= 0)
        return "it is there twice, or not in order";
    if (!json_object_get (folders, parent))
        return "it lies in what is not a folder";
    if ((!file && !link && strcmp (kind, "folder") != 0) ||
        (link && (!*text_of (member, "target") || path_escapes (text_of (member, "target")))) ||
        file != !!piece ||
        (file && !json_array_get (pieces, (size_t) number_of (member, "piece"))) ||
        number_of (member, "size") < 0 ||
        key_unknown (member, "path kind mode mtime_ns size piece target"))
        return "one of its keys is missing, unknown or of a wrong kind";
    return NULL;
}

static bool piece_right (const json_t *piece)
{
    const char *name = json_string_value (piece);
    return name && strlen (name) == PIECE_NAME_BYTES - 1 &&
           (strncmp (name, "pack-", 5) == 0 || strncmp (name, "file-", 5) == 0) &&
           strspn (name + 5, "0123456789abcdef") == PIECE_NAME_BYTES - 6;
}

/*  The first one is the folder itself. */
static bool members_right (const json_t *self)
{
    const json_t *pieces = json_object_get (self, "pieces"), *member;
    json_auto_t *folders = made (json_pack ("{s:b}", "", true));
    const char *before = "";
    size_t count = json_array_size (json_object_get (self, "members"));
    if (count == 0 || count > FOLDER_MEMBERS_MAX || json_array_size (pieces) > FOLDER_MEMBERS_MAX)
        return folder_refuse ("get: the folder has no members, or more than %d",
                              FOLDER_MEMBERS_MAX);
    for (size_t i = 0; i < json_array_size (pieces); i++)
        if (!piece_right (json_array_get (pieces, i)))
            return folder_refuse ("get: piece %zu of the folder has no right name", i);
    for (size_t i = 0; (member = item_of (self, "members", i)); i++) {
        const char *path = text_of (member, "path"), *kind = text_of (member, "kind");
        const char *what = i > 0 ? member_wrong (member, before, folders, pieces)
                           : *path || strcmp (kind, "folder") != 0 ? "the folder itself is missing"
                                                                   : NULL;
        if (what)
            return path_refuse ("get", path, what);
        if (strcmp (kind, "folder") == 0)
            take (folders, path, json_true ());
        before = path;
    }
    return true;
}

/*  A large file has its piece's. */
static void digests_take (const json_t *self)
{
    const json_t *digests = json_object_get (self, "digests");
    json_t *member;
    for (size_t i = 0; (member = folder_member_next (self, "file", &i));) {
        const char *piece =
          json_string_value (item_of (self, "pieces", (size_t) number_of (member, "piece")));
        json_t *digest = strncmp (piece, "file-", 5) == 0
                           ? json_string (piece + 5)
                           : json_incref (json_array_get (digests, i - 1));
        if (digest)
            take (member, "digest", digest);
    }
}

json_t *folder_manifest_read (const char *path)
{
    json_error_t error;
    json_t *self = json_load_file (path, 0, &error);
    if (number_of (self, "musubi_folder") != 1)
        folder_refuse ("get: the folder's list of members can't be read: %s",
                       self ? "it is of a kind that is not known here" : error.text);
    else if (members_right (self)) {
        digests_take (self);
        return self;
    }
    json_decref (self);
    return NULL;
}

bool folder_manifest_write (json_t *self, const char *path)
{
    json_t *digests = made (json_array ());
    json_each_of (member, self, "members") {
        take_last (digests, json_string (text_of (member, "digest")));
        json_object_del (member, "digest");
    }
    take (self, "digests", digests);
    return json_dump_file (self, path, JSON_COMPACT) == 0;
}

json_t *folder_manifest_find (const json_t *self, const char *path)
{
    const json_t *members = json_object_get (self, "members");
    size_t from = 0, until = json_array_size (members);
    while (from < until) {
        size_t at = from + (until - from) / 2;
        json_t *member = json_array_get (members, at);
        int order = path_order (path, text_of (member, "path"));
        if (order == 0)
            return member;
        *(order < 0 ? &until : &from) = order < 0 ? at : at + 1;
    }
    return NULL;
}

/*  Is the path this one, or like it, or, if that is asked, below one that is? */
static bool path_like (const char *path, const char *like, bool below)
{
    size_t length = strlen (like);
    if (length > 0 && strpbrk (like, "*?"))
        return *path && fnmatch (like, path, FNM_PATHNAME | (below ? FNM_LEADING_DIR : 0)) == 0;
    return strncmp (path, like, length) == 0 &&
           (!path [length] || (below && (length == 0 || path [length] == '/')));
}

/*  What is below a folder stands behind it without a gap. */
size_t folder_manifest_only (json_t *self, const char *like)
{
    json_t *members = json_object_get (self, "members"), *member;
    const char *next = NULL; /* that stays */
    size_t tops = 0;
    for (size_t i = json_array_size (members); i-- > 0;) {
        member = json_array_get (members, i);
        const char *path = text_of (member, "path");
        bool top = path_like (path, like, false);
        bool stays = path_like (path, like, true) || (next && path_like (next, path, true));
        if (!stays || top)
            take (member, top ? "top" : "done", json_true ());
        tops += top;
        next = stays ? path : next;
    }
    return tops;
}

json_t *folder_manifest_groups (const json_t *self)
{
    json_t *groups = json_array ();
    for (size_t i = 0; i < json_array_size (json_object_get (self, "pieces")); i++)
        take_last (groups, json_array ());
    json_each_of (member, self, "members")
        if (json_object_get (member, "piece"))
            json_array_append (json_array_get (groups, (size_t) number_of (member, "piece")),
                               member);
    return groups;
}

json_t *folder_member_next (const json_t *self, const char *kind, size_t *at)
{
    json_t *member;
    while ((member = item_of (self, "members", (*at)++))) {
        bool done = flag_of (member, "done");
        if (!done && (!kind || strcmp (text_of (member, "kind"), kind) == 0))
            break;
    }
    return member;
}
