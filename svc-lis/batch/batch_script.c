/*  batch_script - the order's words stand in single quotes, in which a shell changes nothing. */
#include "batch_script.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void script_word_put (FILE *to, const char *word)
{
    fputc ('\'', to);
    for (; *word; word++)
        fputs (*word == '\'' ? "'\\''" : (char [2]){*word}, to);
    fputc ('\'', to);
}

static void script_variable_put (FILE *to, const char *name, const char *value)
{
    fprintf (to, " %s=", name);
    script_word_put (to, value);
}

static void script_number_put (FILE *to, const char *name, int64_t value)
{
    fprintf (to, " %s=%" PRId64, name, value);
}

/*  The order's own come first, so that it can't change which run it is. */
static void script_environment_put (FILE *to, const ticket_t *ticket, const char *home)
{
    const run_order_t *order = ticket->order;
    fputs (" PATH=/usr/local/bin:/usr/bin:/bin", to);
    script_variable_put (to, "HOME", home);
    script_variable_put (to, "USER", order->account);
    script_variable_put (to, "LOGNAME", order->account);
    for (size_t i = 0; i < order->environment_count; i++) {
        fputc (' ', to);
        script_word_put (to, order->environment [i]);
    }
    script_variable_put (to, "MUSUBI_SITE", ticket->site);
    fprintf (to,
             " MUSUBI_NODE=\"${SLURMD_NODENAME:-$(hostname)}\" MUSUBI_TASK=%" PRIu64 ".%" PRIu32,
             ticket->id.task.bag, ticket->id.task.index);
    script_number_put (to, "MUSUBI_TASK_INDEX",
                       (int64_t) order->index_from + ticket->id.task.index);
    script_number_put (to, "MUSUBI_RUN", ticket->id.number);
    script_number_put (to, "MUSUBI_CPUS", order->cpus);
    script_number_put (to, "MUSUBI_LIMIT_MS", order->limit_ms);
    script_variable_put (to, "MUSUBI_OWNER", order->owner);
    script_variable_put (to, "MUSUBI_RESERVATION", order->reservation);
    script_variable_put (to, "MUSUBI_NEED", order->need);
}

/*  Its inputs leave with it, so that a copy that is evicted leaves its disk. */
static void script_inputs_leave (FILE *to, const run_order_t *order)
{
    for (size_t i = 0; i < order->inputs_count; i++) {
        fputs (i == 0 ? "rm -f -- " : " ", to);
        script_word_put (to, order->inputs [i].path);
    }
    fputs (order->inputs_count > 0 ? "\n" : "", to);
}

char *batch_script (const ticket_t *ticket, const char *run, const char *home)
{
    char *text = NULL;
    size_t size;
    FILE *to = must (open_memstream (&text, &size));
    fputs ("#!/bin/sh\numask 022\nrun=", to);
    script_word_put (to, run);
    fprintf (to, "\nmkdir \"$run\" || exit 0\ndate +%%s%%3N >\"$run/begun\"\n%s \"$run/work\"\n",
             order_has_files (ticket->order) ? "mv \"$run.work\"" : "mkdir");
    fputs ("trap : TERM USR1\ntrap 'kill $!' USR2\ncd ", to);
    if (*ticket->order->folder)
        script_word_put (to, ticket->order->folder);
    else
        fputs ("\"$run/work\"", to);
    fputs (" && {\n{ trap '' USR2; exec env -u TZ -u LC_ALL", to);
    script_environment_put (to, ticket, home);
    for (size_t i = 0; i < ticket->order->arguments_count; i++) {
        fputc (' ', to);
        script_word_put (to, ticket->order->arguments [i]);
    }
    fputs (
      "; } </dev/null &\nwhile :; do wait $!; code=$?; kill -0 $! 2>/dev/null || break; done\n",
      to);
    script_inputs_leave (to, ticket->order);
    fputs ("}\n{ echo \"$(date +%s%3N) ${code:-126}\"; times; } >\"$run/end.new\"\n"
           "sync \"$run/end.new\"\nmv \"$run/end.new\" \"$run/end\"\nexit ${code:-126}\n",
           to);
    fclose (to);
    return text;
}
