/*  words - lists as settings carry them: "alice, bob". Pure. */
#ifndef MUSUBI_WORDS_H
#define MUSUBI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/*  Owns its words: words_clear. */
typedef struct {
    char **words;
    size_t count;
} words_t;

/*  Adds the words of a list, which commas, spaces and tabs part; each with prefix before it, unless
 *  it stands there. */
void words_add (words_t *self, const char *list, const char *prefix);
void words_clear (words_t *self);

/*  The first word of more than bytes_max bytes; NULL when there is none. */
const char *words_too_long (const words_t *self, size_t bytes_max);

#endif
