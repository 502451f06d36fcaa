/*  any_site - which site is best for a bag: where its first task can begin soonest, its inputs
 *  brought; of alike ones the cheapest (S2: where a job runs and how its data gets there are decided
 *  together).
 */
#ifndef MUSUBI_ANY_SITE_H
#define MUSUBI_ANY_SITE_H

#include "session.h"

/*  Asks all sites that run tasks what they expect of the submission, and those that keep files how
 *  soon its inputs (task_inputs) could be there; says on standard error what each has told. NULL when none takes
 *  it, with *code. */
const json_t *any_site (session_t *session, const json_t *question, const json_t *staging,
                        int *code);

#endif
