/*  runs_wire - runs in and out of messages: what the _wire files of nodes and agents share.
 *
 *  Putting never copies: what is filled here borrows from the value it was filled from. Taking
 *  checks lengths, numbers and enums. Included by _wire files only.
 */
#ifndef MUSUBI_RUNS_WIRE_H
#define MUSUBI_RUNS_WIRE_H

#include "runs.h"

#include "nodes.pb-c.h"

/*  As text_take of TEXT_ANY, and "" is right, too. */
bool sentence_take (char *to, size_t bytes_max, const char *from, const char *field,
                    char why [WHY_BYTES]);

typedef struct {
    Musubi__RunId id;
    Musubi__TaskId task;
} run_id_wire_t;
void run_id_put (run_id_wire_t *to, const run_id_t *from);
bool run_id_take (run_id_t *to, const Musubi__RunId *from, const char *field, char why [WHY_BYTES]);

typedef struct {
    Musubi__RunOrder order;
    Musubi__TaskCommand command;
} run_order_wire_t;
void run_order_put (run_order_wire_t *to, const run_order_t *from);

/*  A checked copy, whose end is free; NULL with why. */
run_order_t *run_order_take (const Musubi__RunOrder *from, char why [WHY_BYTES]);

/*  Claimed, running or over. */
Musubi__RunState run_state_put (run_state_t state);
bool run_state_take (run_state_t *to, Musubi__RunState from, const char *field,
                     char why [WHY_BYTES]);

typedef struct {
    Musubi__RunReport report;
    run_id_wire_t id;
} run_report_wire_t;
void run_report_put (run_report_wire_t *to, const run_report_t *from);
bool run_report_take (run_report_t *to, const Musubi__RunReport *from, const char *field,
                      char why [WHY_BYTES]);

#endif
