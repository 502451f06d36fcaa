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
  {STATE (DECISION_INITIAL), DECISION_VOTING, .event = DECISION_EVENT_BEGIN},
  {STATE (DECISION_INITIAL), DECISION_DECIDED, .event = DECISION_EVENT_ADOPT},
  {STATE (DECISION_VOTING), DECISION_ABORTED, .event = DECISION_EVENT_DROP},
  {STATE (DECISION_VOTING), DECISION_DECIDED, .event = DECISION_EVENT_DECIDE},
  {STATE (DECISION_DECIDED), DECISION_SETTLED, .event = DECISION_EVENT_ACKNOWLEDGED},
  {STATE (DECISION_DECIDED), DECISION_REPAIRING, .event = DECISION_EVENT_LOST},
  {STATE (DECISION_DECIDED), DECISION_REPAIRING, .event = DECISION_EVENT_AWAITED},
  {STATE (DECISION_DECIDED), DECISION_ABORTED, .event = DECISION_EVENT_FENCED},
  {STATE (DECISION_REPAIRING), DECISION_REPAIRED, .event = DECISION_EVENT_RELEASED},
};
const state_table_t decision_states = {
  .name = "decision", .states = state_words, .events = event_words, STATE_STEPS (steps)};
