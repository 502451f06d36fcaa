/*  options - a command line, read by a table of options.
 *
 *  "--name value" and "--name=value" may stand anywhere between the words; "--" ends the options;
 *  "-" is a word. An option whose meaning begins with "-s: " can also be given as "-s value". The
 *  help text is made from the same tables, so it can't differ from what is read.
 */
#ifndef MUSUBI_OPTIONS_H
#define MUSUBI_OPTIONS_H

#include "bytes.h"

#include <stdio.h>

typedef enum {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char *, borrowed from argv */
    OPTION_TEXTS,    /* option_texts_t: may be given several times */
    OPTION_INTEGER,  /* int64_t, from least to most */
    OPTION_REAL,     /* double, from least to most */
    OPTION_DURATION, /* int64_t, ms */
    OPTION_TIME,     /* option_time_t */
    OPTION_SPAN,     /* option_time_t [2] */
} option_kind_t;

#define OPTION_TEXTS_MAX 256

/*  Borrowed from argv. */
typedef struct {
    const char *list [OPTION_TEXTS_MAX];
    size_t count;
} option_texts_t;

/*  A time: wall ms, or ms from now. */
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
    double least; /* of integers and reals; both 0: not below 0 */
    double most;
} cli_option_t;

/*  Rows of a table; it ends with {0}. */
#define BOUNDED_OPTION(kind, name, value, argument, meaning, least, most)                          \
    {                                                                                              \
        name, kind, value, argument, meaning, least, most                                          \
    }
#define VALUE_OPTION(kind, name, value, argument, meaning)                                         \
    BOUNDED_OPTION (kind, name, value, argument, meaning, 0, 0)
#define FLAG_OPTION(name, value, meaning) VALUE_OPTION (OPTION_FLAG, name, value, NULL, meaning)
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
    BOUNDED_OPTION (OPTION_INTEGER, name, value, argument, meaning, least, most)
#define REAL_OPTION(name, value, argument, meaning, least, most)                                   \
    BOUNDED_OPTION (OPTION_REAL, name, value, argument, meaning, least, most)

/*  Sets the values of the options that are given, and collects the words, borrowed from argv. own
 *  is the command's table (NULL = none), global that of all commands. False with why; then some
 *  values may be set. */
bool options_parse (const cli_option_t *own, const cli_option_t *global, int argc,
                    char *const *argv, const char **words, size_t words_max, size_t *words_count,
                    char why [WHY_BYTES]);

/*  The index of the first word; options of the table are stepped over with their values. -1 when
 *  there is none. */
int options_first_word (const cli_option_t *options, int argc, char *const *argv);

void options_describe (const cli_option_t *options, FILE *to);

/*  The wall time that a time means now. */
int64_t option_time_wall (option_time_t time, int64_t now_ms);

#endif
