/*  setting - settings that programs of several kinds have: what they are called, lists of words, and
 *  how much is too much.
 */
#ifndef MUSUBI_SETTING_H
#define MUSUBI_SETTING_H

#include "config.h"
#include "core.h"
#include "name_list.h"

#define SETTING_DAY_MS     86400000.0
#define SETTING_COUNT_MOST 1e9
#define SETTING_BYTES_MOST (double) ((uint64_t) 1 << 44)

/*  A name with the kind before it ("lis/ams"), from the key "name", which may have it, too. what
 *  says whose it is: "site", "domain". False with why. */
bool config_name_read (const config_t *config, const char *kind, const char *what,
                       char name [NAME_BYTES_MAX + 1], char why [LONG_WHY_BYTES]);

/*  False with why when a word of this key's list is longer, or stands there twice. */
bool words_right (const name_list_t *words, const char *key, size_t bytes_max,
                  char why [LONG_WHY_BYTES]);

#endif
