/*  chain_state - what the chain*.c files share.
 *
 *      chain.c             transfers: begin, join, cancel, forget; what is asked of them
 *      chain_nodes.c       what storage nodes say and are told
 *      chain_files.c       their files, and the room they have
 *      chain_reports.c     how transfers stand, as nodes tell
 *      chain_arrivals.c    files that tasks have left at their nodes
 *      chain_plan.c        who feeds whom
 *      chain_events.c      the observer, and people
 */
#ifndef MUSUBI_CHAIN_STATE_H
#define MUSUBI_CHAIN_STATE_H

#include "chain.h"
#include "chain_wire.h"

typedef enum { TOLD_RECEIVER, TOLD_SOURCE, TOLD_OVER, TOLD_FILE, TOLD_NODE } told_kind_t;

/*  Something that the observer has not been told yet. */
typedef struct told {
    struct told *after;
    told_kind_t kind;
    chain_id_t id;
    char node [NAME_BYTES_MAX + 1];
    char source [FEEDER_NAME_BYTES_MAX + 1];
    bool wrong;
    char why [WHY_BYTES];
    stored_file_t file;
} chain_event_t;

struct chain {
    service_t *service;
    chain_limits_t limits;
    chain_node_t **places; /* configured ones, then guests */
    size_t places_count;
    size_t places_room;
    ordered_t *places_by_name;
    ordered_t *transfers; /* by id */
    agent_sessions_t agents;
    chain_observer_t observer;
    chain_event_t *told;
    size_t told_count;
    size_t told_room;
    uint64_t settle;
    uint64_t plans; /* timer: tells plans that were made soon after others */
};

/*  --- chain.c --- */

/*  NULL when there is none. */
chain_origin_t *chain_source_at (const chain_transfer_t *transfer, const char *node);

/*  The last attempt, at which a receiver that joins begins, too. */
uint32_t chain_attempt (const chain_transfer_t *transfer);

void chain_store (chain_t *self, chain_transfer_t *transfer);

/*  Sets the state of a receiver, stores and tells it, and ends the transfer if this was the last
 *  one. */
void chain_receiver_move (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                          chain_receiver_t *receiver, receiver_state_t state, const char *why);

/*  --- chain_nodes.c --- */

void chain_nodes_init (chain_t *self, const char *const *names, size_t count);
void chain_nodes_end (chain_t *self);

/*  Adds a guest, which has not come yet. */
chain_node_t *chain_guest (chain_t *self, const moment_t *now, const char *name);

/*  Drops guests that are lost. */
void chain_guests_purge (chain_t *self);

/*  What is wanted of this node has changed; it is told at the end of this step. */
void chain_dirty (chain_t *self, const moment_t *now, chain_node_t *place);
void chain_dirty_all (chain_t *self, const moment_t *now, const chain_transfer_t *transfer);

/*  At the end of a step: tells the nodes that are dirty and waiting for an answer. */
void chain_nodes_settle (chain_t *self, const moment_t *now);

/*  --- chain_files.c --- */

/*  False: the report is about what was so earlier. */
bool chain_files_take (chain_t *self, const moment_t *now, chain_node_t *place,
                       const storage_attend_t *asked);
void chain_files_unsure (chain_node_t *place);
bool chain_has_room (const chain_t *self, const chain_node_t *place, uint64_t bytes);

/*  --- chain_reports.c --- */

void chain_receipt (chain_t *self, const moment_t *now, chain_node_t *place,
                    const receiver_report_t *receipt);

/*  A node is lost: all it was to receive fails. */
void chain_place_lost (chain_t *self, const moment_t *now, const chain_node_t *place,
                       const char *why);

/*  --- chain_plan.c --- */

/*  What this transfer wants of a node; false when it wants nothing. */
bool chain_plan_for (const chain_t *self, const moment_t *now, const chain_transfer_t *transfer,
                     const chain_node_t *place, wanted_transfer_t *wanted);

/*  Makes a new plan of a transfer. Its nodes are told at once, or with others that follow soon. */
void chain_replan (chain_t *self, const moment_t *now, chain_transfer_t *transfer);

/*  The node's data endpoint has changed: it can feed others, and stands behind those that can
 *  already and do not have less than it. */
void chain_feeds_now (chain_t *self, const moment_t *now, const chain_node_t *place);

/*  Moves a receiver behind those that are trusted and before those that were skipped (last: behind
 *  these, too). Returns whether the order has changed. */
bool chain_to_tail (chain_transfer_t *transfer, chain_receiver_t *receiver, bool last);

/*  Puts a receiver that a source feeds, although others stand before it, before those that have
 *  less: so the source sends their bytes to one alone. Returns whether the order has changed. */
bool chain_overtakes (const chain_t *self, chain_transfer_t *transfer, chain_receiver_t *receiver);

/*  Sorts the receivers: the one that has most comes first. */
void chain_most_first (chain_transfer_t *transfer);

/*  Is this receiver slowing down those after it? */
bool chain_slow (const chain_t *self, const moment_t *now, const chain_transfer_t *transfer,
                 chain_receiver_t *receiver);
bool chain_source_left (const chain_transfer_t *transfer, bool also_failed);

/*  --- chain_events.c --- */

void chain_tell (chain_t *self, const moment_t *now, const chain_event_t *told);

/*  Tells TOLD_NODE, or TOLD_FILE of this file. */
void chain_tell_node (chain_t *self, const moment_t *now, const chain_node_t *place,
                      const stored_file_t *file);
void chain_told_serve (chain_t *self);

/*  --- chain_arrivals.c --- */

void chain_arrivals_take (chain_node_t *place, const storage_attend_t *asked);

#endif
