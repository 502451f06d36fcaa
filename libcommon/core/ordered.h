/*  ordered - things kept in the order of their keys.
 *
 *  For tables that are looked up by key and walked in key order, whatever order their things came
 *  in. A key is part of its thing and must not change while it is in. Adding, finding and removing
 *  cost the logarithm of the count. One thread at a time.
 */
#ifndef MUSUBI_ORDERED_H
#define MUSUBI_ORDERED_H

#include <stddef.h>

typedef struct ordered ordered_t;

/*  Below zero, zero, above zero: key is before, equal to, after the thing's own key. */
typedef int ordered_compare_fn (const void *key, const void *thing);

ordered_t *ordered_new (ordered_compare_fn *compare);

/*  The key is a member of each thing, at this offset: a text, a uint64_t, or size bytes, which
 *  sort by memcmp. */
ordered_t *ordered_by_text (size_t at);
ordered_t *ordered_by_number (size_t at);
ordered_t *ordered_by_bytes (size_t at, size_t size);

/*  Ends the order, not the things in it. */
void ordered_destroy (ordered_t **self_p);

/*  Ends the things, too, in their order. */
void ordered_end (ordered_t **self_p, void (*end) (void *thing));

/*  key is the thing's own; nothing with an equal key may be in. */
void ordered_add (ordered_t *self, const void *key, void *thing);

/*  NULL when there is none. */
void *ordered_find (const ordered_t *self, const void *key);

/*  Takes the thing out and hands it over; NULL when there is none. */
void *ordered_remove (ordered_t *self, const void *key);

/*  The first thing whose key is greater than key; the very first for NULL. NULL at the end. */
void *ordered_after (const ordered_t *self, const void *key);

/*  The one after a thing that is in, the very first for NULL: for those whose keys are members. */
void *ordered_next (const ordered_t *self, const void *thing);

size_t ordered_count (const ordered_t *self);

#endif
