/*  musubi pin, unpin, rule, evict - decide what happens to a file's copies. */
#include "commands.h"
#include "replica_sites.h"

/*  The sites that have the file: one site, or all. NULL after saying that none has, with *code. */
static json_t *holders_of (const cli_t *cli, session_t *session, const char *name,
                           const char *site_name, int *code)
{
    char text [NAMES_TEXT_BYTES];
    const char *command = cli->command->name;
    const json_t *site = site_name ? replica_sites_entry (session, command, site_name, code) : NULL;
    if (site_name && !site)
        return NULL;
    json_auto_t *silent = json_array ();
    json_t *held = replica_sites_gather (session, site, name, silent);
    if (json_array_size (held) == 0) {
        *code =
          json_array_size (silent) > 0
            ? cli_fail (EXIT_UNKNOWN, "%s: no site that answered has %s; these did not answer: %s",
                        command, name, texts_join (silent, ", ", text, sizeof text))
            : cli_fail (EXIT_REFUSED, "%s: %s has %s", command, site_name ? site_name : "no site",
                        site_name ? "no such file" : name);
        json_decref (held);
        return NULL;
    }
    /* Another's folder of that name is not meant. */
    const char *owner, *other;
    json_auto_t *all = held, *own = folder_of_one (all, session->places.actor, &owner, &other);
    return json_incref (owner && strcmp (owner, session->places.actor) == 0 ? own : all);
}

/*  True after saying that a site keeps copies that it was to evict. */
static bool keeps_some (const cli_t *cli, const char *site, const json_t *answer)
{
    long long copies = number_of (answer, "copies"), left = number_of (answer, "left");
    char keeps [96] = "keeps its copy for now";
    if (copies > 0 && left == 0)
        return false;
    if (copies > 0)
        snprintf (keeps, sizeof keeps, "evicts %lld of its copies and keeps %lld for now", copies,
                  left);
    cli_fail (
      EXIT_UNKNOWN,
      "%s: %s %s: a transfer is using it, or its storage node is not up yet; try again later",
      cli->command->name, site, keeps);
    return true;
}

/*  A piece that a folder no longer needs may be gone before it is asked about. */
static bool pin_leaves (const json_t *file)
{
    const json_t *copy;
    size_t copies = 0;
    while ((copy = item_of (file, "copies", copies))) {
        if (!has_text (copy, "state", "COPY_EVICTING"))
            return false;
        copies++;
    }
    return copies > 0;
}

/*  Asks the same of all sites that have the file, and prints what they did. */
static int pin_say (const cli_t *cli, session_t *session, const json_t *held, const char *method,
                    const json_t *question, const char *done)
{
    int code = EXIT_DONE;
    char text [NAMES_TEXT_BYTES];
    json_auto_t *sites = json_array ();
    json_auto_t *asked = json_deep_copy (question); /* of a folder: about each of its pieces */
    json_each (holder, held) {
        int told;
        const json_t *file = json_object_get (holder, "file");
        if (json_array_size (held) > 1 && pin_leaves (file))
            continue;
        json_object_set (asked, "name", json_object_get (file, "name"));
        json_auto_t *answer =
          replica_sites_ask (cli, session, json_object_get (holder, "entry"), method, asked, &told);
        if (answer && strcmp (method, "Evict") == 0 &&
            keeps_some (cli, text_of (holder, "site"), answer))
            code = EXIT_UNKNOWN;
        else if (answer && !list_has (sites, json_object_get (holder, "site")))
            json_array_append (sites, json_object_get (holder, "site"));
        else if (!answer)
            code = told;
    }
    if (!cli_json (
          cli, json_pack ("{s:O, s:O}", "name", json_object_get (question, "name"), done, sites)) &&
        json_array_size (sites) > 0)
        printf ("%s: %s at %s\n", text_of (question, "name"), done,
                texts_join (sites, ", ", text, sizeof text));
    return code;
}

/*  A command whose question has the name and one flag. */
static int pin_run (cli_t *cli, const cli_option_t *options, const char *const *site,
                    const char *method, const char *key, const bool *flag, const char *done)
{
    int code;
    session_auto_t *session = session_begin (cli, options, 1, 1, &code);
    if (!session)
        return code;
    json_auto_t *held = holders_of (cli, session, cli->words [0], *site, &code);
    if (!held)
        return code;
    json_auto_t *question = json_pack ("{s:s, s:b}", "name", cli->words [0], key, *flag);
    return pin_say (cli, session, held, method, question, done);
}

static int pin (cli_t *cli, bool pinned)
{
    const char *site = NULL;
    cli_option_t list [] = {
      TEXT_OPTION ("site", &site, "SITE",
                   "only at this site; otherwise at all sites that have the file"),
      {0}};
    return pin_run (cli, list, &site, "Pin", "pinned", &pinned, pinned ? "pinned" : "unpinned");
}

int run_pin (cli_t *cli)
{
    return pin (cli, true);
}

int run_unpin (cli_t *cli)
{
    return pin (cli, false);
}

int run_evict (cli_t *cli)
{
    const char *site = NULL;
    bool kept = false;
    cli_option_t list [] = {
      TEXT_OPTION ("site", &site, "SITE",
                   "only at this site; otherwise at all sites that have the file"),
      FLAG_OPTION ("kept", &kept,
                   "also where it was put; if that was the last copy, the file is lost"),
      {0}};
    return pin_run (cli, list, &site, "Evict", "kept", &kept, "evicted");
}

/*  --- rule --- */

static int home_rank (const json_t *holder)
{
    const json_t *file = json_object_get (holder, "file");
    bool kept = flag_of (file, "kept");
    return number_of (json_object_get (file, "rule"), "copies") > 0 ? 2 : kept;
}

/*  The sites that see to the rule, one for each name: the one that has one already, else one where
 *  the file was put. */
static json_t *pin_homes_of (const json_t *held)
{
    json_auto_t *homes = json_object ();
    json_t *holder, *list = json_array ();
    const char *name;
    for (size_t i = 0; (holder = json_array_get (held, i)); i++) {
        name = text_of (json_object_get (holder, "file"), "name");
        const json_t *home = json_object_get (homes, name);
        if (!home || home_rank (holder) > home_rank (home))
            json_object_set (homes, name, holder);
    }
    json_object_foreach (homes, name, holder) json_array_append (list, holder);
    return list;
}

typedef struct {
    int64_t copies; /* sites; -1 = not given */
    const char *at_nodes;
    json_int_t nodes; /* of each site */
    const char *spread;
    option_texts_t sites;
} rule_options_t;

/*  The rule as the site is told; NULL after saying why it is none, with *code. */
static json_t *rule_question (session_t *session, const char *name, const rule_options_t *options,
                              int *code)
{
    json_auto_t *sites = json_array ();
    char text [4 * NAMES_TEXT_BYTES]; /* the site refuses more than it can keep */
    for (size_t i = 0; i < options->sites.count; i++) {
        const json_t *site = replica_sites_entry (session, "rule", options->sites.list [i], code);
        if (!site)
            return NULL;
        json_array_append_new (sites, json_string (name_short (text_of (site, "name"))));
    }
    return json_pack ("{s:s, s:{s:I, s:s, s:I, s:s}}", "name", name, "rule", "copies",
                      options->copies < 0 ? (json_int_t) NODES_ALL : (json_int_t) options->copies,
                      "spread",
                      strcmp (options->spread, "domains") == 0 ? "SPREAD_DOMAINS" : "SPREAD_SITES",
                      "nodes", options->nodes, "sites", texts_join (sites, ",", text, sizeof text));
}

/*  Those that are told: of a rule its home, of its end all sites that know of it. */
static json_t *rule_hearers (const json_t *held, bool ends)
{
    json_t *hearers = pin_homes_of (held);
    const json_t *holder;
    for (size_t i = 0; ends && (holder = json_array_get (held, i)); i++)
        if (!list_has (hearers, holder) &&
            number_of (json_object_get (json_object_get (holder, "file"), "rule"), "nodes") > 0)
            json_array_append (hearers, (json_t *) holder);
    return hearers;
}

static int rule_say (const cli_t *cli, session_t *session, const char *name,
                     const rule_options_t *options)
{
    int code = EXIT_USAGE;
    json_auto_t *question = rule_question (session, name, options, &code);
    json_auto_t *held = question ? holders_of (cli, session, name, NULL, &code) : NULL;
    if (!held)
        return code;
    json_auto_t *hearers = rule_hearers (held, options->copies == 0);
    code = pin_say (cli, session, hearers, "Rule", question, "ruled");
    size_t sites = replica_sites_count (session), copies = (size_t) options->copies;
    if (code == EXIT_DONE && options->copies > 0 && copies > sites)
        cli_note (cli, "rule: only %zu site%s files; the other %zu cop%s as soon as more sites do",
                  sites, sites == 1 ? " keeps" : "s keep", copies - sites,
                  copies - sites == 1 ? "y is made" : "ies are made");
    return code;
}

int run_rule (cli_t *cli)
{
    rule_options_t options = {.copies = -1, .spread = "sites"};
    cli_option_t list [] = {
      INTEGER_OPTION ("copies", &options.copies, "N",
                      "how many sites are to keep a copy; otherwise all; 0 ends the rule", 0, 512),
      TEXT_OPTION ("nodes", &options.at_nodes, "all|N",
                   "at how many storage nodes of each site; otherwise at one of them"),
      TEXT_OPTION ("spread", &options.spread, "sites|domains",
                   "whether each copy is at another site, or in another network domain, too"),
      TEXTS_OPTION ("site", &options.sites, "SITE",
                    "a site that it is for, again for more; otherwise all sites"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    bool spread_right =
      strcmp (options.spread, "sites") == 0 || strcmp (options.spread, "domains") == 0;
    if (!nodes_wanted (cli, "nodes", options.at_nodes, &options.nodes))
        return EXIT_USAGE;
    if ((options.copies < 0 && !options.at_nodes) || !spread_right)
        return cli_fail (EXIT_USAGE,
                         spread_right
                           ? "rule: --copies N or --nodes all|N is needed: how many sites are to "
                             "keep a copy, or how many storage nodes of each site"
                           : "rule: --spread should be sites or domains");
    if (options.sites.count > 0 && options.copies > (int64_t) options.sites.count)
        return cli_fail (EXIT_USAGE, "rule: --copies %lld is more than the sites that --site names",
                         (long long) options.copies);
    session_auto_t *session = session_open_all (cli, &code);
    return session ? rule_say (cli, session, cli->words [0], &options) : code;
}
