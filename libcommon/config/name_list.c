/*  name_list - one pass over the list. */
#include "name_list.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS ", \t"

void name_list_add (name_list_t *self, const char *list, const char *prefix)
{
    for (list += strspn (list, SEPARATORS); *list; list += strspn (list, SEPARATORS)) {
        size_t length = strcspn (list, SEPARATORS);
        bool given = strncmp (list, prefix, strlen (prefix)) == 0;
        self->words = must (reallocarray (self->words, self->count + 1, sizeof *self->words));
        self->words [self->count++] =
          must_print ("%s%.*s", given ? "" : prefix, (int) length, list);
        list += length;
    }
}

void name_list_clear (name_list_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        free (self->words [i]);
    free (self->words);
    *self = (name_list_t){0};
}

const char *name_list_too_long (const name_list_t *self, size_t bytes_max)
{
    for (size_t i = 0; i < self->count; i++)
        if (strlen (self->words [i]) > bytes_max)
            return self->words [i];
    return NULL;
}
