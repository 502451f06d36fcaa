/*  musubi balance --step - computes steps of the balancing algorithm out of a file; no service is
 *  asked. It prints a line of JSON for each step, in the file's order. A step has up to half as
 *  many transfers as the square of its clusters, and up to as many pieces as jobs times clusters:
 *  one that could be too large to print is refused before it begins. A file of steps:
 *
 *      {"vectors": [{"name": "two",
 *                    "speeds": [1, 2],                          load done in a unit of time
 *                    "levels": [5, "inf"],                      participation, a time
 *                    "queues_in": [[["J1", 6]…], []],           job, load; head to tail
 *                    "owners": {"J1": 0…}}…]}                   clusters, by number
 *
 *  Pieces of one job may lie in several queues. A job whose owner is not given belongs to the first
 *  cluster that has some of it. These keys may stand there and are not read: tolerance, indices,
 *  and a vector's note, expect and expect_reschedule. */
#include "bilb_queues.h"
#include "commands.h"
#include "program_form.h"

#include <math.h>

#define STEP_BYTES_MAX       (512u << 20)
#define STEP_WRITTEN_MAX     50000000.0 /* transfers and pieces */
#define BALANCE_CLUSTERS_MAX 100000
#define BALANCE_PIECES_MAX   10000000

typedef struct {
    const json_t *name; /* borrowed, as are the jobs' names; NULL = none */
    bilb_member_t *members;
    size_t count;
    const json_t **jobs; /* names */
    uint32_t *owners;    /* by job */
    double *loads;       /* in all, by job */
    size_t jobs_count;
} balance_vector_t;

/*  --- the file --- */

/*  A list with an entry for each cluster; they are counted by the first one. */
static bool balance_form_read_list (const problem_reader_t *reader, const json_t *object,
                                    const char *key, const json_t **list, size_t count)
{
    *list = json_object_get (object, key);
    if (!json_is_array (*list))
        return problem_refuse (reader, "%s: must be a list with an entry for each cluster", key);
    if (json_array_size (*list) != count)
        return problem_refuse (reader, "%s: has %zu entries, speeds has %zu", key,
                               json_array_size (*list), count);
    return true;
}

/*  NaN for what is none. */
static double real_read (const json_t *json)
{
    return json_is_number (json) ? json_number_value (json) : NAN;
}

static double level_of (const json_t *json)
{
    const char *word = json_string_value (json);
    return word && strcmp (word, "inf") == 0 ? INFINITY : real_read (json);
}

/*  A job that is new belongs to the cluster where it is met. */
static uint32_t job_number (balance_vector_t *vector, json_t *numbers, const json_t *name,
                            size_t at)
{
    const char *text = json_string_value (name);
    const json_t *number = json_object_get (numbers, text);
    if (number)
        return (uint32_t) json_integer_value (number);
    uint32_t job = (uint32_t) vector->jobs_count++;
    vector->owners [job] = (uint32_t) at;
    vector->jobs [job] = name;
    if (json_object_set_new_nocheck (numbers, text, json_integer (job)) != 0)
        abort ();
    return job;
}

/*  Pieces of a job may lie in several queues, and several in one. */
static bool read_queue (const problem_reader_t *reader, const json_t *list, size_t at,
                        balance_vector_t *vector, json_t *numbers)
{
    if (!json_is_array (list))
        return problem_refuse (reader,
                               "queues_in[%zu]: must be a list of [job, load], head to tail", at);
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++) {
        const json_t *name = json_array_get (entry, 0);
        double load = real_read (json_array_get (entry, 1));
        if (!json_is_string (name) || json_array_size (entry) != 2)
            return problem_refuse (reader, "queues_in[%zu][%zu]: must be [job, load]", at, i);
        if (!(load > 0 && load <= BILB_LOAD_MAX))
            return problem_refuse (reader, "queues_in[%zu][%zu]: load must be a number up to 1e15",
                                   at, i);
        uint32_t job = job_number (vector, numbers, name, at);
        vector->loads [job] += load;
        bilb_queue_add (&vector->members [at].queue, job, load);
    }
    return true;
}

static bool check_member (const problem_reader_t *reader, const bilb_member_t *member, size_t at)
{
    bilb_cluster_t cluster = {.speed = member->speed, .level = member->level};
    for (size_t i = 0; i < member->queue.count; i++)
        cluster.load += member->queue.pieces [i].load;
    static const char *const keys [] = {
      [BILB_BAD_SPEED] = "speeds", [BILB_BAD_LEVEL] = "levels", [BILB_BAD_LOAD] = "queues_in"};
    bilb_check_t check = bilb_check (&cluster);
    return check == BILB_GOOD ||
           problem_refuse (reader, "%s[%zu]: %s", keys [check], at, bilb_check_words (check));
}

static bool read_owners (const problem_reader_t *reader, const json_t *owners,
                         balance_vector_t *vector, const json_t *numbers)
{
    const char *name;
    json_t *owner;
    if (owners && !json_is_object (owners))
        return problem_refuse (reader, "owners: must be {\"JOB\": CLUSTER, ...}");
    json_object_foreach ((json_t *) owners, name, owner)
    {
        const json_t *number = json_object_get (numbers, name);
        json_int_t cluster = json_is_integer (owner) ? json_integer_value (owner) : -1;
        if (!number)
            return problem_refuse (reader, "owners: job \"%.60s\" is in no queue", name);
        if (cluster < 0 || (size_t) cluster >= vector->count)
            return problem_refuse (reader, "owners: %.60s: must be a cluster, 0 to %zu", name,
                                   vector->count - 1);
        vector->owners [json_integer_value (number)] = (uint32_t) cluster;
    }
    return true;
}

static bool check_jobs (const problem_reader_t *reader, const balance_vector_t *vector)
{
    for (size_t i = 0; i < vector->jobs_count; i++)
        if (vector->loads [i] < BILB_LOAD_MIN)
            return problem_refuse (reader, "queues_in: job \"%.60s\": load must be at least 1e-9",
                                   json_string_value (vector->jobs [i]));
    return true;
}

static bool read_queues (const problem_reader_t *reader, const json_t *queues, const json_t *owners,
                         balance_vector_t *vector)
{
    size_t pieces = 0;
    size_t i;
    const json_t *entry;
    for (i = 0; (entry = json_array_get (queues, i)); i++)
        pieces += json_array_size (entry);
    if (pieces > BALANCE_PIECES_MAX)
        return problem_refuse (reader, "queues_in: has %zu entries; at most %d", pieces,
                               BALANCE_PIECES_MAX);
    vector->jobs = must (calloc (pieces + 1, sizeof (json_t *)));
    vector->owners = must (calloc (pieces + 1, sizeof *vector->owners));
    vector->loads = must (calloc (pieces + 1, sizeof *vector->loads));
    json_auto_t *numbers = must (json_object ());
    bool good = true;
    for (i = 0; i < vector->count && good; i++)
        good = read_queue (reader, json_array_get (queues, i), i, vector, numbers);
    good = good && check_jobs (reader, vector) && read_owners (reader, owners, vector, numbers);
    return good;
}

static bool read_vector (const problem_reader_t *reader, const json_t *entry,
                         balance_vector_t *vector)
{
    const json_t *speeds = json_object_get (entry, "speeds");
    const json_t *levels;
    const json_t *queues;
    if (!problem_keys (reader, entry,
                       "name, note, speeds, levels, queues_in, owners, expect, expect_reschedule"))
        return false;
    vector->name = json_object_get (entry, "name");
    if (vector->name && !json_is_string (vector->name))
        return problem_refuse (reader, "name: must be a text");
    size_t count = json_array_size (speeds);
    if (count == 0 || count > BALANCE_CLUSTERS_MAX)
        return problem_refuse (reader,
                               "speeds: must be a list with an entry for each cluster, 1 to %d",
                               BALANCE_CLUSTERS_MAX);
    if (!balance_form_read_list (reader, entry, "levels", &levels, count) ||
        !balance_form_read_list (reader, entry, "queues_in", &queues, count))
        return false;
    vector->count = count;
    vector->members = must (calloc (count, sizeof *vector->members));
    for (size_t i = 0; i < count; i++) {
        vector->members [i].speed = real_read (json_array_get (speeds, i));
        vector->members [i].level = level_of (json_array_get (levels, i));
    }
    if (!read_queues (reader, queues, json_object_get (entry, "owners"), vector))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!check_member (reader, &vector->members [i], i))
            return false;
    return true;
}

static void balance_form_free (balance_vector_t *vectors, size_t count)
{
    for (size_t i = 0; i < count && vectors; i++) {
        for (size_t k = 0; k < vectors [i].count; k++)
            bilb_queue_free (&vectors [i].members [k].queue);
        free (vectors [i].members);
        free (vectors [i].jobs);
        free (vectors [i].owners);
        free (vectors [i].loads);
    }
    free (vectors);
}

/*  Reads and checks all of them. NULL with why, which names the field. */
static balance_vector_t *balance_form_read (const json_t *file, size_t *count,
                                            char why [LONG_WHY_BYTES])
{
    problem_reader_t reader = {.why = why};
    const json_t *list =
      problem_list (&reader, file, "vectors", "vectors, tolerance, indices", "name");
    if (!list)
        return NULL;
    *count = json_array_size (list);
    balance_vector_t *vectors = must (calloc (*count + 1, sizeof *vectors));
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++) {
        snprintf (reader.path, sizeof reader.path, "vectors[%zu]", i);
        if (!read_vector (&reader, entry, &vectors [i])) {
            balance_form_free (vectors, *count);
            return NULL;
        }
    }
    return vectors;
}

/*  --- a line --- */

static void print_text (const json_t *text)
{
    json_dumpf (text, stdout, JSON_ENCODE_ANY);
}

static void print_reals (const char *key, const double *values, size_t count)
{
    printf (", \"%s\": [", key);
    for (size_t i = 0; i < count; i++)
        printf ("%s%.17g", i > 0 ? ", " : "", values [i]);
    putchar (']');
}

static void print_order (bilb_t *bilb, size_t count)
{
    fputs ("\"order\": [", stdout);
    for (size_t i = 0; i < count; i++)
        printf ("%s%u", i > 0 ? ", " : "", bilb_order (bilb) [i]);
    putchar (']');
}

static void print_transfers (bilb_t *bilb)
{
    fputs (", \"transfers\": [", stdout);
    const char *before = "";
    const bilb_transfer_t *transfers;
    size_t count;
    bilb_walk (bilb);
    while (bilb_walk_turn (bilb, &transfers, &count))
        for (size_t i = 0; i < count; i++, before = ", ")
            printf ("%s[%u, %u, %.17g]", before, transfers [i].from, transfers [i].to,
                    transfers [i].load);
    putchar (']');
}

static void print_queues (const balance_vector_t *vector)
{
    fputs (", \"queues\": [", stdout);
    for (size_t i = 0; i < vector->count; i++) {
        const bilb_queue_t *queue = &vector->members [i].queue;
        fputs (i > 0 ? ", [" : "[", stdout);
        for (size_t p = 0; p < queue->count; p++) {
            fputs (p > 0 ? ", [" : "[", stdout);
            print_text (vector->jobs [queue->pieces [p].job]);
            printf (", %.17g]", queue->pieces [p].load);
        }
        putchar (']');
    }
    putchar (']');
}

static void print_completions (const char *key, const balance_vector_t *vector,
                               const bilb_queues_t *queues)
{
    printf (", \"%s\": {", key);
    for (size_t job = 0; job < vector->jobs_count; job++) {
        fputs (job > 0 ? ", " : "", stdout);
        print_text (vector->jobs [job]);
        printf (": %.17g", bilb_queues_completion (queues, (uint32_t) job));
    }
    putchar ('}');
}

static void print_owners (const balance_vector_t *vector)
{
    fputs (", \"owners\": {", stdout);
    for (size_t job = 0; job < vector->jobs_count; job++) {
        fputs (job > 0 ? ", " : "", stdout);
        print_text (vector->jobs [job]);
        printf (": %u", vector->owners [job]);
    }
    putchar ('}');
}

static void print_slots (const balance_vector_t *vector, const bilb_queues_t *queues)
{
    size_t count;
    const bilb_slot_t *slots = bilb_queues_slots (queues, &count);
    assert (vector->jobs); /* a vector that was read has a list, if an empty one */
    fputs (", \"selection_from_back\": [", stdout);
    for (size_t i = 0; i < count; i++) {
        fputs (i > 0 ? ", [" : "[", stdout);
        print_text (vector->jobs [slots [i].job]);
        printf (", %.17g, %.17g]", slots [i].start, slots [i].end);
    }
    putchar (']');
}

/*  The queues are printed as they are after the last thing done. */
static void print_step (balance_vector_t *vector, bilb_queues_t *queues, bool reschedule)
{
    bilb_queues_step (queues, vector->members, vector->count, vector->jobs_count);
    putchar ('{');
    if (vector->name) {
        fputs ("\"name\": ", stdout);
        print_text (vector->name);
        fputs (", ", stdout);
    }
    bilb_t *bilb = bilb_queues_bilb (queues);
    print_order (bilb, vector->count);
    print_transfers (bilb);
    print_reals ("loads", bilb_loads (bilb), vector->count);
    print_completions ("guaranteed_completion", vector, queues);
    if (reschedule) {
        if (!bilb_queues_reschedule (queues, vector->members, vector->count, vector->owners))
            fputs (", \"kept\": \"speeds lie too far apart: rounding would break a promise\"",
                   stdout);
        print_slots (vector, queues);
        print_completions ("completion", vector, queues);
        print_owners (vector);
    }
    print_queues (vector);
    puts ("}");
    fflush (stdout);
}

/*  --- the command --- */

typedef struct {
    FILE *from;
    size_t left;
    bool more; /* than may be */
} input_t;

static size_t read_some (void *buffer, size_t size, void *of)
{
    input_t *input = of;
    size_t got = fread (buffer, 1, size, input->from);
    input->more = got > input->left;
    if (input->more || ferror (input->from))
        return SIZE_MAX;
    input->left -= got;
    return got;
}

static json_t *balance_step_read_file (const char *path)
{
    input_t input = {.left = STEP_BYTES_MAX};
    input.from = strcmp (path, "-") == 0 ? stdin : fopen (path, "r");
    if (!input.from) {
        cli_fail (EXIT_USAGE, "%s: %s", path, strerror (errno));
        return NULL;
    }
    json_error_t error;
    json_t *file = json_load_callback (read_some, &input, JSON_REJECT_DUPLICATES, &error);
    if (input.more)
        cli_fail (EXIT_USAGE, "%s: at most %u bytes", path, STEP_BYTES_MAX);
    else if (ferror (input.from))
        cli_fail (EXIT_USAGE, "%s: can't be read", path);
    else if (!file)
        cli_fail (EXIT_USAGE, "%s: line %d, column %d: %s", path, error.line, error.column,
                  error.text);
    if (input.from != stdin)
        fclose (input.from);
    return file;
}

static bool is_too_much (const balance_vector_t *vector)
{
    double clusters = (double) vector->count;
    return clusters * (clusters / 2 + (double) vector->jobs_count) > STEP_WRITTEN_MAX;
}

static int step_all (balance_vector_t *vectors, size_t count, bool reschedule)
{
    for (size_t i = 0; i < count; i++)
        if (is_too_much (&vectors [i]))
            return cli_fail (EXIT_USAGE,
                             "vectors[%zu]: %zu jobs on %zu clusters may come to more than %.0f "
                             "transfers and pieces, which is the most that is computed",
                             i, vectors [i].jobs_count, vectors [i].count, STEP_WRITTEN_MAX);
    bilb_queues_t *queues = bilb_queues_new ();
    for (size_t i = 0; i < count && !cli_interrupted (); i++)
        print_step (&vectors [i], queues, reschedule);
    bilb_queues_destroy (&queues);
    return EXIT_DONE;
}

int run_balance_step (cli_t *cli)
{
    const char *step = NULL;
    bool reschedule = false;
    cli_option_t list [] = {
      TEXT_OPTION ("step", &step, "FILE.json",
                   "compute the steps in this file (- = standard input)"),
      FLAG_OPTION ("reschedule", &reschedule,
                   "then order the jobs of each queue anew, those of fast clusters first"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 0, 0, &code))
        return code;
    if (!step)
        return cli_fail (EXIT_USAGE, "balance: give the steps by --step FILE.json");
    json_t *file = balance_step_read_file (step);
    if (!file)
        return EXIT_USAGE;
    char why [LONG_WHY_BYTES];
    size_t count = 0;
    balance_vector_t *vectors = balance_form_read (file, &count, why);
    code =
      vectors ? step_all (vectors, count, reschedule) : cli_fail (EXIT_USAGE, "%s: %s", step, why);
    balance_form_free (vectors, count);
    json_decref (file);
    return code;
}
