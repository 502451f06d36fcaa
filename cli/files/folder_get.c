/*  folder_get - fetches the manifest of a folder, then the pieces of which something is missing
 *  here.
 *
 *  All is gathered in the folder beside the target (part_folder): a target that is new appears
 *  there as a whole and is then renamed; one that is there is brought up to date file by file.
 */
#include "folder_transfer.h"

#include "folder_pack.h"
#include "must.h"

#include <fcntl.h>
#include <unistd.h>

#define MANIFEST_BYTES_MAX (INT64_C (256) << 20)

typedef struct {
    const folder_order_t *order;
    char *name;         /* of the folder */
    const char *member; /* below it, of which the rest is not wanted; "" = all */
    char *target;       /* absolute */
    part_folder_t part; /* .TARGET.musubi-part */
    char *files;        /* in it: what of this manifest is not yet in the target */
    int there;          /* the target, open; -1 = it is new */
    json_t *manifest;
    folder_progress_t progress;
} folder_getting_t;

/*  --- which folder --- */

/*  Finds the folder of this name, or the one that has it as a member. NULL after saying that there
 *  is none, with *code. */
static json_t *folder_find (folder_getting_t *self, const json_t **manifest, int *code)
{
    json_auto_t *silent = json_array ();
    char text [NAMES_TEXT_BYTES];
    const char *asked = self->order->name;
    const transfer_ends_t *ends = &self->order->ends;
    size_t length;
    json_t *held = folder_above (ends->cli, ends->session, asked, &length, silent);
    self->name = must_print ("%.*s", (int) length, asked);
    self->member = asked + length + (asked [length] == '/');
    *manifest = folder_manifest_held (held);
    if (held && json_array_size (silent) > 0)
        cli_note (ends->cli,
                  "get: these sites did not answer; the folder %s may be newer there: %s",
                  self->name, texts_join (silent, ", ", text, sizeof text));
    if (held)
        return held;
    *code = json_array_size (silent) > 0
              ? cli_fail (EXIT_UNKNOWN,
                          "get: no site that answered has a folder %s; these did not "
                          "answer: %s",
                          asked, texts_join (silent, ", ", text, sizeof text))
              : cli_fail (EXIT_REFUSED,
                          "get: no site has a folder %s (a single file is got without -r)", asked);
    return NULL;
}

/*  --- pieces --- */

/*  Brings a piece beside the target, unless it is there; *path is to be freed. */
static int piece_get (folder_getting_t *self, const char *piece, char **path)
{
    text_auto_t *name = must_print ("%s%s%s", self->name, FOLDER_MARK, piece);
    *path = must_print ("%s/folder/%s", self->part.path, piece);
    if (access (*path, F_OK) == 0)
        return EXIT_DONE;
    return folder_carry (self->order, &self->progress, "Get",
                         made (json_pack ("{s:s, s:b}", "name", name, "keep", self->order->keep)),
                         *path);
}

static int manifest_get (folder_getting_t *self, const json_t *record)
{
    text_auto_t *path = NULL;
    const char *piece = folder_piece_of (text_of (record, "name"));
    int64_t size = number_of (record, "size");
    if (size > MANIFEST_BYTES_MAX)
        return cli_fail (EXIT_REFUSED, "get: %s: its list of members is larger than 256 MiB",
                         self->name);
    int code = piece_get (self, piece, &path);
    if (code == EXIT_DONE)
        self->manifest = folder_manifest_read (path);
    return code == EXIT_DONE && !self->manifest ? EXIT_REFUSED : code;
}

/*  Gets the piece if something is missing here that it has. */
static int one_get (folder_getting_t *self, size_t piece, const json_t *members)
{
    bool needed = false;
    text_auto_t *path = NULL;
    json_each (member, members) {
        bool done = flag_of (member, "done");
        if (!done && self->there >= 0 && folder_unpack_has (self->there, member))
            take (member, "done", json_true ());
        else if (!done)
            needed = needed || !folder_unpack_has (AT_FDCWD, member);
    }
    int code =
      !needed
        ? EXIT_DONE
        : piece_get (self, json_string_value (item_of (self->manifest, "pieces", piece)), &path);
    if (path && code == EXIT_DONE && !folder_unpack (self->manifest, piece, members, path))
        code = EXIT_REFUSED;
    if (path && code != EXIT_UNKNOWN)
        unlink (path);
    folder_progress_add (&self->progress, members);
    return code;
}

static int pieces_get (folder_getting_t *self)
{
    int code = EXIT_DONE;
    const json_t *members;
    json_auto_t *groups = folder_manifest_groups (self->manifest);
    for (size_t i = 0; (members = json_array_get (groups, i)) && code == EXIT_DONE; i++)
        code = one_get (self, i, members);
    return code;
}

/*  --- places --- */

/*  Finds the target, or where it will be. False after saying why not. */
static bool target_find (folder_getting_t *self, const char *target)
{
    text_auto_t *given = must_print ("%s", target ? target : basename (self->order->name));
    for (size_t length = strlen (given); length > 1 && given [length - 1] == '/';)
        given [--length] = '\0';
    self->there = open (given, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->there < 0 && errno != ENOENT)
        return path_refuse ("get", given, strerror (errno));
    text_auto_t *real = self->there < 0 ? NULL : realpath (given, NULL);
    self->target = path_beside (real ? real : given);
    return self->target != NULL;
}

/*  Guests for single pieces may feed on for a while, so they must not hold the lock. */
static bool aside_make (folder_getting_t *self, const char *piece)
{
    char why [LONG_WHY_BYTES];
    if (!part_folder_open (&self->part, self->target, why))
        return cli_refuse ("get: %s", why);
    fcntl (self->part.lock, F_SETFD, FD_CLOEXEC);
    text_auto_t *pieces = must_print ("%s/folder", self->part.path);
    self->files = must_print ("%s/%s.files", pieces, piece);
    return ((mkdir (pieces, 0700) == 0 || errno == EEXIST) &&
            (mkdir (self->files, 0700) == 0 || errno == EEXIST) && chdir (self->files) == 0) ||
           path_refuse ("get", self->files, strerror (errno));
}

/*  Brings an older target up to date, file by file. */
static bool target_update (const folder_getting_t *self)
{
    const json_t *member;
    if (fchdir (self->there) != 0)
        return path_refuse ("get", self->target, strerror (errno));
    if (!folder_unpack_others (self->manifest, false))
        return false;
    for (size_t i = 0; (member = item_of (self->manifest, "members", i)); i++) {
        bool there = flag_of (member, "done");
        if (there && !folder_unpack_settle (text_of (member, "path"), member))
            return false;
    }
    for (size_t i = 0; (member = folder_member_next (self->manifest, "file", &i));) {
        const char *path = text_of (member, "path");
        text_auto_t *from = must_print ("%s/%s", self->files, path);
        if (rename (from, path) != 0)
            return path_refuse ("get", path, strerror (errno));
    }
    return folder_unpack_others (self->manifest, true);
}

/*  A new target gets its name when all is there; its folders get their modes last. */
static bool target_name (const folder_getting_t *self)
{
    bool whole = !*self->member;
    text_auto_t *from = must_print ("%s%s%s", self->files, whole ? "" : "/", self->member);
    if (!whole && !folder_unpack_others (self->manifest, true))
        return false;
    if (syncfs (self->part.lock) != 0 || rename (from, self->target) != 0)
        return path_refuse ("get", self->target, strerror (errno));
    return !whole || folder_unpack_others (self->manifest, true);
}

static bool target_settle (const folder_getting_t *self)
{
    return (self->there < 0 ? target_name (self) : target_update (self)) &&
           (syncfs (self->part.lock) == 0 || path_refuse ("get", self->target, strerror (errno)));
}

/*  Leaves out all but a member and what is below it; folders on the way are made. */
static int member_only (folder_getting_t *self)
{
    if (!folder_manifest_find (self->manifest, self->member))
        return cli_fail (EXIT_REFUSED, "get: %s has no member %s", self->name, self->member);
    if (self->there >= 0)
        return cli_fail (EXIT_USAGE,
                         "get: %s is there; a member needs a new name: choose one with -o",
                         self->target);
    folder_manifest_only (self->manifest, self->member);
    return EXIT_DONE;
}

/*  --- all --- */

static int folder_get_all (folder_getting_t *self, const json_t *record)
{
    int code = aside_make (self, folder_piece_of (text_of (record, "name")))
                 ? manifest_get (self, record)
                 : EXIT_REFUSED;
    if (code == EXIT_DONE && *self->member && (code = member_only (self)) != EXIT_DONE)
        part_folder_close (&self->part, false);
    if (code != EXIT_DONE)
        return code;
    folder_progress_begin (&self->progress, self->manifest);
    code = folder_unpack_others (self->manifest, false) ? pieces_get (self) : EXIT_REFUSED;
    if (code == EXIT_DONE && !target_settle (self))
        code = EXIT_REFUSED;
    if (code != EXIT_DONE)
        return code;
    folder_progress_tell (&self->progress, self->order, self->target, "fetched");
    return EXIT_DONE;
}

int folder_get (const folder_order_t *order, const char *target)
{
    folder_getting_t self = {.order = order, .part = {.lock = -1}, .there = -1};
    const json_t *newest = NULL;
    int code = EXIT_USAGE;
    bool found = target_find (&self, target);
    json_auto_t *held = found ? folder_find (&self, &newest, &code) : NULL;
    if (held)
        code = folder_get_all (&self, json_object_get (newest, "file"));
    part_folder_close (&self.part, code != EXIT_DONE);
    descriptor_close (&self.there);
    json_decref (self.manifest);
    free (self.files);
    free (self.name);
    free (self.target);
    return code;
}
