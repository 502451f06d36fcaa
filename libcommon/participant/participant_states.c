/*  participant_states - the table.
 *
 *  A commit that comes past the edge has two ends: the window is still free, or it is not (T9). A
 *  refused hold leaves no command, so that REJECTED is only ever an answer.
 */
#include "participant_states.h"

#include "transaction.h"

#include <assert.h>

static const char *const event_words [COMMAND_EVENTS] = {
  [EVENT_HOLD] = "hold",         [EVENT_PREPARE] = "prepare",   [EVENT_COMMIT] = "commit",
  [EVENT_ABORT] = "abort",       [EVENT_REPLACED] = "replaced", [EVENT_TTL] = "ttl",
  [EVENT_EDGE] = "edge",         [EVENT_OUTCOME] = "outcome",   [EVENT_RESOLVE] = "resolve",
  [EVENT_RESOLVED] = "resolved", [EVENT_FENCE] = "fence",
};

static const char *const state_words [COMMAND_STATES] = {
  [COMMAND_UNKNOWN] = "initial",           [COMMAND_HELD] = "held",
  [COMMAND_PREPARED] = "prepared",         [COMMAND_COMMITTED] = "committed",
  [COMMAND_ABORTED] = "aborted",           [COMMAND_EXPIRED] = "expired",
  [COMMAND_REJECTED] = "rejected",         [COMMAND_EDGE] = "edge",
  [COMMAND_EDGE_REFUSED] = "edge-refused",
};

static const state_step_t steps [] = {
  {COMMAND_UNKNOWN, EVENT_HOLD, COMMAND_HELD},
  {COMMAND_UNKNOWN, EVENT_PREPARE, COMMAND_PREPARED},
  {COMMAND_UNKNOWN, EVENT_ABORT, COMMAND_ABORTED}, /* these four make a tombstone */
  {COMMAND_UNKNOWN, EVENT_REPLACED, COMMAND_ABORTED},
  {COMMAND_UNKNOWN, EVENT_RESOLVE, COMMAND_ABORTED},
  {COMMAND_UNKNOWN, EVENT_FENCE, COMMAND_ABORTED},

  {COMMAND_HELD, EVENT_PREPARE, COMMAND_PREPARED},
  {COMMAND_HELD, EVENT_ABORT, COMMAND_ABORTED},
  {COMMAND_HELD, EVENT_REPLACED, COMMAND_ABORTED},
  {COMMAND_HELD, EVENT_RESOLVE, COMMAND_ABORTED},
  {COMMAND_HELD, EVENT_FENCE, COMMAND_ABORTED},
  {COMMAND_HELD, EVENT_TTL, COMMAND_EXPIRED},

  {COMMAND_PREPARED, EVENT_COMMIT, COMMAND_COMMITTED},
  {COMMAND_PREPARED, EVENT_ABORT, COMMAND_ABORTED},
  {COMMAND_PREPARED, EVENT_REPLACED, COMMAND_ABORTED},
  {COMMAND_PREPARED, EVENT_OUTCOME, COMMAND_COMMITTED},
  {COMMAND_PREPARED, EVENT_OUTCOME, COMMAND_ABORTED},
  {COMMAND_PREPARED, EVENT_RESOLVED, COMMAND_COMMITTED},
  {COMMAND_PREPARED, EVENT_RESOLVED, COMMAND_ABORTED},
  {COMMAND_PREPARED, EVENT_EDGE, COMMAND_EDGE},

  {COMMAND_EDGE, EVENT_COMMIT, COMMAND_COMMITTED},
  {COMMAND_EDGE, EVENT_COMMIT, COMMAND_EDGE_REFUSED},
  {COMMAND_EDGE, EVENT_ABORT, COMMAND_ABORTED},
  {COMMAND_EDGE, EVENT_REPLACED, COMMAND_ABORTED},
  {COMMAND_EDGE, EVENT_OUTCOME, COMMAND_COMMITTED},
  {COMMAND_EDGE, EVENT_OUTCOME, COMMAND_EDGE_REFUSED},
  {COMMAND_EDGE, EVENT_OUTCOME, COMMAND_ABORTED},
  {COMMAND_EDGE, EVENT_RESOLVED, COMMAND_COMMITTED},
  {COMMAND_EDGE, EVENT_RESOLVED, COMMAND_EDGE_REFUSED},
  {COMMAND_EDGE, EVENT_RESOLVED, COMMAND_ABORTED},
};

const state_table_t command_states = {
  .name = "command",
  .states = state_words,
  .events = event_words,
  .steps = steps,
  .steps_count = sizeof steps / sizeof *steps,
};

const char *command_event_word (command_event_t event)
{
    assert (event < COMMAND_EVENTS);
    return event_words [event];
}
