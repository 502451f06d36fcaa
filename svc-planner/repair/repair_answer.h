/*  repair_answer - the answer to a request whose repair has ended (T10, T2). It is made from the
 *  participants' records and not from memory, so that any planner that ends the repair can make it.
 */
#ifndef MUSUBI_REPAIR_ANSWER_H
#define MUSUBI_REPAIR_ANSWER_H

#include "answer.h"
#include "directory.h"
#include "locate.h"

/*  Fill in the reservation as it is now: version, places, paths, start and end, cost. */
void repair_answer_standing (const directory_t *directory, const locate_t *locate,
                             answer_t *answer);

#endif
