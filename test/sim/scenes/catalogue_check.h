/*  catalogue_check - what must hold of a catalogue in every state. */
#ifndef MUSUBI_CATALOGUE_CHECK_H
#define MUSUBI_CATALOGUE_CHECK_H

#include "catalogue.h"

#include <assert.h>
#include <string.h>

/*  Walks the invariants of a catalogue: changes are in order, each copy is listed once, and there
 *  are as many files by name as by change. */
static inline void check_catalogue (const catalogue_t *self)
{
    uint64_t before = 0;
    size_t present = 0, gone = 0, named = 0;
    for (const file_t *file = catalogue_changed (self, 0); file;
         file = catalogue_changed (self, file->changed)) {
        assert (file->changed > before && file->changed <= catalogue_number (self));
        before = file->changed;
        assert (file->gone == (file->copies_count == 0));
        present += !file->gone;
        gone += file->gone;
        for (size_t i = 0; i < file->copies_count; i++)
            for (size_t k = 0; k < i; k++)
                assert (strcmp (file->copies [i].node, file->copies [k].node) != 0);
    }
    for (const file_t *file = catalogue_after (self, NULL); file;
         file = catalogue_after (self, file->name))
        named++;
    assert (present == named && gone <= CATALOGUE_GONE_MAX);
}

#endif
