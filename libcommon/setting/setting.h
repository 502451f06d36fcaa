/*  setting - what a core can be told by its administrator, each thing as one row.
 *
 *  A row binds a path to a member of a struct, with its default, bounds, unit and sentence. The row
 *  serves the file, --set, --help, the struct of defaults and Service.Status; a member of another
 *  type, a default outside its bounds, and a bound that the member can't hold don't compile.
 *
 *      static const setting_t rows [] = {
 *          SET_COUNT (limits_t, holds_max, "limits/holds_max", 65536, 16, 1000000,
 *                     "holds at once"),
 *          SET_DURATION (limits_t, retention_ms, "limits/retention", MS_DAY, MS_SECOND, MS_YEAR,
 *                        "how long they are kept"),
 *      };
 *      const setting_table_t limits_table = SETTING_TABLE (limits_t, rows, NULL);
 *
 *  Pure; config.h reads the files.
 */
#ifndef MUSUBI_SETTING_H
#define MUSUBI_SETTING_H

#include "bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MS_SECOND INT64_C (1000)
#define MS_MINUTE (60 * MS_SECOND)
#define MS_HOUR   (60 * MS_MINUTE)
#define MS_DAY    (24 * MS_HOUR)
#define MS_YEAR   (366 * MS_DAY)

/*  Bounds of many. */
#define SETTING_COUNT_MOST INT64_C (1000000000)
#define SETTING_BYTES_MOST (INT64_C (1) << 44)

#define SETTING_PATH_BYTES 1088 /* of a path as it stands in a file, its names filled in */

typedef enum {
    SETTING_U32,
    SETTING_U64,
    SETTING_I64,
    SETTING_REAL,
    SETTING_FLAG,
    SETTING_TEXT,   /* const char *; NULL where nothing was given and there is no default */
    SETTING_INSIDE, /* a struct with a table of its own */
    SETTING_EACH,   /* an array with an element for each section, and its count */
} setting_type_t;

typedef enum { UNIT_NONE, UNIT_MS } setting_unit_t;

typedef enum {
    SETTING_FREE,   /* may be given */
    SETTING_NEEDED, /* must be */
    SETTING_FIXED,  /* was a setting: a constant now */
    SETTING_MERGED, /* was a setting: follows from another by the table's rule; meaning tells how */
} setting_fate_t;

typedef struct setting_table setting_table_t;

typedef struct {
    const char *path;    /* "limits/holds_max"; of INSIDE what stands before its rows' ("batch/",
                            ""), of EACH the section ("classes"); "" in a table of elements: what
                            the section itself is set to */
    const char *meaning; /* with its unit; --help prints it */
    setting_type_t type; /* taken from the member */
    setting_unit_t unit;
    setting_fate_t fate;
    const char *member;
    size_t at;
    size_t count_at; /* EACH: of the count */
    int64_t preset;
    int64_t least;     /* least = most = 0: no bounds */
    int64_t most;      /* EACH: sections at most */
    int64_t per;       /* REAL: of what the numbers here are multiples, 1 / per */
    const char *words; /* TEXT: its default */
    const char *const
      *choices; /* a number by its word, in the order of the numbers; NULL ends them */
    const setting_table_t *table; /* INSIDE, EACH */
} setting_t;

struct setting_table {
    const setting_t *rows;
    size_t count;
    size_t bytes; /* of the struct */

    /*  NULL, or: judges members together, and sets those that follow from others. Returns the
     *  member that is wrong, with what is wrong in why; NULL: none is. */
    const void *(*rule) (void *settings, char why [WHY_BYTES]);
};

#define SETTING_TABLE(type, rows, rule)                                                            \
    {                                                                                              \
        (rows), sizeof (rows) / sizeof *(rows), sizeof (type), (rule)                              \
    }

#define SETTING_MEMBER(type, member) (((type *) 0)->member)
#define SETTING_TYPE(type, member)                                                                 \
    _Generic(SETTING_MEMBER (type, member), uint32_t                                               \
             : SETTING_U32, uint64_t                                                               \
             : SETTING_U64, int64_t                                                                \
             : SETTING_I64)
#define SETTING_MOST(type, member)                                                                 \
    _Generic(SETTING_MEMBER (type, member), uint32_t : UINT32_MAX, default : INT64_MAX)
#define SETTING_RIGHT(...) (0 * sizeof (char [(__VA_ARGS__) ? 1 : -1]))
#define SETTING_IN(least, value, most)                                                             \
    SETTING_RIGHT ((int64_t) (least) <= (int64_t) (value) && (int64_t) (value) <= (int64_t) (most))
#define SETTING_IS(type, member, of)    (0 * sizeof (1 ? &SETTING_MEMBER (type, member) : (of *) 0))
#define SETTING_LISTS(type, member, of) (0 * sizeof (1 ? SETTING_MEMBER (type, member) : (of *) 0))

#define SETTING_NUMBER(type_, member_, unit_, fate_, path_, preset_, least_, most_, meaning_)      \
    {                                                                                              \
        .path = (path_), .meaning = (meaning_), .type = SETTING_TYPE (type_, member_),             \
        .unit = (unit_), .fate = (fate_), .member = #member_, .preset = (preset_),                 \
        .least = (least_), .most = (most_),                                                        \
        .at = offsetof (type_, member_) + SETTING_IN (least_, preset_, most_) +                    \
              SETTING_IN (0, most_, SETTING_MOST (type_, member_)),                                \
    }

/*  type, member, path, default, least, most, meaning. A duration's member is in ms; no default may
 *  be given to one that must stand in the file. */
#define SET_COUNT(type, member, ...)                                                               \
    SETTING_NUMBER (type, member, UNIT_NONE, SETTING_FREE, __VA_ARGS__)
#define SET_DURATION(type, member, ...)                                                            \
    SETTING_NUMBER (type, member, UNIT_MS, SETTING_FREE, __VA_ARGS__)
#define SET_COUNT_NEEDED(type, member, path, least, most, meaning)                                 \
    SETTING_NUMBER (type, member, UNIT_NONE, SETTING_NEEDED, path, least, least, most, meaning)

/*  Default and bounds in parts of per: 1, 0, 99 with per = 100 are 0.01, 0 and 0.99. */
#define SET_REAL(type_, member_, path_, per_, preset_, least_, most_, meaning_)                    \
    {                                                                                              \
        .path = (path_), .meaning = (meaning_), .type = SETTING_REAL, .member = #member_,          \
        .per = (per_), .preset = (preset_), .least = (least_), .most = (most_),                    \
        .at = offsetof (type_, member_) + SETTING_IS (type_, member_, double) +                    \
              SETTING_IN (least_, preset_, most_),                                                 \
    }

#define SETTING_WORDS(type_, member_, fate_, path_, words_, meaning_)                              \
    {                                                                                              \
        .path = (path_), .meaning = (meaning_), .type = SETTING_TEXT, .fate = (fate_),             \
        .member = #member_, .words = (words_),                                                     \
        .at = offsetof (type_, member_) + SETTING_IS (type_, member_, const char *),               \
    }
#define SET_TEXT(type, member, path, words, meaning)                                               \
    SETTING_WORDS (type, member, SETTING_FREE, path, words, meaning)
#define SET_TEXT_NEEDED(type, member, path, meaning)                                               \
    SETTING_WORDS (type, member, SETTING_NEEDED, path, NULL, meaning)

/*  The name of an element's section: the first row of its table, which no file sets. */
#define SET_NAME(type, member) SETTING_WORDS (type, member, SETTING_FREE, NULL, NULL, NULL)

#define SETTING_TRUTH(type_, member_, fate_, path_, preset_, meaning_)                             \
    {                                                                                              \
        .path = (path_), .meaning = (meaning_), .type = SETTING_FLAG, .fate = (fate_),             \
        .member = #member_, .preset = (preset_),                                                   \
        .at = offsetof (type_, member_) + SETTING_IS (type_, member_, bool) +                      \
              SETTING_IN (false, preset_, true),                                                   \
    }
#define SET_FLAG(type, member, path, preset, meaning)                                              \
    SETTING_TRUTH (type, member, SETTING_FREE, path, preset, meaning)

/*  The member is an enum; words_ names its values from 0 on, and NULL ends them. */
#define SET_CHOICE(type_, member_, path_, preset_, words_, meaning_)                               \
    {                                                                                              \
        .path = (path_), .meaning = (meaning_), .type = SETTING_TYPE (type_, member_),             \
        .member = #member_, .preset = (preset_), .choices = (words_),                              \
        .at = offsetof (type_, member_),                                                           \
    }

/*  What was a setting. An old file that says just what is so now is taken, with a warning. */
#define SET_FIXED(type, member, path, preset)                                                      \
    SETTING_NUMBER (type, member, UNIT_NONE, SETTING_FIXED, path, preset, preset, preset, NULL)
#define SET_FIXED_DURATION(type, member, path, preset)                                             \
    SETTING_NUMBER (type, member, UNIT_MS, SETTING_FIXED, path, preset, preset, preset, NULL)
#define SET_FIXED_FLAG(type, member, path, preset)                                                 \
    SETTING_TRUTH (type, member, SETTING_FIXED, path, preset, NULL)
#define SET_MERGED(type, member, path, meaning)                                                    \
    SETTING_NUMBER (type, member, UNIT_NONE, SETTING_MERGED, path, 0, 0, 0, meaning)
#define SET_MERGED_DURATION(type, member, path, meaning)                                           \
    SETTING_NUMBER (type, member, UNIT_MS, SETTING_MERGED, path, 0, 0, 0, meaning)

#define SET_INSIDE(type_, member_, path_, of_, table_)                                             \
    {                                                                                              \
        .path = (path_), .type = SETTING_INSIDE, .table = (table_), .member = #member_,            \
        .at = offsetof (type_, member_) + SETTING_IS (type_, member_, of_),                        \
    }

/*  list is an of_ pointer and count a size_t; more than most sections are refused. */
#define SET_EACH(type_, list_, count_, path_, of_, table_, most_)                                  \
    {                                                                                              \
        .path = (path_), .type = SETTING_EACH, .table = (table_), .member = #list_,                \
        .most = (most_), .at = offsetof (type_, list_) + SETTING_LISTS (type_, list_, of_),        \
        .count_at = offsetof (type_, count_) + SETTING_IS (type_, count_, size_t),                 \
    }

/*  Writes the defaults. Arrays are empty. */
void settings_preset (const setting_table_t *table, void *settings);

/*  The struct of defaults, as a value. */
#define SETTINGS_PRESET(type, table)                                                               \
    (*(type *) settings_preset_to ((table), &(union {                                              \
                                       char first [1];                                             \
                                       type value;                                                 \
                                   }){{0}},                                                        \
                                   sizeof (type)))
void *settings_preset_to (const setting_table_t *table, void *settings, size_t bytes);

/*  Was it a setting, and is no more? */
bool setting_is_over (const setting_t *row);

/*  Of what its numbers are multiples: 1 / per. */
int64_t setting_per (const setting_t *row);

/*  A number or flag as it stands in a struct; no REAL. */
int64_t setting_value (const setting_t *row, const void *settings);
void setting_put (const setting_t *row, void *settings, int64_t value);

/*  Visits each row but INSIDE, with its path and the struct it is of: the elements of an EACH after
 *  its own row, at which they may be made. False as soon as a visit says so. */
typedef bool setting_visit_fn (void *owner, const setting_t *row, const char *path, void *settings);
bool settings_walk (const setting_table_t *table, void *settings, setting_visit_fn *visit,
                    void *owner);

/*  What Service.Status and refusals call a number whose member is called …_max; NULL: another
 *  one. */
const char *setting_limit_name (const setting_t *row);

#endif
