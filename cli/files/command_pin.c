/*  musubi pin, unpin, rule, evict - decide what happens to a file's copies. */
#include "files_commands.h"
#include "json_fields.h"
#include "replica_sites.h"

#include <stdio.h>
#include <string.h>

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
        held = NULL;
    }
    return held;
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

/*  Asks the same of all sites that have the file, and prints what they did. */
static int pin_say (const cli_t *cli, session_t *session, const json_t *held, const char *method,
                    const json_t *question, const char *done)
{
    int code = EXIT_DONE;
    char text [NAMES_TEXT_BYTES];
    json_auto_t *sites = json_array ();
    const json_t *holder;
    for (size_t i = 0; (holder = json_array_get (held, i)); i++) {
        int told;
        json_auto_t *answer = replica_sites_ask (cli, session, json_object_get (holder, "entry"),
                                                 method, question, &told);
        if (answer && strcmp (method, "Evict") == 0 &&
            keeps_some (cli, text_of (holder, "site"), answer))
            code = EXIT_UNKNOWN;
        else if (answer)
            json_array_append (sites, json_object_get (holder, "site"));
        else
            code = told;
    }
    if (cli->json)
        cli_print_json (
          json_pack ("{s:O, s:O}", "name", json_object_get (question, "name"), done, sites));
    else if (json_array_size (sites) > 0)
        printf ("%s: %s at %s\n", text_of (question, "name"), done,
                texts_join (sites, ", ", text, sizeof text));
    return code;
}

/*  A command whose question has the name and one flag. */
static int pin_run (cli_t *cli, const cli_option_t *options, const char *const *site,
                    const char *method, const char *key, const bool *flag, const char *done)
{
    cli_words_t words;
    int code;
    session_auto_t *session = session_begin (cli, options, 1, 1, &words, &code);
    if (!session)
        return code;
    json_auto_t *held = holders_of (cli, session, words.list [0], *site, &code);
    if (!held)
        return code;
    json_auto_t *question = json_pack ("{s:s, s:b}", "name", words.list [0], key, *flag);
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

/*  The site that sees to the rule: the one that has one already, else one where the file was put.
 */
static const json_t *pin_home_of (const json_t *held)
{
    const json_t *home = NULL;
    const json_t *holder;
    for (size_t i = 0; (holder = json_array_get (held, i)); i++) {
        const json_t *file = json_object_get (holder, "file");
        const json_t *rule = json_object_get (file, "rule");
        if (number_of (rule, "copies") > 0)
            return holder; /* it has a rule already */
        bool kept = flag_of (file, "kept");
        if (kept && !home)
            home = holder;
    }
    return home ? home : json_array_get (held, 0);
}

int run_rule (cli_t *cli)
{
    const char *site = NULL;
    const char *spread = "sites";
    int64_t copies = -1;
    cli_option_t list [] = {
      INTEGER_OPTION ("copies", &copies, "N", "how many sites are to keep a copy; 0 ends the rule",
                      0, 16),
      TEXT_OPTION ("spread", &spread, "sites|domains",
                   "whether each copy is at another site, or in another network domain, too"),
      TEXT_OPTION ("site", &site, "SITE",
                   "the site that sees to it; otherwise the one where the file was put"),
      {0}};
    cli_words_t words;
    int code;
    if (!cli_parse (cli, list, 1, 1, &words, &code))
        return code;
    bool domains = strcmp (spread, "domains") == 0;
    if (copies < 0 || (!domains && strcmp (spread, "sites") != 0))
        return cli_fail (
          EXIT_USAGE, copies < 0 ? "rule: --copies N is needed: how many sites are to keep a copy"
                                 : "rule: --spread should be sites or domains");
    session_auto_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    json_auto_t *held = holders_of (cli, session, words.list [0], site, &code);
    if (held) {
        json_auto_t *question =
          json_pack ("{s:s, s:{s:I, s:s}}", "name", words.list [0], "rule", "copies",
                     (json_int_t) copies, "spread", domains ? "SPREAD_DOMAINS" : "SPREAD_SITES");
        json_auto_t *home = json_pack ("[O]", pin_home_of (held));
        code = pin_say (cli, session, home, "Rule", question, "ruled");
        size_t sites = replica_sites_count (session);
        if (code == EXIT_DONE && (size_t) copies > sites)
            cli_note (cli,
                      "rule: only %zu site%s files; the other %zu cop%s as soon as more sites do",
                      sites, sites == 1 ? " keeps" : "s keep", (size_t) copies - sites,
                      (size_t) copies - sites == 1 ? "y is made" : "ies are made");
    }
    return code;
}
