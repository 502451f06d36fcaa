/*  bytes - bytes that are borrowed, and how large the things are that hold them. */
#ifndef MUSUBI_BYTES_H
#define MUSUBI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STORE_ID_BYTES       16
#define NAME_BYTES_MAX       63  /* names of actors, services, needs, classes; without the NUL */
#define REQUEST_ID_BYTES_MAX 127 /* ID@HOME */
#define BODY_BYTES_MAX       (1u << 20) /* a message body */
#define TASK_FILES_MAX       64         /* inputs of a task, and as many outputs */
#define WHY_BYTES            256        /* of a sentence why not, with its NUL */
#define LONG_WHY_BYTES       512        /* of one that names a file or a command besides */
#define RECORD_BYTES_MAX     (BODY_BYTES_MAX + 65536) /* what is kept of one, with what is added */

/*  Bytes borrowed from whoever hands them over; see there for how long. */
typedef struct {
    const uint8_t *data;
    size_t size;
} bytes_t;

/*  Without its NUL. */
static inline bytes_t text_bytes (const char *text)
{
    return (bytes_t){.data = (const uint8_t *) text, .size = strlen (text)};
}

/*  The first thing of a list that begins with this text; NULL when there is none. */
static inline void *list_find (const void *list, size_t count, size_t size, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp ((const char *) list + i * size, text) == 0)
            return (char *) list + i * size;
    return NULL;
}

/*  For qsort: the order of sizes, and of times or amounts. */
static inline int size_compare (const void *a, const void *b)
{
    size_t one = *(const size_t *) a, other = *(const size_t *) b;
    return (one > other) - (one < other);
}

static inline int amount_compare (const void *a, const void *b)
{
    int64_t one = *(const int64_t *) a, other = *(const int64_t *) b;
    return (one > other) - (one < other);
}

/*  Big-endian in so many bytes, so that memcmp sorts keys as numbers. */
static inline void number_put (uint8_t *to, uint64_t number, size_t bytes)
{
    for (size_t i = bytes; i-- > 0; number >>= 8)
        to [i] = (uint8_t) number;
}

static inline uint64_t number_get (const uint8_t *from, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | from [i];
    return number;
}

#endif
