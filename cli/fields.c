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
