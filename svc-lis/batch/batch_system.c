/*  batch_system - names and commands. */
#include "batch_system.h"

#include "must.h"
#include "timetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 20 /* of a number of 64 bits */

bool batch_prefix_check (const char *prefix, char why [WHY_BYTES])
{
    size_t size = strlen (prefix);
    return (size > 0 && size <= BATCH_PREFIX_BYTES_MAX &&
            strspn (prefix, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
              size) ||
           wrong (why, "\"%.60s\" should be letters and digits, at most %d", prefix,
                  BATCH_PREFIX_BYTES_MAX);
}

static bool batch_name_plain (const char *name)
{
    return strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-") ==
           strlen (name);
}

/*  Of a shape h is a digit of a hexadecimal number, d a whole decimal one, as printf writes it; any
 *  other character is itself. */
static bool batch_name_is (const char *name, const char *shape)
{
    for (; *shape; shape++) {
        size_t digits = strspn (name, "0123456789");
        size_t size = *shape == 'd' ? digits : 1;
        if (*shape == 'd' && (digits == 0 || digits > DIGITS_MAX || (digits > 1 && *name == '0')))
            return false;
        if (*shape == 'h' && strspn (name, "0123456789abcdef") == 0)
            return false;
        if (*shape != 'd' && *shape != 'h' && *name != *shape)
            return false;
        name += size;
    }
    return *name == '\0';
}

/*  None of them is another one with a word before it, so a site whose name begins with another's
 *  and a "-" never has names of that one. */
static bool batch_name_of_one (const char *name)
{
    static const char *const shapes [] = {
      "hhhhhhhhhhhh-d-d",                       /* a planner's reservation */
      "hhhhhhhh-d-d",                           /* … while it is tried, txid_text */
      "plus-hhhhhhhhhhhhhhhh",                  /* one that was made at its site */
      "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-d.d.d", /* run_name */
    };
    bool is = false;
    for (size_t i = 0; !is && i < sizeof shapes / sizeof *shapes; i++)
        is = batch_name_is (name, shapes [i]);
    return is;
}

/*  "PREFIX-SITE-", and how long that is. */
static size_t batch_name_begin (const batch_setup_t *setup, char to [BATCH_NAME_BYTES_MAX + 1])
{
    int size = snprintf (to, BATCH_NAME_BYTES_MAX + 1, "%s-%s-",
                         setup->prefix ? setup->prefix : "musubi", setup->site);
    return (size_t) size;
}

bool batch_name (const batch_setup_t *setup, const char *name, char to [BATCH_NAME_BYTES_MAX + 1],
                 char why [WHY_BYTES])
{
    if (!batch_name_of_one (name))
        return wrong (why,
                      "\"%.60s\": in a batch system a name should be the id that its planner has "
                      "given a reservation, or a run's",
                      name);
    size_t size = batch_name_begin (setup, to);
    if (size + strlen (name) > BATCH_NAME_BYTES_MAX || !batch_name_plain (to))
        return wrong (why,
                      "\"%.60s\": in a batch system a site's name should be letters, digits and "
                      ". _ - @, and short enough for %d together with a reservation's",
                      setup->site, BATCH_NAME_BYTES_MAX);
    strcpy (to + size, name);
    return true;
}

const char *batch_name_ours (const batch_setup_t *setup, const char *name)
{
    char begin [BATCH_NAME_BYTES_MAX + 1];
    size_t size = batch_name_begin (setup, begin);
    bool begins = size <= BATCH_NAME_BYTES_MAX && strncmp (name, begin, size) == 0;
    return begins && batch_name_of_one (name + size) ? name + size : NULL;
}

/*  Where the site begins, and ends, in a name that any prefix and site may have given; else
 *  NULL. */
static const char *batch_name_site (const char *name, const char **end)
{
    const char *site = name + strcspn (name, "-");
    for (*end = *site ? strchr (site + 1, '-') : NULL; *end; *end = strchr (*end + 1, '-'))
        if (batch_name_of_one (*end + 1))
            return site + 1;
    return NULL;
}

bool batch_node_claim (batch_node_t *node, const char *name)
{
    const char *end, *site = batch_name_site (name, &end);
    if (!site)
        return false;
    node->drained = true;
    wrong (node->why,
           "the site %.*s has it, too, as %s says: name it in the classes of one site alone",
           (int) (end - site), site, name);
    return true;
}

void batch_drain_claimed (batch_picture_t *picture)
{
    for (size_t i = 0; i < picture->bookings_count; i++) {
        const batch_booking_t *booking = &picture->bookings [i];
        const char *end;
        bool claims = batch_name_site (booking->name, &end) != NULL;
        for (size_t k = 0; claims && k < booking->nodes_count; k++) {
            batch_node_t *node = batch_picture_find (picture, booking->nodes [k]);
            if (node)
                batch_node_claim (node, booking->name);
        }
    }
}

batch_job_seen_t *batch_job_place (const batch_jobs_t *asked, const char *name)
{
    const char *run = batch_name_ours (asked->setup, name);
    for (size_t i = 0; run && i < asked->count; i++)
        if (strcmp (run, asked->names [i]) == 0)
            return batch_job_lives (asked->seen [i].state) ? NULL : &asked->seen [i];
    return NULL;
}

/*  --- reservations --- */

void batch_way_note (batch_way_t *self, int64_t until_ms, const char *kind, const char *name,
                     const char *whose)
{
    char text [TIMETEXT_BYTES] = "it is ended";
    if (until_ms <= self->until_ms)
        return;
    self->until_ms = until_ms;
    if (until_ms < BATCH_FOREVER_MS)
        timetext_format (until_ms, text);
    snprintf (self->what, sizeof self->what, "%s %.60s of %.30s is in its way until %s", kind, name,
              whose, text);
}

void batch_differ_add (char **differ, const batch_setup_t *setup, const back_end_order_t *order,
                       const char *what)
{
    text_auto_t *before = *differ;
    *differ = must_print ("%s%s %s\n", before ? before : "",
                          batch_name_ours (setup, order->reservation), what);
}

/*  --- commands --- */

/*  Did a command fail because it could not ask the batch system, though it has ended by itself? */
static command_told_t batch_told (command_told_t told, const char *why)
{
    static const char *const silences [] = {"contact slurm controller",
                                            "timed out",
                                            "temporarily unable",
                                            "connection refused",
                                            "contact qmaster",
                                            "unable to send message",
                                            "can't connect",
                                            "commlib error"};
    for (size_t i = 0; i < sizeof silences / sizeof *silences; i++)
        if (told == COMMAND_REFUSED && strcasestr (why, silences [i]))
            return COMMAND_SILENT;
    return told;
}

command_told_t batch_run (const batch_setup_t *setup, const char *const *arguments, char **output,
                          char why [WHY_BYTES])
{
    return batch_told (command_run (arguments, NULL, setup->limit_ms, output, why), why);
}

command_told_t batch_run_lines (const batch_setup_t *setup, const char *const *arguments,
                                batch_line_fn *visit, void *owner, char why [WHY_BYTES])
{
    text_auto_t *output = NULL;
    command_told_t told = batch_run (setup, arguments, &output, why);
    for (char *line, *text = output; told == COMMAND_DONE && (line = command_line (&text));)
        visit (owner, line);
    return told;
}

command_told_t batch_run_submit (const batch_setup_t *setup, const batch_job_t *job,
                                 const char *const *arguments, const char *later,
                                 char why [WHY_BYTES])
{
    packed_t output;
    command_told_t told =
      command_run_as (job->account, arguments, job->script, setup->limit_ms, &output, why);
    free (output.data);
    bool early = told == COMMAND_REFUSED && *job->reservation && strcasestr (why, later);
    return early ? COMMAND_SILENT : batch_told (told, why);
}

batch_fitness_t batch_fitness (command_told_t told)
{
    return told == COMMAND_SILENT ? BATCH_SILENT : told == COMMAND_DONE ? BATCH_FIT : BATCH_UNFIT;
}
