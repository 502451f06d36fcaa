/*  windows - what to ask sites and domains that disclose windows only (S4): some start times, and
 *  at each of them every quantity that a plan may want of a class or link.
 *
 *  Several network needs may share a link, so sums of them are asked about, too. All sources are
 *  asked about the same start times, so that what fits at one can go with what fits at another: the
 *  first and the last start of the frame, and others at equal distances between them. There are as
 *  many as the source with the most to ask about has room for.
 */
#ifndef MUSUBI_WINDOWS_H
#define MUSUBI_WINDOWS_H

#include "calendar_wire.h"
#include "snapshot.h"

/*  Calendar.Windows: does each fit? */
packed_t windows_encode (const window_question_t *windows, size_t count, const char *reservation,
                         const char *actor);

/*  fits has one answer for each window asked about. False with why when the answer is not so. */
bool windows_decode (bytes_t body, bool *fits, size_t count, char why [WHY_BYTES]);

/*  How many start times to ask about; at least one. */
size_t windows_starts (const snapshot_t *snapshot, const starts_t *starts);

/*  The k-th of so many start times. */
int64_t windows_start (const starts_t *starts, size_t starts_count, size_t k);

/*  The windows to ask one source about at so many start times; parts before now_ms are left out.
 *  The caller frees the list. */
window_question_t *windows_choose (snapshot_t *snapshot, const starts_t *starts,
                                   size_t starts_count, int64_t now_ms, size_t source,
                                   size_t *count);

#endif
