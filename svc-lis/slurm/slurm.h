/*  slurm - Slurm as a batch_system_t, by the programs that its users have: scontrol, sinfo, squeue,
 *  sbatch, scancel. Tried with 22.05, and no older than 20.11. A job's environment is the few
 *  variables that sbatch was given (--export=ALL): for any other the node would first start a login
 *  shell of the account and look once a second whether it has ended, before it starts the job.
 *
 *      a reservation of ours   an advance reservation of Slurm, of named nodes, for the one
 *                              account, of the site's partition, from the first whole second of it
 *      a run                   a job of its name on one node, which Slurm may not requeue
 *      in the way              jobs on its nodes at its start that are not of the reservation: as
 *                              its order says they stay, are requeued, or are cancelled where they
 *                              can't be
 *
 *  Slurm's times are whole seconds and the limits of its jobs whole minutes; both are rounded up.
 *  The site's process and its agent must be Slurm's operator, SlurmUser or root: the one makes
 *  reservations, the other ends jobs of other accounts.
 */
#ifndef MUSUBI_SLURM_H
#define MUSUBI_SLURM_H

#include "batch_system.h"

extern const batch_system_t slurm;

#endif
