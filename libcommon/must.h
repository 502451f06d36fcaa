/*  must - memory that is there, or the end of the process. Every promise is in the store, and a
 *  service starts again from it; so running out of memory needs no other care.
 */
#ifndef MUSUBI_MUST_H
#define MUSUBI_MUST_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

#define GROW_ROOM_LEAST 8

/*  A list of count elements of that size, with room for one more. */
static inline void *must_grow (void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    *room = *room > 0 ? 2 * *room : GROW_ROOM_LEAST;
    return must (reallocarray (list, *room, size));
}

/*  What a function was asked to say by a format and …, in so many bytes; as vsnprintf. */
#define format_rest(to, bytes, format)                                                             \
    do {                                                                                           \
        va_list rest;                                                                              \
        va_start (rest, format);                                                                   \
        vsnprintf (to, bytes, format, rest);                                                       \
        va_end (rest);                                                                             \
    } while (0)

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

/*  Memory that is freed where its block ends, as jansson's json_auto_t is: of any type, and texts.
 *  clang-tidy does not see that: what is given to functions of the system alone is freed by
 *  hand. */
static inline void memory_free (void *pointer)
{
    void *memory;
    memcpy (&memory, pointer, sizeof memory);
    free (memory);
}

#define memory_auto __attribute__ ((cleanup (memory_free)))
#define text_auto_t memory_auto char

/*  A file that was read, closed where its block ends. */
static inline void stream_close (FILE **file)
{
    if (*file)
        fclose (*file);
}

#define file_auto_t FILE __attribute__ ((cleanup (stream_close)))

/*  A descriptor, unless it is none (below 0): closed, and errno stays. */
static inline void descriptor_close (int *file)
{
    int error = errno;
    if (*file >= 0)
        close (*file);
    *file = -1;
    errno = error;
}

#define descriptor_auto_t int __attribute__ ((cleanup (descriptor_close)))

#endif
