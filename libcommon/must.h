/*  must - memory that is there, or the end of the process. Every promise is in the store, and a
 *  service starts again from it; so running out of memory needs no other care.
 */
#ifndef MUSUBI_MUST_H
#define MUSUBI_MUST_H

#include <stdarg.h>
#include <stdio.h>
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

/*  A text, to be freed. */
__attribute__ ((format (printf, 1, 2))) static inline char *must_print (const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start (arguments, format);
    int length = vasprintf (&text, format, arguments);
    va_end (arguments);
    return must (length < 0 ? NULL : text);
}

#endif
