/*  ordered - a sorted list of sorted chunks.
 *
 *  Two binary searches find anything: one over the chunks' first things, one inside a chunk. A full
 *  chunk is split in two, a sparse one joins its successor. No node per thing: eight to sixteen
 *  bytes each, and walking in order is walking through memory in order.
 */
#include "ordered.h"
#include "must.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_THINGS 256

typedef struct {
    size_t count; /* never 0 */
    void *things [CHUNK_THINGS];
} chunk_t;

typedef struct {
    size_t chunk;
    size_t at;
} ordered_position_t;

struct ordered {
    ordered_compare_fn *compare; /* NULL: the keys stand */
    size_t key_at;               /* there in a thing, */
    size_t key_size;             /* so many bytes; 0 = texts, */
    bool numbers;                /* or numbers */
    chunk_t **chunks;
    size_t chunks_count;
    size_t chunks_room;
    size_t count;
    ordered_position_t *walked; /* where a walk stands: at what ordered_after returned last */
};

ordered_t *ordered_new (ordered_compare_fn *compare)
{
    ordered_t *self = must (calloc (1, sizeof *self));
    self->compare = compare;
    self->walked = must (calloc (1, sizeof *self->walked));
    return self;
}

ordered_t *ordered_by_text (size_t at)
{
    return ordered_by_bytes (at, 0);
}

ordered_t *ordered_by_bytes (size_t at, size_t size)
{
    ordered_t *self = ordered_new (NULL);
    self->key_at = at;
    self->key_size = size;
    return self;
}

ordered_t *ordered_by_number (size_t at)
{
    ordered_t *self = ordered_by_bytes (at, 0);
    self->numbers = true;
    return self;
}

static int number_compare (const uint64_t *a, const uint64_t *b)
{
    return (*a > *b) - (*a < *b);
}

static int ordered_compare (const ordered_t *self, const void *key, const void *thing)
{
    if (self->compare)
        return self->compare (key, thing);
    const void *own = (const char *) thing + self->key_at;
    if (self->numbers)
        return number_compare (key, own);
    return self->key_size > 0 ? memcmp (key, own, self->key_size) : strcmp (key, own);
}

void ordered_end (ordered_t **self_p, void (*end) (void *thing))
{
    const ordered_t *self = *self_p;
    for (size_t i = 0; self && i < self->chunks_count; i++)
        for (size_t k = 0; k < self->chunks [i]->count; k++)
            end (self->chunks [i]->things [k]);
    ordered_destroy (self_p);
}

void ordered_destroy (ordered_t **self_p)
{
    ordered_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->chunks_count; i++)
        free (self->chunks [i]);
    free (self->chunks);
    free (self->walked);
    free (self);
    *self_p = NULL;
}

size_t ordered_count (const ordered_t *self)
{
    return self->count;
}

/*  The chunk where key is or belongs: the last one that does not start after it. */
static size_t chunk_for (const ordered_t *self, const void *key)
{
    size_t low = 0;
    size_t high = self->chunks_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (ordered_compare (self, key, self->chunks [middle]->things [0]) < 0)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/*  First place whose thing is not before key; true when it is equal. */
static bool ordered_place_find (const ordered_t *self, const void *key, ordered_position_t *place)
{
    *place = (ordered_position_t){0};
    if (self->chunks_count == 0)
        return false;
    const chunk_t *chunk = self->chunks [self->chunks_count - 1];
    *place = (ordered_position_t){self->chunks_count - 1, chunk->count};
    if (ordered_compare (self, key, chunk->things [chunk->count - 1]) > 0)
        return false; /* behind all, as records come at a start */
    place->chunk = chunk_for (self, key);
    chunk = self->chunks [place->chunk];
    size_t low = 0;
    size_t high = chunk->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int sign = ordered_compare (self, key, chunk->things [middle]);
        if (sign == 0) {
            place->at = middle;
            return true;
        }
        if (sign < 0)
            high = middle;
        else
            low = middle + 1;
    }
    place->at = low;
    return false;
}

static void chunk_insert (ordered_t *self, size_t at, chunk_t *chunk)
{
    self->chunks =
      must_grow (self->chunks, self->chunks_count, &self->chunks_room, sizeof (chunk_t *));
    memmove (&self->chunks [at + 1], &self->chunks [at],
             (self->chunks_count - at) * sizeof (chunk_t *));
    self->chunks [at] = chunk;
    self->chunks_count++;
}

static void chunk_remove (ordered_t *self, size_t at)
{
    free (self->chunks [at]);
    self->chunks_count--;
    memmove (&self->chunks [at], &self->chunks [at + 1],
             (self->chunks_count - at) * sizeof (chunk_t *));
}

/*  Room at the place, which may move to another chunk. At the end of all, a new chunk is begun
 *  instead of splitting: keys that come in order fill their chunks. */
static void ordered_make_room (ordered_t *self, ordered_position_t *place)
{
    if (self->chunks_count == 0) {
        chunk_insert (self, 0, must (calloc (1, sizeof (chunk_t))));
        return;
    }
    chunk_t *chunk = self->chunks [place->chunk];
    if (chunk->count < CHUNK_THINGS)
        return;
    bool last = place->chunk + 1 == self->chunks_count && place->at == CHUNK_THINGS;
    size_t keep = last ? CHUNK_THINGS : CHUNK_THINGS / 2;
    chunk_t *next = must (calloc (1, sizeof *next));
    next->count = CHUNK_THINGS - keep;
    memcpy (next->things, &chunk->things [keep], next->count * sizeof (void *));
    chunk->count = keep;
    chunk_insert (self, place->chunk + 1, next);
    if (place->at > keep || last) {
        place->chunk++;
        place->at -= keep;
    }
}

void ordered_add (ordered_t *self, const void *key, void *thing)
{
    assert (thing && ordered_compare (self, key, thing) == 0);
    ordered_position_t place;
    bool present = ordered_place_find (self, key, &place);
    assert (!present);
    ordered_make_room (self, &place);
    chunk_t *chunk = self->chunks [place.chunk];
    memmove (&chunk->things [place.at + 1], &chunk->things [place.at],
             (chunk->count - place.at) * sizeof (void *));
    chunk->things [place.at] = thing;
    chunk->count++;
    self->count++;
}

void *ordered_find (const ordered_t *self, const void *key)
{
    ordered_position_t place;
    return ordered_place_find (self, key, &place) ? self->chunks [place.chunk]->things [place.at]
                                                  : NULL;
}

void *ordered_remove (ordered_t *self, const void *key)
{
    ordered_position_t place;
    if (!ordered_place_find (self, key, &place))
        return NULL;
    chunk_t *chunk = self->chunks [place.chunk];
    void *thing = chunk->things [place.at];
    chunk->count--;
    self->count--;
    memmove (&chunk->things [place.at], &chunk->things [place.at + 1],
             (chunk->count - place.at) * sizeof (void *));
    if (chunk->count == 0) {
        chunk_remove (self, place.chunk);
    } else if (place.chunk + 1 < self->chunks_count) {
        chunk_t *next = self->chunks [place.chunk + 1];
        if (chunk->count + next->count <= CHUNK_THINGS / 2) {
            memcpy (&chunk->things [chunk->count], next->things, next->count * sizeof (void *));
            chunk->count += next->count;
            chunk_remove (self, place.chunk + 1);
        }
    }
    return thing;
}

/*  The thing at a place, or behind the end of its chunk; a walk goes on from there. */
static void *walk_to (const ordered_t *self, ordered_position_t place)
{
    if (place.at == self->chunks [place.chunk]->count)
        place = (ordered_position_t){.chunk = place.chunk + 1};
    *self->walked = place;
    return place.chunk < self->chunks_count ? self->chunks [place.chunk]->things [place.at] : NULL;
}

/*  Is key that of the thing returned last, still in its place? Then no search is needed. */
static bool walks_on (const ordered_t *self, const void *key)
{
    const ordered_position_t *at = self->walked;
    return at->chunk < self->chunks_count && at->at < self->chunks [at->chunk]->count &&
           (const char *) self->chunks [at->chunk]->things [at->at] + self->key_at == key;
}

void *ordered_after (const ordered_t *self, const void *key)
{
    if (self->chunks_count == 0)
        return NULL;
    ordered_position_t place = {0};
    if (key && walks_on (self, key))
        place = (ordered_position_t){self->walked->chunk, self->walked->at + 1};
    else if (key && ordered_place_find (self, key, &place))
        place.at++;
    return walk_to (self, place);
}

void *ordered_next (const ordered_t *self, const void *thing)
{
    assert (!self->compare);
    return ordered_after (self, thing ? (const char *) thing + self->key_at : NULL);
}
