/*  segments - files beside the store, each with a closed range of the ledger's rows (segment.h).
 *
 *  A file is written under another name, flushed, and renamed; it is never changed. Its checksum
 *  covers all of it (disk-format.md). One that is gone, cut or damaged is passed over, with an
 *  alarm that names it and its rows. Locks itself: one thread may write while another reads. */
#ifndef MUSUBI_SEGMENTS_H
#define MUSUBI_SEGMENTS_H

#include "segment.h"

typedef struct segments segments_t;

/*  Of the store in this folder; what is no segment there is passed over. */
segments_t *segments_open (const char *store_folder);
void segments_close (segments_t **self_p);

/*  Carries out a SEGMENT_WORK: true once all of it is flushed. The result is to be freed, a
 *  sentence why when it is false. */
bool segments_work (segments_t *self, bytes_t arguments, uint8_t **result, size_t *result_size);

/*  The rows of the first segment that holds some from one number on and before another: to be
 *  freed; no data when there is none. */
packed_t segments_find (segments_t *self, uint64_t from, uint64_t before);

/*  Another store was here before: its segments go to a folder that is named by the new one's id. */
bool segments_put_aside (const char *store_folder, const uint8_t id [STORE_ID_BYTES]);

#endif
