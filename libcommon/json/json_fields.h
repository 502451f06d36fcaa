/*  json_fields - reading and setting the fields of JSON objects, values as texts for people, and
 *  forms: what users read of a message, described by a table of its fields.
 */
#ifndef MUSUBI_JSON_FIELDS_H
#define MUSUBI_JSON_FIELDS_H

#include "timetext.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*  "" or 0 when the key is absent or of another type. The text lives with the object. */
const char *text_of (const json_t *object, const char *key);
int64_t number_of (const json_t *object, const char *key);
bool flag_of (const json_t *object, const char *key);

/*  Is it this text? */
bool has_text (const json_t *object, const char *key, const char *text);

/*  A time that stands there as RFC 3339, in wall ms; 0 when there is none. */
int64_t form_time_ms (const json_t *object, const char *key);

/*  An element of the list under a key; NULL behind the last. */
json_t *item_of (const json_t *object, const char *key, size_t at);

/*  Visits the elements of a list, or of the list under a key of an object, in order; each is
 *  declared here and borrowed. Elements may be added behind it meanwhile, not taken out. */
#define json_each(one, list)                                                                       \
    for (size_t one##_at = 0, one##_once = 1; one##_once; one##_once = 0)                          \
        for (json_t * (one); ((one) = json_array_get (list, one##_at)); one##_at++)
#define json_each_of(one, object, key) json_each (one, json_object_get (object, key))

/*  The first element of the list that has this text under a key; NULL when there is none. */
json_t *item_with (const json_t *list, const char *key, const char *text);

/*  Is the value in the list? */
bool list_has (const json_t *list, const json_t *wanted);

/*  A number that may be infinite: "inf". */
double real_of (const json_t *object, const char *key);

/*  The word that the list has for a word of proto. A list ends with {NULL, the word for all
 *  others}; NULL there means the word as it is. */
const char *word_of (const char *const words [][2], const char *said);

/*  Is it one of the words of a list separated by blanks or commas? */
bool listed (const char *words, const char *word);

/*  The first key of the object that is not among the known ones; NULL when there is none. */
const char *key_unknown (const json_t *object, const char *known);

/*  The value itself. NULL, for lack of memory or for bad UTF-8, ends the process. */
json_t *made (json_t *value);

/*  The names of objects in a list, or the keys of an object, as a new list: the one form in which
 *  "silent" is told. */
json_t *names_of (const json_t *named);

/*  Sets a field, or appends an element; takes the reference. */
void take (json_t *object, const char *key, json_t *value);
void take_last (json_t *list, json_t *value);

/*  "ams" of "lis/ams". */
const char *name_short (const char *name);

/*  The texts of a list, joined, cut to the room there is. */
#define NAMES_TEXT_BYTES 256
const char *texts_join (const json_t *texts, const char *between, char *joined, size_t size);

/*  A number of a form, for tables. */
#define NUMBER_TEXT_BYTES 24
const char *number_text (const json_t *form, const char *key, char text [NUMBER_TEXT_BYTES]);

/*  A time of a form for people: without fractions of a second. */
const char *time_brief (const char *time, char text [TIMETEXT_BYTES]);

/*  Micro-credits as credits: "1.25". */
#define COST_TEXT_BYTES 40
const char *cost_text (int64_t micro_credits, char text [COST_TEXT_BYTES]);

/*  1234567 as "1.2 MB". */
#define BYTES_TEXT_BYTES 24
const char *bytes_text (double bytes, char text [BYTES_TEXT_BYTES]);

/*  "edge-refused" of "EDGE_REFUSED". */
#define LOWER_BYTES 64
const char *lower_word (const char *word, char between, char text [LOWER_BYTES]);

/*  A field of a form, and its column in a table of forms. A table of fields ends with {0}; keys and
 *  columns have its order. */
typedef enum {
    FORM_SAME, /* as it is; [] where there is none */
    FORM_TEXT,
    FORM_SHORT, /* "ams" of "lis/ams" */
    FORM_WORD,  /* more: the list of words for word_of */
    FORM_LOWER, /* "edge-refused" of "EDGE_REFUSED"; more: what replaces _ */
    FORM_NUMBER,
    FORM_REAL, /* infinite: "inf" */
    FORM_FLAG,
    FORM_TIME,     /* of ms: RFC 3339 */
    FORM_DURATION, /* of ms: "10m" */
    FORM_EACH,     /* a list; more: the fields of each element */
    FORM_MADE,     /* set elsewhere, only shown here */
} form_kind_t;

/*  Writes the cell of a form for this key; text is room for it. */
#define CELL_BYTES 1024
typedef const char *cell_fn (const json_t *form, const char *key, char text [CELL_BYTES]);

typedef struct {
    const char *heading; /* NULL = it has no column */
    const char *key;
    cell_fn *cell; /* NULL = the usual text of its kind */
    form_kind_t kind;
    const char *from; /* its key in the message, or "opening.phase"; NULL = the same */
    bool optional;    /* left out where it is 0, "", [] or not there */
    const void *more;
} form_row_t;

/*  The form of a message, new; the forms of a list of messages, new. */
json_t *form_of (const form_row_t *rows, const json_t *from);
json_t *forms_of (const form_row_t *rows, const json_t *list);
/*  A form for each element of the list that each form has under this key, together with the other
 *  fields of its form; new. */
json_t *forms_flat (const json_t *forms, const char *list);
void form_add (json_t *form, const form_row_t *rows, const json_t *from);

#endif
