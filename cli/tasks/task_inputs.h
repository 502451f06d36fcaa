/*  task_inputs - the inputs of a bag: who has them, or will make them, and which disks can take them. */
#ifndef MUSUBI_TASK_INPUTS_H
#define MUSUBI_TASK_INPUTS_H

#include "session.h"

/*  As proto StagingRequest, new: the inputs of the first task that are there. NULL after refusing what
 *  nobody has, though all have answered, and no bag of the actor will make; with *code. */
json_t *task_inputs (const cli_t *cli, session_t *session, const json_t *question, int *code);

/*  A site's StagingAnswer, new; NULL when it does not tell. *large: an input larger than its largest
 *  disk, or NULL. */
json_t *task_inputs_at (session_t *session, const char *site, const json_t *staging,
                        const char **large);

#endif
