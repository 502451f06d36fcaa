/*  participant_check - the invariants that hold between any two events. */
#include "checks.h"
#include "participant_state.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static void check_command (const participant_t *self, const command_t *command)
{
    bool open = command_open (command);
    bool claims = self->resource.claims;
    assert (command->participant == self);
    assert (command->state != COMMAND_UNKNOWN && command->state < COMMAND_STATES);
    assert (command->state != COMMAND_REJECTED);
    assert ((command->plan.size > 0) == (command->actor != NULL));
    assert (command->planner);
    assert (command->plan.size > 0 || command->state == COMMAND_ABORTED);
    assert (open == (command->taken != NULL));
    assert (command->claim == NULL || (claims && command->state == COMMAND_COMMITTED));
    assert (!command->late || command->state == COMMAND_COMMITTED);
    assert (!command_finished (command) || (!command->doubt && command->doubt_timer == 0));
    bool undecided = command->state == COMMAND_PREPARED || command->state == COMMAND_EDGE;
    assert (!undecided || command->doubt || command->doubt_timer);
    assert ((command->state == COMMAND_HELD) <= (command->timer != 0));
    assert (!command_finished (command) || command->timer == 0);
    assert ((command->epoch > 0) == (*command->fenced_by != '\0'));
    bool committed = command->state == COMMAND_COMMITTED || command->state == COMMAND_EDGE_REFUSED;
    bool waits = command->done_unstored || command->question || (committed && !command->done) ||
                 command->shelving; /* until the end of a step; there may be none in a test */
    assert (claims || command->plan.size == 0 || !command_finished (command) || waits);
    assert (!ordered_find (self->shelf, &command->txid));
    if (claims)
        assert (!command->reservation && command->state != COMMAND_EDGE);
    else if (command_finished (command))
        assert (!command->reservation);
    else
        assert (command->reservation && command->reservation->pending == command);
}

static void check_reservation (const reservation_t *reservation)
{
    const command_t *pending = reservation->pending;
    assert (reservation->version > 0 || pending);
    assert (!pending || pending->reservation == reservation);
    assert (!reservation->released || (!reservation->current && !reservation->span.set));
    assert (!reservation->failed || !reservation->current);
    assert (!reservation->span.set || reservation->span.from_ms < reservation->span.until_ms);
    assert (reservation->span.set == (reservation->part.size > 0));
    assert (reservation->version > 0 || (!reservation->current && reservation->part.size == 0));
}

static size_t check_tallies (ordered_t *tallies, size_t tombstoned)
{
    size_t open = 0;
    const char *at = NULL;
    for (const tally_t *tally; (tally = ordered_after (tallies, at)); at = tally->name) {
        assert (tally->commands > 0 && tally->open + tally->tombstoned <= tally->commands);
        assert (tally->tombstoned <= tombstoned);
        open += tally->open;
        tombstoned -= tally->tombstoned;
    }
    assert (tombstoned == 0);
    return open;
}

void participant_check (const participant_t *self)
{
    size_t open = 0;
    size_t unstored = 0;
    size_t tombstoned = 0;
    const txid_t *at = NULL;
    for (const command_t *command; (command = ordered_after (self->commands, at));
         at = &command->txid) {
        assert (!at || txid_compare (at, &command->txid) < 0);
        check_command (self, command);
        open += command_open (command);
        unstored += command->done_unstored;
        tombstoned += command->plan.size == 0;
    }
    const char *id = NULL;
    for (const reservation_t *reservation; (reservation = ordered_after (self->reservations, id));
         id = reservation->id) {
        assert (!id || strcmp (id, reservation->id) < 0);
        check_reservation (reservation);
    }
    assert (open == self->open_count && tombstoned == self->tombstones_count);
    assert (check_tallies (self->actors, 0) == open);
    assert (check_tallies (self->planners, tombstoned) == open);
    const command_t *command;
    TAILQ_FOREACH (command, &self->open, open_link)
    assert (open-- > 0 && command_open (command));
    TAILQ_FOREACH (command, &self->done_unstored, done_link)
    assert (unstored-- > 0 && command->done);
    assert (open == 0 && unstored == 0);
}
