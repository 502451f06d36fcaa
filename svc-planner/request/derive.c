/*  derive - storage, sources and circuits of data and space needs. */
#include "derive.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define CIRCUIT_PERCENT  90                  /* of a circuit's bandwidth that a file's bytes get */
#define BYTES_PER_S_MBPS 125000              /* of a Mbit/s */
#define STAGING_MS_MAX   (INT64_C (1) << 40) /* some 35 years: later than any plan */

static int64_t derive_ms_at (const staging_terms_t *terms, uint64_t size, double bytes_per_s)
{
    double ms = size > 0 ? (double) size / bytes_per_s * 1000 : 0;
    return ms >= (double) STAGING_MS_MAX ? STAGING_MS_MAX : terms->start_ms + (int64_t) (ms + 1);
}

int64_t staging_ms (const staging_terms_t *terms, uint64_t size, uint64_t bytes_per_s)
{
    double rate =
      bytes_per_s > 0 ? (double) bytes_per_s : (double) terms->unmeasured_mbps * BYTES_PER_S_MBPS;
    return derive_ms_at (terms, size, rate * (100 - terms->margin_percent) / 100);
}

int64_t staging_circuit_ms (const staging_terms_t *terms, uint64_t size, uint32_t mbps)
{
    return derive_ms_at (terms, size, (double) mbps * BYTES_PER_S_MBPS * CIRCUIT_PERCENT / 100);
}

/*  A need beside the one `at`, from by_ms after that one's start to its end. */
static compute_need_t *derive_need (user_request_t *self, const char *at, const char *id,
                                    int64_t by_ms)
{
    assert (self->compute_count < NEEDS_MAX);
    size_t beside = user_request_need (self, at);
    compute_need_t *need = &self->compute [self->compute_count++];
    *need = (compute_need_t){.offset_ms = self->compute [beside].offset_ms + by_ms,
                             .duration_ms = need_duration (self, beside) - by_ms,
                             .derived = {.kind = DERIVED_STORAGE, .at = beside}};
    snprintf (need->id, sizeof need->id, "%s", id);
    return need;
}

/*  At least one MiB, so that every booking says where its file is. */
static uint32_t derive_mib (uint64_t bytes)
{
    uint64_t mib = bytes / SPACE_UNIT + (bytes % SPACE_UNIT > 0);
    return mib == 0 ? 1 : mib > UINT32_MAX ? UINT32_MAX : (uint32_t) mib;
}

static void derive_circuit (user_request_t *self, size_t at, const staging_terms_t *terms)
{
    const data_need_t *data = &self->data [at];
    char id [NAME_BYTES_MAX + 1];
    snprintf (id, sizeof id, "@%zu", at); /* no user's need can have it */
    compute_need_t *source = derive_need (self, data->at, id, data->by_ms);
    int64_t length_ms = staging_circuit_ms (terms, data->size, data->mbps);
    source->offset_ms -= length_ms;
    source->duration_ms = length_ms;
    source->derived.kind = DERIVED_SOURCE;
    source->derived.data = at + 1;
    assert (self->network_count < NETWORK_NEEDS_MAX);
    network_need_t *circuit = &self->network [self->network_count++];
    *circuit = (network_need_t){.ends_count = 2,
                                .mbps = data->mbps,
                                .offset_ms = source->offset_ms,
                                .duration_ms = length_ms,
                                .data = at + 1};
    snprintf (circuit->id, sizeof circuit->id, "%s", data->id);
    snprintf (circuit->ends [0], sizeof circuit->ends [0], "%s", id);
    snprintf (circuit->ends [1], sizeof circuit->ends [1], "%s", data->at);
}

user_request_t *request_derive (const user_request_t *request, const staging_terms_t *terms)
{
    if (request->data_count + request->space_count == 0)
        return NULL;
    user_request_t *self = must (calloc (1, sizeof *self));
    user_request_copy (self, request);
    self->compute = must (realloc (self->compute, NEEDS_MAX * sizeof *self->compute));
    self->network = must (realloc (self->network, NETWORK_NEEDS_MAX * sizeof *self->network));
    for (size_t i = 0; i < request->data_count; i++) {
        const data_need_t *data = &request->data [i];
        for (uint32_t copies = data_need_nodes (data); copies > 0; copies--) {
            compute_need_t *need = derive_need (self, data->at, data->id, data->by_ms);
            need->cpus = derive_mib (data->size);
            need->derived.data = i + 1;
            need->derived.everywhere = data->nodes == DATA_NODES_ALL;
        }
    }
    for (size_t i = 0; i < request->space_count; i++) {
        const space_need_t *space = &request->space [i];
        compute_need_t *need = derive_need (self, space->at, space->id, 0);
        need->cpus = derive_mib (space->bytes);
        need->derived.space = i + 1;
    }
    for (size_t i = 0; i < request->data_count; i++)
        if (request->data [i].mbps > 0)
            derive_circuit (self, i, terms);
    return self;
}
