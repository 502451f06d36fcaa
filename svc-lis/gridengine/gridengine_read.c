/*  gridengine_read - qstat writes an element a line, qconf a key a line. */
#include "gridengine_read.h"

#include "command.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TAG_BYTES 64

char *grid_element (char *line, const char *tag)
{
    char open [TAG_BYTES];
    int size = snprintf (open, sizeof open, "<%s", tag);
    char *at = strstr (line, open);
    if (!at || (at [size] != '>' && at [size] != ' '))
        return NULL;
    char *value = strchr (at, '>');
    if (!value)
        return NULL;
    value++;
    value [strcspn (value, "<")] = '\0';
    return value;
}

char *grid_attribute (char *line, const char *name)
{
    char open [TAG_BYTES];
    int size = snprintf (open, sizeof open, " %s=\"", name);
    char *at = strstr (line, open);
    if (!at)
        return NULL;
    at [size + (int) strcspn (at + size, "\"")] = '\0';
    return at + size;
}

bool grid_time_read (const char *text, int64_t *ms)
{
    struct tm parts = {0};
    const char *end = strptime (text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!end)
        return false;
    *ms = (int64_t) timegm (&parts) * 1000;
    return true;
}

/*  --- jobs --- */

static void grid_job_take (grid_job_t *job, char *line)
{
    char *value;
    if ((value = grid_element (line, "JB_job_number")))
        snprintf (job->id, sizeof job->id, "%.15s", value);
    else if ((value = grid_element (line, "tasks")) &&
             strspn (value, "0123456789") == strlen (value))
        snprintf (job->id + strlen (job->id), sizeof job->id - strlen (job->id), ".%.12s", value);
    else if ((value = grid_element (line, "full_job_name")))
        job->name = value;
    else if ((value = grid_element (line, "state")))
        job->state = value;
    else if ((value = grid_element (line, "queue_name")))
        job->instance = value;
    else if ((value = grid_element (line, "hard_req_queue")))
        job->queue = value;
    else if ((value = grid_element (line, "JAT_start_time")))
        grid_time_read (value, &job->started_ms);
    else if (strstr (line, "name=\"h_rt\"") && (value = grid_element (line, "hard_request")))
        job->limit_ms = strtoll (value, NULL, 10) * 1000;
}

void grid_jobs_read (char *text, grid_job_fn *visit, void *owner)
{
    static const grid_job_t none = {.name = "", .state = "", .instance = "", .queue = ""};
    grid_job_t job = none;
    for (char *line; (line = command_line (&text));) {
        if (strstr (line, "<job_list"))
            job = none;
        else if (strstr (line, "</job_list>"))
            visit (owner, &job);
        else
            grid_job_take (&job, line);
    }
}

/*  A deleted job counts as long as it is there; one in error has not begun and will not. */
batch_job_state_t grid_job_state (const char *state)
{
    if (strchr (state, 'E'))
        return BATCH_JOB_LOST;
    if (strchr (state, 'q'))
        return BATCH_JOB_QUEUED;
    return strpbrk (state, "sST") ? BATCH_JOB_SUSPENDED : BATCH_JOB_RUNNING;
}

/*  --- queue instances --- */

static void grid_instance_take (grid_instance_t *instance, char *line)
{
    char *value;
    if ((value = grid_element (line, "name")))
        instance->name = value;
    else if ((value = grid_element (line, "slots_used")))
        instance->used = (uint32_t) strtoul (value, NULL, 10);
    else if ((value = grid_element (line, "slots_total")))
        instance->total = (uint32_t) strtoul (value, NULL, 10);
    else if ((value = grid_element (line, "state")))
        instance->state = value;
}

void grid_instances_read (char *text, grid_instance_fn *visit, void *owner)
{
    static const grid_instance_t none = {.name = "", .host = "", .state = ""};
    grid_instance_t instance = none;
    bool job = false;
    for (char *line; (line = command_line (&text));) {
        if (strstr (line, "<Queue-List>"))
            instance = none;
        else if (strstr (line, "job_list"))
            job = !strstr (line, "</job_list>");
        else if (!strstr (line, "</Queue-List>") && !job)
            grid_instance_take (&instance, line);
        const char *at = strchr (instance.name, '@');
        instance.host = at ? at + 1 : "";
        if (at && strstr (line, "</Queue-List>"))
            visit (owner, &instance);
    }
}

bool grid_of_queue (const char *instance, const char *queue)
{
    size_t size = strlen (queue);
    return strncmp (instance, queue, size) == 0 && instance [size] == '@';
}

/*  --- configurations --- */

void grid_unfold (char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (from [0] == '\\' && from [1] == '\n')
            for (from += 2; *from == ' ';)
                from++;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

static const char *grid_key (const char *text, const char *key)
{
    size_t size = strlen (key);
    for (const char *line = text; *line; line += strcspn (line, "\n"), line += *line == '\n')
        if (strncmp (line, key, size) == 0 && line [size] == ' ')
            return line;
    return NULL;
}

char *grid_value (const char *text, const char *key)
{
    const char *line = grid_key (text, key);
    if (!line)
        return NULL;
    line += strlen (key);
    line += strspn (line, " ");
    return must (strndup (line, strcspn (line, "\n")));
}

char *grid_value_set (const char *text, const char *key, const char *value)
{
    const char *line = grid_key (text, key);
    size_t head = line ? (size_t) (line - text) : strlen (text);
    const char *rest = line ? line + strcspn (line, "\n") : "\n";
    return must_print ("%.*s%-21s %s%s", (int) head, text, key, value, rest);
}
