/*  limits_trial - do the limits that are configured refuse? Tried at each start.
 *
 *  A limit that is set and not enforced looks like one that is. So before it serves, each service
 *  that votes makes a participant with a throwaway resource inside itself, brings it up to each of
 *  its limits, and asks for one more. Pure; some tens of microseconds.
 */
#ifndef MUSUBI_LIMITS_TRIAL_H
#define MUSUBI_LIMITS_TRIAL_H

#include "participant.h"
#include "timetable.h"

/*  bookings NULL: a service whose resource has no quantities. False with why, which names the
 *  limit: the service must not serve then. */
bool limits_trial (const participant_limits_t *limits, const timetable_limits_t *bookings,
                   char why [WHY_BYTES]);

/*  Says so in the service's log when it starts, for one that has passed. */
void limits_trial_tell (service_t *service);

/*  What Service.Status shows; bookings NULL as above. */
void limits_show (service_t *service, const participant_limits_t *limits,
                  const timetable_limits_t *bookings);

#endif
