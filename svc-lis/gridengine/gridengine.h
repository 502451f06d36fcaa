/*  gridengine - Grid Engine as a batch_system_t, by the programs that its users have: qconf, qstat,
 *  qmod, qsub, qdel, qrstat. Tried with 8.1.9.
 *
 *      a reservation of ours   a queue of its name on the reserved hosts (S3, section 4), disabled
 *                              until it opens, for the one account; jobs may wait in it before
 *      named                   an advance reservation of its name, of all slots of the site's queue
 *                              on its hosts, until it opens (gridengine_advance)
 *      open                    the instances of all other queues on its hosts are disabled and what
 *                              runs there makes way, both at the last watch before; then its own
 *                              are enabled
 *      a run                   a job of its name
 *      in the way              jobs on its hosts: as its order says they stay, are rescheduled, or
 *                              are deleted where they may not be run again
 *
 *  S3 suspends a job in the way, submits a copy of it and deletes it. A crash between the last two
 *  would leave it there twice, so it is rescheduled here under its own number (qmod -rj), which is
 *  the same to its owner.
 *
 *  The access list of its name also notes what we have disabled and enabled. So what an operator
 *  disables on a host of it is known: the host is drained, and stays so until it is enabled.
 *
 *  Any other letter of the state of the site's instance drains its host, too, but for u (not
 *  heard), and D and C where it has a calendar: that is a booking (gridengine_calendar).
 *
 *  Of other queues nothing but the state of instances is changed, never their configuration. The
 *  queue of a reservation is made from that of the site, needs the forced complex "musubi", which
 *  keeps all jobs out that do not ask for it, and has an access list of its name. Grid Engine has
 *  no way to warn a job: it gets SIGUSR2 as long before its end as the reservation's grace is.
 *
 *  The site's process must be a manager of Grid Engine; the agent need not. The site's queue needs
 *  a parallel environment that gives slots on many hosts, for what is named.
 */
#ifndef MUSUBI_GRIDENGINE_H
#define MUSUBI_GRIDENGINE_H

#include "batch_system.h"

extern const batch_system_t gridengine;

#endif
