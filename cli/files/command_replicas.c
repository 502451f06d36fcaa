/*  musubi replicas - lists files, and where their copies are. */
#include "commands.h"
#include "replica_sites.h"

static const char *files_cell (const json_t *copy, const char *key, char text [CELL_BYTES])
{
    return json_object_get (copy, key) ? number_text (copy, key, text) : "";
}

static const char *replicas_use_cell (const json_t *copy, const char *key, char text [CELL_BYTES])
{
    (void) text;
    bool pinned = flag_of (copy, "pinned");
    return pinned ? "pinned" : flag_of (copy, key) ? "kept" : "cached";
}

static const char *const states [][2] = {{"COPY_STAGED", "staged"},
                                         {"COPY_SOUND", "sound"},
                                         {"COPY_STALE", "stale"},
                                         {"COPY_EVICTING", "evicting"},
                                         {"COPY_QUARANTINED", "quarantined"},
                                         {NULL}};

static const form_row_t copy_rows [] = {
  {"NAME", "name", .kind = FORM_MADE},
  {">FILES", "files", files_cell, .kind = FORM_MADE, .optional = true},
  {">SIZE", "size", cell_bytes, .kind = FORM_MADE},
  {"SITE", "site", .kind = FORM_TEXT},
  {"NODE", "node", .kind = FORM_TEXT, .from = "copy.node"},
  {"STATE", "state", .kind = FORM_WORD, .from = "copy.state", .more = states},
  {"", "kept", replicas_use_cell, .kind = FORM_FLAG, .from = "file.kept"},
  {.key = "pinned", .kind = FORM_FLAG, .from = "file.pinned"},
  {">BAD MIB", "bad_mib", .kind = FORM_NUMBER, .from = "copy.bad", .optional = true},
  {.key = "bad_at", .kind = FORM_NUMBER, .from = "copy.bad_at", .optional = true},
  {"PROVED", "proved", .kind = FORM_TIME, .from = "copy.proved_ms", .optional = true},
  {.key = "expires", .kind = FORM_TIME, .from = "file.expires_ms", .optional = true},
  {0}};

static json_t *copy_form (const char *site, const json_t *file, const json_t *copy)
{
    json_auto_t *all =
      made (json_pack ("{s:s, s:O, s:O}", "site", site, "file", file, "copy", copy));
    return form_of (copy_rows, all);
}

/*  The form of a file with this name and content, or of the folder of which it is a piece; a new
 *  one if there is none yet. */
static json_t *file_form (json_t *forms, const json_t *file, const char *piece)
{
    const char *name = text_of (file, "name");
    size_t length = piece ? (size_t) (piece - name) - strlen (FOLDER_MARK) : strlen (name);
    text_auto_t *key =
      must_print ("%.*s\n%s", (int) length, name, piece ? "" : text_of (file, "digest"));
    json_t *form = json_object_get (forms, key);
    if (form)
        return form;
    form = made (json_pack ("{s:s%, s:o*, s:I, s:O*, s:O*, s:[]}", "name", name, length, "files",
                            piece ? json_integer (0) : NULL, "size",
                            (json_int_t) (piece ? 0 : number_of (file, "size")), "digest",
                            piece ? NULL : json_object_get (file, "digest"), "owner",
                            json_object_get (file, "owner"), "copies"));
    take (forms, key, form);
    return form;
}

static void rule_add (json_t *form, const char *site, const json_t *file)
{
    const json_t *rule = json_object_get (file, "rule");
    if (number_of (rule, "copies") == 0)
        return;
    bool domains = has_text (rule, "spread", "SPREAD_DOMAINS");
    json_object_set_new (
      form, "rule",
      json_pack ("{s:I, s:I, s:s, s:s, s:s}", "copies", (json_int_t) number_of (rule, "copies"),
                 "nodes", (json_int_t) number_of (rule, "nodes"), "sites", text_of (rule, "sites"),
                 "spread", domains ? "domains" : "sites", "site", site));
}

static int replicas_by_name (const void *left, const void *right)
{
    const json_t *const *a = left;
    const json_t *const *b = right;
    return strcmp (text_of (json_object_get (*a, "file"), "name"),
                   text_of (json_object_get (*b, "file"), "name"));
}

/*  Adds a copy of a piece to those of its folder: one for each node, in the worst state. */
static void copy_fold (json_t *copies, json_t *copy)
{
    size_t at = 0;
    const json_t *same;
    while ((same = json_array_get (copies, at)) &&
           (strcmp (text_of (same, "node"), text_of (copy, "node")) != 0 ||
            strcmp (text_of (same, "site"), text_of (copy, "site")) != 0))
        at++;
    if (!same)
        json_array_append (copies, copy);
    else if (!has_text (copy, "state", "sound"))
        json_array_set (copies, at, copy);
}

/*  Counts a piece in the form of its folder. */
static void piece_count (json_t *form, const json_t *file, const char *piece)
{
    int64_t files = folder_piece_files (piece);
    take (form, "size", json_integer (number_of (form, "size") + number_of (file, "size")));
    if (files >= 0)
        take (form, "files", json_integer (files));
}

/*  The forms of all files that sites have, by name, with each folder in the place of its pieces. */
static json_t *files_of (const json_t *held)
{
    size_t count = json_array_size (held);
    memory_auto const json_t **list = must (calloc (count + 1, sizeof *list));
    json_auto_t *forms = made (json_object ());
    json_t *files = made (json_array ()), *form;
    const char *key, *last = "";
    for (size_t i = 0; i < count; i++)
        list [i] = json_array_get (held, i);
    qsort (list, count, sizeof *list, replicas_by_name);
    for (size_t i = 0; i < count; i++) {
        const json_t *file = json_object_get (list [i], "file");
        const char *site = text_of (list [i], "site"), *name = text_of (file, "name");
        const char *piece = folder_piece_of (name);
        form = file_form (forms, file, piece);
        json_each_of (copy, file, "copies") {
            json_auto_t *shown = copy_form (site, file, copy);
            copy_fold (json_object_get (form, "copies"), shown);
        }
        if (!piece)
            rule_add (form, site, file);
        else if (strcmp (name, last) != 0)
            piece_count (form, file, piece);
        last = name;
    }
    json_object_foreach (forms, key, form) json_array_append (files, form);
    return files;
}

static int replicas (const cli_t *cli, session_t *session, const char *name, const char *site_name)
{
    int code = EXIT_DONE;
    char text [NAMES_TEXT_BYTES];
    const json_t *site =
      site_name ? replica_sites_entry (session, "replicas", site_name, &code) : NULL;
    if (site_name && !site)
        return code;
    json_auto_t *silent = json_array ();
    json_auto_t *held = replica_sites_gather (session, site, name, silent);
    json_auto_t *files = files_of (held);
    json_auto_t *copies = forms_flat (files, "copies");
    if (!cli_json (cli, json_pack ("{s:O, s:O}", "files", files, "silent", silent)) &&
        (!name || json_array_size (files) > 0))
        table_print_forms (copy_rows, copies, stdout);
    if (json_array_size (silent) > 0)
        code = cli_fail (EXIT_UNKNOWN,
                         "replicas: the list is not complete; these sites did not answer: %s",
                         texts_join (silent, ", ", text, sizeof text));
    else if (name && json_array_size (files) == 0)
        code = cli_fail (EXIT_REFUSED, "replicas: no site has %s", name);
    return code;
}

int run_replicas (cli_t *cli)
{
    const char *site = NULL;
    cli_option_t list [] = {TEXT_OPTION ("site", &site, "SITE", "only what this site has"), {0}};
    int code;
    session_auto_t *session = session_begin (cli, list, 0, 1, &code);
    return session ? replicas (cli, session, cli->words [0], site) : code;
}
