/*  problem_file - a path, a field and a sentence, without control characters. */
#include "problem_file.h"

#include "json_fields.h"
#include "must.h"

#include <stdio.h>

bool problem_refuse (const problem_reader_t *reader, const char *format, ...)
{
    int size =
      snprintf (reader->why, LONG_WHY_BYTES, "%s%s", reader->path, *reader->path ? "." : "");
    format_rest (reader->why + size, LONG_WHY_BYTES - (size_t) size, format);
    for (char *at = reader->why; *at; at++)
        if ((unsigned char) *at < 0x20 || *at == 0x7f)
            *at = '?';
    return false;
}

bool problem_keys (const problem_reader_t *reader, const json_t *object, const char *known)
{
    const char *key = key_unknown (object, known);
    return !key || problem_refuse (reader, "%.60s: unknown key; there are: %s", key, known);
}

const json_t *problem_list (const problem_reader_t *reader, const json_t *file, const char *key,
                            const char *known, const char *id)
{
    json_auto_t *seen = made (json_object ());
    const json_t *entry, *list = json_object_get (file, key);
    bool good =
      (json_is_array (list) ||
       problem_refuse (reader, "%s: must be a list; the file is {\"%s\": [...]}", key, key)) &&
      problem_keys (reader, file, known);
    for (size_t i = 0; good && (entry = json_array_get (list, i)); i++) {
        const char *name = text_of (entry, id);
        good = !*name || !json_object_get (seen, name) ||
               problem_refuse (reader, "%s[%zu].%s: \"%.60s\" is used twice", key, i, id, name);
        take (seen, name, json_true ());
    }
    return good ? list : NULL;
}
