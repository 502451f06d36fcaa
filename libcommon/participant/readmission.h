/*  readmission - a participant that has lost its store, or was set back and adopted, books again
 *  what it had promised (T14).
 *
 *  The promises it can't remember are in the claims of the homes: the answer of a committed claim
 *  tells the whole allocation. So every home of the federation's list is asked, page by page; of
 *  each reservation the highest version stands. What is released, or over, is left; what it still
 *  knows in that version too. All else is booked as it is told, and what can't be booked is an
 *  alarm that names the reservation and its owner. Until that is done it grants no holds.
 *
 *  A home that is silent is waited for; and so is one where a vote of the lost store is in doubt.
 *  Service.Status tells what it waits for. A crash on the way repeats all of it: the directories
 *  are told of the new store only at the end (restore_guard_settled). What only a home knew that has
 *  lost its store too, stays lost. Pure.
 */
#ifndef MUSUBI_READMISSION_H
#define MUSUBI_READMISSION_H

#include "participant.h"

#define READMISSION_AGAIN_MS  1000 /* between two rounds, while something is missing */
#define READMISSION_ASK_MS    2000 /* for one page, each of */
#define READMISSION_ASK_TRIES 3

/*  What this answer books here, as the packed part that the participant understands; size 0 =
 *  nothing. False with why when that can't be told any more. */
typedef bool readmission_part_fn (void *owner, bytes_t answer, packed_t *part,
                                  char why [WHY_BYTES]);

typedef struct readmission readmission_t;

/*  Waits for standing's word that a store was lost. All is borrowed for life. Counts readmitted and
 *  readmission_failed. */
readmission_t *readmission_new (service_t *service, participant_t *participant,
                                readmission_part_fn *part, void *owner);
void readmission_destroy (readmission_t **self_p);

#endif
