/*  sim_book - requests and what was told of them. */
#include "sim_book.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHER_DURATION_MS 7777 /* no draw asks for this */

void sim_book_clear (sim_book_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free (self->requests [i].body [0].data);
        free (self->requests [i].body [1].data);
        free (self->requests [i].answer_packed.data);
    }
    self->count = 0;
}

sim_request_t *sim_book_add (sim_book_t *self)
{
    assert (self->count < SIM_REQUESTS_MAX);
    sim_request_t *request = &self->requests [self->count++];
    *request = (sim_request_t){0};
    return request;
}

/*  A reservation that some user was told is committed; whose it is does not matter here. */
static const sim_request_t *reservation_known (const sim_book_t *self, uint32_t aim)
{
    const sim_request_t *known [SIM_REQUESTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        const sim_request_t *request = &self->requests [i];
        if (request->operation == OPERATION_RESERVE && request->answer.status == ANSWER_COMMITTED &&
            *request->answer.reservation)
            known [count++] = request;
    }
    return count ? known [aim % count] : NULL;
}

static sim_patch_t patch_of (const sim_request_t *target, uint32_t whim)
{
    const sim_wish_t *wish = &target->wish [target->told [0] ? 0 : 1];
    const sim_need_t *need = &wish->needs [whim % wish->needs_count];
    bool grows = whim / 4 % 4 != 0; /* growing, it meets other reservations */
    sim_patch_t patch = {0};
    sim_text (patch.need, sizeof patch.need, need->id);
    patch.cpus = grows ? need->cpus + 1 + whim % 3 : (need->cpus > 1 ? need->cpus - 1 : 1);
    if (wish->network_count > 0 && whim % 5 < 3) {
        const sim_network_need_t *connection = &wish->network [whim / 16 % wish->network_count];
        sim_text (patch.connection, sizeof patch.connection, connection->id);
        patch.mbps = grows ? connection->mbps + 50 * (1 + whim % 5) : connection->mbps / 2;
        if (whim % 5 < 2) /* the bandwidth alone */
            patch.cpus = 0;
    }
    switch (whim / 8 % 3) {
    case 0:
        break;
    case 1:
        patch.cpus = 0;
        patch.duration_ms = wish->duration_ms / 2 + 1000 * (whim % 9);
        break;
    default:
        patch.start_ms = target->answer.start_ms + 1000 * (whim % 13);
    }
    return patch;
}

void sim_book_patch (sim_wish_t *wish, const sim_patch_t *patch)
{
    for (size_t i = 0; i < wish->needs_count; i++)
        if (patch->cpus > 0 && strcmp (wish->needs [i].id, patch->need) == 0)
            wish->needs [i].cpus = patch->cpus;
    for (size_t i = 0; i < wish->network_count; i++)
        if (patch->mbps > 0 && strcmp (wish->network [i].id, patch->connection) == 0)
            wish->network [i].mbps = patch->mbps;
    if (patch->duration_ms > 0)
        wish->duration_ms = patch->duration_ms;
    if (patch->start_ms > 0) {
        wish->fixed = true;
        wish->earliest_ms = patch->start_ms;
    }
}

bool sim_book_compose (sim_book_t *self, sim_request_t *request, int64_t now_ms)
{
    if (request->body [0].data)
        return true;
    if (request->operation == OPERATION_RESERVE) {
        for (size_t i = 0; i < 2; i++) {
            request->wish [i].earliest_ms += now_ms;
            request->wish [i].latest_ms += now_ms;
        }
        request->body [0] = sim_wire_reserve (&request->wish [0]);
        request->body [1] = sim_wire_reserve (&request->wish [1]);
        return true;
    }
    const sim_request_t *target =
      request->of ? request->of : reservation_known (self, request->aim);
    if (!target || target->answer.status != ANSWER_COMMITTED)
        return false;
    sim_text (request->target, sizeof request->target, target->answer.reservation);
    if (request->operation == OPERATION_MODIFY) {
        if (!request->of)
            request->patch [0] = patch_of (target, request->whim);
        else if (request->shifts)
            request->patch [0].start_ms += target->answer.start_ms;
        request->patch [1] = (sim_patch_t){.duration_ms = OTHER_DURATION_MS};
        for (size_t i = 0; i < 2; i++)
            request->body [i] = sim_wire_modify (request->target, &request->patch [i]);
        return true;
    }
    request->body [0] = sim_wire_release (request->target);
    request->body [1] = sim_wire_release ("another");
    return true;
}

static bool same_bytes (const packed_t *a, bytes_t b)
{
    return a->size == b.size && (b.size == 0 || memcmp (a->data, b.data, b.size) == 0);
}

bool sim_book_told (sim_request_t *request, size_t variant, const sim_answer_t *answer,
                    bytes_t packed, char why [WHY_BYTES])
{
    if (answer->status == ANSWER_CONFLICT) {
        request->conflict [variant] = true;
        if (request->told [variant])
            snprintf (why, WHY_BYTES, "%.100s was answered and is now told to be another's",
                      request->request_id);
        return !request->told [variant];
    }
    if (request->told [1 - variant]) {
        snprintf (why, WHY_BYTES, "%.100s: two different bodies were answered",
                  request->request_id);
        return false;
    }
    if (request->told [variant]) {
        bool same = same_bytes (&request->answer_packed, packed);
        if (!same && answer->status == ANSWER_REFUSED && request->answer.status == ANSWER_REFUSED) {
            request->reworded = true;
            return true;
        }
        if (!same)
            snprintf (
              why, WHY_BYTES, "%.100s: told twice, two different answers (%s)", request->request_id,
              request->answer.status == answer->status ? "of one status" : "of two statuses");
        return same;
    }
    request->told [variant] = true;
    request->answer = *answer;
    request->answer_packed.data = malloc (packed.size + 1);
    if (!request->answer_packed.data)
        abort ();
    if (packed.size > 0)
        memcpy (request->answer_packed.data, packed.data, packed.size);
    request->answer_packed.size = packed.size;
    return true;
}

bool sim_request_made (const sim_request_t *request, const char *actor, const char *request_id)
{
    size_t size = strlen (request->request_id);
    return strcmp (request->actor, actor) == 0 &&
           strncmp (request->request_id, request_id, size) == 0 &&
           (request_id [size] == '\0' || request_id [size] == '@');
}
