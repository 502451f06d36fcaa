/*  options - what a command line says, by a table of what may be said.
 *
 *  "--name value" and "--name=value" anywhere between the words; "--" ends the options; "-" is a
 *  word. An option whose meaning begins with "-s: " has a letter besides, "-s value". The tables also make the help text, so that it can't differ from what is understood.
 */
#ifndef MUSUBI_OPTIONS_H
#define MUSUBI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OPTIONS_WHY_BYTES 256

typedef enum {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char *, borrowed from argv */
    OPTION_TEXTS,    /* option_texts_t: each time it is given, one more */
    OPTION_INTEGER,  /* int64_t, from least to most */
    OPTION_REAL,     /* double, from least to most */
    OPTION_DURATION, /* int64_t, ms */
    OPTION_TIME,     /* instant_t */
    OPTION_SPAN,     /* two of them: instant_t [2] */
} option_kind_t;

#define OPTION_TEXTS_MAX 256

/*  Borrowed from argv. */
typedef struct {
    const char *list [OPTION_TEXTS_MAX];
    size_t count;
} option_texts_t;

/*  A time as written: set, and wall ms or ms from now. */
typedef struct {
    bool set;
    bool relative;
    int64_t ms;
} option_time_t;

typedef struct {
    const char *name; /* without the dashes */
    option_kind_t kind;
    void *value;
    const char *argument; /* as the help shows it: "N" */
    const char *meaning;
    double least; /* of integers and reals; least = most = 0: not below 0 */
    double most;
} cli_option_t;

/*  Rows of a table; it ends with {0}. */
#define FLAG_OPTION(name, value, meaning)                                                          \
    {                                                                                              \
        name, OPTION_FLAG, value, NULL, meaning, 0, 0                                              \
    }
#define VALUE_OPTION(kind, name, value, argument, meaning)                                         \
    {                                                                                              \
        name, kind, value, argument, meaning, 0, 0                                                 \
    }
#define TEXT_OPTION(name, value, argument, meaning)                                                \
    VALUE_OPTION (OPTION_TEXT, name, value, argument, meaning)
#define TEXTS_OPTION(name, value, argument, meaning)                                               \
    VALUE_OPTION (OPTION_TEXTS, name, value, argument, meaning)
#define DURATION_OPTION(name, value, argument, meaning)                                            \
    VALUE_OPTION (OPTION_DURATION, name, value, argument, meaning)
#define TIME_OPTION(name, value, argument, meaning)                                                \
    VALUE_OPTION (OPTION_TIME, name, value, argument, meaning)
#define SPAN_OPTION(name, value, argument, meaning)                                                \
    VALUE_OPTION (OPTION_SPAN, name, value, argument, meaning)
#define INTEGER_OPTION(name, value, argument, meaning, least, most)                                \
    {                                                                                              \
        name, OPTION_INTEGER, value, argument, meaning, least, most                                \
    }
#define REAL_OPTION(name, value, argument, meaning, least, most)                                   \
    {                                                                                              \
        name, OPTION_REAL, value, argument, meaning, least, most                                   \
    }

/*  Sets the values that are named and collects the words, which are borrowed from argv. False with
 *  why; then some values may be set. Two tables: the command's own (NULL = none)
 *  and those of all commands. */
bool options_parse (const cli_option_t *own, const cli_option_t *global, int argc,
                    char *const *argv, const char **words, size_t words_max, size_t *words_count,
                    char why [OPTIONS_WHY_BYTES]);

/*  Where the first word stands, -1 when there is none: options of the table are stepped over. */
int options_first_word (const cli_option_t *options, int argc, char *const *argv);

void options_describe (const cli_option_t *options, FILE *to);

/*  The wall time that a written time means now. */
int64_t option_time_wall (option_time_t time, int64_t now_ms);

#endif
