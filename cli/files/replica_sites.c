/*  replica_sites - asks each site itself what it has, and names the sites that do not answer. */
#include "replica_sites.h"

#include "folder_transfer.h"
#include "must.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <unistd.h>

#define TRY_MS 3000 /* a question without answer is repeated after this */
#define PAGE   500
#define KIND   "replica/"

size_t replica_sites_count (const session_t *session)
{
    json_auto_t *sites = session_kind (session, "replica");
    return json_array_size (sites);
}

bool nodes_wanted (const cli_t *cli, const char *option, const char *text, json_int_t *nodes)
{
    char none [] = "", *end = none;
    *nodes = !text ? 0 : strcmp (text, "all") == 0 ? NODES_ALL : strtol (text, &end, 10);
    return !text || (*end == '\0' && *nodes > 0 && *nodes <= NODES_ALL) ||
           cli_refuse ("%s: --%s should be all, or a number of storage nodes from 1, not %s",
                       cli->command->name, option, text);
}

const json_t *replica_sites_entry (session_t *session, const char *command, const char *name,
                                   int *code)
{
    char text [ENTRIES_TEXT_BYTES];
    json_auto_t *sites = session_kind (session, "replica"); /* entries live with the session */
    if (name && strncmp (name, KIND, strlen (KIND)) == 0)
        name += strlen (KIND);
    const json_t *found = name                           ? entries_named (sites, name)
                          : json_array_size (sites) == 1 ? json_array_get (sites, 0)
                                                         : NULL;
    entries_list (sites, text);
    if (!found && json_array_size (sites) == 0)
        *code = cli_fail (EXIT_REFUSED, "%s: no site of this federation keeps files", command);
    else if (!found && name)
        *code = cli_fail (EXIT_REFUSED, "%s: no site called %s keeps files; these sites do: %s",
                          command, name, text);
    else if (!found)
        *code = cli_fail (EXIT_USAGE, "%s: several sites keep files; choose one with --site: %s",
                          command, text);
    return found;
}

/*  --- asking --- */

static call_status_t replica_sites_try (session_t *session, const json_t *site, const char *method,
                                        const json_t *question, json_t **answer,
                                        char reason [CLIENT_REASON_BYTES])
{
    return session_ask_again (session, site, "Replica", method, question, "", TRY_MS, answer,
                              reason);
}

json_t *replica_sites_ask (const cli_t *cli, session_t *session, const json_t *site,
                           const char *method, const json_t *question, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    call_status_t status = replica_sites_try (session, site, method, question, &answer, reason);
    const char *name = name_short (text_of (site, "name"));
    *code = session_code (status);
    if (status == CALL_TIMED_OUT)
        cli_fail (*code, "%s: %s does not answer; it is safe to run the command again",
                  cli->command->name, name);
    else if (status != CALL_OK)
        cli_fail (*code, "%s: %s: %s", cli->command->name, name, reason);
    return answer;
}

/*  Collects all pages of one site, of one name or of all that begin so; false when it does not
 *  answer. */
static bool gather_site (session_t *session, const json_t *site, const char *name,
                         const char *below, json_t *held)
{
    char reason [CLIENT_REASON_BYTES];
    bool answered = true;
    text_auto_t *first = must_print ("%s%s", below, *below ? "-" : ""); /* before all that follow */
    const char *after = first;
    for (bool more = true; more && answered;) {
        json_auto_t *question =
          json_pack ("{s:s, s:s, s:i}", "name", name ? name : "", "after", after, "most", PAGE);
        json_auto_t *answer = NULL;
        answered = replica_sites_try (session, site, "Files", question, &answer, reason) == CALL_OK;
        more = false;
        json_each_of (file, answer, "files") {
            after = text_of (file, "name");
            more = strncmp (after, below, strlen (below)) == 0;
            if (!more)
                break;
            json_array_append_new (held, json_pack ("{s:s, s:O, s:O}", "site",
                                                    name_short (text_of (site, "name")), "file",
                                                    file, "entry", site)); /* it keeps after */
            more = flag_of (answer, "more");
        }
    }
    return answered;
}

static json_t *gather (session_t *session, const json_t *site, const char *name, const char *below,
                       json_t *silent)
{
    json_t *held = json_array ();
    json_auto_t *sites = site ? json_pack ("[O]", site) : session_kind (session, "replica");
    json_each (one, sites)
        if (!gather_site (session, one, name, below, held))
            json_array_append_new (silent, json_string (name_short (text_of (one, "name"))));
    return held;
}

json_t *replica_sites_folder (session_t *session, const char *name, json_t *silent)
{
    text_auto_t *below = must_print ("%s%s", name, FOLDER_MARK);
    return gather (session, NULL, NULL, below, silent);
}

json_t *replica_sites_gather (session_t *session, const json_t *site, const char *name,
                              json_t *silent)
{
    json_t *held = gather (session, site, name, "", silent);
    if (!name || json_array_size (held) + json_array_size (silent) > 0)
        return held;
    json_decref (held);
    text_auto_t *below = must_print ("%s%s", name, FOLDER_MARK);
    return gather (session, site, NULL, below, silent);
}

json_t *file_places (session_t *session, const char *name, bool *silent)
{
    static const char *const kinds [][2] = {{"index", "ReplicaIndex"}, {"replica", "Replica"}};
    json_auto_t *question = made (json_pack ("{s:s}", "name", name));
    json_t *places = made (json_array ());
    for (size_t k = 0; k < 2 && json_array_size (places) == 0; k++) {
        json_auto_t *entries = session_kind (session, kinds [k][0]);
        method_t method = services_method (kinds [k][1], "Locate");
        json_each (entry, entries) {
            char reason [CLIENT_REASON_BYTES];
            json_auto_t *answer = NULL;
            if (session_ask (session, text_of (entry, "endpoint"), &method, question, "", TRY_MS,
                             &answer, reason) != CALL_OK)
                *silent = true;
            json_array_extend (places, json_object_get (answer, "places"));
        }
    }
    return places;
}

/*  --- pieces of folders --- */

const char *folder_piece_of (const char *name)
{
    const char *mark = strstr (name, FOLDER_MARK);
    return mark ? mark + strlen (FOLDER_MARK) : NULL;
}

int64_t folder_piece_files (const char *piece)
{
    int64_t version, files;
    return piece && sscanf (piece, "%13" SCNd64 "-%9" SCNd64 "-", &version, &files) == 2 ? files
                                                                                         : -1;
}

const json_t *folder_manifest_held (const json_t *held)
{
    const json_t *newest = NULL;
    const char *last = "";
    json_each (one, held) {
        const char *piece = folder_piece_of (text_of (json_object_get (one, "file"), "name"));
        if (folder_piece_files (piece) >= 0 && strcmp (piece, last) > 0) {
            newest = one;
            last = piece;
        }
    }
    return newest;
}

json_t *folder_of_one (const json_t *held, const char *actor, const char **owner,
                       const char **other)
{
    json_auto_t *owners = json_object (); /* those who have put a manifest */
    json_t *own = json_array (), *one;
    int64_t first_ms = INT64_MAX;
    *owner = *other = NULL;
    for (size_t i = 0; (one = json_array_get (held, i)); i++) {
        const json_t *file = json_object_get (one, "file");
        if (folder_piece_files (folder_piece_of (text_of (file, "name"))) >= 0)
            take (owners, text_of (file, "owner"), json_true ());
    }
    for (size_t i = 0; (one = json_array_get (held, i)); i++) {
        const json_t *file = json_object_get (one, "file");
        const char *whose = text_of (file, "owner");
        int64_t put_ms = strcmp (whose, actor) == 0 ? INT64_MIN : number_of (file, "created_ms");
        if (json_object_get (owners, whose) && put_ms < first_ms) {
            *owner = whose;
            first_ms = put_ms;
        }
    }
    for (size_t i = 0; *owner && (one = json_array_get (held, i)); i++) {
        const char *whose = text_of (json_object_get (one, "file"), "owner");
        if (strcmp (whose, *owner) == 0)
            json_array_append (own, one);
        else
            *other = whose;
    }
    return own;
}

json_t *folder_above (const cli_t *cli, session_t *session, const char *name, size_t *length,
                      json_t *silent)
{
    text_auto_t *folder = must_print ("%s", name);
    const char *actor = session->places.actor, *owner, *other;
    for (char *end = folder + strlen (folder); end; end = strrchr (folder, '/')) {
        *end = '\0';
        *length = strlen (folder);
        json_array_clear (silent);
        json_auto_t *all = replica_sites_folder (session, folder, silent);
        json_t *held = folder_of_one (all, actor, &owner, &other);
        if (owner && other)
            cli_note (cli, "%s: %s has put a folder %s, too; this is %s's, %s", cli->command->name,
                      other, folder, owner, strcmp (owner, actor) == 0 ? "your own" : "put first");
        if (owner)
            return held;
        json_decref (held);
    }
    return NULL;
}

/*  --- names where files are needed --- */

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

/*  Adds the manifest, and each piece that has a file of the members like this, or of what is below
 *  them; "" = of all. at: the path in a task's folder, of which each gets its own; NULL = none is
 *  needed. */
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

/*  path: in a task's folder, "" = the last part of the name; NULL = what is needed is not a
 *  task's. */
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
