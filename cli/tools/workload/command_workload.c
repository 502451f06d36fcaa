/*  musubi workload - a real job log as co-allocations, replayed live or written to a file. */
#include "answer_form.h"
#include "check_gather.h"
#include "commands.h"
#include "replay.h"

#include <unistd.h>

#define REQUESTS_PRESET 1000
#define CLIENTS_PRESET  8
#define CLIENTS_MAX     4096
#define START_PRESET_MS (INT64_C (10) * 60000)
#define TRIES_MAX       12
#define SETTLE_MS       20000
#define HOMES_MAX       64

typedef struct {
    const char *log;
    int64_t requests;
    int64_t seed;
    double rate;
    bool as_fast;
    int64_t clients;
    double compress;
    option_time_t start;
    int64_t cpus_max;
    const char *links; /* "auto", "all", "none" */
    const char *policy;
    const char *answers;
    const char *dry_run;
    const char *plot;
    bool check;
} workload_options_t;

/*  One run, as the replay's owner. */
typedef struct {
    const cli_t *cli;
    const workload_options_t *options;
    session_t *session;
    session_t *lookout; /* looks for planners while replies come in over the other */
    size_t planners;    /* most that were listed at once */
    FILE *answers;
    bool terminal; /* progress is shown */
    bool interrupted;
} workload_t;

/*  --- requests from the log ---  */

static bool read_log (const cli_t *cli, const workload_options_t *options, swf_log_t *log)
{
    char why [WHY_BYTES];
    if (!swf_read (log, options->log, why))
        return cli_refuse ("%s: %s", options->log, why);
    if (log->bad_lines > 0)
        cli_note (cli, "%s: %zu lines are not jobs; the first is line %s", options->log,
                  log->bad_lines, log->first_bad);
    return true;
}

static size_t make_requests (const cli_t *cli, const workload_options_t *options,
                             const swf_log_t *log, int64_t start_ms, coallocation_t **made)
{
    size_t clipped;
    coallocation_settings_t settings = {.seed = (uint64_t) options->seed,
                                        .requests = (size_t) options->requests,
                                        .start_ms = start_ms,
                                        .compress = options->compress,
                                        .cpus_max = (uint32_t) options->cpus_max,
                                        .links = strcmp (options->links, "none") != 0};
    size_t count = coallocations_make (log, &settings, made, &clipped);
    size_t links = 0;
    for (size_t i = 0; i < count; i++)
        links += (*made) [i].links_count;
    cli_note (cli, "%zu co-allocations of %zu jobs, %zu links between their needs, seed %" PRId64,
              count, log->jobs_count, links, options->seed);
    if (clipped > 0)
        cli_note (cli, "%zu needs wanted more than %" PRId64 " CPUs and were reduced to that",
                  clipped, options->cpus_max);
    return count;
}

/*  The requests as users write them, a line each. */
static int dry_run (const cli_t *cli, const workload_options_t *options, const swf_log_t *log)
{
    memory_auto coallocation_t *requests;
    size_t count = make_requests (cli, options, log, options->start.ms, &requests);
    FILE *file = output_file_open (options->dry_run, false);
    for (size_t i = 0; file && i < count; i++) {
        json_auto_t *written =
          coallocation_written (&requests [i], options->start.relative, options->policy);
        json_dumpf (written, file, 0);
        fputc ('\n', file);
    }
    return file ? output_file_close (file, options->dry_run) : EXIT_USAGE;
}

/*  --- live ---  */

/*  What four needs at distinct sites can all have: of each site the largest class, of these the
 *  fourth largest. 0 when there are no sites. */
static int64_t clip_preset (const session_t *session)
{
    int64_t largest [COALLOCATION_NEEDS_MAX] = {0};
    size_t sites = 0;
    json_each (entry, session->entries) {
        int64_t most = 0;
        json_each_of (class, json_object_get (entry, "site"), "classes") {
            int64_t cpus = number_of (class, "nodes") * number_of (class, "cpus_per_node");
            most = cpus > most ? cpus : most;
        }
        sites += most > 0;
        for (size_t i = 0; i < COALLOCATION_NEEDS_MAX; i++)
            if (most > largest [i]) {
                int64_t pushed = largest [i];
                largest [i] = most;
                most = pushed;
            }
    }
    size_t rank = sites < COALLOCATION_NEEDS_MAX ? sites : COALLOCATION_NEEDS_MAX;
    return rank ? largest [rank - 1] : 0;
}

static bool has_domains (const session_t *session)
{
    json_each (entry, session->entries)
        if (json_object_get (entry, "domain"))
            return true;
    return false;
}

static size_t workload_list_planners (void *owner, const char *endpoints [REPLAY_PLANNERS_MAX])
{
    workload_t *self = owner;
    size_t count = 0;
    session_look (self->lookout, "");
    json_each (entry, self->lookout->entries) {
        const json_t *planner = json_object_get (entry, "planner");
        if (planner && !flag_of (planner, "finishing") && count < REPLAY_PLANNERS_MAX)
            endpoints [count++] = text_of (entry, "endpoint");
    }
    if (count > self->planners)
        self->planners = count;
    return count;
}

/*  Scripts read this line: the request's id, the exit code that `reserve` would have, its answer.
 */
static void write_answer (void *owner, const replay_outcome_t *outcome, const json_t *form)
{
    workload_t *self = owner;
    if (!self->answers)
        return;
    json_auto_t *line = json_pack ("{s:s, s:s, s:i, s:f, s:O}", "request_id", outcome->request_id,
                                   "command", "reserve", "exit", answer_code (form), "latency_ms",
                                   outcome->latency_s * 1e3, "answer", form);
    json_dumpf (line, self->answers, 0);
    fputc ('\n', self->answers);
}

static bool show_progress (void *owner, size_t answered, size_t of)
{
    workload_t *self = owner;
    if (self->terminal)
        fprintf (stderr, "\r%zu of %zu answered%s", answered, of, answered == of ? "\n" : "");
    if (cli_interrupted ()) {
        /* What is in flight may have to be asked again, of planners to be looked for. */
        cli_interrupt_heard ();
        fprintf (stderr, "\nmusubi: interrupted: waiting for the requests in flight\n");
        self->interrupted = true;
    }
    return !self->interrupted;
}

/*  The kind of resource that was lacking, as scripts read it. */
static const char *const blocker_words [REPLAY_BLOCKERS + 1] = {"class", "link", "none", "several"};

static json_t *summary_json (const replay_summary_t *summary, size_t planners)
{
    json_t *reasons = json_array ();
    for (size_t i = 0; i < summary->reasons_count; i++) {
        const replay_reason_t *reason = &summary->reasons [i];
        json_array_append_new (
          reasons, json_pack ("{s:s, s:s, s:I}", "blocked_by", blocker_words [reason->blocker],
                              "reason", reason->reason, "count", (json_int_t) reason->count));
    }
    json_t *refused_by = json_object ();
    for (size_t i = 0; i < REPLAY_BLOCKERS; i++)
        json_object_set_new (refused_by, blocker_words [i],
                             json_integer ((json_int_t) summary->refused_by [i]));
    json_t *network =
      json_pack ("{s:I, s:I, s:I, s:I}", "asked", (json_int_t) summary->asked_links, "connections",
                 (json_int_t) summary->connections, "circuits", (json_int_t) summary->circuits,
                 "links", (json_int_t) summary->links);
    return json_pack (
      "{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:f, s:f, s:f, s:{s:f, s:f, s:f, s:f}}", "planners",
      (json_int_t) planners, "committed", (json_int_t) summary->committed, "refused",
      (json_int_t) summary->refused, "unknown", (json_int_t) summary->unknown, "refused_by",
      refused_by, "reasons", reasons, "network", network, "seconds", summary->seconds,
      "answered_per_second", summary->per_second, "committed_per_second",
      summary->committed_per_second, "latency_ms", "p50", summary->p50_s * 1e3, "p90",
      summary->p90_s * 1e3, "p99", summary->p99_s * 1e3, "max", summary->max_s * 1e3);
}

static void print_summary (const replay_summary_t *summary, size_t planners)
{
    size_t total = summary->committed + summary->refused + summary->unknown;
    printf ("committed %zu of %zu (%.1f %%), refused %zu, unknown %zu\n", summary->committed, total,
            total ? 100.0 * (double) summary->committed / (double) total : 0.0, summary->refused,
            summary->unknown);
    if (summary->refused > 0)
        printf ("refused for lack of nodes %zu, of a path %zu, of neither alone %zu\n",
                summary->refused_by [REPLAY_BY_CLASS], summary->refused_by [REPLAY_BY_LINK],
                summary->refused_by [REPLAY_BY_NO_NEED]);
    for (size_t i = 0; i < summary->reasons_count; i++)
        printf ("  refused %6zu  %s\n", summary->reasons [i].count, summary->reasons [i].reason);
    if (summary->asked_links > 0)
        printf ("%zu connections of %zu asked, %zu circuits, %zu links\n", summary->connections,
                summary->asked_links, summary->circuits, summary->links);
    printf ("latency p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms\n", summary->p50_s * 1e3,
            summary->p90_s * 1e3, summary->p99_s * 1e3, summary->max_s * 1e3);
    printf ("%.1f s: %.1f answers a second, %.1f co-allocations a second, %zu planner%s\n",
            summary->seconds, summary->per_second, summary->committed_per_second, planners,
            planners == 1 ? "" : "s");
}

/*  Copies the names of the homes that are listed as alive: the session's own texts go with its next
 *  look at the directory. */
static size_t copy_homes (const session_t *session, char *homes [HOMES_MAX])
{
    size_t count = 0;
    json_each (home, session->homes) {
        const char *name = json_string_value (home);
        if (count == HOMES_MAX || !session_entry (session, name))
            continue;
        homes [count++] = must (strdup (name_short (name)));
    }
    return count;
}

static int plot (const workload_options_t *options, const replay_outcome_t *outcomes, size_t sent)
{
    const char *name = strrchr (options->log, '/');
    FILE *svg = output_file_open (options->plot, false);
    if (!svg)
        return EXIT_USAGE;
    replay_plot (outcomes, sent, name ? name + 1 : options->log, svg);
    return output_file_close (svg, options->plot);
}

static int workload_report (workload_t *self, const replay_outcome_t *outcomes, size_t sent)
{
    const workload_options_t *options = self->options;
    replay_summary_t summary;
    replay_summarise (outcomes, sent, &summary);
    if (!cli_json (self->cli, summary_json (&summary, self->planners)))
        print_summary (&summary, self->planners);
    int code = summary.unknown ? EXIT_UNKNOWN : EXIT_DONE;
    int drawn = options->plot ? plot (options, outcomes, sent) : EXIT_DONE;
    code = drawn != EXIT_DONE ? drawn : code;
    if (options->check) {
        int sound = check_run (self->cli, self->session, options->answers, SETTLE_MS);
        code = sound != EXIT_DONE ? sound : code;
    }
    return code;
}

static int workload_run (workload_t *self, const coallocation_t *requests, size_t count)
{
    char *homes [HOMES_MAX];
    size_t homes_count = copy_homes (self->session, homes);
    char prefix [24];
    snprintf (prefix, sizeof prefix, "w%08" PRIx32, (uint32_t) prng_next (&self->session->prng));
    replay_settings_t settings = {.actor = self->session->places.actor,
                                  .homes = (const char *const *) homes,
                                  .homes_count = homes_count,
                                  .id_prefix = prefix,
                                  .policy = self->options->policy,
                                  .clients = (size_t) self->options->clients,
                                  .rate = self->options->rate,
                                  .timeout_ms = self->session->places.timeout_ms,
                                  .tries_max = TRIES_MAX,
                                  .planners = workload_list_planners,
                                  .answered = write_answer,
                                  .progress = show_progress,
                                  .owner = self};
    if (settings.homes_count == 0)
        return cli_fail (EXIT_UNKNOWN, "workload: no request home is listed in the directory");
    memory_auto replay_outcome_t *outcomes = must (calloc (count + 1, sizeof *outcomes));
    size_t sent = replay_run (self->session->client, requests, count, &settings, outcomes);
    int written =
      self->answers ? output_file_close (self->answers, self->options->answers) : EXIT_DONE;
    self->answers = NULL;
    int code = workload_report (self, outcomes, sent);
    code = written != EXIT_DONE ? written : code;
    for (size_t i = 0; i < homes_count; i++)
        free (homes [i]);
    return code;
}

static int live (const cli_t *cli, workload_options_t *options, const swf_log_t *log)
{
    int code;
    session_auto_t *session = session_open_all (cli, &code);
    session_auto_t *lookout = session ? session_open (cli, &code) : NULL;
    if (!lookout)
        return code;
    workload_t self = {.cli = cli,
                       .options = options,
                       .session = session,
                       .lookout = lookout,
                       .terminal = isatty (STDERR_FILENO)};
    if (options->answers && !(self.answers = output_file_open (options->answers, false)))
        return EXIT_USAGE;
    if (options->cpus_max == 0)
        options->cpus_max = clip_preset (session);
    if (strcmp (options->links, "auto") == 0 && !has_domains (session))
        options->links = "none";
    memory_auto coallocation_t *requests;
    size_t count = make_requests (cli, options, log,
                                  option_time_wall (options->start, cli_wall_ms ()), &requests);
    return workload_run (&self, requests, count);
}

int run_workload (cli_t *cli)
{
    workload_options_t options = {.requests = REQUESTS_PRESET,
                                  .seed = 1,
                                  .clients = CLIENTS_PRESET,
                                  .compress = 1,
                                  .links = "auto",
                                  .start = {.set = true, .relative = true, .ms = START_PRESET_MS}};
    cli_option_t list [] = {
      INTEGER_OPTION ("requests", &options.requests, "N", "co-allocations to make; default 1000", 1,
                      1e7),
      INTEGER_OPTION ("seed", &options.seed, "S", "seed of the random choices; default 1", 0, 0),
      REAL_OPTION ("rate", &options.rate, "R", "send so many requests a second", 0.001, 1e6),
      FLAG_OPTION ("as-fast", &options.as_fast,
                   "send the next request when one is answered (the default)"),
      INTEGER_OPTION ("clients", &options.clients, "N", "requests in flight at most; default 8", 1,
                      CLIENTS_MAX),
      REAL_OPTION ("compress", &options.compress, "X", "divide submit times by this; default 1",
                   0.001, 1e9),
      TIME_OPTION ("start", &options.start, "T",
                   "time that stands for the log's first job; default now+10m"),
      INTEGER_OPTION ("cpus-max", &options.cpus_max, "N",
                      "reduce larger needs to this; by default to what four sites can hold at once",
                      1, UINT32_MAX),
      TEXT_OPTION ("links", &options.links, "auto|all|none",
                   "ask for bandwidth between the needs; auto: if the federation has network "
                   "domains, and always with --dry-run"),
      TEXT_OPTION ("policy", &options.policy, "P", "what to prefer: time, cost, load, random"),
      TEXT_OPTION ("answers", &options.answers, "FILE.jsonl", "write the answers, one a line"),
      TEXT_OPTION ("dry-run", &options.dry_run, "FILE.jsonl",
                   "send nothing, but write the requests, one a line"),
      TEXT_OPTION ("plot", &options.plot, "FILE.svg", "draw success over time, and latencies"),
      FLAG_OPTION ("check", &options.check, "check the participants' records afterwards"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    options.log = cli->words [0];
    if (options.as_fast && options.rate > 0)
        return cli_fail (EXIT_USAGE, "workload: give --rate or --as-fast, not both");
    if (options.check && options.answers && strcmp (options.answers, "-") == 0)
        return cli_fail (EXIT_USAGE,
                         "workload: --check reads the answers again: --answers must name a file");
    if (strcmp (options.links, "auto") != 0 && strcmp (options.links, "all") != 0 &&
        strcmp (options.links, "none") != 0)
        return cli_fail (EXIT_USAGE, "workload: --links takes auto, all or none, not \"%s\"",
                         options.links);
    swf_log_t log;
    if (!read_log (cli, &options, &log))
        return EXIT_USAGE;
    code = options.dry_run ? dry_run (cli, &options, &log) : live (cli, &options, &log);
    swf_clear (&log);
    return code;
}
