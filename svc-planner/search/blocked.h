/*  blocked - what stands in the way of one connection, were it and its two ends alone. */
#ifndef MUSUBI_BLOCKED_H
#define MUSUBI_BLOCKED_H

#include "search.h"

/*  Could it be had at some start? See search_connection_alone. */
bool connection_alone (const snapshot_t *snapshot, const search_order_t *order, size_t network_need,
                       blocked_t *blocked);

#endif
