/*  name_list - one pass over the list. */
#include "name_list.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS ", \t\n"

void name_list_add (name_list_t *self, const char *list, const char *prefix)
{
    for (list += strspn (list, SEPARATORS); *list; list += strspn (list, SEPARATORS)) {
        size_t length = strcspn (list, SEPARATORS);
        bool given = strncmp (list, prefix, strlen (prefix)) == 0;
        if (self->count >= self->room) {
            self->room = 2 * self->count + 1;
            self->words = must (reallocarray (self->words, self->room, sizeof *self->words));
        }
        self->words [self->count++] =
          must_print ("%s%.*s", given ? "" : prefix, (int) length, list);
        list += length;
    }
}

name_list_t name_list_of (const char *text, const char *prefix)
{
    name_list_t list = {0};
    name_list_add (&list, text, prefix);
    return list;
}

void name_list_clear (name_list_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        free (self->words [i]);
    free (self->words);
    *self = (name_list_t){0};
}

bool name_list_has (const name_list_t *self, const char *word)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp (self->words [i], word) == 0)
            return true;
    return false;
}

char *name_list_text (const name_list_t *self, char between)
{
    char *text = NULL;
    size_t size;
    FILE *to = must (open_memstream (&text, &size));
    for (size_t i = 0; i < self->count; i++)
        fprintf (to, "%s%.1s", self->words [i], i + 1 < self->count ? &between : "");
    fclose (to);
    return text;
}

const char *name_list_too_long (const name_list_t *self, size_t bytes_max)
{
    for (size_t i = 0; i < self->count; i++)
        if (strlen (self->words [i]) > bytes_max)
            return self->words [i];
    return NULL;
}

static int name_list_by_name (const void *left, const void *right)
{
    return strcmp (*(char *const *) left, *(char *const *) right);
}

const char *name_list_twice (const name_list_t *self)
{
    if (self->count == 0)
        return NULL;
    memory_auto char **sorted = must_copy (self->words, self->count * sizeof *sorted);
    const char *twice = NULL;
    qsort (sorted, self->count, sizeof *sorted, name_list_by_name);
    for (size_t i = 1; i < self->count && !twice; i++)
        if (strcmp (sorted [i - 1], sorted [i]) == 0)
            twice = sorted [i];
    return twice;
}
