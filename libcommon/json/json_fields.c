/*  json_fields - reading and writing JSON objects. */
#include "json_fields.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

bool flag_of (const json_t *object, const char *key)
{
    return json_is_true (json_object_get (object, key));
}

bool has_text (const json_t *object, const char *key, const char *text)
{
    return strcmp (text_of (object, key), text) == 0;
}

int64_t form_time_ms (const json_t *object, const char *key)
{
    int64_t ms;
    bool relative;
    return timetext_parse (text_of (object, key), &ms, &relative) ? ms : 0;
}

json_t *item_of (const json_t *object, const char *key, size_t at)
{
    return json_array_get (json_object_get (object, key), at);
}

json_t *item_with (const json_t *list, const char *key, const char *text)
{
    json_each (one, list)
        if (strcmp (text_of (one, key), text) == 0)
            return one;
    return NULL;
}

bool list_has (const json_t *list, const json_t *wanted)
{
    json_each (one, list)
        if (json_equal (one, wanted))
            return true;
    return false;
}

const char *word_of (const char *const words [][2], const char *said)
{
    for (; (*words) [0]; words++)
        if (strcmp (said, (*words) [0]) == 0)
            return (*words) [1];
    return (*words) [1] ? (*words) [1] : said;
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

void take_last (json_t *list, json_t *value)
{
    if (json_array_append_new (list, made (value)) != 0)
        abort ();
}

/*  --- values as texts --- */

const char *name_short (const char *name)
{
    const char *slash = strchr (name, '/');
    return slash ? slash + 1 : name;
}

const char *time_brief (const char *time, char text [TIMETEXT_BYTES])
{
    size_t length = strcspn (time, ".");
    snprintf (text, TIMETEXT_BYTES, "%.*s%s", (int) length, time, time [length] == '.' ? "Z" : "");
    return text;
}

const char *cost_text (int64_t micro_credits, char text [COST_TEXT_BYTES])
{
    uint64_t magnitude =
      micro_credits < 0 ? 0 - (uint64_t) micro_credits : (uint64_t) micro_credits;
    int length = snprintf (text, COST_TEXT_BYTES, "%s%" PRIu64 ".%06" PRIu64,
                           micro_credits < 0 ? "-" : "", magnitude / 1000000, magnitude % 1000000);
    /* Two decimals always, so that columns line up; more only where they are not 0. */
    for (int decimals = 6; decimals > 2 && text [length - 1] == '0'; decimals--)
        text [--length] = '\0';
    return text;
}

const char *number_text (const json_t *form, const char *key, char text [NUMBER_TEXT_BYTES])
{
    snprintf (text, NUMBER_TEXT_BYTES, "%" PRId64, number_of (form, key));
    return text;
}

const char *texts_join (const json_t *texts, const char *between, char *joined, size_t size)
{
    size_t length = 0;
    const json_t *one;
    joined [0] = '\0';
    for (size_t i = 0; (one = json_array_get (texts, i)); i++)
        if (length < size)
            length += (size_t) snprintf (joined + length, size - length, "%s%s", i ? between : "",
                                         json_string_value (one) ? json_string_value (one) : "");
    return joined;
}

/*  --- forms --- */

/*  json.h writes a number beyond 63 bits as text. */
static int64_t whole_of (const json_t *number)
{
    return json_is_string (number) ? INT64_MAX : json_integer_value (number);
}

static double real_value (const json_t *real)
{
    const char *text = json_string_value (real);
    if (text)
        return strcmp (text, "inf") == 0 || strcmp (text, "Infinity") == 0 ? INFINITY : NAN;
    return json_number_value (real);
}

double real_of (const json_t *object, const char *key)
{
    return real_value (json_object_get (object, key));
}

const char *bytes_text (double bytes, char text [BYTES_TEXT_BYTES])
{
    static const char *const units [] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit < 5; unit++)
        bytes /= 1000;
    snprintf (text, BYTES_TEXT_BYTES, unit > 0 && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes,
              units [unit]);
    return text;
}

const char *lower_word (const char *word, char between, char text [LOWER_BYTES])
{
    size_t i = 0;
    for (; word [i] && i < LOWER_BYTES - 1; i++)
        text [i] = word [i] == '_' ? between : (char) tolower ((unsigned char) word [i]);
    text [i] = '\0';
    return text;
}

static json_t *real_form (double real)
{
    return isfinite (real) ? json_real (real) : json_string (isnan (real) ? "NaN" : "inf");
}

/*  Is it absent, empty or 0? */
static bool is_empty (const json_t *value)
{
    return !value || (json_is_string (value) && !*json_string_value (value)) ||
           (json_is_number (value) && json_number_value (value) == 0) ||
           (json_is_array (value) && json_array_size (value) == 0);
}

/*  The value at a path such as "opening.phase". */
static const json_t *value_at (const json_t *from, const char *path)
{
    for (const char *dot; (dot = strchr (path, '.')); path = dot + 1)
        from = json_object_getn (from, path, (size_t) (dot - path));
    return json_object_get (from, path);
}

static json_t *value_form (const form_row_t *row, const json_t *value)
{
    const char *text = json_is_string (value) ? json_string_value (value) : "";
    char made_of [LOWER_BYTES > TIMETEXT_BYTES ? LOWER_BYTES : TIMETEXT_BYTES];
    switch (row->kind) {
    case FORM_TEXT:
        return json_string (text);
    case FORM_SHORT:
        return json_string (name_short (text));
    case FORM_WORD:
        return json_string (word_of (row->more, text));
    case FORM_LOWER:
        return json_string (lower_word (text, *(const char *) row->more, made_of));
    case FORM_NUMBER:
        return json_integer (whole_of (value));
    case FORM_REAL:
        return real_form (real_value (value));
    case FORM_FLAG:
        return json_boolean (json_is_true (value));
    case FORM_TIME:
        return json_string (timetext_format (whole_of (value), made_of));
    case FORM_DURATION:
        return json_string (timetext_format_duration (whole_of (value), made_of));
    case FORM_SAME:
        return value ? json_deep_copy (value) : json_array ();
    case FORM_EACH:
        return forms_of (row->more, value);
    case FORM_MADE:
        break;
    }
    abort ();
}

void form_add (json_t *form, const form_row_t *rows, const json_t *from)
{
    for (; rows->key; rows++) {
        const json_t *value = value_at (from, rows->from ? rows->from : rows->key);
        if (rows->kind != FORM_MADE && (!rows->optional || !is_empty (value)))
            take (form, rows->key, value_form (rows, value));
    }
}

json_t *form_of (const form_row_t *rows, const json_t *from)
{
    json_t *form = made (json_object ());
    form_add (form, rows, from);
    return form;
}

json_t *forms_of (const form_row_t *rows, const json_t *list)
{
    json_t *forms = made (json_array ());
    json_each (one, list)
        json_array_append_new (forms, form_of (rows, one));
    return forms;
}

json_t *forms_flat (const json_t *forms, const char *list)
{
    json_t *flat = made (json_array ());
    json_each (form, forms)
        json_each_of (one, form, list) {
            json_t *row = made (json_copy (one));
            json_object_update_missing (row, form);
            json_array_append_new (flat, row);
        }
    return flat;
}

json_t *names_of (const json_t *named)
{
    json_t *names = made (json_array ());
    const char *key;
    json_t *value;
    json_each (one, named)
        json_array_append (names, json_object_get (one, "name"));
    json_object_foreach ((json_t *) named, key, value) take_last (names, json_string (key));
    return names;
}
