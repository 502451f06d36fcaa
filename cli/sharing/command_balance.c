/*  musubi balance - shows a coalition as its balancer sees it, and past ones as a table and lines
 *  of scores, as a picture, or as JSON; sets the terms on which a site takes part.
 */
#include "coalition_chart.h"
#include "coalition_form.h"
#include "commands.h"
#include "process.h"
#include "task_client.h"

#define PREFIX        "balancer/"
#define LEVEL_FIRST_S 60.0 /* where an automatic level begins unless given */
#define LEVEL_S_MOST  1e9  /* sites refuse more */

/*  --- balancers, by the names that users write: "green" for "balancer/green" --- */

/*  The entry of a balancer; name NULL = the only one. Asks the directories again before it says
 *  that there is none; then NULL, with *code. */
static const json_t *balancers_find (session_t *session, const char *command, const char *name,
                                     int *code)
{
    char names [ENTRIES_TEXT_BYTES];
    if (name && strncmp (name, PREFIX, strlen (PREFIX)) == 0)
        name += strlen (PREFIX);
    json_auto_t *all = session_kind (session, "balancer");
    if (!(name ? entries_named (all, name) : json_array_get (all, 0)) &&
        session_look (session, "")) {
        json_decref (all);
        all = session_kind (session, "balancer");
    }
    const json_t *found = name ? entries_named (all, name) : json_array_get (all, 0);
    entries_list (all, names);
    *code = EXIT_DONE;
    if (json_array_size (all) == 0)
        *code = cli_fail (EXIT_REFUSED, "%s: this federation has no balancer", command);
    else if (!found)
        *code = cli_fail (EXIT_REFUSED, "%s: there is no balancer \"%s\"; there are: %s", command,
                          name, names);
    else if (!name && json_array_size (all) > 1)
        *code =
          cli_fail (EXIT_USAGE, "%s: there are several balancers; name one: %s", command, names);
    return *code == EXIT_DONE ? found : NULL;
}

/*  Asks a balancer, or a site about sharing. Takes the question over. The answer is new; NULL after
 *  saying why there is none, with *code. */
static json_t *balancers_ask (const cli_t *cli, session_t *session, const json_t *entry,
                              const char *service, const char *method, json_t *question, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    call_status_t status =
      session_ask_entry (session, entry, service, method, question, &answer, reason);
    json_decref (question);
    *code = session_tell (cli, entry, status, reason,
                          "runs no tasks, so it can't share any (back_end = none)");
    return answer;
}

/*  --- status --- */

/*  Adds the names of the actor's bags at this site to own, as keys. False after saying why not. */
static bool own_add (const cli_t *cli, session_t *session, const json_t *site, json_t *own,
                     int *code)
{
    json_auto_t *bags = task_bags (cli, session, site, session->places.actor, false, code);
    json_each (record, bags) {
        char job [JOB_TEXT_BYTES];
        snprintf (job, sizeof job, "%s/%" PRId64, task_site_name (site), number_of (record, "bag"));
        json_object_set_new (own, job, json_true ());
    }
    return *code == EXIT_DONE;
}

/*  The actor's bags at all sites that have guarantees, as keys of a new object. */
static json_t *own_jobs (const cli_t *cli, session_t *session, const json_t *status, int *code)
{
    json_t *own = json_object ();
    json_auto_t *asked = json_object ();
    json_each_of (guarantee, status, "guarantees") {
        const char *home = text_of (guarantee, "home");
        const json_t *site = session_entry (session, home);
        int told = EXIT_DONE;
        if (json_object_get (asked, home))
            continue;
        json_object_set_new (asked, home, json_true ());
        if (!site)
            *code = cli_fail (EXIT_UNKNOWN,
                              "%s: %s is not in the directory, so it is not known which bags there "
                              "are yours: promises about its bags are left out (--all shows them)",
                              cli->command->name, home);
        else if (!own_add (cli, session, site, own, &told))
            *code = told;
    }
    return own;
}

static int balance_status_of (const cli_t *cli, session_t *session, const char *name, bool all)
{
    int code;
    const json_t *entry = balancers_find (session, cli->command->name, name, &code);
    if (!entry)
        return code;
    json_auto_t *status =
      balancers_ask (cli, session, entry, "Balancer", "Status", json_object (), &code);
    if (!status)
        return code;
    json_auto_t *own = all ? NULL : own_jobs (cli, session, status, &code);
    json_auto_t *form = coalition_form (status, own);
    if (!cli_json (cli, json_incref (form)))
        coalition_form_print (form, stdout);
    return code;
}

static int run_status (cli_t *cli)
{
    bool all = false;
    cli_option_t list [] = {
      FLAG_OPTION ("all", &all, "promises about the bags of all owners, not only yours"), {0}};
    int code;
    session_auto_t *session = session_begin (cli, list, 0, 1, &code);
    return session ? balance_status_of (cli, session, cli->words [0], all) : code;
}

/*  --- a site's terms --- */

typedef struct {
    bool automatic;
    bool begins; /* automatic, from a given level on */
    double level_s;
} balance_terms_t;

/*  "30m", "auto", "auto:30m". */
static bool balance_terms_read (const cli_t *cli, const char *text, balance_terms_t *terms,
                                int *code)
{
    int64_t ms = 0;
    *terms = (balance_terms_t){.automatic = strncmp (text, "auto", 4) == 0};
    terms->begins = terms->automatic && text [4] == ':';
    const char *duration = terms->begins ? text + 5 : text;
    bool plain = terms->automatic && text [4] == '\0';
    if (!plain && (!timetext_parse_duration (duration, &ms) || ms < 0 ||
                   (double) ms > LEVEL_S_MOST * 1000 || (terms->automatic && ms == 0))) {
        *code = cli_fail (EXIT_USAGE,
                          "%s: level: \"%s\" should be a duration such as 30m, or auto, or "
                          "auto:30m, which begins at 30m (never at 0)",
                          cli->command->name, text);
        return false;
    }
    terms->level_s = plain ? LEVEL_FIRST_S : (double) ms / 1000;
    return true;
}

static int balance_join (const cli_t *cli, session_t *session, const json_t *site,
                         const char *balancer, const balance_terms_t *terms)
{
    int code;
    char level [SECONDS_TEXT_BYTES];
    json_t *question = json_pack ("{s:s, s:f, s:b}", "balancer", balancer, "level_s",
                                  terms->level_s, "automatic", terms->automatic);
    json_auto_t *answer = balancers_ask (cli, session, site, "Sharing", "Join", question, &code);
    if (!answer)
        return code;
    if (!cli_json (cli, json_pack ("{s:s, s:s, s:f, s:b}", "site", task_site_name (site),
                                   "balancer", name_short (balancer), "level_s", terms->level_s,
                                   "automatic", terms->automatic)))
        printf ("%s shares its unreserved work through %s, level %s%s\n", task_site_name (site),
                name_short (balancer), terms->automatic ? "auto from " : "",
                seconds_text (terms->level_s, level));
    return EXIT_DONE;
}

static int run_join (cli_t *cli)
{
    const char *balancer = NULL;
    const char *level = NULL;
    cli_option_t list [] = {
      TEXT_OPTION ("balancer", &balancer, "NAME",
                   "the balancer whose coalition it joins; may be left out when there is only one"),
      TEXT_OPTION (
        "level", &level, "D|auto[:D]",
        "how far it takes part: it sends and receives at most the work that it does itself in this "
        "time; auto adapts it to what the site gains, from 1m on, or from D on"),
      {0}};
    balance_terms_t terms;
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    if (!level)
        return cli_fail (EXIT_USAGE, "%s: --level is needed: a duration such as 30m, or auto",
                         cli->command->name);
    if (!balance_terms_read (cli, level, &terms, &code))
        return code;
    session_auto_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    const json_t *entry = balancers_find (session, cli->command->name, balancer, &code);
    const json_t *site =
      entry ? task_site (session, cli->command->name, cli->words [0], &code) : NULL;
    return site ? balance_join (cli, session, site, text_of (entry, "name"), &terms) : code;
}

/*  The present terms of a site; NULL after saying why there are none. */
static json_t *membership (const cli_t *cli, session_t *session, const json_t *site, int *code)
{
    json_t *answer =
      balancers_ask (cli, session, site, "Sharing", "Membership", json_object (), code);
    if (!answer || *text_of (answer, "balancer"))
        return answer;
    *code =
      cli_fail (EXIT_REFUSED,
                "%s: %s has not joined a coalition; join it with musubi balance join %s --level D",
                cli->command->name, task_site_name (site), task_site_name (site));
    json_decref (answer);
    return NULL;
}

static int run_level (cli_t *cli)
{
    balance_terms_t terms;
    int code;
    if (!cli_parse (cli, NULL, 2, 2, &code) ||
        !balance_terms_read (cli, cli->words [1], &terms, &code))
        return code;
    session_auto_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    const json_t *site = task_site (session, cli->command->name, cli->words [0], &code);
    json_auto_t *now = site ? membership (cli, session, site, &code) : NULL;
    if (now) {
        double level_s = real_of (now, "level_s");
        if (terms.automatic && !terms.begins && level_s > 0)
            terms.level_s = level_s;
        code = balance_join (cli, session, site, text_of (now, "balancer"), &terms);
    }
    return code;
}

static int balance_leave (const cli_t *cli, session_t *session, const json_t *site)
{
    int code;
    json_auto_t *answer =
      balancers_ask (cli, session, site, "Sharing", "Leave", json_object (), &code);
    if (!answer)
        return code;
    json_int_t given_back = number_of (answer, "given_back");
    if (!cli_json (
          cli, json_pack ("{s:s, s:I}", "site", task_site_name (site), "given_back", given_back)))
        printf ("%s shares no more; %" PRId64 " waiting tasks of other sites go home\n",
                task_site_name (site), (int64_t) given_back);
    return EXIT_DONE;
}

static int run_leave (cli_t *cli)
{
    int code;
    session_auto_t *session = session_begin (cli, NULL, 1, 1, &code);
    if (!session)
        return code;
    const json_t *site = task_site (session, cli->command->name, cli->words [0], &code);
    return site ? balance_leave (cli, session, site) : code;
}

/*  --- history --- */

/*  Collects the forms of past coalitions, page by page. False after saying why not. */
static bool balance_history_gather (const cli_t *cli, session_t *session, const json_t *entry,
                                    json_int_t from, json_t *forms, int *code)
{
    for (bool more = true; more;) {
        json_t *question = json_pack ("{s:I}", "from", from);
        json_auto_t *answer =
          balancers_ask (cli, session, entry, "Balancer", "History", question, code);
        if (!answer)
            return false;
        size_t i;
        const json_t *record;
        for (i = 0; (record = item_of (answer, "coalitions", i)); i++) {
            json_array_append_new (forms, coalition_form_record (record));
            from = number_of (record, "coalition") + 1;
        }
        more = flag_of (answer, "more") && i > 0;
    }
    return true;
}

static int balance_history_write_svg (const json_t *form, const char *path)
{
    FILE *file = output_file_open (path, false);
    if (!file)
        return EXIT_USAGE;
    coalition_chart_svg (form, file);
    return output_file_close (file, path);
}

static int history (const cli_t *cli, session_t *session, const char *name, int64_t from,
                    const char *svg)
{
    int code;
    const json_t *entry = balancers_find (session, cli->command->name, name, &code);
    if (!entry)
        return code;
    json_auto_t *forms = json_array ();
    if (balance_history_gather (cli, session, entry, from, forms, &code)) {
        const char *full = json_string_value (json_object_get (entry, "name"));
        json_auto_t *form =
          json_pack ("{s:s, s:O}", "balancer", name_short (full), "coalitions", forms);
        if (svg)
            code = balance_history_write_svg (form, svg);
        if (cli->json)
            cli_print_json (json_incref (form));
        else if (!svg)
            coalition_chart_print (form, cli_width (), stdout);
    }
    return code;
}

static int run_history (cli_t *cli)
{
    int64_t from = 0;
    const char *svg = NULL;
    cli_option_t list [] = {
      INTEGER_OPTION (
        "from", &from, "COALITION",
        "number of the first coalition to show; otherwise the oldest one that is kept", 0, 0),
      TEXT_OPTION ("svg", &svg, "FILE", "draw a picture into this file; - = standard output"),
      {0}};
    int code;
    session_auto_t *session = session_begin (cli, list, 0, 1, &code);
    return session ? history (cli, session, cli->words [0], from, svg) : code;
}

/*  --- the command --- */

static bool off_line (const cli_t *cli)
{
    for (int i = 0; i < cli->rest_count; i++)
        if (strncmp (cli->rest [i], "--step", 6) == 0)
            return true;
    return false;
}

int run_balance (cli_t *cli)
{
    static const cli_command_t commands [] = {
      {"balance status", "[BALANCER] [--all]",
       "The members of a coalition with level, speed, work given and taken; and when your bags "
       "will be complete.",
       run_status},
      {"balance join", "SITE [--balancer NAME] --level D|auto[:D]",
       "A site shares its unreserved work from the next coalition on.", run_join},
      {"balance leave", "SITE",
       "A site shares no more; tasks of other sites that wait there go home.", run_leave},
      {"balance level", "SITE D|auto[:D]",
       "Change how far a site takes part, from the next coalition on.", run_level},
      {"balance history", "[BALANCER] [--from COALITION] [--svg FILE]",
       "Past coalitions: what each site gave and took, and its score.", run_history},
      {"balance --step", "FILE.json|- [--reschedule]",
       "Run steps of the algorithm on a file; no service is asked.", tools_start},
    };
    if (off_line (cli))
        return tools_start (cli);
    return cli_run_own (cli, commands, sizeof commands / sizeof commands [0]);
}
