/*  participant_tombstone - tombstones: a txid that has one before it comes will never be held.
 *
 *  Anyone who may ask about txids can have any number of them made, so tombstones are bounded: in
 *  number, for each planner, and in the room they take. When no more are allowed, the caller is
 *  told that nothing is known. That is safe: a txid without a tombstone may still be held and
 *  committed, and nothing was said about it (T7).
 */
#include "participant_state.h"

#include <inttypes.h>
#include <stdio.h>

/*  Its record can't be understood, so a tombstone might deny a vote that was given. */
static bool check_unknown (const participant_t *self, const txid_t *txid, refusal_t *refusal)
{
    return !records_unreadable (self, txid) ||
           refuse_with (
             refusal, REFUSAL_ENDED,
             "the record of this transaction here can't be read, so nothing is known of it");
}

/*  T13: the room that is left then is for commands that are known. */
static bool participant_tombstone_check_room (const moment_t *now, refusal_t *refusal)
{
    if (now->store_free_bytes >= now->store_bytes / TOMBSTONE_RESERVE_PARTS)
        return true;
    refusal->free = (int64_t) (now->store_free_bytes >> 10);
    return refuse_with (refusal, REFUSAL_STORE_FULL,
                        "only %" PRIu64
                        " KiB are left in the store, and they are kept for known transactions",
                        now->store_free_bytes >> 10);
}

static bool participant_tombstone_check_limit (const char *limit, size_t tombstoned, uint32_t most,
                                               refusal_t *refusal)
{
    if (tombstoned < most)
        return true;
    snprintf (refusal->resource, sizeof refusal->resource, "%s", limit);
    refusal->wanted = (int64_t) tombstoned + 1;
    refusal->free = (int64_t) most - (int64_t) tombstoned;
    return refuse_with (refusal, REFUSAL_LIMIT,
                        "%zu tombstones are kept, which is all that %s allows", tombstoned, limit);
}

command_t *command_make_tombstone (participant_t *self, const moment_t *now, const txid_t *txid,
                                   int64_t decide_by_ms, command_event_t event, refusal_t *refusal)
{
    char name [NAME_BYTES_MAX + 1];
    const tally_t *planner = ordered_find (self->planners, txid_planner (txid, name));
    const participant_limits_t *limits = &self->limits;
    if (!check_unknown (self, txid, refusal) || !participant_tombstone_check_room (now, refusal) ||
        !participant_tombstone_check_limit ("tombstones_max", self->tombstones_count,
                                            limits->tombstones_max, refusal) ||
        !participant_tombstone_check_limit ("tombstones_per_planner_max",
                                            planner ? planner->tombstoned : 0,
                                            limits->tombstones_per_planner_max, refusal))
        return NULL;
    command_t *tombstone = command_new (self, txid, NULL);
    tombstone->held_ms = now->wall_ms;
    tombstone->held_mono_ms = now->mono_ms;
    tombstone->decide_by_ms = decide_by_ms;
    tombstone->until_ms = decide_by_ms;
    command_move (tombstone, now, COMMAND_ABORTED, event);
    return tombstone;
}
