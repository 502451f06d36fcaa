/*  bundle - [0] and for each message [size of its header, 4 bytes] [size of its body, 4] [header]
 *  [body]. No header begins with a zero byte: protobuf has no field 0.
 */
#include "bundle.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <zmq.h>

#define MARK_BYTES  1
#define SIZE_BYTES  4
#define SIZES_BYTES (2 * (size_t) SIZE_BYTES)

void bundle_clear (bundle_t *self)
{
    free (self->bytes);
    *self = (bundle_t){0};
}

/*  So many bytes more at its end; NULL when it is too full for them. */
static uint8_t *bundle_grow (bundle_t *self, size_t bytes, size_t count, size_t header_size)
{
    if (self->count == 0) {
        self->size = MARK_BYTES;
        self->header_size = header_size;
    } else if (self->size + bytes > BUNDLE_BYTES_MAX)
        return NULL;
    if (self->size + bytes > self->room) {
        self->room = 2 * self->room > self->size + bytes ? 2 * self->room : self->size + bytes;
        self->bytes = must (realloc (self->bytes, self->room));
        self->bytes [0] = 0;
    }
    self->size += bytes;
    self->count += count;
    return self->bytes + self->size - bytes;
}

bool bundle_add (bundle_t *self, bytes_t header, bytes_t body)
{
    uint8_t *to = bundle_grow (self, SIZES_BYTES + header.size + body.size, 1, header.size);
    if (!to)
        return false;
    number_put (to, header.size, SIZE_BYTES);
    number_put (to + SIZE_BYTES, body.size, SIZE_BYTES);
    memcpy (to + SIZES_BYTES, header.data, header.size);
    if (body.size > 0)
        memcpy (to + SIZES_BYTES + header.size, body.data, body.size);
    return true;
}

bool bundle_join (bundle_t *self, const bundle_t *other)
{
    assert (other->count > 0);
    size_t size = other->size - MARK_BYTES;
    uint8_t *to = bundle_grow (self, size, other->count, other->header_size);
    if (to)
        memcpy (to, other->bytes + MARK_BYTES, size);
    return to;
}

size_t bundle_send (bundle_t *self, void *socket)
{
    assert (self->count > 0);
    const uint8_t *first = self->bytes + MARK_BYTES + SIZES_BYTES;
    size_t size = self->count > 1 ? self->size : self->size - MARK_BYTES - SIZES_BYTES;
    if (self->count > 1) {
        zmq_send (socket, self->bytes, size, ZMQ_DONTWAIT);
    } else {
        zmq_send (socket, first, self->header_size, ZMQ_SNDMORE | ZMQ_DONTWAIT);
        zmq_send (socket, first + self->header_size, size - self->header_size, ZMQ_DONTWAIT);
    }
    bundle_clear (self);
    return size;
}

bool bundle_open (bytes_t frame, bytes_t *rest)
{
    if (frame.size <= MARK_BYTES || frame.size > BUNDLE_BYTES_MAX || frame.data [0] != 0)
        return false;
    *rest = (bytes_t){.data = frame.data + MARK_BYTES, .size = frame.size - MARK_BYTES};
    return true;
}

bool bundle_next (bytes_t *rest, bytes_t *header, bytes_t *body)
{
    bytes_t from = *rest;
    *rest = (bytes_t){0};
    if (from.size < SIZES_BYTES)
        return false;
    uint64_t head = number_get (from.data, SIZE_BYTES);
    uint64_t size = number_get (from.data + SIZE_BYTES, SIZE_BYTES);
    uint64_t whole = SIZES_BYTES + head + size;
    if (whole > from.size)
        return false;
    *header = (bytes_t){.data = from.data + SIZES_BYTES, .size = head};
    *body = (bytes_t){.data = header->data + head, .size = size};
    *rest = (bytes_t){.data = from.data + whole, .size = from.size - whole};
    return true;
}
