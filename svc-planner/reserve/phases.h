/*  phases - where each phase of a pending request begins; reserve.c makes steps of them. None is
 *  called but through pending_go.
 */
#ifndef MUSUBI_PHASES_H
#define MUSUBI_PHASES_H

#include "pending.h"

pending_step_fn pending_locate;                                             /* change.c */
pending_step_fn pending_plan;                                               /* planning.c */
pending_step_fn pending_vote, pending_again, pending_next;                  /* voting.c */
pending_step_fn pending_late, pending_give_up, pending_doubt, pending_look; /* refuse.c */

#endif
