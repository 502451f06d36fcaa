/*  phases - where each phase of an errand begins; reserve.c makes steps of them. None is called but
 * through errand_go.
 */
#ifndef MUSUBI_PHASES_H
#define MUSUBI_PHASES_H

#include "errand.h"

errand_step_fn errand_locate;                                          /* change.c */
errand_step_fn errand_plan;                                            /* planning.c */
errand_step_fn errand_vote, errand_again;                              /* voting.c */
errand_step_fn errand_late, errand_give_up, errand_doubt, errand_look; /* closing.c */

#endif
