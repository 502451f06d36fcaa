/*  allocations - what a home tells a participant that has lost its store about the promises it made
 *  (T14).
 *
 *  For each committed claim whose plan names this participant, the plan and the answer are told;
 *  for each claim that is voted for and in doubt, that it exists. A claim that a repair has amended
 *  is told to every participant, because others than its plan says may keep parts of it (T10).
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
