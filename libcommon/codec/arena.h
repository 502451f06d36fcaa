/*  arena - memory for one message and what it points to: taken bit by bit, given back all at once.
 *  What is small never leaves the stack.
 */
#ifndef MUSUBI_ARENA_H
#define MUSUBI_ARENA_H

#include <protobuf-c/protobuf-c.h>

#include <stdalign.h>
#include <stdint.h>

#define ARENA_FIRST_BYTES 2048

typedef struct {
    ProtobufCAllocator allocator; /* for protobuf-c: takes from here, frees nothing */
    uint8_t *at;
    size_t left;
    void *chunks;
    size_t chunk_bytes; /* of the next one */
    alignas (16) uint8_t first [ARENA_FIRST_BYTES];
} arena_t;

/*  It stays where it is until arena_end. */
void arena_init (arena_t *self);
void arena_end (arena_t *self);

/*  One for the rest of its block. */
#define ARENA(name)                                                                                \
    arena_t name __attribute__ ((cleanup (arena_end)));                                            \
    arena_init (&(name))

/*  Aligned for anything, not zeroed; never NULL. */
void *arena_take (arena_t *self, size_t size);

#endif
