/*  balancers - the balancers of the federation, by the names that users write: "green" for
 *  "balancer/green".
 */
#ifndef MUSUBI_BALANCERS_H
#define MUSUBI_BALANCERS_H

#include "session.h"

/*  The entry of a balancer; name NULL = the only one. Asks the directories again before it says
 *  that there is none; then NULL, with *code. */
const json_t *balancers_find (session_t *session, const char *command, const char *name, int *code);

/*  Asks a balancer, or a site about sharing. Takes the question over. The answer is new; NULL after
 *  saying why there is none, with *code. */
json_t *balancers_ask (const cli_t *cli, session_t *session, const json_t *entry,
                       const char *service, const char *method, json_t *question, int *code);

#endif
