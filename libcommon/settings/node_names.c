/*  node_names - ranges are written out, one name after another. */
#include "node_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS        "0123456789"
#define NAME_LETTERS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "._-"
#define DIGITS_LEAST  3 /* of the number in a name that was not given */
#define DIGITS_MAX    9
#define RANGE_RIGHT   "should be a name, or a range such as n[001-064]"
#define LETTERS_RIGHT "should be 1 to %d letters, digits and . _ -"

/*  "n[003-064].fast": what is before and behind the bracket, and the numbers of so many digits. */
typedef struct {
    int before;
    const char *behind;
    int digits;
    uint64_t first;
    uint64_t last;
} range_t;

static bool range_read (const char *word, range_t *range)
{
    const char *bracket = strchr (word, '[');
    const char *first = bracket + 1;
    size_t digits = strspn (first, DIGITS);
    const char *last = first + digits + 1;
    if (digits == 0 || digits > DIGITS_MAX || first [digits] != '-')
        return false;
    size_t last_digits = strspn (last, DIGITS);
    if (last_digits < digits || last_digits > DIGITS_MAX || last [last_digits] != ']')
        return false;
    *range = (range_t){.before = (int) (bracket - word),
                       .behind = last + last_digits + 1,
                       .digits = (int) digits,
                       .first = strtoull (first, NULL, 10),
                       .last = strtoull (last, NULL, 10)};
    return range->first <= range->last;
}

/*  Where names are added, and how a wrong one is reported. */
typedef struct {
    name_list_t *names;
    const config_t *config;
    const class_section_t *class;
    char *why;
} node_names_reading_t;

static bool add_one (const node_names_reading_t *reading, const char *name)
{
    size_t length = strspn (name, NAME_LETTERS);
    if (length == 0 || length > NODE_NAME_BYTES_MAX || name [length])
        return config_refuse (reading->config, &reading->class->names, reading->why,
                              "\"%.80s\" " LETTERS_RIGHT, name, NODE_NAME_BYTES_MAX);
    if (reading->names->count == NODE_NAMES_MAX)
        return config_refuse (reading->config, &reading->class->names, reading->why,
                              "a site that runs tasks has at most %d nodes", NODE_NAMES_MAX);
    name_list_add (reading->names, name, "");
    return true;
}

static bool add_range (const node_names_reading_t *reading, const char *word)
{
    range_t range;
    if (!range_read (word, &range))
        return config_refuse (reading->config, &reading->class->names, reading->why,
                              "\"%.80s\" " RANGE_RIGHT, word);
    for (uint64_t number = range.first; number <= range.last; number++) {
        char name [2 * NODE_NAME_BYTES_MAX];
        snprintf (name, sizeof name, "%.*s%0*" PRIu64 "%s",
                  range.before < NODE_NAME_BYTES_MAX ? range.before : NODE_NAME_BYTES_MAX, word,
                  range.digits, number, range.behind);
        if (!add_one (reading, name))
            return false;
    }
    return true;
}

static bool add_numbered (const node_names_reading_t *reading)
{
    int digits = snprintf (NULL, 0, "%" PRIu32, reading->class->nodes);
    digits = digits > DIGITS_LEAST ? digits : DIGITS_LEAST;
    for (uint32_t number = 1; number <= reading->class->nodes; number++) {
        char name [2 * NODE_NAME_BYTES_MAX];
        snprintf (name, sizeof name, "%.*s-%0*" PRIu32, NODE_NAME_BYTES_MAX, reading->class->name,
                  digits, number);
        if (!add_one (reading, name))
            return false;
    }
    return true;
}

bool node_names_read (name_list_t *names, const config_t *config, const class_section_t *class,
                      char why [LONG_WHY_BYTES])
{
    node_names_reading_t reading = {.names = names, .config = config, .class = class, .why = why};
    name_list_auto_t given = name_list_of (class->names, "");
    size_t before = names->count;
    bool good = given.count > 0 || add_numbered (&reading);
    for (size_t i = 0; i < given.count && good; i++)
        good = strchr (given.words [i], '[') ? add_range (&reading, given.words [i])
                                             : add_one (&reading, given.words [i]);
    if (good && names->count - before != class->nodes)
        return config_refuse (config, &class->names, why,
                              "names %zu nodes, should be %" PRIu32 ", as many as there are",
                              names->count - before, class->nodes);
    return good;
}
