/*  needed_files - asks the indexes and sites, and reads the list of a folder's members. */
#include "needed_files.h"

#include "folder_transfer.h"
#include "json_fields.h"
#include "must.h"
#include "replica_sites.h"

#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

int files_like (const cli_t *cli, session_t *session, const char *like, json_t *names)
{
    json_auto_t *silent = json_array ();
    json_auto_t *held = replica_sites_gather (session, NULL, NULL, silent);
    const json_t *one;
    char text [NAMES_TEXT_BYTES];
    size_t had = json_object_size (names);
    for (size_t i = 0; (one = json_array_get (held, i)); i++) {
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

/*  Adds the manifest, and each piece that has a file of the member, or of what is below it; "" = of all. */
static int folder_files (const transfer_ends_t *ends, const char *list, const char *path,
                         json_t *names)
{
    text_auto_t *aside = path_aside ();
    file_transfer_t carrying = {.ends = *ends, .method = "Get", .path = aside};
    json_auto_t *last = NULL;
    const json_t *member;
    size_t length = strlen (path);
    carrying.question = made (json_pack ("{s:s}", "name", list));
    int code = aside ? carry (&carrying, &last) : EXIT_USAGE;
    json_auto_t *manifest = code == EXIT_DONE ? folder_manifest_read (aside) : NULL;
    unlink (aside ? aside : "");
    if (!manifest)
        return code == EXIT_DONE ? EXIT_REFUSED : code;
    if (!folder_manifest_find (manifest, path))
        return cli_fail (EXIT_REFUSED, "the folder has no member %s", path);
    take (names, list, json_true ());
    for (size_t i = 0; (member = folder_member_next (manifest, "file", &i));) {
        const char *at = text_of (member, "path");
        const json_t *piece = item_of (manifest, "pieces", (size_t) number_of (member, "piece"));
        text_auto_t *name = must_print ("%.*s%s", (int) (folder_piece_of (list) - list), list,
                                        json_string_value (piece));
        if (length == 0 || (strncmp (at, path, length) == 0 && strchr ("/", at [length])))
            take (names, name, json_true ());
    }
    return EXIT_DONE;
}

static int files_of_name (const cli_t *cli, session_t *session, const char *name, const char *key,
                          json_t *names)
{
    size_t length = 0;
    bool silent = false, known;
    json_auto_t *places = file_places (session, name, &silent);
    known = json_array_size (places) > 0;
    if (!known && strpbrk (name, "*?"))
        return files_like (cli, session, name, names);
    json_auto_t *held = known ? NULL : folder_above (cli, session, name, &length, NULL);
    const json_t *list = folder_manifest_held (held);
    transfer_ends_t ends = {cli, session, json_object_get (list, "entry"), NULL};
    if (list && strcmp (key, "file") == 0)
        return folder_files (&ends, text_of (json_object_get (list, "file"), "name"),
                             name + length + (name [length] == '/'), names);
    take (names, name, json_true ());
    return list ? cli_fail (EXIT_REFUSED,
                            "%s: a folder (put -r), or a member of one, can't be an input of "
                            "tasks: put its files one by one (put FILE... NAME/)",
                            name)
                : EXIT_DONE;
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
        code = files_of_name (cli, session, text_of (need, key), key, names);
        json_object_foreach (names, name, value)
        {
            json_t *one = made (json_deep_copy (need));
            take (one, key, json_string (name));
            if (at++ > 0 && *id)
                take (one, "id", json_sprintf ("%s-%zu", id, at));
            take_last (files, one);
        }
    }
    take (holder, list, json_incref (files));
    return code;
}
