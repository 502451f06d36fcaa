/*  phases - the first function of each step of a pending request, for the table in reserve.c. They
 *  are called by pending_go alone.
 */
#ifndef MUSUBI_PHASES_H
#define MUSUBI_PHASES_H

#include "pending.h"

pending_step_fn pending_locate;                                             /* change.c */
pending_step_fn pending_plan, pending_next;                                 /* planning.c */
pending_step_fn pending_vote, pending_again;                                /* voting.c */
pending_step_fn pending_late, pending_give_up, pending_doubt, pending_look; /* refuse.c */

#endif
