/*  setting - reads names, and judges words. */
#include "setting.h"

#include <stdio.h>
#include <string.h>

bool config_name_read (const config_t *config, const char *kind, const char *what,
                       char name [NAME_BYTES_MAX + 1], char why [LONG_WHY_BYTES])
{
    const char *given = config_text (config, "name");
    size_t kind_bytes = strlen (kind);
    size_t bytes_max = NAME_BYTES_MAX - kind_bytes - 1;
    if (strncmp (given, kind, kind_bytes) == 0 && given [kind_bytes] == '/')
        given += kind_bytes + 1;
    size_t length = strlen (given);
    if (length == 0 || length > bytes_max ||
        strspn (given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
          length)
        return wrong_setting (
          why, "name: \"%.80s\" is no %s name; use 1 to %zu letters, digits, '.', '_' and '-'",
          given, what, bytes_max);
    snprintf (name, NAME_BYTES_MAX + 1, "%s/%s", kind, given);
    return true;
}

bool words_right (const name_list_t *words, const char *key, size_t bytes_max,
                  char why [LONG_WHY_BYTES])
{
    const char *word = name_list_too_long (words, bytes_max), *twice = name_list_twice (words);
    if (word)
        return wrong_setting (why, "%s: %.80s… is longer than %zu bytes", key, word, bytes_max);
    return !twice || wrong_setting (why, "%s: %.80s is named twice", key, twice);
}
