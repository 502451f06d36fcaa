/*  bench - measuring and reporting. */
#include "bench.h"

#include <jansson.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

struct bench {
    const char *name;
    const char *purpose;
    int argc;
    char **argv;
    bool *argv_used;
    const char *json_path;
    json_t *rows; /* row -> column -> figure; jansson keeps the order in which keys were put in */
    json_t *columns;
    json_t *notes;
    json_t *machine;
    json_t *options; /* numbers that were asked for */
};

static volatile uint64_t sink;

static double clock_ns (clockid_t clock)
{
    struct timespec now;
    if (clock_gettime (clock, &now) != 0)
        abort ();
    return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

double bench_cpu_ns (void)
{
    return clock_ns (CLOCK_THREAD_CPUTIME_ID);
}

double bench_wall_ns (void)
{
    return clock_ns (CLOCK_MONOTONIC);
}

static int double_compare (const void *a, const void *b)
{
    const double *left = a;
    const double *right = b;
    return (*left > *right) - (*left < *right);
}

double bench_median (double *samples, size_t count)
{
    qsort (samples, count, sizeof *samples, double_compare);
    return count % 2 ? samples [count / 2] : (samples [count / 2 - 1] + samples [count / 2]) / 2;
}

double bench_percentile (double *samples, size_t count, double share)
{
    qsort (samples, count, sizeof *samples, double_compare);
    size_t at = (size_t) (share * (double) count);
    return samples [at < count ? at : count - 1];
}

int64_t bench_wall_ms (void)
{
    return (int64_t) (clock_ns (CLOCK_REALTIME) / 1e6);
}

void bench_fail (const char *what)
{
    fprintf (stderr, "%s: %s\n", program_invocation_short_name, what);
    exit (1);
}

double bench_ns (uint64_t (*work) (void *subject, uint32_t operations), void *subject,
                 uint32_t operations)
{
    double samples [BENCH_RUNS];
    for (int i = 0; i < BENCH_RUNS; i++) {
        double began = bench_cpu_ns ();
        sink += work (subject, operations);
        samples [i] = (bench_cpu_ns () - began) / operations;
    }
    return bench_median (samples, BENCH_RUNS);
}

/*  The processor's name as Linux tells it. */
static void processor_name (char *name, size_t size)
{
    snprintf (name, size, "unknown");
    FILE *file = fopen ("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line [256];
    while (fgets (line, sizeof line, file)) {
        const char *colon = strchr (line, ':');
        if (!colon || strncmp (line, "model name", strlen ("model name")) != 0)
            continue;
        snprintf (name, size, "%.*s", (int) strcspn (colon + 2, "\n"), colon + 2);
        break;
    }
    fclose (file);
}

static json_t *machine_describe (void)
{
    char processor [256];
    processor_name (processor, sizeof processor);
    struct utsname kernel;
    if (uname (&kernel) != 0)
        abort ();
    double load [1] = {0};
    getloadavg (load, 1);
    return json_pack ("{s:s, s:I, s:s, s:s, s:f, s:s}", "processor", processor, "processors",
                      (json_int_t) sysconf (_SC_NPROCESSORS_ONLN), "system", kernel.sysname,
                      "release", kernel.release, "load_at_start", load [0], "compiler",
                      __VERSION__);
}

bench_t *bench_new (int argc, char **argv, const char *name, const char *purpose)
{
    bench_t *self = calloc (1, sizeof *self);
    bool *used = calloc ((size_t) argc, sizeof *used);
    if (!self || !used)
        abort ();
    *self = (bench_t){
      .name = name,
      .purpose = purpose,
      .argc = argc,
      .argv = argv,
      .argv_used = used,
      .rows = json_object (),
      .columns = json_array (),
      .notes = json_array (),
      .machine = machine_describe (),
      .options = json_object (),
    };
    return self;
}

static const char *option_text (bench_t *self, const char *option)
{
    for (int i = 1; i + 1 < self->argc; i++) {
        if (self->argv_used [i] || strcmp (self->argv [i], option) != 0)
            continue;
        self->argv_used [i] = true;
        self->argv_used [i + 1] = true;
        return self->argv [i + 1];
    }
    return NULL;
}

int64_t bench_option (bench_t *self, const char *option, int64_t fallback)
{
    const char *text = option_text (self, option);
    long long number = fallback;
    if (text) {
        char *end;
        number = strtoll (text, &end, 10);
        if (end == text || *end) {
            fprintf (stderr, "%s: %s wants a number, not %s\n", self->name, option, text);
            exit (2);
        }
    }
    json_object_set_new (self->options, option, json_integer (number));
    return number;
}

static void usage_print (const bench_t *self, FILE *file)
{
    fprintf (file, "%s: %s\nusage: %s [--json FILE]", self->name, self->purpose, self->name);
    const char *option;
    json_t *number;
    json_object_foreach (self->options, option, number)
    {
        fprintf (file, " [%s %lld]", option, (long long) json_integer_value (number));
    }
    fprintf (file, "\n");
}

void bench_begin (bench_t *self)
{
    self->json_path = option_text (self, "--json");
    for (int i = 1; i < self->argc; i++) {
        if (self->argv_used [i])
            continue;
        bool help = strcmp (self->argv [i], "--help") == 0;
        if (!help)
            fprintf (stderr, "%s: what is %s?\n", self->name, self->argv [i]);
        usage_print (self, help ? stdout : stderr);
        exit (help ? 0 : 2);
    }
    printf ("%s: %s\n%s, %lld processors, load %.1f at start\n", self->name, self->purpose,
            json_string_value (json_object_get (self->machine, "processor")),
            (long long) json_integer_value (json_object_get (self->machine, "processors")),
            json_real_value (json_object_get (self->machine, "load_at_start")));
    fflush (stdout);
}

static bool column_known (const bench_t *self, const char *column)
{
    size_t i;
    json_t *known;
    json_array_foreach (self->columns, i,
                        known) if (strcmp (json_string_value (known), column) == 0) return true;
    return false;
}

void bench_put (bench_t *self, const char *row, const char *column, double value)
{
    if (!column_known (self, column))
        json_array_append_new (self->columns, json_string (column));
    json_t *figures = json_object_get (self->rows, row);
    if (!figures) {
        figures = json_object ();
        json_object_set_new (self->rows, row, figures);
    }
    json_object_set_new (figures, column, json_real (value));
}

void bench_note (bench_t *self, const char *note)
{
    json_array_append_new (self->notes, json_string (note));
}

/*  Three significant digits; whole numbers from a hundred on. */
static void figure_print (double value)
{
    double size = value < 0 ? -value : value;
    if (size >= 1e9)
        printf (" %11.3g", value);
    else
        printf (" %11.*f", size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : 2, value);
}

static int longest_row (const bench_t *self)
{
    int longest = 0;
    const char *row;
    json_t *figures;
    json_object_foreach (self->rows, row, figures)
    {
        int length = (int) strlen (row);
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void table_print (const bench_t *self)
{
    int width = longest_row (self);
    size_t i;
    json_t *column;
    printf ("\n%-*s", width, "");
    json_array_foreach (self->columns, i, column)
    {
        printf (" %11s", json_string_value (column));
    }
    printf ("\n");
    const char *row;
    json_t *figures;
    json_object_foreach (self->rows, row, figures)
    {
        printf ("%-*s", width, row);
        json_array_foreach (self->columns, i, column)
        {
            const json_t *figure = json_object_get (figures, json_string_value (column));
            if (figure)
                figure_print (json_real_value (figure));
            else
                printf (" %11s", "-");
        }
        printf ("\n");
    }
    json_t *note;
    json_array_foreach (self->notes, i, note)
    {
        printf ("%s\n", json_string_value (note));
    }
}

int bench_end (bench_t **self_p)
{
    bench_t *self = *self_p;
    table_print (self);
    json_t *report =
      json_pack ("{s:s, s:s, s:O, s:O, s:O, s:O, s:O}", "bench", self->name, "purpose",
                 self->purpose, "machine", self->machine, "options", self->options, "columns",
                 self->columns, "rows", self->rows, "notes", self->notes);
    if (!report)
        abort ();
    int status = 0;
    if (self->json_path && json_dump_file (report, self->json_path, JSON_INDENT (2)) != 0) {
        fprintf (stderr, "%s: can't write %s\n", self->name, self->json_path);
        status = 1;
    }
    json_decref (report);
    json_decref (self->rows);
    json_decref (self->columns);
    json_decref (self->notes);
    json_decref (self->machine);
    json_decref (self->options);
    free (self->argv_used);
    free (self);
    *self_p = NULL;
    return status;
}
