/*  options - what a command line says, by a table of what may be said.
 *
 *  "--name value" and "--name=value" anywhere between the words; "--" ends the options; "-" is a
 *  word. The tables also make the help text, so that it can't differ from what is understood.
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
} option_t;

typedef struct {
    const option_t *list;
    size_t count;
} options_t;

/*  Sets the values that are named and collects the words, which are borrowed from argv. False with
 *  why; then some values may be set. Two tables: the command's own and those of all commands. */
bool options_parse (options_t own, options_t global, int argc, char *const *argv,
                    const char **words, size_t words_max, size_t *words_count,
                    char why [OPTIONS_WHY_BYTES]);

/*  Where the first word stands, -1 when there is none: options of the table are stepped over. */
int options_first_word (options_t options, int argc, char *const *argv);

void options_describe (options_t options, FILE *to);

/*  The wall time that a written time means now. */
int64_t option_time_wall (option_time_t time, int64_t now_ms);

#endif
