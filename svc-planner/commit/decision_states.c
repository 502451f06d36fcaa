/*  decision_states - the table. A restart ends what was in progress without a step: it has no
 *  record, and so it counts as aborted (presumed abort, T5).
 */
#include "decision_states.h"

#include "record.h"

static const char *const state_words [DECISION_STATES] = {
  [DECISION_INITIAL] = "initial",   [DECISION_VOTING] = "voting",
  [DECISION_ABORTED] = "aborted",   [DECISION_DECIDED] = "decided",
  [DECISION_SETTLED] = "settled",   [DECISION_REPAIRING] = "repairing",
  [DECISION_REPAIRED] = "repaired",
};

static const char *const event_words [DECISION_EVENTS] = {
  [DECISION_EVENT_BEGIN] = "begin",       [DECISION_EVENT_DROP] = "drop",
  [DECISION_EVENT_DECIDE] = "decide",     [DECISION_EVENT_ACKNOWLEDGED] = "acknowledged",
  [DECISION_EVENT_LOST] = "lost",         [DECISION_EVENT_AWAITED] = "awaited",
  [DECISION_EVENT_RELEASED] = "released", [DECISION_EVENT_FENCED] = "fenced",
  [DECISION_EVENT_ADOPT] = "adopt",
};

static const state_step_t steps [] = {
  {DECISION_INITIAL, DECISION_EVENT_BEGIN, DECISION_VOTING},
  {DECISION_INITIAL, DECISION_EVENT_ADOPT, DECISION_DECIDED},
  {DECISION_VOTING, DECISION_EVENT_DROP, DECISION_ABORTED},
  {DECISION_VOTING, DECISION_EVENT_DECIDE, DECISION_DECIDED},
  {DECISION_DECIDED, DECISION_EVENT_ACKNOWLEDGED, DECISION_SETTLED},
  {DECISION_DECIDED, DECISION_EVENT_LOST, DECISION_REPAIRING},
  {DECISION_DECIDED, DECISION_EVENT_AWAITED, DECISION_REPAIRING},
  {DECISION_DECIDED, DECISION_EVENT_FENCED, DECISION_ABORTED},
  {DECISION_REPAIRING, DECISION_EVENT_RELEASED, DECISION_REPAIRED},
};

const state_table_t decision_states = {
  .name = "decision",
  .states = state_words,
  .events = event_words,
  .steps = steps,
  .steps_count = sizeof steps / sizeof *steps,
};
