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
