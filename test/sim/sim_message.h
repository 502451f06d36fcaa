/*  sim_message - a message under way: a request, its answer, or a hint.
 *
 *  One block of memory with plain fields, so that doubling a message is copying it.
 */
#ifndef MUSUBI_SIM_MESSAGE_H
#define MUSUBI_SIM_MESSAGE_H

#include "core.h"

#define SIM_ADDRESS_BYTES 96
#define SIM_NOBODY        (-1)

typedef enum { MESSAGE_REQUEST, MESSAGE_ANSWER, MESSAGE_NOTICE } sim_message_kind_t;

typedef struct {
    sim_message_kind_t kind;
    int from;
    int to;                            /* SIM_NOBODY: no process lives at that address */
    uint32_t to_life;                  /* answers: the life of the asking process */
    char address [SIM_ADDRESS_BYTES];  /* requests: the receiver's; notices: the publisher's */
    char service [NAME_BYTES_MAX + 1]; /* answers: of the request; hints: "hint" */
    char method [NAME_BYTES_MAX + 1];  /* notices: the topic */
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    uint64_t call; /* the number that the asker gave it */
    uint8_t to_store [STORE_ID_BYTES];
    call_status_t status; /* answers */
    char reason [256];
    store_identity_t store; /* answers and notices: of the sender */
    uint64_t number;        /* notices */
    bool served;            /* requests: the receiver has spent the service time (sim_serve) */
    size_t size;
    uint8_t body [];
} sim_message_t;

/*  A message with this body and nothing else set; end it with free. */
sim_message_t *sim_message_new (sim_message_kind_t kind, bytes_t body);
sim_message_t *sim_message_copy (const sim_message_t *from);
bytes_t sim_message_body (const sim_message_t *self);

/*  Copies text that is known to fit; cuts it otherwise. */
void sim_text (char *to, size_t room, const char *from);

/*  True for a message that is part of a transaction; false for one of the directory only. */
bool sim_message_transacts (const sim_message_t *self);

#endif
