/*  repair_answer - what a request is answered once a repair has come to its end (T10, T2): composed
 *  from the records of those who have part in the reservation, not from memory, so that whoever
 *  ends the repair can do it.
 */
#ifndef MUSUBI_REPAIR_ANSWER_H
#define MUSUBI_REPAIR_ANSWER_H

#include "answer.h"
#include "directory.h"
#include "locate.h"

/*  The reservation as it stands: version, places, paths, start and end, cost. */
void repair_answer_standing (const directory_t *directory, const locate_t *locate,
                             answer_t *answer);

#endif
