/*  gridengine_read - elements as expat finds them, wherever their lines end; qconf's keys, one a line. */
#include "gridengine_read.h"

#include "must.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLANKS " \t\r\n"

bool grid_time_read (const char *text, int64_t *ms)
{
    struct tm parts = {0};
    const char *end = strptime (text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!end)
        return false;
    *ms = (int64_t) timegm (&parts) * 1000;
    return true;
}

/*  --- elements --- */

/*  What has been read, of the one kind that its functions are for. */
typedef struct grid_reading grid_reading_t;
struct grid_reading {
    void (*begin) (grid_reading_t *self, const char *tag, const char **attributes);
    void (*end) (grid_reading_t *self, const char *tag);
    grid_word_t word; /* since the last tag */
    size_t size;
    bool limit;  /* it is that of a job's wall time */
    bool of_job; /* it is of a job in a queue instance */
    grid_job_t job;
    grid_instance_t instance;
    grid_advance_t advance;
    grid_job_fn *visit_job;
    grid_instance_fn *visit_instance;
    grid_advance_fn *visit_advance;
    void *owner;
};

static void XMLCALL grid_on_begin (void *owner, const char *tag, const char **attributes)
{
    grid_reading_t *self = owner;
    self->size = 0;
    self->begin (self, tag, attributes);
}

static void XMLCALL grid_on_text (void *owner, const char *text, int size)
{
    grid_reading_t *self = owner;
    for (int i = 0; i < size && self->size + 1 < sizeof self->word; i++)
        if (self->size > 0 || !strchr (BLANKS, text [i]))
            self->word [self->size++] = text [i];
}

static void XMLCALL grid_on_end (void *owner, const char *tag)
{
    grid_reading_t *self = owner;
    while (self->size > 0 && strchr (BLANKS, self->word [self->size - 1]))
        self->size--;
    self->word [self->size] = '\0';
    self->end (self, tag);
    self->size = 0;
}

static bool grid_read (grid_reading_t *self, const char *text, char why [WHY_BYTES])
{
    XML_Parser parser = must (XML_ParserCreate (NULL));
    XML_SetUserData (parser, self);
    XML_SetElementHandler (parser, grid_on_begin, grid_on_end);
    XML_SetCharacterDataHandler (parser, grid_on_text);
    bool good = XML_Parse (parser, text, (int) strlen (text), true) == XML_STATUS_OK ||
                wrong (why, "what Grid Engine writes can't be read: line %lu: %s",
                       (unsigned long) XML_GetCurrentLineNumber (parser),
                       XML_ErrorString (XML_GetErrorCode (parser)));
    XML_ParserFree (parser);
    return good;
}

static const char *grid_attribute (const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp (attributes [0], name) == 0)
            return attributes [1];
    return "";
}

/*  --- jobs --- */

static void grid_job_begin (grid_reading_t *self, const char *tag, const char **attributes)
{
    if (strcmp (tag, "job_list") == 0)
        self->job = (grid_job_t){.limit_ms = 0};
    self->limit = strcmp (tag, "hard_request") == 0 &&
                  strcmp (grid_attribute (attributes, "name"), "h_rt") == 0;
}

static void grid_job_task (grid_job_t *job, const char *task)
{
    size_t size = strlen (job->id);
    if (strspn (task, "0123456789") == strlen (task))
        snprintf (job->id + size, sizeof job->id - size, ".%.12s", task);
}

static void grid_job_end (grid_reading_t *self, const char *tag)
{
    grid_job_t *job = &self->job;
    if (strcmp (tag, "job_list") == 0)
        self->visit_job (self->owner, job);
    else if (strcmp (tag, "JB_job_number") == 0)
        snprintf (job->id, sizeof job->id, "%.15s", self->word);
    else if (strcmp (tag, "tasks") == 0)
        grid_job_task (job, self->word);
    else if (strcmp (tag, "full_job_name") == 0)
        memcpy (job->name, self->word, sizeof job->name);
    else if (strcmp (tag, "state") == 0)
        memcpy (job->state, self->word, sizeof job->state);
    else if (strcmp (tag, "queue_name") == 0)
        memcpy (job->instance, self->word, sizeof job->instance);
    else if (strcmp (tag, "hard_req_queue") == 0)
        memcpy (job->queue, self->word, sizeof job->queue);
    else if (strcmp (tag, "JAT_start_time") == 0)
        grid_time_read (self->word, &job->started_ms);
    else if (self->limit)
        job->limit_ms = strtoll (self->word, NULL, 10) * 1000;
}

bool grid_jobs_read (const char *text, grid_job_fn *visit, void *owner, char why [WHY_BYTES])
{
    grid_reading_t reading = {
      .begin = grid_job_begin, .end = grid_job_end, .visit_job = visit, .owner = owner};
    return grid_read (&reading, text, why);
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

static void grid_instance_begin (grid_reading_t *self, const char *tag, const char **attributes)
{
    (void) attributes;
    if (strcmp (tag, "Queue-List") == 0)
        self->instance = (grid_instance_t){.used = 0};
    self->of_job |= strcmp (tag, "job_list") == 0;
}

static void grid_instance_told (const grid_reading_t *self, grid_instance_t *instance)
{
    const char *at = strchr (instance->name, '@');
    instance->host = at ? at + 1 : "";
    if (at)
        self->visit_instance (self->owner, instance);
}

static void grid_instance_end (grid_reading_t *self, const char *tag)
{
    grid_instance_t *instance = &self->instance;
    if (self->of_job)
        self->of_job = strcmp (tag, "job_list") != 0;
    else if (strcmp (tag, "Queue-List") == 0)
        grid_instance_told (self, instance);
    else if (strcmp (tag, "name") == 0)
        memcpy (instance->name, self->word, sizeof instance->name);
    else if (strcmp (tag, "slots_used") == 0)
        instance->used = (uint32_t) strtoul (self->word, NULL, 10);
    else if (strcmp (tag, "slots_total") == 0)
        instance->total = (uint32_t) strtoul (self->word, NULL, 10);
    else if (strcmp (tag, "state") == 0)
        memcpy (instance->state, self->word, sizeof instance->state);
}

bool grid_instances_read (const char *text, grid_instance_fn *visit, void *owner,
                          char why [WHY_BYTES])
{
    grid_reading_t reading = {.begin = grid_instance_begin,
                              .end = grid_instance_end,
                              .visit_instance = visit,
                              .owner = owner};
    return grid_read (&reading, text, why);
}

bool grid_of_queue (const char *instance, const char *queue)
{
    size_t size = strlen (queue);
    return strncmp (instance, queue, size) == 0 && instance [size] == '@';
}

/*  --- advance reservations --- */

static void grid_advance_begin (grid_reading_t *self, const char *tag, const char **attributes)
{
    grid_advance_t *advance = &self->advance;
    if (strcmp (tag, "ar_summary") == 0)
        *advance = (grid_advance_t){.from_ms = 0};
    if (strcmp (tag, "granted_slots") != 0)
        return;
    snprintf (advance->instance, sizeof advance->instance, "%s",
              grid_attribute (attributes, "queue_instance"));
    self->visit_advance (self->owner, advance);
    *advance->instance = '\0';
}

static void grid_advance_end (grid_reading_t *self, const char *tag)
{
    grid_advance_t *advance = &self->advance;
    if (strcmp (tag, "ar_summary") == 0)
        self->visit_advance (self->owner, advance);
    else if (strcmp (tag, "id") == 0)
        memcpy (advance->id, self->word, sizeof advance->id);
    else if (strcmp (tag, "start_time") == 0)
        grid_time_read (self->word, &advance->from_ms);
    else if (strcmp (tag, "end_time") == 0)
        grid_time_read (self->word, &advance->until_ms);
}

/*  Such a word may have < and & in it, but never a /. */
static void grid_word_blank (char *text, const char *open, const char *close)
{
    for (char *from = text; (from = strstr (from, open));) {
        from += strlen (open);
        const char *until = strstr (from, close);
        for (; until && from < until; from++)
            *from = ' ';
    }
}

bool grid_advances_read (char *text, grid_advance_fn *visit, void *owner, char why [WHY_BYTES])
{
    grid_reading_t reading = {
      .begin = grid_advance_begin, .end = grid_advance_end, .visit_advance = visit, .owner = owner};
    grid_word_blank (text, "<name>", "</name>");
    grid_word_blank (text, "<account>", "</account>");
    return grid_read (&reading, text, why);
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
