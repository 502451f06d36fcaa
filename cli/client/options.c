/*  options - one pass over the arguments; each kind of value is read by one function. */
#include "options.h"

#include "codec.h"
#include "timetext.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/*  How many arguments follow the option's name. */
static int values_of (option_kind_t kind)
{
    return kind == OPTION_FLAG ? 0 : kind == OPTION_SPAN ? 2 : 1;
}

/*  The option that an argument names, or NULL; *value is the text after "=". */
static const cli_option_t *options_find (const cli_option_t *options, const char *argument,
                                         const char **value)
{
    const char *name = argument + 2;
    size_t length = strcspn (name, "=");
    *value = name [length] == '=' ? name + length + 1 : NULL;
    for (; options && options->name; options++)
        if (strlen (options->name) == length && strncmp (options->name, name, length) == 0)
            return options;
    return NULL;
}

/*  The option with the letter of "-s": its meaning begins with "-s:". */
static const cli_option_t *find_letter (const cli_option_t *options, const char *argument)
{
    for (; options && options->name; options++)
        if (strlen (argument) == 2 && strncmp (options->meaning, argument, 2) == 0 &&
            options->meaning [2] == ':')
            return options;
    return NULL;
}

static bool is_option (const char *argument)
{
    return argument [0] == '-' && argument [1] != '\0';
}

static bool options_refuse (char why [WHY_BYTES], const cli_option_t *option, const char *text,
                            const char *right)
{
    return wrong (why, "--%s: \"%.60s\" is not %s", option->name, text, right);
}

static bool read_integer (const cli_option_t *option, const char *text, char why [WHY_BYTES])
{
    char *end;
    errno = 0;
    int64_t number = strtoll (text, &end, 10);
    double most = option->most > 0 ? option->most : 9e15;
    if (end == text || *end != '\0' || errno != 0 || (double) number < option->least ||
        (double) number > most) {
        char right [80];
        snprintf (right, sizeof right, "a whole number from %.0f%s%.0f", option->least,
                  option->most > 0 ? " to " : "; at most ", most);
        return options_refuse (why, option, text, right);
    }
    *(int64_t *) option->value = number;
    return true;
}

static bool options_read_real (const cli_option_t *option, const char *text, char why [WHY_BYTES])
{
    char *end;
    double number = strtod (text, &end);
    double most = option->most > 0 ? option->most : 1e15;
    if (end == text || *end != '\0' || !isfinite (number) || number < option->least ||
        number > most) {
        char right [80];
        snprintf (right, sizeof right, "a number from %g to %g", option->least, most);
        return options_refuse (why, option, text, right);
    }
    *(double *) option->value = number;
    return true;
}

static bool options_read_time (const cli_option_t *option, const char *text, option_time_t *time,
                               char why [WHY_BYTES])
{
    if (!timetext_parse (text, &time->ms, &time->relative))
        return options_refuse (why, option, text, "a time such as 2026-12-01T09:00:00Z or now+30m");
    time->set = true;
    return true;
}

/*  A number without a unit means seconds. */
static bool options_read_duration (const char *text, int64_t *ms)
{
    char seconds [24];
    bool bare = *text && strspn (text, "0123456789") == strlen (text);
    snprintf (seconds, sizeof seconds, "%.20ss", text);
    return timetext_parse_duration (bare ? seconds : text, ms);
}

static bool add_text (const cli_option_t *option, const char *text, char why [WHY_BYTES])
{
    option_texts_t *texts = option->value;
    if (texts->count == OPTION_TEXTS_MAX)
        return wrong (why, "--%s: given more than %d times", option->name, OPTION_TEXTS_MAX);
    texts->list [texts->count++] = text;
    return true;
}

static bool options_read_value (const cli_option_t *option, const char *const *values,
                                char why [WHY_BYTES])
{
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *) option->value = true;
        return true;
    case OPTION_TEXT:
        *(const char **) option->value = values [0];
        return true;
    case OPTION_TEXTS:
        return add_text (option, values [0], why);
    case OPTION_INTEGER:
        return read_integer (option, values [0], why);
    case OPTION_REAL:
        return options_read_real (option, values [0], why);
    case OPTION_DURATION:
        return options_read_duration (values [0], option->value) ||
               options_refuse (why, option, values [0], "a duration such as 90s, 30m or 1h30m");
    case OPTION_TIME:
        return options_read_time (option, values [0], option->value, why);
    case OPTION_SPAN: {
        option_time_t *span = option->value;
        return options_read_time (option, values [0], &span [0], why) &&
               options_read_time (option, values [1], &span [1], why);
    }
    }
    abort ();
}

/*  Reads the option at argv [*at] and moves *at past it. */
static bool parse_option (const cli_option_t *own, const cli_option_t *global, int argc,
                          char *const *argv, int *at, char why [WHY_BYTES])
{
    const char *argument = argv [(*at)++];
    const char *attached = NULL;
    const cli_option_t *option = NULL;
    if (strncmp (argument, "--", 2) == 0) {
        option = options_find (own, argument, &attached);
        if (!option)
            option = options_find (global, argument, &attached);
    } else {
        option = find_letter (own, argument);
    }
    if (!option)
        return wrong (why, "%.60s is not an option of this command; --help lists them", argument);
    int wanted = values_of (option->kind);
    if (wanted == 0 && attached)
        return wrong (why, "--%s takes no value", option->name);
    const char *values [2] = {attached, NULL};
    int have = attached ? 1 : 0;
    while (have < wanted && *at < argc)
        values [have++] = argv [(*at)++];
    if (have < wanted)
        return wrong (why, "--%s needs a value: %s", option->name, option->argument);
    return options_read_value (option, values, why);
}

bool options_parse (const cli_option_t *own, const cli_option_t *global, int argc,
                    char *const *argv, const char **words, size_t words_max, size_t *words_count,
                    char why [WHY_BYTES])
{
    *words_count = 0;
    bool options_over = false;
    for (int at = 0; at < argc;) {
        if (!options_over && strcmp (argv [at], "--") == 0) {
            options_over = true;
            at++;
        } else if (!options_over && is_option (argv [at])) {
            if (!parse_option (own, global, argc, argv, &at, why))
                return false;
        } else if (*words_count == words_max) {
            return wrong (why, "\"%.60s\" is one argument too many", argv [at]);
        } else {
            words [(*words_count)++] = argv [at++];
        }
    }
    return true;
}

int options_first_word (const cli_option_t *options, int argc, char *const *argv)
{
    for (int at = 0; at < argc; at++) {
        if (!is_option (argv [at]))
            return at;
        const char *attached = NULL;
        const cli_option_t *option =
          strncmp (argv [at], "--", 2) == 0 ? options_find (options, argv [at], &attached) : NULL;
        if (option && !attached)
            at += values_of (option->kind);
    }
    return -1;
}

void options_describe (const cli_option_t *options, FILE *to)
{
    for (const cli_option_t *option = options; option && option->name; option++) {
        char left [64];
        snprintf (left, sizeof left, "--%s%s%s", option->name, option->argument ? " " : "",
                  option->argument ? option->argument : "");
        if (strlen (left) > 24)
            fprintf (to, "  %s\n  %24s %s\n", left, "", option->meaning);
        else
            fprintf (to, "  %-24s %s\n", left, option->meaning);
    }
}

int64_t option_time_wall (option_time_t time, int64_t now_ms)
{
    assert (time.set);
    return time.relative ? now_ms + time.ms : time.ms;
}
