/*  network - a ring of routers with chords; packs holds and questions about profiles, windows and
 *  paths. */
#include "network.h"

#include "calendar.pb-c.h"
#include "message.h"
#include "nis.pb-c.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_MBPS = 100000000 }; /* nothing is ever short, because refusals cost other amounts */

static const uint8_t planner_store [STORE_ID_BYTES] = {[15] = 1};

void network_make (network_t *self, size_t links)
{
    *self = (network_t){0};
    prng_seed (&self->prng, 1);
    size_t routers = links / 2;
    assert (routers >= 3 && links <= LINKS_MAX); /* a ring large enough for a chord */
    for (size_t i = 0; i < routers; i++) {
        self->vertices [i].kind = VERTEX_ROUTER;
        snprintf (self->vertices [i].name, sizeof self->vertices [i].name, "N/r%zu", i);
    }
    for (size_t i = 0; i < links; i++) {
        size_t from = i % routers;
        size_t to = (from + 1) % routers;
        while (i >= routers && (to == from || to == (from + 1) % routers))
            to = (size_t) prng_below (&self->prng, routers);
        link_t *link = &self->links [i];
        *link = (link_t){.mbps = LINK_MBPS, .latency_us = 1000};
        snprintf (link->name, sizeof link->name, "l%zu", i);
        memcpy (link->ends [0], self->vertices [from].name, sizeof link->ends [0]);
        memcpy (link->ends [1], self->vertices [to].name, sizeof link->ends [1]);
    }
    self->domain = (domain_t){.vertices = self->vertices,
                              .vertices_count = routers,
                              .links = self->links,
                              .links_count = links,
                              .lead_ms = 1000,
                              .horizon_ms = (int64_t) 365 * DAY_MS};
}

packed_t hold_of (const char *name, const uint8_t store [STORE_ID_BYTES], part_kind_t kind,
                  packed_t part, int64_t now_ms, uint64_t counter, txid_t *txid)
{
    participant_ref_t participant = {.endpoint = "sim://x"};
    snprintf (participant.name, sizeof participant.name, "%s", name);
    memcpy (participant.store, store, STORE_ID_BYTES);
    hold_t hold = {
      .plan = {.txid = {.start = 1, .counter = counter},
               .participants = &participant,
               .participants_count = 1,
               .coordinator = {.name = PLANNER, .endpoint = "sim://p"},
               .decide_by_ms = now_ms + 10000,
               .edge_ms = now_ms + 30000,
               .actor = "bench"},
      .part_kind = kind,
      .part = part.data,
      .part_size = part.size,
      .prepare = true,
    };
    memcpy (hold.plan.txid.store, planner_store, STORE_ID_BYTES);
    memcpy (hold.plan.coordinator.store, planner_store, STORE_ID_BYTES);
    snprintf (hold.plan.reservation, sizeof hold.plan.reservation, "r%" PRIu64, counter);
    *txid = hold.plan.txid;
    packed_t body = codec_encode (&hold_codec, &hold);
    free (part.data);
    return body;
}

packed_t circuit_hold (network_t *self, size_t links, const uint8_t store [STORE_ID_BYTES],
                       int64_t now_ms, txid_t *txid)
{
    char names [CIRCUIT_MAX][NAME_BYTES_MAX + 1];
    size_t first = (size_t) prng_below (&self->prng, self->domain.vertices_count);
    for (size_t i = 0; i < links; i++)
        memcpy (names [i], self->links [(first + i) % self->domain.vertices_count].name,
                sizeof names [i]);
    int64_t from_ms =
      self->base_ms + (int64_t) prng_below (&self->prng, DAYS * 24 * 12) * (HOUR_MS / 12);
    circuit_t circuit = {.need = "a-b",
                         .links = names,
                         .links_count = links,
                         .mbps = 1 + (uint32_t) prng_below (&self->prng, 1000),
                         .from_ms = from_ms,
                         .until_ms = from_ms + HOUR_MS};
    packed_t part = network_part_encode (&circuit, 1);
    return hold_of ("nis/N", store, PART_NETWORK, part, now_ms, ++self->holds, txid);
}

static packed_t pack (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

packed_t profile_question (const network_t *self, int days, const char *link)
{
    char *names [] = {(char *) link};
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = self->base_ms + (days == 1 ? DAYS / 2 * (int64_t) DAY_MS : 0);
    request.until_ms = request.from_ms + days * (int64_t) DAY_MS;
    request.n_resources = link ? 1 : 0;
    request.resources = names;
    return pack (&request.base);
}

packed_t path_question (network_t *self, const char *route)
{
    size_t routers = self->domain.vertices_count;
    size_t from = (size_t) prng_below (&self->prng, routers);
    size_t to = (from + 1 + (size_t) prng_below (&self->prng, routers - 1)) % routers;
    Musubi__PathQuestion question = MUSUBI__PATH_QUESTION__INIT;
    Musubi__PathQuestion *list [] = {&question};
    question.from = self->vertices [from].name;
    question.to = self->vertices [to].name;
    question.mbps = 1000;
    question.from_ms =
      self->base_ms + (int64_t) prng_below (&self->prng, DAYS * 24) * (int64_t) HOUR_MS;
    question.until_ms = question.from_ms + HOUR_MS;
    question.route = (char *) route;
    Musubi__PathsRequest request = MUSUBI__PATHS_REQUEST__INIT;
    request.n_questions = 1;
    request.questions = list;
    return pack (&request.base);
}

packed_t windows_question (network_t *self)
{
    static Musubi__Window windows [LINKS_MAX];
    static Musubi__Window *list [LINKS_MAX];
    for (size_t i = 0; i < self->domain.links_count; i++) {
        musubi__window__init (&windows [i]);
        list [i] = &windows [i];
        windows [i].resource = self->links [i].name;
        windows [i].quantity = 1000;
        windows [i].from_ms =
          self->base_ms + (int64_t) prng_below (&self->prng, DAYS * 24) * (int64_t) HOUR_MS;
        windows [i].until_ms = windows [i].from_ms + HOUR_MS;
    }
    Musubi__WindowsRequest request = MUSUBI__WINDOWS_REQUEST__INIT;
    request.n_windows = self->domain.links_count;
    request.windows = list;
    return pack (&request.base);
}
