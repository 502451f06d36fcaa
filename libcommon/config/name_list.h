/*  name_list - lists as settings and commands carry them: "alice, bob". Pure. */
#ifndef MUSUBI_NAME_LIST_H
#define MUSUBI_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*  Owns its words: name_list_clear. */
typedef struct {
    char **words;
    size_t count;
    size_t room;
} name_list_t;

/*  Adds the words of a list, which commas, spaces, tabs and ends of lines part; each with prefix
 *  before it, unless it stands there. */
void name_list_add (name_list_t *self, const char *list, const char *prefix);
/*  The words of a text, in a new list. */
name_list_t name_list_of (const char *text, const char *prefix);

void name_list_clear (name_list_t *self);

/*  One that is cleared where its block ends. */
#define name_list_auto_t name_list_t __attribute__ ((cleanup (name_list_clear)))

bool name_list_has (const name_list_t *self, const char *word);

/*  The words with that between them, to be freed. */
char *name_list_text (const name_list_t *self, char between);

/*  The first word of more than bytes_max bytes; NULL when there is none. */
const char *name_list_too_long (const name_list_t *self, size_t bytes_max);

/*  A word that stands there twice; NULL when there is none. */
const char *name_list_twice (const name_list_t *self);

#endif
