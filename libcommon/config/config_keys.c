/*  config_keys - rows of tables, spread out to paths. */
#include "config_keys.h"

#include "must.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- the list --- */

static void add (config_keys_t *self, const setting_t *row, const char *path)
{
    size_t length = strlen (path);
    self->list = must (reallocarray (self->list, self->count + 1, sizeof *self->list));
    config_key_t *key = &self->list [self->count++];
    *key = (config_key_t){.path = must (strdup (path)), .row = row};
    if (length > 0 && path [length - 1] == '/') /* what its section is set to */
        key->path [length - 1] = '\0';
}

/*  Depth is that of the tables. */
static void add_below (config_keys_t *self, const setting_table_t *table, const char *before)
{
    for (size_t i = 0; i < table->count; i++) {
        const setting_t *row = &table->rows [i];
        char path [SETTING_PATH_BYTES];
        if (!row->path)
            continue;
        snprintf (path, sizeof path,
                  row->type != SETTING_EACH ? "%s%s"
                  : *row->path              ? "%s%s/*/"
                                            : "%s%s*/",
                  before, row->path);
        if (row->table)
            add_below (self, row->table, path);
        else
            add (self, row, path);
    }
}

void config_keys_add (config_keys_t *self, const setting_table_t *table)
{
    add_below (self, table, "");
}

void config_keys_clear (config_keys_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        free (self->list [i].path);
    free (self->list);
    *self = (config_keys_t){0};
}

/*  --- paths --- */

/*  Takes the next name off a path; false at its end. */
static bool path_step (const char **path, const char **name, size_t *size)
{
    if (!**path)
        return false;
    *name = *path;
    *size = strcspn (*path, "/");
    *path += *size;
    if (**path == '/')
        ++*path;
    return true;
}

typedef enum { MATCH_NONE, MATCH_SECTION, MATCH_KEY } match_t;

/*  A path against a key whose stars match any name: the key itself, or a section it lies in. */
static match_t key_match (const char *key, const char *path)
{
    const char *name, *wanted;
    size_t size, wanted_size;
    while (path_step (&path, &name, &size)) {
        if (!path_step (&key, &wanted, &wanted_size))
            return MATCH_NONE;
        bool star = wanted_size == 1 && *wanted == '*';
        if (!star && (size != wanted_size || memcmp (name, wanted, size) != 0))
            return MATCH_NONE;
    }
    return *key ? MATCH_SECTION : MATCH_KEY;
}

const setting_t *config_keys_find (const config_keys_t *self, const char *path, bool *section)
{
    const setting_t *row = NULL;
    *section = false;
    for (size_t i = 0; i < self->count; i++) {
        match_t match = key_match (self->list [i].path, path);
        *section = *section || match == MATCH_SECTION;
        if (match == MATCH_KEY && !row)
            row = self->list [i].row;
    }
    return row;
}

/*  How many letters must be put in, left out, changed or swapped with their neighbour to come from
 *  one to the other; both are at most KEY_BYTES_MAX long. */
static size_t letters_apart (const char *one, const char *other)
{
    size_t rows [3][KEY_BYTES_MAX + 1];
    size_t *above2 = rows [0], *above = rows [1], *row = rows [2];
    size_t columns = strlen (other);
    for (size_t j = 0; j <= columns; j++)
        above [j] = j;
    for (size_t i = 1; one [i - 1]; i++) {
        row [0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t least = above [j - 1] + (one [i - 1] != other [j - 1]);
            least = above [j] + 1 < least ? above [j] + 1 : least;
            least = row [j - 1] + 1 < least ? row [j - 1] + 1 : least;
            bool swapped =
              i > 1 && j > 1 && one [i - 1] == other [j - 2] && one [i - 2] == other [j - 1];
            if (swapped && above2 [j - 2] + 1 < least)
                least = above2 [j - 2] + 1;
            row [j] = least;
        }
        size_t *spare = above2;
        above2 = above;
        above = row;
        row = spare;
    }
    return above [columns];
}

static size_t path_depth (const char *path)
{
    size_t depth = 1;
    for (; *path; path++)
        depth += *path == '/';
    return depth;
}

/*  The first depth names of a key, its stars filled in with the names that stand there in path. */
static bool key_fill (const char *key, size_t depth, const char *path,
                      char filled [KEY_BYTES_MAX + 1])
{
    const char *wanted, *name = "";
    size_t wanted_size, size = 0, used = 0;
    for (size_t i = 0; i < depth; i++) {
        if (!path_step (&key, &wanted, &wanted_size))
            return false;
        if (path_step (&path, &name, &size) && wanted_size == 1 && *wanted == '*') {
            wanted = name;
            wanted_size = size;
        }
        int more = snprintf (filled + used, KEY_BYTES_MAX + 1 - used, "%s%.*s", i ? "/" : "",
                             (int) wanted_size, wanted);
        used += (size_t) more;
        if (used > KEY_BYTES_MAX)
            return false;
    }
    return true;
}

/*  A section is compared with sections of its depth, a value with whole paths. */
bool config_keys_meant (const config_keys_t *self, const char *path, bool section,
                        char nearest [KEY_BYTES_MAX + 1])
{
    size_t least = strlen (path) / 3 + 2;
    bool found = false;
    if (strlen (path) > KEY_BYTES_MAX)
        return false;
    for (size_t i = 0; i < self->count; i++) {
        const char *key = self->list [i].path;
        size_t depth = section ? path_depth (path) : path_depth (key);
        char filled [KEY_BYTES_MAX + 1];
        if (setting_is_over (self->list [i].row) || (section && depth >= path_depth (key)) ||
            !key_fill (key, depth, path, filled))
            continue;
        size_t apart = letters_apart (path, filled);
        if (apart < least) {
            least = apart;
            memcpy (nearest, filled, sizeof filled);
            found = true;
        }
    }
    return found;
}

/*  --- values --- */

static bool is_bounded (const setting_t *row)
{
    return !setting_is_over (row) && (row->least != 0 || row->most != 0);
}

static const char *type_name (const setting_t *row)
{
    return row->type == SETTING_TEXT   ? "text"
           : row->type == SETTING_REAL ? "a number"
           : row->type == SETTING_FLAG ? "true or false"
           : row->unit == UNIT_MS      ? "a duration like 90s or 1h30m"
                                       : "an integer";
}

const char *setting_right (const setting_t *row, char words [SETTING_RIGHT_BYTES])
{
    char least [TIMETEXT_BYTES], most [TIMETEXT_BYTES];
    size_t used = 0;
    for (const char *const *choice = row->choices; choice && *choice && used < SETTING_RIGHT_BYTES;
         choice++)
        used += (size_t) snprintf (words + used, SETTING_RIGHT_BYTES - used, "%s%s",
                                   choice == row->choices ? ""
                                   : choice [1]           ? ", "
                                                          : " or ",
                                   *choice);
    if (row->choices)
        return words;
    if (!is_bounded (row))
        snprintf (words, SETTING_RIGHT_BYTES, "%s", type_name (row));
    else if (row->unit == UNIT_MS)
        snprintf (words, SETTING_RIGHT_BYTES, "%s, from %s to %s", type_name (row),
                  timetext_format_duration (row->least, least),
                  timetext_format_duration (row->most, most));
    else
        snprintf (words, SETTING_RIGHT_BYTES, "%s from %.15g to %.15g", type_name (row),
                  (double) row->least / (double) setting_per (row),
                  (double) row->most / (double) setting_per (row));
    return words;
}

static bool setting_choice_read (const setting_t *row, const char *text, int64_t *number)
{
    while (row->choices [*number] && strcmp (row->choices [*number], text) != 0)
        ++*number;
    return row->choices [*number] != NULL;
}

static bool setting_flag_read (const char *text, int64_t *number)
{
    *number = strcmp (text, "true") == 0 || strcmp (text, "1") == 0;
    return *number || strcmp (text, "false") == 0 || strcmp (text, "0") == 0;
}

static bool setting_whole_read (const setting_t *row, const char *text, int64_t *number)
{
    char *end;
    if (row->unit == UNIT_MS) {
        if (!timetext_parse_duration (text, number))
            return false;
    } else {
        errno = 0;
        *number = strtoll (text, &end, 10);
        if (end == text || *end || errno != 0)
            return false;
    }
    return !is_bounded (row) || (*number >= row->least && *number <= row->most);
}

static bool setting_real_read (const setting_t *row, const char *text, double *real)
{
    char *end;
    double per = (double) setting_per (row);
    *real = strtod (text, &end);
    return end != text && !*end && isfinite (*real) &&
           (!is_bounded (row) ||
            (*real >= (double) row->least / per && *real <= (double) row->most / per));
}

bool setting_read (const setting_t *row, const char *text, setting_value_t *value)
{
    *value = (setting_value_t){.text = text};
    return row->choices                ? setting_choice_read (row, text, &value->number)
           : row->type == SETTING_TEXT ? true
           : row->type == SETTING_FLAG ? setting_flag_read (text, &value->number)
           : row->type == SETTING_REAL ? setting_real_read (row, text, &value->real)
                                       : setting_whole_read (row, text, &value->number);
}

const char *setting_text (const setting_t *row, int64_t number, char text [TIMETEXT_BYTES])
{
    if (row->choices)
        return row->choices [number];
    if (row->type == SETTING_FLAG)
        return number ? "true" : "false";
    if (row->unit == UNIT_MS)
        return timetext_format_duration (number, text);
    snprintf (text, TIMETEXT_BYTES, "%.15g", (double) number / (double) setting_per (row));
    return text;
}

/*  --- help --- */

void settings_describe (const setting_table_t *const *tables, size_t count,
                        void (*line) (const char *text))
{
    config_keys_t keys = {0};
    for (size_t i = 0; i < count; i++)
        config_keys_add (&keys, tables [i]);
    for (size_t i = 0; i < keys.count; i++) {
        const setting_t *row = keys.list [i].row;
        char text [1024], number [TIMETEXT_BYTES], right [SETTING_RIGHT_BYTES];
        const char *preset = row->type == SETTING_TEXT ? row->words
                             : row->fate == SETTING_NEEDED
                               ? NULL
                               : setting_text (row, row->preset, number);
        if (setting_is_over (row))
            continue;
        snprintf (text, sizeof text, "  %s%s%s%s\n", keys.list [i].path, preset ? " = " : "",
                  preset && *preset ? preset : (preset ? "\"\"" : ""),
                  row->fate == SETTING_NEEDED ? "    (must be given)" : "");
        line (text);
        snprintf (text, sizeof text, "        %s: %s\n", setting_right (row, right), row->meaning);
        line (text);
    }
    config_keys_clear (&keys);
}
