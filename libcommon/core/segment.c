/*  segment - rows behind each other, each with its number and its size before it. */
#include "segment.h"

#include "must.h"

#include <assert.h>

#define SIZE_BYTES 4
#define HEAD_BYTES (SEGMENT_KEY_BYTES + SIZE_BYTES)

packed_t segment_order (uint64_t kept_from, const row_t *rows, size_t count)
{
    size_t size = SEGMENT_ORDER_BYTES;
    for (size_t i = 0; i < count; i++)
        size += HEAD_BYTES + rows [i].value.size;
    packed_t packed = {.data = must (malloc (size)), .size = size};
    uint8_t *to = packed.data;
    number_put (to, kept_from, SEGMENT_ORDER_BYTES);
    to += SEGMENT_ORDER_BYTES;
    for (size_t i = 0; i < count; i++) {
        assert (rows [i].key.size == SEGMENT_KEY_BYTES);
        memcpy (to, rows [i].key.data, SEGMENT_KEY_BYTES);
        number_put (to + SEGMENT_KEY_BYTES, rows [i].value.size, SIZE_BYTES);
        memcpy (to + HEAD_BYTES, rows [i].value.data, rows [i].value.size);
        to += HEAD_BYTES + rows [i].value.size;
    }
    return packed;
}

bool segment_take (bytes_t *rows, row_t *row)
{
    if (rows->size < HEAD_BYTES)
        return false;
    size_t size = number_get (rows->data + SEGMENT_KEY_BYTES, SIZE_BYTES);
    if (rows->size - HEAD_BYTES < size)
        return false;
    *row = (row_t){.key = {.data = rows->data, .size = SEGMENT_KEY_BYTES},
                   .value = {.data = rows->data + HEAD_BYTES, .size = size}};
    rows->data += HEAD_BYTES + size;
    rows->size -= HEAD_BYTES + size;
    return true;
}

uint64_t segment_number (bytes_t key)
{
    return key.size == SEGMENT_KEY_BYTES ? number_get (key.data, SEGMENT_KEY_BYTES) : 0;
}

size_t segment_page (bytes_t bytes, const read_order_t *order, uint64_t before, row_t *rows)
{
    size_t count = 0;
    size_t used = 0;
    uint64_t from = segment_number (order->from);
    for (row_t row; count < order->most && segment_take (&bytes, &row);) {
        uint64_t number = segment_number (row.key);
        if (number < from)
            continue;
        used += row.key.size + row.value.size;
        if (number >= before || (count > 0 && used > order->bytes))
            break;
        rows [count++] = row;
    }
    return count;
}
