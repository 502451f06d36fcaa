/*  must - memory that is there, or the end of the process. Every promise is in the store, and a
 *  service starts again from it; so running out of memory needs no other care.
 */
#ifndef MUSUBI_MUST_H
#define MUSUBI_MUST_H

#include <stdlib.h>

static inline void *must (void *memory)
{
    if (!memory)
        abort ();
    return memory;
}

#endif
