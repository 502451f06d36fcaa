/*  sim_version - checks that what participants have of a version is all that its user asked for,
 *  and no more.
 *
 *  What was asked is the wish of the reserve as every modify since has changed it. What
 *  participants have is put together from their records: for each compute need a booking at one
 *  site, and for each connection the circuits of all domains, in the order of their hops, which
 *  must lead all the way.
 */
#ifndef MUSUBI_SIM_VERSION_H
#define MUSUBI_SIM_VERSION_H

#include "sim_check.h"

/*  The version that this committed command of a home has made; failures go to sim_fail. */
void sim_version_check (sim_check_t *self, const sim_command_t *command);

/*  True when a path that was told is what the domains have for that transaction. */
bool sim_version_connected (sim_check_t *self, const txid_t *txid,
                            const sim_connection_t *connection);

#endif
