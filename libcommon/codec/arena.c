/*  arena - a bump of a pointer, in chunks that double. */
#include "arena.h"

#include "must.h"

#define ALIGNMENT 16

static void *arena_bytes (void *owner, size_t size)
{
    return arena_take (owner, size);
}

static void free_nothing (void *owner, void *memory)
{
    (void) owner;
    (void) memory;
}

void arena_init (arena_t *self)
{
    self->allocator =
      (ProtobufCAllocator){.alloc = arena_bytes, .free = free_nothing, .allocator_data = self};
    self->at = self->first;
    self->left = sizeof self->first;
    self->chunks = NULL;
    self->chunk_bytes = 2 * sizeof self->first;
}

void arena_end (arena_t *self)
{
    while (self->chunks) {
        void *chunk = self->chunks;
        memcpy (&self->chunks, chunk, sizeof self->chunks); /* the one before */
        free (chunk);
    }
}

/*  A new chunk begins with where the one before is. */
static void grow (arena_t *self, size_t size)
{
    size_t room = size > self->chunk_bytes ? size : self->chunk_bytes;
    uint8_t *chunk = must (malloc (ALIGNMENT + room));
    memcpy (chunk, &self->chunks, sizeof self->chunks);
    self->chunks = chunk;
    self->at = chunk + ALIGNMENT;
    self->left = room;
    self->chunk_bytes = 2 * room;
}

void *arena_take (arena_t *self, size_t size)
{
    size_t taken = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (taken > self->left)
        grow (self, taken);
    void *memory = self->at;
    self->at += taken;
    self->left -= taken;
    return memory;
}
