/*  commands - the functions of all commands, which musubi's and musubi-tools' lists name; and what
 *  every command is written with.
 */
#ifndef MUSUBI_COMMANDS_H
#define MUSUBI_COMMANDS_H

#include "must.h"
#include "session.h"
#include "table.h"

#include <inttypes.h>

/*  A federation started on this machine, or prepared for others. */
int run_up (cli_t *cli);
int run_down (cli_t *cli);
int run_federation (cli_t *cli);

/*  Files of the federation. */
int run_put (cli_t *cli);
int run_get (cli_t *cli);
int run_replicas (cli_t *cli);
int run_pin (cli_t *cli);
int run_unpin (cli_t *cli);
int run_rule (cli_t *cli);
int run_evict (cli_t *cli);
int run_scrub (cli_t *cli);

/*  Reservations: made, changed, given back, shown, used. */
int run_reserve (cli_t *cli);
int run_modify (cli_t *cli);
int run_release (cli_t *cli);
int run_show (cli_t *cli);
int run_list (cli_t *cli);
int run_watch (cli_t *cli);
int run_explain (cli_t *cli);
int run_provision (cli_t *cli);
int run_plus (cli_t *cli);
int run_gantt (cli_t *cli);

/*  The services themselves: are they well, and any call to them. */
int run_doctor (cli_t *cli);
int run_call (cli_t *cli);

/*  Sharing unreserved work among sites. */
int run_balance (cli_t *cli);

/*  What there is, and what is free. */
int run_sites (cli_t *cli);
int run_links (cli_t *cli);
int run_free (cli_t *cli);

/*  Tasks. */
int run_submit (cli_t *cli);
int run_queue (cli_t *cli);
int run_cancel (cli_t *cli);
int run_output (cli_t *cli);
int run_nodes (cli_t *cli);

/*  Ledgers replayed and compared with what services say. */
int run_audit (cli_t *cli);

/*  Federations made on maps of real networks. */
int run_federation_from_graphml (cli_t *cli);

/*  The algorithms on problems out of a file; no service is asked. */
int run_solve (cli_t *cli);
int run_balance_step (cli_t *cli);

/*  The participants' records, judged and shown. */
int run_check (cli_t *cli);
int run_txn (cli_t *cli);
int run_take_over (cli_t *cli);

/*  A job log replayed. */
int run_workload (cli_t *cli);

#endif
