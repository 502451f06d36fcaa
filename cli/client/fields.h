/*  fields - what a JSON object holds under a key, and putting something there. */
#ifndef MUSUBI_FIELDS_H
#define MUSUBI_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*  "" and 0 when there is none, or something else. The text lives with the object. */
const char *text_of (const json_t *object, const char *key);
int64_t number_of (const json_t *object, const char *key);

/*  The word that stands beside what proto says; a list ends with {NULL}. */
const char *word_of (const char *const words [][2], const char *said, const char *otherwise);

/*  Is it one of the words, which blanks or commas separate? */
bool listed (const char *words, const char *word);

/*  The first key of an object that is not listed as known; NULL when there is none. */
const char *key_unknown (const json_t *object, const char *known);

/*  The value itself: NULL, for lack of memory or bad UTF-8, ends the process. */
json_t *made (json_t *value);

/*  Takes the reference over. */
void take (json_t *object, const char *key, json_t *value);

#endif
