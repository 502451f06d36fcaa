/*  nodes_wire - protobuf <-> plain values: what agents and their site say to each other. What is
 *  told to people and what is kept is in nodes_wire_kept.c.
 */
#include "nodes_wire.h"

#include "message.h"
#include "must.h"
#include "runs_wire.h"
#include "transaction_wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_BYTES 64

static_assert ((int) WISH_START == MUSUBI__RUN_WISH__RUN_START &&
                 (int) WISH_WARN == MUSUBI__RUN_WISH__RUN_WARN &&
                 (int) WISH_END == MUSUBI__RUN_WISH__RUN_END &&
                 (int) WISH_FORGET == MUSUBI__RUN_WISH__RUN_FORGET,
               "same numbers");

/*  --- Attend: the question --- */

void attend_clear (attend_t *self)
{
    free (self->runs);
    *self = (attend_t){0};
}

packed_t attend_encode (const attend_t *attend)
{
    size_t count = attend->runs_count;
    Musubi__AttendRequest request = MUSUBI__ATTEND_REQUEST__INIT;
    run_report_wire_t *reports = must (calloc (count + 1, sizeof *reports));
    Musubi__RunReport **list = must (calloc (count + 1, sizeof (Musubi__RunReport *)));
    for (size_t i = 0; i < count; i++) {
        run_report_put (&reports [i], &attend->runs [i]);
        list [i] = &reports [i].report;
    }
    request.node = (char *) attend->node;
    request.class_name = (char *) attend->class_name;
    request.cpus = attend->cpus;
    request.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) attend->store};
    request.start = attend->start;
    request.number = attend->number;
    request.seen = attend->seen;
    request.n_runs = count;
    request.runs = list;
    packed_t packed = packed_of (&request.base);
    free (reports);
    free (list);
    return packed;
}

static bool reports_take (attend_t *to, const Musubi__AttendRequest *from, char why [WHY_BYTES])
{
    if (from->n_runs > AGENT_RUNS_MAX)
        return wrong (why, "runs: more than %d", AGENT_RUNS_MAX);
    to->runs = must (calloc (from->n_runs + 1, sizeof *to->runs));
    to->runs_count = from->n_runs;
    for (size_t i = 0; i < from->n_runs; i++) {
        char field [FIELD_BYTES];
        snprintf (field, sizeof field, "runs[%zu]", i);
        if (!run_report_take (&to->runs [i], from->runs [i], field, why))
            return false;
    }
    return true;
}

static bool attend_take (attend_t *to, const Musubi__AttendRequest *from, char why [WHY_BYTES])
{
    if (!text_take (to->node, NAME_BYTES_MAX, from->node, TEXT_WORD, "node", why) ||
        !text_take (to->class_name, NAME_BYTES_MAX, from->class_name, TEXT_WORD, "class_name",
                    why) ||
        !bytes_take (to->store, STORE_ID_BYTES, &from->store, "store", why))
        return false;
    if (from->start == 0)
        return wrong (why, "start: counts from 1");
    if (from->number == 0)
        return wrong (why, "number: counts from 1");
    to->cpus = from->cpus;
    to->start = from->start;
    to->number = from->number;
    to->seen = from->seen;
    return reports_take (to, from, why);
}

bool attend_decode (attend_t *attend, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__attend_request__descriptor, body);
    if (!message)
        return wrong (why, "not an AttendRequest");
    *attend = (attend_t){0};
    bool taken = attend_take (attend, (const Musubi__AttendRequest *) message, why);
    message_free (message);
    if (!taken)
        attend_clear (attend);
    return taken;
}

/*  --- Attend: the answer --- */

void wanted_clear (wanted_t *self)
{
    for (size_t i = 0; i < self->runs_count; i++)
        free (self->runs [i].order);
    free (self->runs);
    free (self->outputs);
    *self = (wanted_t){0};
}

/*  A wanted run, and all that it points to. */
typedef struct {
    Musubi__WantedRun message;
    run_id_wire_t id;
    run_order_wire_t order;
} wanted_run_wire_t;

static void wanted_run_put (wanted_run_wire_t *to, const wanted_run_t *from)
{
    musubi__wanted_run__init (&to->message);
    run_id_put (&to->id, &from->id);
    to->message.run = &to->id.id;
    to->message.wish = (Musubi__RunWish) from->wish;
    to->message.grace_ms = from->grace_ms;
    if (!from->order)
        return;
    run_order_put (&to->order, from->order);
    to->message.order = &to->order.order;
}

typedef struct {
    Musubi__WantedOutput message;
    run_id_wire_t id;
} wanted_output_wire_t;

static void wanted_output_put (wanted_output_wire_t *to, const wanted_output_t *from)
{
    musubi__wanted_output__init (&to->message);
    run_id_put (&to->id, &from->id);
    to->message.number = from->number;
    to->message.run = &to->id.id;
    to->message.errors = from->errors;
    to->message.offset = from->offset;
    to->message.most = from->most;
}

packed_t wanted_encode (const wanted_t *wanted)
{
    Musubi__AttendAnswer answer = MUSUBI__ATTEND_ANSWER__INIT;
    wanted_run_wire_t *runs = must (calloc (wanted->runs_count + 1, sizeof *runs));
    Musubi__WantedRun **run_list =
      must (calloc (wanted->runs_count + 1, sizeof (Musubi__WantedRun *)));
    wanted_output_wire_t *outputs = must (calloc (wanted->outputs_count + 1, sizeof *outputs));
    Musubi__WantedOutput **output_list =
      must (calloc (wanted->outputs_count + 1, sizeof (Musubi__WantedOutput *)));
    for (size_t i = 0; i < wanted->runs_count; i++) {
        wanted_run_put (&runs [i], &wanted->runs [i]);
        run_list [i] = &runs [i].message;
    }
    for (size_t i = 0; i < wanted->outputs_count; i++) {
        wanted_output_put (&outputs [i], &wanted->outputs [i]);
        output_list [i] = &outputs [i].message;
    }
    answer.number = wanted->number;
    answer.n_runs = wanted->runs_count;
    answer.runs = run_list;
    answer.n_outputs = wanted->outputs_count;
    answer.outputs = output_list;
    answer.lease_ms = wanted->lease_ms;
    answer.attend_ms = wanted->attend_ms;
    answer.site = (char *) wanted->site;
    packed_t packed = packed_of (&answer.base);
    free (runs);
    free (run_list);
    free (outputs);
    free (output_list);
    return packed;
}

static bool wanted_run_take (wanted_run_t *to, const Musubi__WantedRun *from, size_t index,
                             char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "runs[%zu]", index);
    if (!run_id_take (&to->id, from->run, field, why))
        return false;
    if (!enum_valid ((int) from->wish, WISH_FORGET))
        return wrong (why, "%s.wish: %d is not known", field, (int) from->wish);
    if (from->grace_ms < 0)
        return wrong (why, "%s.grace_ms: below zero", field);
    to->wish = (run_wish_t) from->wish;
    to->grace_ms = from->grace_ms;
    if (to->wish != WISH_START || !from->order)
        return true;
    to->order = run_order_take (from->order, why);
    return to->order != NULL;
}

static bool wanted_output_take (wanted_output_t *to, const Musubi__WantedOutput *from,
                                char why [WHY_BYTES])
{
    to->number = from->number;
    to->errors = from->errors;
    to->offset = from->offset;
    to->most = from->most;
    return run_id_take (&to->id, from->run, "outputs.run", why);
}

static bool wanted_take (wanted_t *to, const Musubi__AttendAnswer *from, char why [WHY_BYTES])
{
    if (from->n_runs > AGENT_RUNS_MAX + NODE_RUNS_MAX)
        return wrong (why, "runs: more than %d", AGENT_RUNS_MAX + NODE_RUNS_MAX);
    if (from->n_outputs > NODE_OUTPUTS_MAX)
        return wrong (why, "outputs: more than %d", NODE_OUTPUTS_MAX);
    if (from->lease_ms < 1 || from->attend_ms < 1)
        return wrong (why, "lease_ms, attend_ms: must be at least 1");
    if (!text_take (to->site, NAME_BYTES_MAX, from->site, TEXT_WORD_OR_NONE, "site", why))
        return false;
    to->number = from->number;
    to->lease_ms = from->lease_ms;
    to->attend_ms = from->attend_ms;
    to->runs = must (calloc (from->n_runs + 1, sizeof *to->runs));
    to->runs_count = from->n_runs;
    for (size_t i = 0; i < from->n_runs; i++)
        if (!wanted_run_take (&to->runs [i], from->runs [i], i, why))
            return false;
    to->outputs = must (calloc (from->n_outputs + 1, sizeof *to->outputs));
    to->outputs_count = from->n_outputs;
    for (size_t i = 0; i < from->n_outputs; i++)
        if (!wanted_output_take (&to->outputs [i], from->outputs [i], why))
            return false;
    return true;
}

bool wanted_decode (wanted_t *wanted, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__attend_answer__descriptor, body);
    if (!message)
        return wrong (why, "not an AttendAnswer");
    *wanted = (wanted_t){0};
    bool taken = wanted_take (wanted, (const Musubi__AttendAnswer *) message, why);
    message_free (message);
    if (!taken)
        wanted_clear (wanted);
    return taken;
}

/*  --- Bring --- */

packed_t bring_encode (const brought_t *brought)
{
    Musubi__BringRequest request = MUSUBI__BRING_REQUEST__INIT;
    request.number = brought->number;
    request.data =
      (ProtobufCBinaryData){.len = brought->data.size, .data = (uint8_t *) brought->data.data};
    request.size = brought->size;
    request.why = (char *) brought->why;
    return packed_of (&request.base);
}

packed_t bring_answer_encode (void)
{
    Musubi__BringAnswer answer = MUSUBI__BRING_ANSWER__INIT;
    return packed_of (&answer.base);
}

bool bring_decode (bytes_t body, void (*take) (void *owner, const brought_t *brought), void *owner,
                   char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__bring_request__descriptor, body);
    if (!message)
        return wrong (why, "not a BringRequest");
    const Musubi__BringRequest *from = (const Musubi__BringRequest *) message;
    char text [RUN_WHY_BYTES_MAX + 1];
    bool taken = sentence_take (text, RUN_WHY_BYTES_MAX, from->why, "why", why);
    if (taken)
        take (owner, &(brought_t){.number = from->number,
                                  .data = {.data = from->data.data, .size = from->data.len},
                                  .size = from->size,
                                  .why = text});
    message_free (message);
    return taken;
}
