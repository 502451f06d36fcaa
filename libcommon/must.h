/*  must - memory that is there, or the end of the process. Every promise is in the store, and a
 *  service starts again from it; so running out of memory needs no other care.
 */
#ifndef MUSUBI_MUST_H
#define MUSUBI_MUST_H

#include <stdlib.h>
#include <string.h>

static inline void *must (void *memory)
{
    if (!memory)
        abort ();
    return memory;
}

/*  A copy of size bytes, to be freed; NULL of none. */
static inline void *must_copy (const void *from, size_t size)
{
    return size > 0 ? memcpy (must (malloc (size)), from, size) : NULL;
}

#endif
