/*  needed_files - asks the indexes and sites, and reads the list of a folder's members. */
#include "needed_files.h"

#include "folder_transfer.h"
#include "must.h"

#include <fnmatch.h>
#include <unistd.h>

int files_like (const cli_t *cli, session_t *session, const char *like, json_t *names)
{
    json_auto_t *silent = json_array ();
    json_auto_t *held = replica_sites_gather (session, NULL, NULL, silent);
    char text [NAMES_TEXT_BYTES];
    size_t had = json_object_size (names);
    json_each (one, held) {
        const char *name = text_of (json_object_get (one, "file"), "name");
        if (!folder_piece_of (name) && fnmatch (like, name, FNM_PATHNAME) == 0)
            json_object_set_new (names, name, json_true ());
    }
    if (json_array_size (silent) > 0)
        cli_note (cli, "%s: these sites did not say what they have: %s", cli->command->name,
                  texts_join (silent, ", ", text, sizeof text));
    return json_object_size (names) > had
             ? EXIT_DONE
             : cli_fail (json_array_size (silent) > 0 ? EXIT_UNKNOWN : EXIT_REFUSED,
                         "%s: no file is called like %s", cli->command->name, like);
}

/*  Adds the manifest, and each piece that has a file of the members like this, or of what is below them; "" = of
 *  all. at: the path in a task's folder, of which each gets its own; NULL = none is needed. */
static int folder_files (const transfer_ends_t *ends, const char *list, const char *like,
                         const char *at, json_t *names)
{
    text_auto_t *aside = path_aside ();
    file_transfer_t carrying = {.ends = *ends, .method = "Get", .path = aside};
    json_auto_t *last = NULL;
    const json_t *member;
    const char *own = folder_piece_of (list);
    carrying.question = made (json_pack ("{s:s}", "name", list));
    int code = aside ? carry (&carrying, &last) : EXIT_USAGE;
    json_auto_t *manifest = code == EXIT_DONE ? folder_manifest_read (aside) : NULL;
    unlink (aside ? aside : "");
    if (!manifest)
        return code == EXIT_DONE ? EXIT_REFUSED : code;
    if (folder_manifest_only (manifest, like) == 0)
        return cli_fail (EXIT_REFUSED, "the folder has no member %s", like);
    json_auto_t *pieces = made (json_pack ("{s:b}", own, true));
    for (size_t i = 0; (member = folder_member_next (manifest, "file", &i));)
        take (
          pieces,
          json_string_value (item_of (manifest, "pieces", (size_t) number_of (member, "piece"))),
          json_true ());
    const char *piece;
    json_t *value;
    json_object_foreach (pieces, piece, value)
    {
        text_auto_t *name = must_print ("%.*s%s", (int) (own - list), list, piece);
        take (
          names, name,
          at ? json_sprintf (FOLDER_PLACE "%s" FOLDER_MARK "%s%s%s", at, like, &"/" [!*like], piece)
             : json_true ());
    }
    return EXIT_DONE;
}

/*  path: in a task's folder, "" = the last part of the name; NULL = what is needed is not a task's. */
static int files_of_name (const cli_t *cli, session_t *session, const char *name, const char *path,
                          json_t *names)
{
    size_t length = 0;
    bool silent = false;
    const char *wild = strpbrk (name, "*?"), *slash = strrchr (name, '/');
    size_t plain = wild ? (size_t) (wild - name) : strlen (name); /* bytes that may be a folder's */
    json_auto_t *places = file_places (session, name, &silent);
    if (json_array_size (places) > 0) {
        take (names, name, json_true ());
        return EXIT_DONE;
    }
    while (wild && plain > 0 && name [plain] != '/')
        plain--;
    text_auto_t *above = must_print ("%.*s", (int) plain, name);
    json_auto_t *held = plain > 0 ? folder_above (cli, session, above, &length, NULL) : NULL;
    const json_t *list = folder_manifest_held (held);
    if (!list && wild)
        return files_like (cli, session, name, names);
    if (!list) {
        take (names, name, json_true ());
        return EXIT_DONE;
    }
    if (wild && path && *path)
        return cli_fail (EXIT_USAGE, "%s: several members may be like it; leave out =%s", name,
                         path);
    transfer_ends_t ends = {cli, session, json_object_get (list, "entry"), NULL};
    const char *at = path && !*path ? (slash ? slash + 1 : name) : path;
    return folder_files (&ends, text_of (json_object_get (list, "file"), "name"),
                         name + length + (name [length] == '/'), at, names);
}

int needed_files (const cli_t *cli, session_t *session, json_t *holder, const char *list,
                  const char *key)
{
    json_auto_t *files = made (json_array ());
    json_t *need, *value;
    int code = EXIT_DONE;
    if (!item_of (holder, list, 0))
        return EXIT_DONE;
    if (!session_look (session, ""))
        return session_lost (session);
    for (size_t i = 0; code == EXIT_DONE && (need = item_of (holder, list, i)); i++) {
        json_auto_t *names = made (json_object ());
        const char *name, *id = text_of (need, "id");
        size_t at = 0;
        code = files_of_name (cli, session, text_of (need, key),
                              strcmp (key, "name") == 0 ? text_of (need, "path") : NULL, names);
        json_object_foreach (names, name, value)
        {
            json_t *one = made (json_deep_copy (need));
            take (one, key, json_string (name));
            if (json_is_string (value))
                take (one, "path", json_incref (value));
            if (at++ > 0 && *id)
                take (one, "id", json_sprintf ("%s-%zu", id, at));
            take_last (files, one);
        }
    }
    take (holder, list, json_incref (files));
    return code;
}
