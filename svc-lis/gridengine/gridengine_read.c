/*  gridengine_read - elements as expat finds them, wherever their lines end; qconf's keys, one a
 *  line. */
#include "gridengine_read.h"

#include "must.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLANKS     " \t\r\n"
#define WORDS_MOST 11 /* that are taken of one item */

static void grid_time_read (const char *text, int64_t *ms)
{
    struct tm parts = {0};
    if (strptime (text, "%Y-%m-%dT%H:%M:%S", &parts))
        *ms = (int64_t) timegm (&parts) * 1000;
}

/*  --- items --- */

/*  An item is told at its end, by the words of those elements right within it that have these tags;
 *  and by the queue instances of an advance reservation, which stand deeper. */
typedef struct grid_reading grid_reading_t;
struct grid_reading {
    const char *item;
    const char *tags [WORDS_MOST];
    void (*told) (grid_reading_t *self);
    void (*visit) (void);
    void *owner;
    char words [WORDS_MOST][GRID_WORD_BYTES];
    name_list_t instances;
    unsigned depth; /* within an item: 1 in itself, 2 in such an element; 0 = in none */
    size_t word;    /* whose text comes; WORDS_MOST: of none */
    size_t size;
};

static const char *grid_attribute (const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp (attributes [0], name) == 0)
            return attributes [1];
    return "";
}

/*  Resources, that a job has asked for or an instance has, are read by their names. */
static void XMLCALL grid_on_begin (void *owner, const char *tag, const char **attributes)
{
    grid_reading_t *self = owner;
    self->word = WORDS_MOST;
    self->size = 0;
    if (self->depth == 0 && strcmp (tag, self->item) != 0)
        return;
    if (self->depth == 0) {
        memset (self->words, 0, sizeof self->words);
        name_list_clear (&self->instances);
    }
    name_list_add (&self->instances, grid_attribute (attributes, "queue_instance"), "");
    bool resource = strcmp (tag, "hard_request") == 0 || strcmp (tag, "resource") == 0;
    tag = resource ? grid_attribute (attributes, "name") : tag;
    for (size_t i = 0; self->depth == 1 && i < WORDS_MOST && self->tags [i]; i++)
        if (strcmp (tag, self->tags [i]) == 0)
            self->word = i;
    if (self->word < WORDS_MOST)
        memset (self->words [self->word], 0, GRID_WORD_BYTES);
    self->depth++;
}

static void XMLCALL grid_on_text (void *owner, const char *text, int size)
{
    grid_reading_t *self = owner;
    for (int i = 0; i < size && self->word < WORDS_MOST && self->size + 1 < GRID_WORD_BYTES; i++)
        if (self->size > 0 || !strchr (BLANKS, text [i]))
            self->words [self->word][self->size++] = text [i];
}

static void XMLCALL grid_on_end (void *owner, const char *tag)
{
    (void) tag;
    grid_reading_t *self = owner;
    while (self->size > 0 && strchr (BLANKS, self->words [self->word][self->size - 1]))
        self->words [self->word][--self->size] = '\0';
    self->word = WORDS_MOST;
    self->size = 0;
    if (self->depth > 0 && --self->depth == 0)
        self->told (self);
}

static bool grid_read (grid_reading_t *self, const char *text, char why [WHY_BYTES])
{
    XML_Parser parser = must (XML_ParserCreate (NULL));
    self->word = WORDS_MOST;
    XML_SetUserData (parser, self);
    XML_SetElementHandler (parser, grid_on_begin, grid_on_end);
    XML_SetCharacterDataHandler (parser, grid_on_text);
    bool good = XML_Parse (parser, text, (int) strlen (text), true) == XML_STATUS_OK ||
                wrong (why, "what Grid Engine writes can't be read: line %lu: %s",
                       (unsigned long) XML_GetCurrentLineNumber (parser),
                       XML_ErrorString (XML_GetErrorCode (parser)));
    XML_ParserFree (parser);
    name_list_clear (&self->instances);
    return good;
}

/*  --- jobs --- */

static void grid_job_told (grid_reading_t *self)
{
    const char *task = self->words [1];
    bool one = *task && strspn (task, "0123456789") == strlen (task);
    grid_job_t job = {.name = self->words [2],
                      .state = self->words [3],
                      .instance = self->words [4],
                      .queue = self->words [5],
                      .owner = self->words [8],
                      .limit_ms = strtoll (self->words [7], NULL, 10) * 1000,
                      .gpus = (uint32_t) (strtoul (self->words [9], NULL, 10) *
                                          strtoul (self->words [10], NULL, 10))};
    snprintf (job.id, sizeof job.id, "%.15s%s%.12s", self->words [0], one ? "." : "",
              one ? task : "");
    grid_time_read (self->words [6], &job.started_ms);
    ((grid_job_fn *) self->visit) (self->owner, &job);
}

bool grid_jobs_read (const char *text, grid_job_fn *visit, void *owner, char why [WHY_BYTES])
{
    grid_reading_t reading = {.item = "job_list",
                              .tags = {"JB_job_number", "tasks", "full_job_name", "state",
                                       "queue_name", "hard_req_queue", "JAT_start_time", "h_rt",
                                       "JB_owner", "gpu", "slots"},
                              .told = grid_job_told,
                              .visit = (void (*) (void)) visit,
                              .owner = owner};
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

static void grid_instance_told (grid_reading_t *self)
{
    const char *at = strchr (self->words [0], '@');
    size_t said = 5; /* the first that is told */
    while (said + 1 < WORDS_MOST && !*self->words [said])
        said++;
    if (at)
        ((grid_instance_fn *) self->visit) (
          self->owner, &(grid_instance_t){.name = self->words [0],
                                          .host = at + 1,
                                          .state = self->words [1],
                                          .used = (uint32_t) strtoul (self->words [2], NULL, 10),
                                          .total = (uint32_t) strtoul (self->words [3], NULL, 10),
                                          .calendar = self->words [4],
                                          .said = self->words [said]});
}

bool grid_instances_read (const char *text, grid_instance_fn *visit, void *owner,
                          char why [WHY_BYTES])
{
    grid_reading_t reading = {.item = "Queue-List",
                              .tags = {"name", "state", "slots_used", "slots_total", "calendar",
                                       "message", "load-alarm-reason", "suspend-alarm-reason"},
                              .told = grid_instance_told,
                              .visit = (void (*) (void)) visit,
                              .owner = owner};
    return grid_read (&reading, text, why);
}

void grid_state_tell (const grid_instance_t *instance, char why [WHY_BYTES])
{
    static const char letters [] = "dDsSCou";
    static const char *const words [] = {"disabled",
                                         "disabled by its calendar",
                                         "suspended",
                                         "suspended for another queue",
                                         "suspended by its calendar",
                                         "no longer of its queue",
                                         "not heard"};
    char all [WHY_BYTES] = "";
    for (size_t i = 0, size = 0; letters [i]; i++)
        if (strchr (instance->state, letters [i]) && size < sizeof all)
            size += (size_t) snprintf (all + size, sizeof all - size, "%s%s", size ? ", " : ": ",
                                       words [i]);
    wrong (why, "Grid Engine says %.20s%.150s%s%.80s", instance->state, all,
           *instance->said ? ": " : "", instance->said);
}

bool grid_of_queue (const char *instance, const char *queue)
{
    size_t size = strlen (queue);
    return strncmp (instance, queue, size) == 0 && instance [size] == '@';
}

const char *grid_queue_name (const char *instance, char queue [GRID_WORD_BYTES])
{
    snprintf (queue, GRID_WORD_BYTES, "%.*s", (int) strcspn (instance, "@"), instance);
    return queue;
}

/*  --- advance reservations --- */

static void grid_advance_told (grid_reading_t *self)
{
    grid_advance_t advance = {.id = self->words [0],
                              .name = self->words [3],
                              .owner = self->words [4],
                              .instances = &self->instances};
    grid_time_read (self->words [1], &advance.from_ms);
    grid_time_read (self->words [2], &advance.until_ms);
    ((grid_advance_fn *) self->visit) (self->owner, &advance);
}

/*  Such a word may have < and & in it, but never a /. */
static void grid_word_blank (char *text, const char *open, const char *close)
{
    for (char *from = text; (from = strstr (from, open));) {
        from += strlen (open);
        const char *until = strstr (from, close);
        for (; until && from < until; from++)
            *from = strchr ("<&>", *from) ? ' ' : *from;
    }
}

bool grid_advances_read (char *text, grid_advance_fn *visit, void *owner, char why [WHY_BYTES])
{
    grid_reading_t reading = {.item = "ar_summary",
                              .tags = {"id", "start_time", "end_time", "name", "owner"},
                              .told = grid_advance_told,
                              .visit = (void (*) (void)) visit,
                              .owner = owner};
    grid_word_blank (text, "<name>", "</name>");
    grid_word_blank (text, "<account>", "</account>");
    return grid_read (&reading, text, why);
}

/*  --- configurations --- */

void grid_unfold (char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (from [0] == '\\' && from [1] == '\n') {
            for (from += 2; *from == ' ';)
                from++;
            to -= to - text > 1 && to [-1] == ' ' && to [-2] == ',';
        } else
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
