/*  bundle - messages to one peer that leave as one (proto/bus.proto). What was received is read in
 *  place.
 *
 *  One alone leaves as [header] [body], as if there were no bundles.
 */
#ifndef MUSUBI_BUNDLE_H
#define MUSUBI_BUNDLE_H

#include "bytes.h"

#define BUNDLE_BYTES_MAX 65536 /* of one as it travels; a larger message leaves alone */

/*  All zero at first. */
typedef struct {
    uint8_t *bytes; /* as they travel */
    size_t size;
    size_t room;
    size_t count;       /* of messages */
    size_t header_size; /* of the first */
} bundle_t;

/*  Frees what it has; it is empty afterwards. */
void bundle_clear (bundle_t *self);

/*  Copies a message, or all messages of another bundle, behind those that are in. False, and
 *  nothing done, when it is too full; an empty one takes any. */
bool bundle_add (bundle_t *self, bytes_t header, bytes_t body);
bool bundle_join (bundle_t *self, const bundle_t *other);

/*  The last frames of a message whose address was sent before. Returns the bytes of these frames;
 *  the bundle is empty afterwards. */
size_t bundle_send (bundle_t *self, void *socket);

/*  Is this frame a bundle? Then *rest is what bundle_next reads. */
bool bundle_open (bytes_t frame, bytes_t *rest);

/*  Its next message, in *rest's bytes. False, with an empty *rest, when what is left is not one. */
bool bundle_next (bytes_t *rest, bytes_t *header, bytes_t *body);

#endif
