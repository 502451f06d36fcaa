/*  musubi submit - gives a bag of tasks to the queue of a site, or to a reservation. */
#include "commands.h"
#include "file_questions.h"
#include "listing.h"
#include "replica_sites.h"
#include "task_client.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRY_MS           3000
#define TASKS_MAX        64 /* of a bag whose inputs are looked for */
#define BYTES_PER_S_MBPS 125000.0

/*  --- its inputs: who has them, or will make them, and which disks can take them --- */

/*  Could it be an output of one of the tasks that were submitted? */
static bool input_made (const json_t *submitted, const char *name)
{
    json_each_of (output, submitted, "outputs") {
        const char *made_as = text_of (output, "name"), *mark = strstr (made_as, "%i");
        size_t before = mark ? (size_t) (mark - made_as) : strlen (made_as);
        const char *rest = name + before;
        if (strncmp (name, made_as, before) == 0 &&
            strcmp (rest + (mark ? strspn (rest, "0123456789") : 0), mark ? mark + 2 : "") == 0)
            return true;
    }
    return false;
}

/*  Nobody has it: may it come all the same, from a bag of the actor, or a site that did not
 *  answer? */
static bool input_may_come (const cli_t *cli, session_t *session, const char *name)
{
    json_auto_t *mute = json_array ();
    json_auto_t *sites = task_sites (session, mute);
    const json_t *site, *bag;
    int code = EXIT_DONE;
    bool comes = json_array_size (mute) > 0;
    for (size_t i = 0; !comes && (site = json_array_get (sites, i)); i++) {
        json_auto_t *bags = task_bags (cli, session, site, session->places.actor, false, &code);
        comes = code != EXIT_DONE;
        for (size_t k = 0; !comes && (bag = json_array_get (bags, k)); k++)
            comes = input_made (json_object_get (bag, "submitted"), name);
    }
    json_auto_t *places = file_places (session, name, &comes); /* it was made meanwhile */
    return comes || json_array_size (places) > 0;
}

/*  As proto StagingRequest, new: the inputs of the first task that are there. NULL after refusing
 *  what nobody has, though all have answered, and no bag of the actor will make; with *code. */
static json_t *task_inputs (const cli_t *cli, session_t *session, const json_t *question, int *code)
{
    json_auto_t *files = made (json_array ());
    json_each_of (input, question, "inputs") {
        const char *asked = text_of (input, "name"), *mark = strstr (asked, "%i");
        json_int_t count = mark ? number_of (question, "count") : 1;
        for (int index = 0; index < count && index < TASKS_MAX; index++) {
            bool silent = false;
            text_auto_t *name = mark ? must_print ("%.*s%d%s", (int) (mark - asked), asked, index,
                                                   mark + strlen ("%i"))
                                     : must_print ("%s", asked);
            json_auto_t *places = file_places (session, name, &silent);
            const json_t *place = json_array_get (places, 0);
            if (!place && !silent && !input_made (question, name) &&
                !input_may_come (cli, session, name)) {
                *code = cli_fail (EXIT_REFUSED,
                                  "submit: --input %s: no site has it, and no task of yours that "
                                  "waits or runs will make it",
                                  name);
                return NULL;
            }
            if (!place || index > 0)
                continue;
            json_t *file = made (json_pack ("{s:s, s:O, s:[]}", "name", name, "size",
                                            json_object_get (place, "size"), "sites"));
            for (size_t p = 0; (place = json_array_get (places, p)); p++)
                take_last (json_object_get (file, "sites"), json_string (text_of (place, "site")));
            take_last (files, file);
        }
    }
    *code = EXIT_DONE;
    return made (json_pack ("{s:O}", "files", files));
}

/*  A site's StagingAnswer, new; NULL when it does not tell. *large: an input larger than its
 *  largest disk, or NULL. */
static json_t *task_inputs_at (session_t *session, const char *site, const json_t *staging,
                               const char **large)
{
    text_auto_t *name = must_print ("replica/%s", site);
    const json_t *entry = session_entry (session, name), *asked;
    method_t method = services_method ("Replica", "Staging");
    char reason [CLIENT_REASON_BYTES];
    json_t *answer = NULL;
    *large = NULL;
    if (entry)
        session_ask (session, text_of (entry, "endpoint"), &method, staging, "", TRY_MS, &answer,
                     reason);
    json_int_t most = number_of (answer, "bytes_max");
    for (size_t i = 0; most > 0 && (asked = item_of (staging, "files", i)); i++)
        if (number_of (asked, "size") > most)
            *large = text_of (asked, "name");
    return answer;
}

/*  --- which site is best: where its first task can begin soonest, its inputs brought; of alike
 *  ones the cheapest (S2: where a job runs and how its data gets there are decided together) --- */

typedef struct {
    const json_t *site;
    double start_s; /* from now */
    double staging_s;
    double price;
} any_place_t;

/*  Seconds until all inputs are there; below 0, with why, when the site can't tell or can't take
 *  one. */
static double any_site_staging_s (session_t *session, const char *site, const json_t *question,
                                  const char **why)
{
    const char *large;
    if (!item_of (question, "files", 0))
        return 0;
    json_auto_t *answer = task_inputs_at (session, site, question, &large);
    *why =
      large ? "no disk there could take an input" : "can't say how soon the inputs would be there";
    if (!answer || large)
        return -1;
    double seconds = 0;
    const json_t *file;
    for (size_t i = 0; (file = item_of (answer, "files", i)); i++) {
        if (item_of (file, "nodes", 0))
            continue;
        double rate = (double) number_of (file, "bytes_per_s");
        seconds += (double) number_of (item_of (question, "files", i), "size") /
                   (rate > 0 ? rate : STAGING_UNMEASURED_MBPS * BYTES_PER_S_MBPS);
    }
    return seconds;
}

static bool any_site_better (const any_place_t *a, const any_place_t *b)
{
    double a_s = a->start_s + a->staging_s, b_s = b->start_s + b->staging_s;
    return !b->site || a_s < b_s - 1 ||
           (a_s < b_s + 1 && (a->price < b->price || (a->price == b->price && a_s < b_s)));
}

/*  Asks all sites that run tasks what they expect of the submission, and those that keep files how
 *  soon its inputs (task_inputs) could be there; says on standard error what each has told. NULL
 *  when none takes it, with *code. */
static const json_t *any_site (session_t *session, const json_t *question, const json_t *staging,
                               int *code)
{
    any_place_t best = {.site = NULL};
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *sites = session_kind (session, "lis");
    *code = EXIT_REFUSED;
    json_each (site, sites) {
        const char *name = name_short (text_of (site, "name"));
        const char *why = "can't say when a task would begin";
        json_auto_t *told = NULL;
        any_place_t place = {.site = site};
        struct timespec now;
        timespec_get (&now, TIME_UTC);
        double now_s = (double) now.tv_sec + (double) now.tv_nsec / 1e9;
        if (session_ask_entry (session, site, "Queue", "Expect", question, &told, reason) !=
            CALL_OK) {
            fprintf (stderr, "%s: %s\n", name, reason);
            continue;
        }
        place.start_s = (double) number_of (told, "expected_ms") / 1000 - now_s;
        place.start_s = place.start_s > 0 ? place.start_s : 0;
        place.staging_s = any_site_staging_s (session, name, staging, &why);
        place.price = (double) number_of (told, "price") / 1e6;
        if (number_of (told, "expected_ms") == 0 || place.staging_s < 0) {
            fprintf (stderr, "%s: %s\n", name, why);
            continue;
        }
        fprintf (stderr, "%s: begins in %.0f s, inputs in %.0f s, %.4f credits a task\n", name,
                 place.start_s, place.staging_s, place.price);
        if (any_site_better (&place, &best))
            best = place;
    }
    json_auto_t *absent = session_absences (session, "lis");
    if (best.site)
        *code = EXIT_DONE;
    else
        *code = cli_fail (json_array_size (absent) > 0 ? EXIT_UNKNOWN : EXIT_REFUSED,
                          "submit: no site that answers takes it");
    return best.site;
}

typedef struct {
    int64_t cpus;
    int64_t limit_ms;
    int64_t cpu_limit_ms;
    int64_t gpus;
    int64_t count;
    int64_t priority;
    const char *name;
    const char *reservation;
    const char *class;
    const char *folder;
    const char *stdout_file;
    const char *errors;
    const char *rank;
    option_texts_t environment;
    option_texts_t inputs;
    option_texts_t outputs;
    bool preemptible;
    bool requeue;
    bool shared;
    bool dry_run;
} submit_options_t;

/*  "ID/NEED", taken apart. */
typedef struct {
    char id [NAME_BYTES_MAX + 1];
    char need [NAME_BYTES_MAX + 1];
} reservation_name_t;

/*  text NULL = none. False if it is not such a name. */
static bool reservation_read (reservation_name_t *name, const char *text)
{
    *name = (reservation_name_t){.id = ""};
    if (!text)
        return true;
    size_t length = strcspn (text, "/");
    const char *need = text [length] == '/' ? text + length + 1 : "";
    if (length == 0 || length > NAME_BYTES_MAX || strlen (need) > NAME_BYTES_MAX ||
        (text [length] == '/' && !*need))
        return false;
    memcpy (name->id, text, length);
    memcpy (name->need, need, strlen (need));
    return true;
}

/*  --- which site --- */

static bool part_has (const json_t *part, const char *need)
{
    json_each_of (booking, part, "bookings")
        if (!*need || has_text (booking, "need", need))
            return true;
    return false;
}

/*  The only site at which the reservation, or its need, has nodes. NULL after saying why not. */
static const json_t *site_of_view (session_t *session, const json_t *view,
                                   const reservation_name_t *name, int *code)
{
    char sites [512] = "";
    const char *found = NULL;
    size_t count = 0;
    json_each_of (part, view, "parts") {
        const char *participant = text_of (part, "participant");
        if (strncmp (participant, "lis/", 4) != 0 || !part_has (part, name->need))
            continue;
        size_t used = strlen (sites);
        snprintf (sites + used, sizeof sites - used, "%s%s", used ? ", " : "",
                  name_short (participant));
        found = participant;
        count++;
    }
    if (count == 1)
        return task_site (session, "submit", found, code);
    if (count == 0 && !*text_of (view, "owner")) /* hidden, as the parts are */
        *code =
          cli_fail (EXIT_REFUSED, "submit: reservation %s belongs to another; %s may not use it",
                    name->id, session->places.actor);
    else if (count == 0)
        *code = cli_fail (EXIT_REFUSED,
                          "submit: reservation %s%s%s has no nodes at any site that answers",
                          name->id, *name->need ? "/" : "", name->need);
    else
        *code = cli_fail (EXIT_USAGE,
                          "submit: reservation %s has nodes at %s; name one of these sites, or a "
                          "need: --reservation %s/NEED",
                          name->id, sites, name->id);
    return NULL;
}

static const json_t *site_of_reservation (const cli_t *cli, session_t *session,
                                          const reservation_name_t *name, int *code)
{
    json_auto_t *body = json_pack ("{s:s}", "reservation", name->id);
    json_auto_t *answer = body ? listing_question (cli, session, "Show", body, code) : NULL;
    const json_t *view = json_object_get (answer, "view");
    const json_t *site = NULL;
    if (!body)
        *code = cli_fail (EXIT_USAGE, "submit: the id of the reservation must be UTF-8");
    else if (answer && !view)
        *code = cli_fail (EXIT_REFUSED, "submit: %s: there is no such reservation", name->id);
    else if (view)
        site = site_of_view (session, view, name, code);
    return site;
}

static const json_t *site_meant (const cli_t *cli, session_t *session, const char *named,
                                 const reservation_name_t *reservation, int *code)
{
    if (named)
        return task_site (session, "submit", named, code);
    if (*reservation->id)
        return site_of_reservation (cli, session, reservation, code);
    return task_only_site (session, "submit", code);
}

/*  --- the question --- */

/*  NULL when one of them is not UTF-8. */
static json_t *texts_of (const char *const *texts, size_t count)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new (list, json_string (texts [i])) != 0) {
            json_decref (list);
            return NULL;
        }
    return list;
}

/*  Files of "NAME=PATH", or of "PATH=NAME"; what is behind the sign may be left out. NULL when one
 *  of them is not UTF-8. */
static json_t *submit_files_of (const option_texts_t *texts, bool path_first)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = texts->list [i];
        const char *sign = strchr (text, '=');
        int length = sign ? (int) (sign - text) : (int) strlen (text);
        json_auto_t *first = json_stringn (text, (size_t) length);
        json_auto_t *second = json_string (sign ? sign + 1 : path_first ? text : "");
        json_t *file = path_first ? json_pack ("{s:O, s:O}", "path", first, "name", second)
                                  : json_pack ("{s:O, s:O}", "name", first, "path", second);
        if (json_array_append_new (list, file) != 0) {
            json_decref (list);
            return NULL;
        }
    }
    return list;
}

/*  The question, without what was not given. NULL after refusing text that is not UTF-8. */
static json_t *question_of (const submit_options_t *options, const reservation_name_t *reservation,
                            const char *const *program, size_t words)
{
    json_int_t cpu_limit_ms = options->cpu_limit_ms > 0 ? options->cpu_limit_ms : 0;
    json_t *question = json_pack (
      "{s:{s:o, s:o, s:s*, s:s*, s:s*}, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:b, s:s*, s:s*, "
      "s:s*, "
      "s:s, s:s, s:o, s:o}",
      "command", "arguments", texts_of (program, words), "environment",
      texts_of (options->environment.list, options->environment.count), "folder", options->folder,
      "output", options->stdout_file, "errors", options->errors, "count",
      (json_int_t) options->count, "cpus", (json_int_t) options->cpus, "gpus",
      (json_int_t) options->gpus, "limit_ms", (json_int_t) options->limit_ms, "cpu_limit_ms",
      cpu_limit_ms, "priority", (json_int_t) options->priority, "preemptible", options->preemptible,
      "requeue", options->requeue, "shared", options->shared, "name", options->name, "class_name",
      options->class, "rank", options->rank, "reservation", reservation->id, "need",
      reservation->need, "inputs", submit_files_of (&options->inputs, false), "outputs",
      submit_files_of (&options->outputs, true));
    if (!question)
        cli_fail (EXIT_USAGE, "submit: all options and the program's words must be UTF-8");
    return question;
}

static void tell_submitted (const cli_t *cli, const json_t *site, const json_t *answer,
                            int64_t count)
{
    json_int_t bag = number_of (answer, "bag");
    char name [2 * NAME_BYTES_MAX];
    snprintf (name, sizeof name, "%s/%" PRId64, task_site_name (site), (int64_t) bag);
    if (!cli_json (cli, json_pack ("{s:s, s:s, s:I}", "bag", name, "site", task_site_name (site),
                                   "tasks", (json_int_t) count)))
        puts (name);
}

/*  Is standard input a pipe with something in it? (A file may belong to a shell loop around us.) */
static bool input_waits (void)
{
    struct stat status;
    int bytes = 0;
    return fstat (STDIN_FILENO, &status) == 0 && S_ISFIFO (status.st_mode) &&
           ioctl (STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

/*  --dry-run: prints what would be sent, and to which site. */
static int tell_planned (const cli_t *cli, const json_t *site, const json_t *question)
{
    if (!cli_json (cli, json_pack ("{s:s, s:b, s:O}", "site", task_site_name (site), "dry_run", 1,
                                   "request", question)))
        printf ("nothing is sent; %s would be asked for %" PRId64 " task%s of %" PRId64 " CPU%s\n",
                task_site_name (site), number_of (question, "count"),
                number_of (question, "count") == 1 ? "" : "s", number_of (question, "cpus"),
                number_of (question, "cpus") == 1 ? "" : "s");
    return EXIT_DONE;
}

static int submit (cli_t *cli, session_t *session, const submit_options_t *options,
                   const reservation_name_t *reservation, const char *named,
                   const char *const *program, size_t words)
{
    int code;
    char id [REQUEST_ID_BYTES_MAX + 1];
    char why [WHY_BYTES];
    json_auto_t *question = question_of (options, reservation, program, words);
    if (!question)
        return EXIT_USAGE;
    if ((code = needed_files (cli, session, question, "inputs", "name")) != EXIT_DONE)
        return code;
    if (item_of (question, "inputs", TASK_FILES_MAX))
        return cli_fail (EXIT_REFUSED,
                         "submit: the inputs are %zu files, of folders their lists and pieces; a "
                         "task has at most %d",
                         json_array_size (json_object_get (question, "inputs")), TASK_FILES_MAX);
    json_auto_t *staging = task_inputs (cli, session, question, &code);
    if (!staging)
        return code;
    bool any = named && strcmp (named, "any") == 0;
    const json_t *site = any ? any_site (session, question, staging, &code)
                             : site_meant (cli, session, named, reservation, &code);
    if (!site)
        return code;
    const char *large = NULL;
    if (item_of (staging, "files", 0))
        json_decref (task_inputs_at (session, task_site_name (site), staging, &large));
    if (large)
        return cli_fail (EXIT_REFUSED, "submit: --input %s is larger than the largest disk of %s",
                         large, task_site_name (site));
    if (!session_request_id (session, cli->request_id, id, why))
        return cli_fail (EXIT_USAGE, "submit: %s", why);
    if (options->dry_run)
        return tell_planned (cli, site, question);
    if (input_waits ())
        return cli_fail (EXIT_USAGE, "submit: tasks get no standard input, but some is given: put "
                                     "it into a file on the node, or add </dev/null to leave it");
    fprintf (stderr, "request-id %s\n", id);
    json_auto_t *answer =
      task_ask (cli, session, site, "Submit", json_incref (question), id, &code);
    if (answer)
        tell_submitted (cli, site, answer, options->count);
    if (answer && input_waits ()) /* input that came meanwhile */
        fputs ("submit: tasks get no standard input; what was given was not read\n", stderr);
    return code;
}

/*  Index of the program's first word; the count if it is missing. */
static int program_at (const cli_t *cli)
{
    int at = 0;
    while (at < cli->rest_count && strcmp (cli->rest [at], "--") != 0)
        at++;
    return at < cli->rest_count ? at + 1 : cli->rest_count;
}

/*  Are they right, one by one? False after saying why not. */
static bool submit_options_read (const submit_options_t *options, reservation_name_t *reservation,
                                 int *code)
{
    *code = EXIT_DONE;
    if (options->limit_ms == 0)
        *code = cli_fail (EXIT_USAGE, "submit: --limit is needed, such as --limit 10m");
    else if (options->cpu_limit_ms == 0)
        *code = cli_fail (
          EXIT_USAGE,
          "submit: --cpu-limit must be more than 0s; without it a task may take cpus x limit");
    else if (!reservation_read (reservation, options->reservation))
        *code = cli_fail (EXIT_USAGE, "submit: --reservation: \"%s\" should be ID or ID/NEED",
                          options->reservation);
    return *code == EXIT_DONE;
}

int run_submit (cli_t *cli)
{
    submit_options_t options = {.cpus = 1, .count = 1, .cpu_limit_ms = -1};
    reservation_name_t reservation = {.id = ""};
    cli_option_t list [] = {
      DURATION_OPTION ("limit", &options.limit_ms, "D",
                       "wall time that each task may take; needed"),
      INTEGER_OPTION ("cpus", &options.cpus, "N", "CPUs of one node for each task; 1 unless given",
                      1, UINT32_MAX),
      INTEGER_OPTION ("gpus", &options.gpus, "N",
                      "GPUs of that node for each task, at a site whose batch system has some", 0,
                      UINT32_MAX),
      INTEGER_OPTION ("count", &options.count, "N",
                      "how many such tasks; MUSUBI_TASK_INDEX tells them apart; 1 unless given", 1,
                      UINT32_MAX),
      TEXT_OPTION ("name", &options.name, "NAME", "for people"),
      TEXT_OPTION ("reservation", &options.reservation, "ID[/NEED]",
                   "run on the nodes of this reservation, within its time"),
      INTEGER_OPTION ("priority", &options.priority, "P",
                      "-1000 to 1000, higher ones run first; 0 unless given", -1000, 1000),
      TEXT_OPTION ("class", &options.class, "NAME", "only on this class of nodes"),
      FLAG_OPTION ("preemptible", &options.preemptible,
                   "may use idle reserved nodes; is ended when their reservation wants them"),
      TEXT_OPTION ("rank", &options.rank, "EXPRESSION",
                   "which nodes are best, such as \"memory - staging\"; the highest is taken"),
      FLAG_OPTION ("requeue", &options.requeue, "run a task again that was lost or preempted"),
      FLAG_OPTION ("shared", &options.shared,
                   "waiting tasks may run at other sites of the coalition"),
      TEXT_OPTION ("folder", &options.folder, "DIR", "working folder on the node"),
      TEXTS_OPTION ("input", &options.inputs, "NAME[=PATH]",
                    "a file of the federation, or a folder or member (put -r), that stands in the "
                    "task's folder when it starts; %i is the task's index"),
      TEXTS_OPTION ("output", &options.outputs, "PATH[=NAME]",
                    "a file in the task's folder that is a file of the federation before the task "
                    "counts as done; %i is the task's index"),
      TEXT_OPTION ("stdout", &options.stdout_file, "FILE",
                   "file on the node for standard output; otherwise it is kept with the task"),
      TEXT_OPTION ("errors", &options.errors, "FILE",
                   "file on the node for standard error; otherwise it goes with standard output"),
      TEXTS_OPTION ("env", &options.environment, "NAME=VALUE",
                    "a variable of the environment; may be given several times"),
      DURATION_OPTION ("cpu-limit", &options.cpu_limit_ms, "D",
                       "processor time that each task may take; cpus x limit unless given"),
      TEXT_OPTION ("request-id", &cli->request_id, "ID",
                   "submit the same bag again; it is made only once"),
      FLAG_OPTION ("dry-run", &options.dry_run, "only say which site would be asked"),
      {0}};
    int code;
    int program = program_at (cli);
    cli_t before = *cli;
    before.rest_count = program < cli->rest_count ? program - 1 : cli->rest_count;
    bool parsed = cli_parse (&before, list, 0, 1, &code);
    before.request_id = cli->request_id;
    if (!parsed)
        return code;
    if (program == cli->rest_count)
        return cli_fail (EXIT_USAGE,
                         "submit: the program is missing; end the line with -- PROGRAM ARG…");
    if (!submit_options_read (&options, &reservation, &code))
        return code;
    session_auto_t *session = session_open_all (&before, &code);
    if (!session)
        return code;
    return submit (&before, session, &options, &reservation, cli->words [0],
                   (const char *const *) (cli->rest + program),
                   (size_t) (cli->rest_count - program));
}
