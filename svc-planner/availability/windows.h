/*  windows - what to ask those who disclose windows only (S4): some start times, and at each of
 *  them every quantity that a plan may want of a class or link.
 *
 *  Several network needs may share a link, so their sums are asked, too. All who are asked about
 *  windows are asked about the same start times, so that what fits here can be met by what fits
 *  there: the first and the last of the frame among them, the others at equal distances, as many as
 *  the one with the most to ask has room for.
 */
#ifndef MUSUBI_WINDOWS_H
#define MUSUBI_WINDOWS_H

#include "calendar_wire.h"
#include "snapshot.h"

/*  Calendar.Windows: does each fit? */
packed_t windows_encode (const window_question_t *windows, size_t count, const char *reservation);

/*  One answer for each window asked; else false with why. */
bool windows_decode (bytes_t body, bool *fits, size_t count, char why [WHY_BYTES]);

/*  How many start times to ask about; at least one. */
size_t windows_starts (const snapshot_t *snapshot, const starts_t *starts);

/*  The k-th of so many start times. */
int64_t windows_start (const starts_t *starts, size_t starts_count, size_t k);

/*  The windows of one source at so many start times, from now on. The caller frees the list. */
window_question_t *windows_choose (snapshot_t *snapshot, const starts_t *starts,
                                   size_t starts_count, int64_t now_ms, size_t source,
                                   size_t *count);

#endif
