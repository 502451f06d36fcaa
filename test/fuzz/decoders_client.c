/*  decoders_client - what the client is told: pages of commands, and every answer that there is as
 *  JSON.
 */
#include "decoders.h"
#include "records.h"
#include "services.h"

static void look (void *owner, const check_record_t *record)
{
    size_t *count = owner;
    (*count)++;
    REQUIRE (record->plan && record->state < COMMAND_STATES);
}

static void try_records (bytes_t body)
{
    size_t count = 0;
    txid_t last;
    bool more;
    records_read (body, look, &count, &last, &more);
}

/*  The body as the answer of one method. */
typedef struct {
    bytes_t body;
    size_t skip; /* methods before it */
} answered_t;

static void answer_read (void *owner, const method_t *method)
{
    answered_t *answered = owner;
    if (answered->skip-- == 0)
        json_decref (services_answer (method, answered->body));
}

static void try_answers (bytes_t body)
{
    if (body.size == 0)
        return;
    answered_t answered = {.body = {body.data + 1, body.size - 1}, .skip = body.data [0]};
    services_visit ("", answer_read, &answered);
}

static decoder_fn *const tries [] = {try_records, try_answers};

const decoders_t decoders_client = {tries, sizeof tries / sizeof *tries};
