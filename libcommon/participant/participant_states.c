/*  participant_states - the table.
 *
 *  A commit past the edge has two ends: the window is still free, or it is not (T9). A refused hold
 *  leaves no command, so REJECTED is only an answer; what is aborted unknown leaves a tombstone.
 */
#include "participant_states.h"

#include "transaction.h"

static const char *const event_words [COMMAND_EVENTS] = {
  [EVENT_HOLD] = "hold",         [EVENT_PREPARE] = "prepare",   [EVENT_COMMIT] = "commit",
  [EVENT_ABORT] = "abort",       [EVENT_REPLACED] = "replaced", [EVENT_TTL] = "ttl",
  [EVENT_EDGE] = "edge",         [EVENT_OUTCOME] = "outcome",   [EVENT_RESOLVE] = "resolve",
  [EVENT_RESOLVED] = "resolved", [EVENT_FENCE] = "fence",
};

static const char *const state_words [COMMAND_STATES] = {"initial",   "held",    "prepared",
                                                         "committed", "aborted", "expired",
                                                         "rejected",  "edge",    "edge-refused"};

#define UNBEGUN (STATE (COMMAND_UNKNOWN) | STATE (COMMAND_HELD))
#define VOTED   (STATE (COMMAND_PREPARED) | STATE (COMMAND_EDGE))

static const state_step_t steps [] = {
  {STATE (COMMAND_UNKNOWN), COMMAND_HELD, .event = EVENT_HOLD},
  {UNBEGUN, COMMAND_PREPARED, .event = EVENT_PREPARE},
  {UNBEGUN | VOTED, COMMAND_ABORTED, .event = EVENT_ABORT},
  {UNBEGUN | VOTED, COMMAND_ABORTED, .event = EVENT_REPLACED},
  {UNBEGUN, COMMAND_ABORTED, .event = EVENT_RESOLVE},
  {UNBEGUN, COMMAND_ABORTED, .event = EVENT_FENCE},
  {STATE (COMMAND_HELD), COMMAND_EXPIRED, .event = EVENT_TTL},
  {STATE (COMMAND_PREPARED), COMMAND_EDGE, .event = EVENT_EDGE},
  {VOTED, COMMAND_COMMITTED, .event = EVENT_COMMIT},
  {VOTED, COMMAND_COMMITTED, .event = EVENT_OUTCOME},
  {VOTED, COMMAND_COMMITTED, .event = EVENT_RESOLVED},
  {VOTED, COMMAND_ABORTED, .event = EVENT_OUTCOME},
  {VOTED, COMMAND_ABORTED, .event = EVENT_RESOLVED},
  {STATE (COMMAND_EDGE), COMMAND_EDGE_REFUSED, .event = EVENT_COMMIT},
  {STATE (COMMAND_EDGE), COMMAND_EDGE_REFUSED, .event = EVENT_OUTCOME},
  {STATE (COMMAND_EDGE), COMMAND_EDGE_REFUSED, .event = EVENT_RESOLVED},
};
const state_table_t command_states = {
  .name = "command", .states = state_words, .events = event_words, STATE_STEPS (steps)};
