/*  config_keys - all paths that tables of rows allow, and values as files write them. Part of
 *  config; pure.
 */
#ifndef MUSUBI_CONFIG_KEYS_H
#define MUSUBI_CONFIG_KEYS_H

#include "setting.h"
#include "timetext.h"

#define KEY_BYTES_MAX       127 /* of a path that can be meant by a misspelled one */
#define SETTING_RIGHT_BYTES 160

/*  "classes/<any>/nodes": a star stands for any name. */
typedef struct {
    char *path;
    const setting_t *row;
} config_key_t;

typedef struct {
    config_key_t *list;
    size_t count;
} config_keys_t;

void config_keys_add (config_keys_t *self, const setting_table_t *table);
void config_keys_clear (config_keys_t *self);

/*  The row of a path, its stars filled in; NULL when it is none. Is it a section that a path lies
 *  in? */
const setting_t *config_keys_find (const config_keys_t *self, const char *path, bool *section);

/*  What a misspelled path most likely means; false when nothing is near. */
bool config_keys_meant (const config_keys_t *self, const char *path, bool section,
                        char nearest [KEY_BYTES_MAX + 1]);

/*  "an integer from 1 to 16": what is right for a row. */
const char *setting_right (const setting_t *row, char words [SETTING_RIGHT_BYTES]);

/*  A value as it is meant; which member counts depends on the row's type. */
typedef struct {
    const char *text;
    int64_t number; /* ms of a duration, 0 or 1 of a flag, of a choice which one */
    double real;
} setting_value_t;

/*  False when it isn't right. */
bool setting_read (const setting_t *row, const char *text, setting_value_t *value);

/*  A number as files write it. */
const char *setting_text (const setting_t *row, int64_t number, char text [TIMETEXT_BYTES]);

#endif
