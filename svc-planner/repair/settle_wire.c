/*  settle_wire - settling, to and from proto/planner.proto and transaction.proto. */
#include "settle_wire.h"

#include "message.h"
#include "planner.pb-c.h"
#include "transaction_wire.h"

#include <stdlib.h>
#include <string.h>

bool settle_decode (bytes_t body, settle_order_t *order, char why [WHY_BYTES])
{
    *order = (settle_order_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__settle_request__descriptor, body);
    if (!message)
        return wrong (why, "not a SettleRequest");
    const Musubi__SettleRequest *request = (Musubi__SettleRequest *) message;
    bool good = txid_take (&order->txid, request->txid, "txid", why) &&
                text_take (order->participant, NAME_BYTES_MAX, request->participant, TEXT_WORD,
                           "participant", why);
    order->fence = request->fence;
    message_free (message);
    return good;
}

packed_t settle_answer_encode (const txid_t *txid, outcome_t outcome, bool done,
                               const settle_voice_t *voices, size_t voices_count, const char *text)
{
    Musubi__SettleAnswer answer = MUSUBI__SETTLE_ANSWER__INIT;
    Musubi__Txid txid_wire;
    txid_put (&txid_wire, txid);
    answer.txid = &txid_wire;
    answer.outcome = (Musubi__Outcome) outcome;
    answer.done = done;
    answer.text = (char *) text;
    answer.n_voices = voices_count;
    answer.voices = messages_new (&musubi__settle_voice__descriptor, voices_count);
    for (size_t i = 0; i < voices_count; i++) {
        answer.voices [i]->participant = (char *) voices [i].participant;
        answer.voices [i]->answered = voices [i].answered;
        answer.voices [i]->state = (Musubi__CommandState) voices [i].state;
    }
    packed_t packed = packed_of (&answer.base);
    free (answer.voices);
    return packed;
}

packed_t command_question_encode (const txid_t *txid)
{
    Musubi__CommandsRequest request = MUSUBI__COMMANDS_REQUEST__INIT;
    Musubi__Txid only;
    txid_put (&only, txid);
    request.only = &only;
    return packed_of (&request.base);
}

bool command_told_decode (bytes_t body, plan_t *plan, bool *known, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__commands_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a CommandsAnswer");
    const Musubi__CommandsAnswer *answer = (Musubi__CommandsAnswer *) message;
    *known = answer->n_commands > 0 && answer->commands [0]->plan != NULL;
    bool good = !*known || plan_take (plan, answer->commands [0]->plan, why);
    if (!good)
        plan_clear (plan);
    message_free (message);
    return good;
}
