/*  ledger_file - a ledger saved as a file, for archives and for rebuilding a lost store.
 *
 *      0                       16          32
 *      +-----------------------+-----------+--------+-----+--------+-----+-----+---+
 *      | "musubi ledger 1\n"   | store id  | length | row | length | row | ... | 0 |
 *      +-----------------------+-----------+--------+-----+--------+-----+-----+---+
 *                                           4 bytes, network order
 *
 *  Rows are as stored, ascending, so that their digests can be checked. The length 0 marks the end:
 *  without it a copy that was cut between two rows would look whole. */
#ifndef MUSUBI_LEDGER_FILE_H
#define MUSUBI_LEDGER_FILE_H

#include "ledger.h"

#include <stdio.h>

/*  A new file; NULL with errno. Close it by ledger_file_end, which says whether all was written. */
FILE *ledger_file_new (const char *path, const uint8_t store [STORE_ID_BYTES]);
void ledger_file_row (FILE *file, bytes_t row);

/*  To the disk. False with errno. Without its end when not all rows are in it. */
bool ledger_file_end (FILE *file, bool whole);

/*  Hands each row to take. False with why ("at byte 512: …"); rows before that were handed over. */
bool ledger_file_read (const char *path, uint8_t store [STORE_ID_BYTES],
                       void (*take) (void *owner, bytes_t row), void *owner, char why [WHY_BYTES]);

#endif
