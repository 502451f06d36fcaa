/*  fields - of JSON objects. */
#include "fields.h"

#include <stdlib.h>
#include <string.h>

const char *text_of (const json_t *object, const char *key)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text ? text : "";
}

int64_t number_of (const json_t *object, const char *key)
{
    return json_integer_value (json_object_get (object, key));
}

const char *word_of (const char *const words [][2], const char *said, const char *otherwise)
{
    for (; (*words) [0]; words++)
        if (strcmp (said, (*words) [0]) == 0)
            return (*words) [1];
    return otherwise;
}

bool listed (const char *words, const char *word)
{
    size_t length = strlen (word);
    while (*words) {
        size_t size = strcspn (words, ", ");
        if (size == length && strncmp (words, word, size) == 0)
            return true;
        words += size + strspn (words + size, ", ");
    }
    return false;
}

const char *key_unknown (const json_t *object, const char *known)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *) object, key, value)
    {
        if (!listed (known, key))
            return key;
    }
    return NULL;
}

json_t *made (json_t *value)
{
    if (!value)
        abort ();
    return value;
}

void take (json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new (object, key, made (value)) != 0)
        abort ();
}
