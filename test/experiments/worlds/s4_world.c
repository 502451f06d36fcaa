/*  s4_world - three meshes, two exchange points, two streams of requests. */
#include "s4_world.h"

#include "must.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CREDIT         1000000 /* micro-credits */
#define INSIDE_MBPS    5000
#define INSIDE_PRICE   5
#define EXCHANGE_MBPS  10000
#define EXCHANGE_PRICE 3
#define LATENCY_US     1000
#define LINK_MBPS      1000 /* that each link of a request wants */
#define MEAN_SITES     3.0
#define MEAN_CPUS      3.75
#define MEAN_MS        4200000.0
#define FLEXIBILITY    3.0 /* latest less earliest start, in mean intervals */
#define LINKS_MAX      14

const s4_site_t s4_sites [S4_SITES] = {{"N1", 0, 8},  {"N2", 0, 16}, {"N3", 0, 32}, {"N4", 0, 64},
                                       {"S1", 1, 8},  {"S2", 1, 16}, {"S3", 1, 32}, {"U1", 2, 8},
                                       {"U2", 2, 16}, {"U3", 2, 32}};
const char *const s4_domains [S4_DOMAINS] = {"N", "S", "U"};
const char *const s4_users [S4_USERS] = {"UserA", "UserB"};

static const size_t exchanges_of [S4_DOMAINS] = {2, 2,
                                                 1}; /* how many exchange points, from the first */
static const int64_t durations_ms [] = {1800000, 3600000, 7200000};

/*  --- the federation --- */

static void add_vertex (domain_t *domain, const char *name, vertex_kind_t kind)
{
    vertex_t *vertex = &domain->vertices [domain->vertices_count++];
    snprintf (vertex->name, sizeof vertex->name, "%s", name);
    vertex->kind = kind;
}

static void add_link (domain_t *domain, const char *a, const char *b, uint32_t mbps, int64_t price)
{
    assert (domain->links_count < LINKS_MAX);
    link_t *link = &domain->links [domain->links_count++];
    *link = (link_t){.mbps = mbps, .latency_us = LATENCY_US, .price = price * CREDIT};
    snprintf (link->name, sizeof link->name, "%.16s-%.16s", a, b);
    snprintf (link->ends [0], sizeof link->ends [0], "%s", a);
    snprintf (link->ends [1], sizeof link->ends [1], "%s", b);
}

static const char *exchange_name (size_t at)
{
    return at == 0 ? "X1" : "X2";
}

static void make_domain (domain_t *domain, size_t at)
{
    *domain = (domain_t){.horizon_ms = 30 * S4_DAY_MS};
    domain->vertices = must (calloc (S4_SITES, sizeof *domain->vertices));
    domain->links = must (calloc (LINKS_MAX, sizeof *domain->links));
    for (size_t x = 0; x < exchanges_of [at]; x++)
        add_vertex (domain, exchange_name (x), VERTEX_EXCHANGE);
    for (size_t i = 0; i < S4_SITES; i++) {
        if (s4_sites [i].domain != at)
            continue;
        add_vertex (domain, s4_sites [i].name, VERTEX_SITE);
        for (size_t k = 0; k < i; k++)
            if (s4_sites [k].domain == at)
                add_link (domain, s4_sites [k].name, s4_sites [i].name, INSIDE_MBPS, INSIDE_PRICE);
        for (size_t x = 0; x < exchanges_of [at]; x++)
            add_link (domain, s4_sites [i].name, exchange_name (x), EXCHANGE_MBPS, EXCHANGE_PRICE);
    }
    char why [WHY_BYTES];
    bool sound = domain_check (domain, s4_domains [at], why);
    assert (sound);
    (void) sound;
}

void s4_world_make (s4_world_t *self)
{
    for (size_t i = 0; i < S4_SITES; i++) {
        node_class_t *class = must (calloc (1, sizeof *class));
        *class = (node_class_t){.nodes = s4_sites [i].cpus, .cpus_per_node = 1, .price = CREDIT};
        snprintf (class->name, sizeof class->name, "node");
        self->sites [i] =
          (site_t){.classes = class, .classes_count = 1, .horizon_ms = 30 * S4_DAY_MS};
    }
    for (size_t i = 0; i < S4_DOMAINS; i++)
        make_domain (&self->domains [i], i);
}

void s4_world_clear (s4_world_t *self)
{
    for (size_t i = 0; i < S4_SITES; i++)
        codec_clear (&site_codec, &self->sites [i]);
    for (size_t i = 0; i < S4_DOMAINS; i++)
        codec_clear (&domain_codec, &self->domains [i]);
}

/*  --- what is asked --- */

double s4_interval_ms (double load)
{
    assert (load > 0);
    return S4_USERS * MEAN_SITES * MEAN_CPUS * MEAN_MS / (load * S4_CPUS);
}

static void draw_shape (scenario_request_t *self, prng_t *prng)
{
    static const size_t sites [] = {2, 3, 3, 4};
    size_t shape = (size_t) prng_below (prng, 4);
    uint32_t cpus = UINT32_C (1) << prng_below (prng, 4);
    self->span_ms = durations_ms [prng_below (prng, 3)];
    self->jobs_count = sites [shape];
    for (size_t i = 0; i < self->jobs_count; i++)
        self->jobs [i] = (scenario_job_t){
          .system = SCENARIO_ANY_SYSTEM, .cpus = cpus, .duration_ms = self->span_ms};
    for (size_t a = 0; a < self->jobs_count; a++)
        for (size_t b = a + 1; b < self->jobs_count; b++)
            if (shape != 1 || b == a + 1)
                self->links [self->links_count++] = (scenario_link_t){
                  .ends = {a, b}, .mbps = LINK_MBPS, .duration_ms = self->span_ms};
}

static int by_arrival (const void *a, const void *b)
{
    const scenario_request_t *first = a;
    const scenario_request_t *second = b;
    if (first->arrival_ms != second->arrival_ms)
        return first->arrival_ms < second->arrival_ms ? -1 : 1;
    return (first->user > second->user) - (first->user < second->user);
}

scenario_request_t *s4_requests (uint64_t seed, double load, int64_t until_ms, size_t *count)
{
    double between_ms = s4_interval_ms (load);
    scenario_request_t *list = NULL;
    size_t room = 0;
    *count = 0;
    for (size_t user = 0; user < S4_USERS; user++) {
        prng_t prng;
        prng_seed (&prng, seed * S4_USERS + user);
        double at_ms = 0;
        for (;;) {
            at_ms -= between_ms * log (1 - prng_unit (&prng));
            if (at_ms >= (double) until_ms)
                break;
            if (*count == room) {
                room = room ? 2 * room : 512;
                list = must (realloc (list, room * sizeof *list));
            }
            scenario_request_t *request = &list [(*count)++];
            *request =
              (scenario_request_t){.arrival_ms = (int64_t) at_ms, .user = user, .distinct = true};
            draw_shape (request, &prng);
            request->earliest_ms = S4_DAY_MS + (int64_t) prng_below (&prng, (uint64_t) S4_DAY_MS);
            request->within_ms = request->span_ms + (int64_t) (FLEXIBILITY * between_ms);
        }
    }
    if (*count > 1)
        qsort (list, *count, sizeof *list, by_arrival);
    return list;
}
