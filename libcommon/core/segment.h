/*  segment - rows of the ledger that leave the store for a file beside it, as one piece of bytes.
 *
 *  A core orders the work SEGMENT_WORK. When it has ended well, the rows are in a segment for good
 *  and the core deletes them from the store; until then they are in both, and the store's count.
 *  EFFECT_READ of TABLE_LEDGER shows rows of both, unless store_alone is set.
 *
 *      the order's arguments:      the result:
 *      +-----------+---------+     +---------------------+
 *      | kept_from | rows    |     | bytes, all segments |
 *      +-----------+---------+     +---------------------+
 *        8 bytes                     8 bytes
 *
 *      each row:
 *      +--------+------+-------+
 *      | number | size | value |   numbers ascend without gaps
 *      +--------+------+-------+
 *        8        4
 *
 *  Segments that end before kept_from are deleted. Without rows nothing is written. All numbers
 *  are in network order. Pure. */
#ifndef MUSUBI_SEGMENT_H
#define MUSUBI_SEGMENT_H

#include "codec.h"
#include "core.h"

#define SEGMENT_WORK        "ledger-segment"
#define SEGMENT_ROWS        1024                 /* in one, unless told otherwise */
#define SEGMENT_BYTES       ((uint32_t) 4 << 20) /* of rows in one; one row always fits */
#define SEGMENT_KEY_BYTES   8                    /* of a row's number, which is its key */
#define SEGMENT_ORDER_BYTES 8                    /* before the rows */
#define SEGMENT_BYTES_BYTES 8                    /* of the result */

/*  The arguments of an order, to be freed. Keys are row numbers. */
packed_t segment_order (uint64_t kept_from, const row_t *rows, size_t count);

/*  Takes the next row off, as a view of the bytes; false at the end, or when the rest is no row. */
bool segment_take (bytes_t *rows, row_t *row);

/*  The number of a row; 0 when its key is none. */
uint64_t segment_number (bytes_t key);

/*  Fills rows, of which there is room for order->most, with those from order->from on and before a
 *  number, as EFFECT_READ does. Returns how many; they are views of the bytes. */
size_t segment_page (bytes_t bytes, const read_order_t *order, uint64_t before, row_t *rows);

#endif
