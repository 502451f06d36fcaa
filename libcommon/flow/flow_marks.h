/*  flow_marks - the file of marks beside a file: a head, and a row for each of the file's chunks,
 *  the last and shorter one too.
 *
 *      head:  "MUSUBI marks 2" zeros [34]
 *      row:   mark [32]   SHA-256 of all bytes up to the end of the chunk
 *             check u64   XXH3 of the chunk's own bytes, so that it can be judged behind a bad one
 *             bad u64     1 = the last proof found that its bytes are not those of the check
 *
 *  A file without this head has no marks; the next proof of its file makes it anew.
 */
#ifndef MUSUBI_FLOW_MARKS_H
#define MUSUBI_FLOW_MARKS_H

#include "flow.h"

typedef struct {
    uint8_t mark [FLOW_DIGEST_BYTES];
    uint64_t check;
    bool bad;
} flow_mark_t;

/*  Has the file this head? */
bool flow_marks_right (int file);

/*  Empties the file, and writes the head; false with errno. */
bool flow_marks_begin (int file);

/*  Opens them; with O_CREAT they are begun. -1 when there are none, or no right ones. */
int flow_marks_open (const char *path, int flags);

/*  The row of the chunk that ends at, or in which is, the byte before this offset (1 = the first
 *  byte's). False when there is none. */
bool flow_marks_get (int file, uint64_t at, flow_mark_t *mark);
bool flow_marks_put (int file, uint64_t at, const flow_mark_t *mark);

#endif
