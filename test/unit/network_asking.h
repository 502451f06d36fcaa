/*  network_asking - requests that tests make of planners in a federation with network domains, and
 *  the answers they expect; used together with planner_asking.h.
 */
#ifndef MUSUBI_TEST_NETWORK_ASKING_H
#define MUSUBI_TEST_NETWORK_ASKING_H

#include "domain_fixture.h"
#include "message.h"
#include "planner_asking.h"

#include "calendar.pb-c.h"

typedef struct {
    int from; /* needs */
    int to;
    uint32_t mbps;
    double latency_ms; /* 0 = any */
    int64_t offset_ms;
    int64_t duration_ms;
} net_link_t;

/*  Needs "n0"…, each at a given site or at any, for an hour; of 4 CPUs unless said otherwise. */
typedef struct {
    const char *sites [8];
    uint32_t cpus [8];
    size_t needs;
    net_link_t links [8];
    size_t links_count;
    int64_t start_ms; /* from the epoch */
    bool distinct;
    const char *policy;
    const char *route;
    const char *algorithm;
    int64_t latest_ms; /* from the epoch: the last start allowed; 0 = the start is fixed */
    bool dry_run;
} net_wish_t;

static inline uint64_t ask_reserve_net (fed_t *fed, const char *planner, const char *id,
                                        const net_wish_t *wish)
{
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant start = MUSUBI__INSTANT__INIT, latest = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed needs [8], *needs_list [8];
    Musubi__NetworkNeed links [8], *links_list [8];
    char ids [8][32], *ends [8][2];
    for (size_t i = 0; i < wish->needs; i++) {
        musubi__compute_need__init (&needs [i]);
        snprintf (ids [i], sizeof ids [i], "n%zu", i);
        needs [i].id = ids [i];
        needs [i].cpus = wish->cpus [i] ? wish->cpus [i] : 4;
        needs [i].site = (char *) (wish->sites [i] ? wish->sites [i] : "");
        needs_list [i] = &needs [i];
    }
    for (size_t i = 0; i < wish->links_count; i++) {
        musubi__network_need__init (&links [i]);
        ends [i][0] = ids [wish->links [i].from];
        ends [i][1] = ids [wish->links [i].to];
        links [i].n_between = 2;
        links [i].between = ends [i];
        links [i].mbps = wish->links [i].mbps;
        links [i].latency_ms_max = wish->links [i].latency_ms;
        links [i].offset_ms = wish->links [i].offset_ms;
        links [i].duration_ms = wish->links [i].duration_ms;
        links_list [i] = &links [i];
    }
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = FED_EPOCH_MS + wish->start_ms;
    latest.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    latest.at_ms = FED_EPOCH_MS + wish->latest_ms;
    if (wish->latest_ms) {
        window.earliest = &start;
        window.latest = &latest;
    } else
        window.start = &start;
    request.window = &window;
    request.duration_ms = FED_HOUR_MS;
    request.n_compute = wish->needs;
    request.compute = needs_list;
    request.n_network = wish->links_count;
    request.network = links_list;
    request.distinct_sites = wish->distinct;
    request.policy = (char *) (wish->policy ? wish->policy : "");
    request.route = (char *) (wish->route ? wish->route : "");
    request.algorithm = (char *) (wish->algorithm ? wish->algorithm : "");
    reserve.request = &request;
    reserve.dry_run = wish->dry_run;
    return fed_ask (fed, planner, "Planner", "Reserve", "alice", id, &reserve.base, 60000);
}

static inline Musubi__Answer *reserve_net (fed_t *fed, const char *planner, const char *id,
                                           const net_wish_t *wish)
{
    return read_answer (fed, ask_reserve_net (fed, planner, id, wish));
}

static inline Musubi__Answer *modify_mbps (fed_t *fed, const char *planner, const char *id,
                                           const char *reservation, const char *need, uint32_t mbps)
{
    Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
    Musubi__ConnectionPatch patch = MUSUBI__CONNECTION_PATCH__INIT, *list [] = {&patch};
    patch.id = (char *) need;
    patch.mbps = mbps;
    request.reservation = (char *) reservation;
    request.network = list;
    request.n_network = 1;
    return read_answer (
      fed, fed_ask (fed, planner, "Planner", "Modify", "alice", id, &request.base, 60000));
}

/*  What a class or link has free at a moment from the epoch. */
static inline int64_t free_now (fed_t *fed, const char *peer, const char *resource, int64_t at_ms)
{
    Musubi__WindowsRequest request = MUSUBI__WINDOWS_REQUEST__INIT;
    Musubi__Window window = MUSUBI__WINDOW__INIT, *list [] = {&window};
    window.resource = (char *) resource;
    window.from_ms = FED_EPOCH_MS + at_ms;
    window.until_ms = window.from_ms + 1;
    request.windows = list;
    request.n_windows = 1;
    uint32_t least = 0, most = 1u << 20; /* least fits, most does not */
    while (least + 1 < most) {
        uint32_t middle = least + (most - least) / 2;
        call_status_t status;
        char reason [256];
        window.quantity = middle;
        Musubi__WindowsAnswer *answer = (Musubi__WindowsAnswer *) fed_answer (
          fed, fed_ask (fed, peer, "Calendar", "Windows", "alice", "", &request.base, 5000),
          &musubi__windows_answer__descriptor, &status, reason);
        if (!answer)
            fail_msg ("%s: status %d: %s", peer, (int) status, reason);
        assert (answer);
        bool fits = answer->fits [0];
        message_free (&answer->base);
        if (fits)
            least = middle;
        else
            most = middle;
    }
    return least;
}

/*  --- a federation ---
 *
 *      a --- b        N: a-b, a-X1, b-X1
 *       \   /
 *        X1           an exchange point of both
 *        |
 *        c --- d      S: X1-c, c-d */

static const link_word_t links_n [] = {
  {"a-b", 1000, 1, 1000000}, {"a-X1", 1000, 2, 2000000}, {"b-X1", 1000, 2, 2000000}};
static const link_word_t links_s [] = {{"X1-c", 1000, 3, 4000000}, {"c-d", 500, 0.5, 0}};

/*  Not started yet. */
static inline void net_build (fed_t *fed, uint64_t seed, disclosure_t n, disclosure_t s)
{
    fed_new (fed, seed);
    fed_add (fed, FED_GIS, "gis/g1");
    fed_add_site (fed, "lis/a", 8, 4, 1000, DISCLOSE_PROFILE);
    fed_add_site (fed, "lis/b", 8, 4, 1000, DISCLOSE_PROFILE);
    fed_add_site (fed, "lis/c", 8, 4, 1000, DISCLOSE_PROFILE);
    fed_add_site (fed, "lis/d", 8, 4, 1000, DISCLOSE_PROFILE);
    domain_t domain_n = domain_of (links_n, 3, n), domain_s = domain_of (links_s, 2, s);
    fed_add_domain (fed, "nis/N", &domain_n);
    fed_add_domain (fed, "nis/S", &domain_s);
    codec_clear (&domain_codec, &domain_n);
    codec_clear (&domain_codec, &domain_s);
    fed_add (fed, FED_PLANNER, "p0");
    fed_add (fed, FED_PLANNER, "p1");
}

static inline void net_begin (fed_t *fed, uint64_t seed)
{
    net_build (fed, seed, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    fed_up (fed);
}

/*  At a, b and c, with connections between a and b and between b and c. */
static const net_wish_t triangle = {.sites = {"a", "b", "c"},
                                    .needs = 3,
                                    .links = {{0, 1, 600, 0, 0, 0}, {1, 2, 400, 0, 0, 0}},
                                    .links_count = 2,
                                    .start_ms = FED_HOUR_MS};

/*  --- expecting --- */

/*  path and links: their names, joined by blanks. */
static inline void expect_path (const Musubi__Connection *connection, const char *need,
                                uint32_t mbps, const char *path, const char *links,
                                double latency_ms)
{
    char told [512] = "";
    size_t at = 0;
    for (size_t i = 0; i < connection->n_path; i++)
        at += (size_t) snprintf (told + at, sizeof told - at, "%s%s", i ? " " : "",
                                 connection->path [i]);
    assert_string_equal (told, path);
    *told = '\0';
    at = 0;
    for (size_t i = 0; i < connection->n_links; i++)
        at += (size_t) snprintf (told + at, sizeof told - at, "%s%s", i ? " " : "",
                                 connection->links [i]);
    assert_string_equal (told, links);
    assert_string_equal (connection->need, need);
    assert_int_equal (connection->mbps, mbps);
    assert_true (connection->latency_ms == latency_ms);
}

/*  The first reason about this need and this resource; NULL when there is none. */
static inline const Musubi__Reason *reason_of (const Musubi__Answer *answer, const char *need)
{
    for (size_t i = 0; i < answer->n_reasons; i++)
        if (strcmp (answer->reasons [i]->need, need) == 0)
            return answer->reasons [i];
    return NULL;
}

static inline const Musubi__Reason *reason_about (const Musubi__Answer *answer,
                                                  const char *resource)
{
    for (size_t i = 0; i < answer->n_reasons; i++)
        if (strcmp (answer->reasons [i]->resource, resource) == 0)
            return answer->reasons [i];
    return NULL;
}

/*  Checks that nothing is booked anywhere in that federation. */
static inline void expect_untouched (fed_t *fed)
{
    for (size_t i = 0; i < 3; i++)
        assert_int_equal (free_now (fed, "nis/N", links_n [i].name, FED_HOUR_MS), 1000);
    assert_int_equal (free_now (fed, "nis/S", "X1-c", FED_HOUR_MS), 1000);
    assert_int_equal (free_now (fed, "lis/a", "thin", FED_HOUR_MS), 8);
    assert_int_equal (free_now (fed, "lis/b", "thin", FED_HOUR_MS), 8);
    assert_int_equal (free_now (fed, "lis/c", "thin", FED_HOUR_MS), 8);
}

#endif
