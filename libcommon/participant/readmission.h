/*  readmission - a participant that has lost its store, or whose backup was adopted, books again
 *  what it had promised (T14).
 *
 *  The promises are found in the claims of the homes: the answer of a committed claim tells the
 *  whole allocation. Every home of the federation's list is asked, page by page, and of each
 *  reservation the highest version counts. What is released or over, and what is still known here
 *  in that version, is left alone. All else is booked as it is told; what can't be booked raises an
 *  alarm that names the reservation and its owner. Until that is done no holds are granted.
 *
 *  A home that does not answer is waited for, and so is the decision of a transaction for which the
 *  lost store had voted. Service.Status tells what is waited for. A crash on the way repeats all of
 *  it, because the directories are told of the new store only at the end (restore_guard_settled).
 *  What only a home knew that has lost its store, too, stays lost. Pure.
 */
#ifndef MUSUBI_READMISSION_H
#define MUSUBI_READMISSION_H

#include "participant.h"

#define READMISSION_AGAIN_MS  1000 /* between two rounds, while something is missing */
#define READMISSION_ASK_MS    2000 /* for one page, each of */
#define READMISSION_ASK_TRIES 3

struct answer; /* answer.h */

/*  The part that this answer books here, packed as the participant understands it; size 0 =
 *  nothing. False with why when that can't be told any more. */
typedef bool readmission_part_fn (void *owner, const struct answer *answer, packed_t *part,
                                  char why [WHY_BYTES]);

typedef struct readmission readmission_t;

/*  Waits until restore_guard says that a store was lost. Everything is borrowed for life. Counts
 *  readmitted and readmission_failed. */
readmission_t *readmission_new (service_t *service, participant_t *participant,
                                readmission_part_fn *part, void *owner);
/*  Nothing is booked again before known says that it is known how much there is; NULL, or what is
 *  waited for. */
typedef const char *readmission_known_fn (void *owner);
void readmission_when (readmission_t *self, readmission_known_fn *known, void *owner);
void readmission_destroy (readmission_t **self_p);

#endif
