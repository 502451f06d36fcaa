/*  setting - walks rows and the structs that they describe. */
#include "setting.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void *at (const setting_t *row, const void *settings)
{
    return (char *) (uintptr_t) settings + row->at;
}

bool setting_is_over (const setting_t *row)
{
    return row->fate == SETTING_FIXED || row->fate == SETTING_MERGED;
}

int64_t setting_per (const setting_t *row)
{
    return row->type == SETTING_REAL ? row->per : 1;
}

int64_t setting_value (const setting_t *row, const void *settings)
{
    const void *from = at (row, settings);
    return row->type == SETTING_U32   ? *(const uint32_t *) from
           : row->type == SETTING_U64 ? (int64_t) * (const uint64_t *) from
           : row->type == SETTING_I64 ? *(const int64_t *) from
                                      : row->type == SETTING_FLAG && *(const bool *) from;
}

void setting_put (const setting_t *row, void *settings, int64_t value)
{
    void *to = at (row, settings);
    if (row->type == SETTING_U32)
        *(uint32_t *) to = (uint32_t) value;
    else if (row->type == SETTING_U64)
        *(uint64_t *) to = (uint64_t) value;
    else if (row->type == SETTING_I64)
        *(int64_t *) to = value;
    else if (row->type == SETTING_FLAG)
        *(bool *) to = value != 0;
}

void settings_preset (const setting_table_t *table, void *settings)
{
    char why [WHY_BYTES];
    memset (settings, 0, table->bytes);
    for (size_t i = 0; i < table->count; i++) {
        const setting_t *row = &table->rows [i];
        if (row->type == SETTING_INSIDE)
            settings_preset (row->table, at (row, settings));
        else if (row->type == SETTING_REAL)
            *(double *) at (row, settings) = (double) row->preset / (double) setting_per (row);
        else if (row->type == SETTING_TEXT)
            *(const char **) at (row, settings) = row->words;
        else
            setting_put (row, settings, row->preset);
    }
    const void *wrong = table->rule ? table->rule (settings, why) : NULL;
    assert (!wrong); /* defaults are right */
    (void) wrong;
}

void *settings_preset_to (const setting_table_t *table, void *settings, size_t bytes)
{
    assert (bytes == table->bytes);
    (void) bytes;
    settings_preset (table, settings);
    return settings;
}

/*  A table that is walked: of a struct, and what stands before the paths of its rows. */
static bool walk (const setting_table_t *table, void *settings, const char *before,
                  setting_visit_fn *visit, void *owner)
{
    for (size_t i = 0; i < table->count; i++) {
        const setting_t *row = &table->rows [i];
        char path [SETTING_PATH_BYTES];
        int length = snprintf (path, sizeof path, "%s%s", before, row->path ? row->path : "");
        if (row->type == SETTING_INSIDE) {
            if (!walk (row->table, at (row, settings), path, visit, owner))
                return false;
            continue;
        }
        if (length > 0 && path [length - 1] == '/') /* what its section is set to, or its name */
            path [length - 1] = '\0';
        if (!visit (owner, row, path, settings))
            return false;
        size_t count = row->type == SETTING_EACH
                         ? *(const size_t *) ((const char *) settings + row->count_at)
                         : 0;
        char *element = count > 0 ? *(char **) at (row, settings) : NULL;
        for (; count > 0; count--, element += row->table->bytes) {
            char below [SETTING_PATH_BYTES];
            snprintf (below, sizeof below, "%.900s%s%.63s/", path, *path ? "/" : "",
                      *(const char *const *) at (&row->table->rows [0], element));
            if (!walk (row->table, element, below, visit, owner))
                return false;
        }
    }
    return true;
}

bool settings_walk (const setting_table_t *table, void *settings, setting_visit_fn *visit,
                    void *owner)
{
    return walk (table, settings, "", visit, owner);
}

/*  Rows of a member that is in a struct inside have names such as "bookings.bookings_max". */
const char *setting_limit_name (const setting_t *row)
{
    const char *dot = strrchr (row->member, '.'), *name = dot ? dot + 1 : row->member;
    size_t length = strlen (name);
    bool limit = row->type <= SETTING_I64 && length > 4 && strcmp (name + length - 4, "_max") == 0;
    return limit ? name : NULL;
}
