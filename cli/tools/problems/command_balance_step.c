/*  musubi balance --step - computes steps of the balancing algorithm out of a file; no service is
 *  asked. It prints a line of JSON for each step, in the file's order. A step has up to half as
 *  many transfers as the square of its clusters, and up to as many pieces as jobs times clusters:
 *  one that could be too large to print is refused before it begins. */
#include "balance_form.h"
#include "commands.h"

#include <errno.h>
#include <string.h>

#define STEP_BYTES_MAX   (512u << 20)
#define STEP_WRITTEN_MAX 50000000.0 /* transfers and pieces */

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
