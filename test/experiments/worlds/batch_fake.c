/*  batch_fake - the world in use, and the functions of the machine that it stands for. */
#include "batch_fake.h"

#include "must.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COMMAND_MS 50 /* that each takes */
#define WORDS_MAX  32

static struct {
    const fake_kind_t *kind; /* NULL: the machine itself */
    batch_fake_t *world;
    size_t left;
    size_t lost;
    size_t commands;
} fake;

command_told_t __real_command_run (const char *const *arguments, const char *input,
                                   int64_t limit_ms, char **output, char why [WHY_BYTES]);
command_told_t __wrap_command_run (const char *const *arguments, const char *input,
                                   int64_t limit_ms, char **output, char why [WHY_BYTES]);
int __real_clock_gettime (clockid_t clock, struct timespec *time);
int __wrap_clock_gettime (clockid_t clock, struct timespec *time);
int __real_nanosleep (const struct timespec *asked, struct timespec *left);
int __wrap_nanosleep (const struct timespec *asked, struct timespec *left);

void batch_fake_begin (const fake_kind_t *kind, batch_fake_t *world)
{
    fake.kind = kind;
    fake.world = world;
    batch_fake_cut (SIZE_MAX);
}

void batch_fake_end (void)
{
    fake.kind = NULL;
}

void batch_fake_cut (size_t commands)
{
    fake.left = commands;
    fake.lost = SIZE_MAX;
    fake.commands = 0;
}

void batch_fake_lose (size_t command)
{
    batch_fake_cut (SIZE_MAX);
    fake.lost = command;
}

size_t batch_fake_commands (void)
{
    return fake.commands;
}

/*  What was told to end does. */
void batch_fake_pass (int64_t ms)
{
    fake.world->now_ms += ms;
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++) {
        fake_job_t *job = &fake.world->jobs [i];
        if (job->ends_ms > 0 && job->ends_ms <= fake.world->now_ms)
            *job = (fake_job_t){.id = ""};
    }
    fake.kind->schedule (fake.world);
}

command_told_t __wrap_command_run (const char *const *arguments, const char *input,
                                   int64_t limit_ms, char **output, char why [WHY_BYTES])
{
    if (!fake.kind)
        return __real_command_run (arguments, input, limit_ms, output, why);
    char ignored [WHY_BYTES];
    const char *words [WORDS_MAX] = {0};
    size_t count = 0;
    for (; arguments [count] && count < WORDS_MAX; count++)
        words [count] = arguments [count];
    for (size_t i = count; i < WORDS_MAX; i++)
        words [i] = "";
    char *text = NULL;
    bool dead = fake.left == 0;
    fake.left -= !dead && fake.left < SIZE_MAX;
    bool lost = fake.commands++ == fake.lost;
    if (!dead) {
        batch_fake_pass (COMMAND_MS);
        text = fake.kind->answer (fake.world, words, count, why ? why : ignored);
        fake.kind->schedule (fake.world);
    }
    if (dead || lost) {
        wrong (why, "%s has not answered", arguments [0]);
        free (text);
        text = NULL;
    }
    command_told_t told = text ? COMMAND_DONE : dead || lost ? COMMAND_SILENT : COMMAND_REFUSED;
    if (output)
        *output = text ? text : must (strdup (""));
    else
        free (text);
    return told;
}

int __wrap_clock_gettime (clockid_t clock, struct timespec *time)
{
    if (!fake.kind)
        return __real_clock_gettime (clock, time);
    *time = (struct timespec){(time_t) (fake.world->now_ms / 1000),
                              (long) (fake.world->now_ms % 1000 * 1000000)};
    return 0;
}

int __wrap_nanosleep (const struct timespec *asked, struct timespec *left)
{
    if (!fake.kind)
        return __real_nanosleep (asked, left);
    batch_fake_pass (asked->tv_sec * 1000 + asked->tv_nsec / 1000000);
    return 0;
}

/*  --- for the kinds --- */

bool fake_word (const char *list, const char *word)
{
    size_t size = strlen (word);
    for (const char *at = list; *at; at += strcspn (at, ", \n"), at += *at != '\0')
        if (strcspn (at, ", \n") == size && strncmp (at, word, size) == 0)
            return size > 0;
    return false;
}

const char *fake_behind (const char *const *words, const char *option)
{
    for (size_t i = 0; *words [i]; i++)
        if (strcmp (words [i], option) == 0)
            return words [i + 1];
    return NULL;
}

fake_job_t *fake_job (batch_fake_t *world, const char *id)
{
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        if (*id && strcmp (world->jobs [i].id, id) == 0)
            return &world->jobs [i];
    return NULL;
}

fake_job_t *fake_job_add (batch_fake_t *world, const char *name, const char *into, int host,
                          bool again)
{
    size_t i = 0;
    while (*world->jobs [i].id)
        i++;
    fake_job_t *job = &world->jobs [i];
    *job = (fake_job_t){.host = host, .again = again};
    snprintf (job->id, sizeof job->id, "%zu", i + 1);
    snprintf (job->name, sizeof job->name, "%s", name);
    snprintf (job->into, sizeof job->into, "%s", into);
    return job;
}

fake_made_t *fake_made (batch_fake_t *world, const char *name, bool add)
{
    fake_made_t *none = NULL;
    for (size_t i = FAKE_MADE_MAX; i-- > 0;) {
        if (strcmp (world->made [i].name, name) == 0)
            return &world->made [i];
        none = *world->made [i].name ? none : &world->made [i];
    }
    if (!add || !none)
        return NULL;
    *none = (fake_made_t){.there = false};
    snprintf (none->name, sizeof none->name, "%s", name);
    return none;
}

int fake_host (const char *name)
{
    int host = atoi (name + strcspn (name, "0123456789")) - 1;
    return host >= 0 && host < FAKE_HOSTS ? host : -1;
}

void fake_print (char **text, const char *format, ...)
{
    va_list arguments;
    char *more, *before = *text;
    va_start (arguments, format);
    int size = vasprintf (&more, format, arguments);
    va_end (arguments);
    must (size < 0 ? NULL : more);
    *text = must_print ("%s%s", before ? before : "", more);
    free (before);
    free (more);
}
