/*  balancers - the balancers that the directories know, by the names users write: "green" of
 *  "balancer/green".
 */
#ifndef MUSUBI_BALANCERS_H
#define MUSUBI_BALANCERS_H

#include "session.h"

/*  The entry of a balancer; name NULL: the only one. Looks at the directories again before saying
 *  that it is not there. NULL after telling which there are, with *code. */
const json_t *balancers_find (session_t *session, const char *command, const char *name, int *code);

/*  One question, taken over, to a balancer, or about sharing to a site. The answer is new; NULL
 *  after telling why there is none, with *code. */
json_t *balancers_ask (const cli_t *cli, session_t *session, const json_t *entry,
                       const char *service, const char *method, json_t *question, int *code);

#endif
