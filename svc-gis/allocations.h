/*  allocations - what a home keeps of a participant's promises, for one that has lost its store
 *  (T14).
 *
 *  Of each claim that was committed, and whose plan has this participant in its list, the plan and
 *  the answer are told; of those that were voted for and are in doubt, that they are. What a repair
 *  put in the place of a plan may be kept by others than that plan says, so it is told to everybody
 *  (T10).
 */
#ifndef MUSUBI_ALLOCATIONS_H
#define MUSUBI_ALLOCATIONS_H

#include "participant.h"

typedef struct allocations allocations_t;

/*  Serves Home.Allocations. Everything is borrowed for life. */
allocations_t *allocations_new (service_t *service, participant_t *participant,
                                const access_t *access);
void allocations_destroy (allocations_t **self_p);

#endif
