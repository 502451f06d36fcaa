/*  musubi replicas - lists files, and where their copies are. */
#include "files_commands.h"
#include "json_fields.h"
#include "must.h"
#include "replica_sites.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

static const char *size_cell (const json_t *copy, const char *key, char text [CELL_BYTES])
{
    return bytes_text ((double) number_of (copy, key), text);
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
                                         {NULL}};

static const form_row_t copy_rows [] = {
  {"NAME", "name", .kind = FORM_MADE},
  {">SIZE", "size", size_cell, .kind = FORM_MADE},
  {"SITE", "site", .kind = FORM_TEXT},
  {"NODE", "node", .kind = FORM_TEXT, .from = "copy.node"},
  {"STATE", "state", .kind = FORM_WORD, .from = "copy.state", .more = states},
  {"", "kept", replicas_use_cell, .kind = FORM_FLAG, .from = "file.kept"},
  {.key = "pinned", .kind = FORM_FLAG, .from = "file.pinned"},
  {"PROVED", "proved", .kind = FORM_TIME, .from = "copy.proved_ms", .optional = true},
  {.key = "expires", .kind = FORM_TIME, .from = "file.expires_ms", .optional = true},
  {0}};

static json_t *copy_form (const char *site, const json_t *file, const json_t *copy)
{
    json_auto_t *all =
      made (json_pack ("{s:s, s:O, s:O}", "site", site, "file", file, "copy", copy));
    return form_of (copy_rows, all);
}

/*  The form of a file with this name and content; a new one if there is none yet. */
static json_t *file_form (json_t *files, const json_t *file)
{
    json_t *form;
    for (size_t i = 0; (form = json_array_get (files, i)); i++)
        if (strcmp (text_of (form, "name"), text_of (file, "name")) == 0 &&
            strcmp (text_of (form, "digest"), text_of (file, "digest")) == 0)
            return form;
    form = json_pack ("{s:s, s:I, s:s, s:s, s:[]}", "name", text_of (file, "name"), "size",
                      (json_int_t) number_of (file, "size"), "digest", text_of (file, "digest"),
                      "owner", text_of (file, "owner"), "copies");
    json_array_append_new (files, form);
    return form;
}

static void rule_add (json_t *form, const char *site, const json_t *file)
{
    const json_t *rule = json_object_get (file, "rule");
    if (number_of (rule, "copies") == 0)
        return;
    bool domains = strcmp (text_of (rule, "spread"), "SPREAD_DOMAINS") == 0;
    json_object_set_new (form, "rule",
                         json_pack ("{s:I, s:s, s:s}", "copies",
                                    (json_int_t) number_of (rule, "copies"), "spread",
                                    domains ? "domains" : "sites", "site", site));
}

static int replicas_by_name (const void *left, const void *right)
{
    const json_t *const *a = left;
    const json_t *const *b = right;
    return strcmp (text_of (json_object_get (*a, "file"), "name"),
                   text_of (json_object_get (*b, "file"), "name"));
}

/*  The forms of all files that sites have, by name. */
static json_t *files_of (const json_t *held)
{
    size_t count = json_array_size (held);
    const json_t **list = must (calloc (count + 1, sizeof *list));
    json_t *all = json_array ();
    json_auto_t *same = json_array (); /* forms of the present name */
    for (size_t i = 0; i < count; i++)
        list [i] = json_array_get (held, i);
    qsort (list, count, sizeof *list, replicas_by_name);
    for (size_t i = 0; i < count; i++) {
        const json_t *file = json_object_get (list [i], "file");
        const char *site = text_of (list [i], "site");
        if (i == 0 || replicas_by_name (&list [i - 1], &list [i]) != 0) {
            json_array_extend (all, same);
            json_array_clear (same);
        }
        json_t *form = file_form (same, file);
        const json_t *copy;
        for (size_t k = 0; (copy = item_of (file, "copies", k)); k++)
            json_array_append_new (json_object_get (form, "copies"), copy_form (site, file, copy));
        rule_add (form, site, file);
    }
    json_array_extend (all, same);
    free (list);
    return all;
}

static void print_files (const json_t *files)
{
    json_auto_t *copies = forms_flat (files, "copies");
    table_print_forms (copy_rows, copies, stdout);
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
    if (cli->json)
        cli_print_json (json_pack ("{s:O, s:O}", "files", files, "silent", silent));
    else if (!name || json_array_size (files) > 0)
        print_files (files);
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
    cli_words_t words;
    int code;
    session_auto_t *session = session_begin (cli, list, 0, 1, &words, &code);
    if (!session)
        return code;
    return replicas (cli, session, words.count > 0 ? words.list [0] : NULL, site);
}
