/*  candidates - a planner that asks few is as good as one that asks all: in random federations, by
 *  its verdict, by the start and by the price that it finds.
 *
 *  A planner's core is told a directory and summaries; the sites and domains that it asks are
 *  calendars. Beside it the planner's search works on what all of them would have answered. In
 *  a third of the federations bookings were made after the summaries; in another third some have
 *  been given back since, too: then the start may be a later one, but "nowhere" may not be said.
 *
 *      test_candidates [FEDERATIONS [FIRST SEED]]
 */
#include "calendar_wire.h"
#include "directory_wire.h"
#include "domain_fixture.h"
#include "free_capacity.h"
#include "gis_wire.h"
#include "host_in_memory.h"
#include "planner.h"
#include "planner_wire.h"
#include "prng.h"
#include "search.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FEDERATIONS   2000 /* test_candidates 10000 tries as many */
#define SITES_MOST    500
#define DOMAINS_MOST  12
#define LINKS_MOST    16
#define NOW_MS        INT64_C (1790000000000)
#define MINUTE_MS     INT64_C (60000)
#define HOUR_MS       (60 * MINUTE_MS)
#define VOTES_MS      1000 /* that a plan leaves for votes, at first */
#define BOOKINGS_MOST 24

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    site_t site;
    node_class_t classes [2];
    domain_t domain;
    free_capacity_t *capacity;
    resource_interval_t booked [BOOKINGS_MOST];
    size_t booked_count;
    packed_t summary;
} provider_double_t;

typedef struct call_made {
    struct call_made *next;
    uint64_t call;
    char method [32];
    char endpoint [ENDPOINT_BYTES_MAX + 1];
    packed_t body;
} call_made_t;

typedef struct {
    prng_t prng;
    provider_double_t *sites, *domains;
    size_t sites_count, domains_count;
    user_request_t request;
    uint64_t told_percent; /* of summaries */
    memory_host_t host;
    call_made_t *first, **last;
    answer_t answer;
    bool answered;
    size_t questions;
} random_federation_t;

typedef struct {
    uint64_t granted, refused, stale;
    uint64_t asked, all;                    /* questions */
    uint64_t lone, lone_asked, lone_most;   /* granted requests of one need */
    uint64_t large, large_asked, large_all; /* granted, in federations of 100 sites and more */
} toll_t;

static toll_t toll;
static timekeeper_t keeper;

static uint64_t draw (random_federation_t *world, uint64_t below)
{
    return prng_below (&world->prng, below);
}

/*  --- who could be asked --- */

static void book (provider_double_t *provider, resource_interval_t booking)
{
    if (provider->booked_count == BOOKINGS_MOST)
        return;
    free_capacity_book (provider->capacity, &(interval_list_t){&booking, 1});
    provider->booked [provider->booked_count++] = booking;
}

static void book_some (random_federation_t *world, provider_double_t *provider, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t resource = draw (world, free_capacity_offers (provider->capacity));
        uint32_t quantity = free_capacity_offer (provider->capacity, resource)->quantity;
        int64_t from_ms = NOW_MS + (int64_t) draw (world, 40) * 10 * MINUTE_MS;
        int64_t until_ms = from_ms + (int64_t) (1 + draw (world, 30)) * 10 * MINUTE_MS;
        int64_t free =
          free_capacity_least (provider->capacity, resource, (interval_t){from_ms, until_ms}, NULL);
        int64_t taken = 1 + (int64_t) draw (world, quantity);
        if (taken <= free)
            book (provider, (resource_interval_t){resource, {from_ms, until_ms}, taken, false});
    }
}

/*  What is left is too little for most, for the whole day or for a part of it. */
static void fill (random_federation_t *world, provider_double_t *provider)
{
    int64_t minutes = draw (world, 2) ? 2400 : 120 + (int64_t) draw (world, 1000);
    for (size_t i = 0; i < free_capacity_offers (provider->capacity); i++) {
        interval_t day = {NOW_MS - HOUR_MS, NOW_MS + minutes * MINUTE_MS};
        int64_t taken = free_capacity_least (provider->capacity, i, day, NULL);
        if (taken > 0 && draw (world, 4) == 0)
            taken -= (int64_t) draw (world, 2);
        if (taken > 0)
            book (provider, (resource_interval_t){i, day, taken, false});
    }
}

static void give_back (random_federation_t *world, provider_double_t *provider)
{
    if (provider->booked_count == 0)
        return;
    size_t at = draw (world, provider->booked_count);
    resource_interval_t given = provider->booked [at];
    free_capacity_release (provider->capacity, &(interval_list_t){&given, 1});
    provider->booked [at] = provider->booked [--provider->booked_count];
}

static void make_capacity (provider_double_t *provider, const resource_offer_t *offers,
                           size_t count, int64_t gap_ms, int64_t horizon_ms)
{
    provider->capacity = free_capacity_new (
      &(free_capacity_settings_t){.name = provider->name,
                                  .words = {"class", "nodes", "CPUs"},
                                  .terms = {.gap_ms = gap_ms, .horizon_ms = horizon_ms},
                                  .offers = offers,
                                  .offers_count = count},
      &keeper);
}

static void make_site (random_federation_t *world, size_t at)
{
    provider_double_t *site = &world->sites [at];
    resource_offer_t offers [2];
    snprintf (site->name, sizeof site->name, "lis/s%zu", at);
    size_t count = 1 + draw (world, 2);
    for (size_t c = 0; c < count; c++) {
        node_class_t *class = &site->classes [c];
        *class = (node_class_t){.nodes = 1 + (uint32_t) draw (world, draw (world, 4) ? 12 : 300),
                                .cpus_per_node = 1 + (uint32_t) draw (world, 3),
                                .price = 100000 * (int64_t) (1 + draw (world, 5))};
        snprintf (class->name, sizeof class->name, "c%zu", c);
        offers [c] = (resource_offer_t){.quantity = class->nodes, .unit = class->cpus_per_node};
        memcpy (offers [c].name, class->name, sizeof class->name);
    }
    site->site = (site_t){.classes = site->classes,
                          .classes_count = count,
                          .lead_ms = (int64_t) draw (world, draw (world, 8) ? 30000 : 2 * HOUR_MS),
                          .horizon_ms = 400 * 24 * HOUR_MS,
                          .cleaning_gap_ms = draw (world, 3) ? 0 : 5 * MINUTE_MS};
    make_capacity (site, offers, count, site->site.cleaning_gap_ms, site->site.horizon_ms);
}

/*  Each has some of the sites; all meet at one point, or in pairs at others, too. */
static void make_domain (random_federation_t *world, size_t at)
{
    provider_double_t *domain = &world->domains [at];
    resource_offer_t offers [LINKS_MOST];
    link_word_t words [LINKS_MOST];
    char names [LINKS_MOST][32];
    size_t count = 0;
    for (size_t s = at; s < world->sites_count && count + 1 < LINKS_MOST; s += world->domains_count)
        snprintf (names [count++], sizeof *names, "s%zu-X", s);
    if (draw (world, 2))
        snprintf (names [count++], sizeof *names, "X%zu-X", at / 2);
    for (size_t i = 0; i < count; i++) {
        words [i] = (link_word_t){.name = names [i],
                                  .mbps = 100 + (uint32_t) draw (world, 900),
                                  .latency_ms = 1,
                                  .price = 1000 * (int64_t) draw (world, 3)};
        offers [i] = (resource_offer_t){.quantity = words [i].mbps, .unit = 1};
        snprintf (offers [i].name, sizeof offers [i].name, "%s", names [i]);
    }
    snprintf (domain->name, sizeof domain->name, "nis/N%zu", at);
    domain->domain = domain_of (words, count, DISCLOSE_PROFILE);
    make_capacity (domain, offers, count, 0, domain->domain.horizon_ms);
}

/*  One of an older version tells none; one that was told long ago says that nothing is free. */
static void summarise (random_federation_t *world, provider_double_t *provider)
{
    if (draw (world, 100) >= world->told_percent)
        return;
    bool old = draw (world, 20) == 0;
    int64_t age_ms =
      old ? FREE_SUMMARY_OLD_MS + 1 : (int64_t) draw (world, (uint64_t) FREE_SUMMARY_SPAN_MS);
    free_summary_t summary;
    free_capacity_summary (provider->capacity, NOW_MS - age_ms, &summary);
    for (size_t at = 0; old && at < summary.levels_size; at += summary.levels [at] + 1u)
        memset (&summary.levels [at + 1], 0, summary.levels [at]);
    provider->summary = codec_encode (&free_summary_codec, &summary);
    codec_clear (&free_summary_codec, &summary);
}

static void provider_end_double (provider_double_t *provider)
{
    free_capacity_destroy (&provider->capacity);
    codec_clear (&domain_codec, &provider->domain);
    free (provider->summary.data);
}

/*  --- what is asked for --- */

static void make_request (random_federation_t *world)
{
    user_request_t *request = &world->request;
    static const char *const policies [] = {"", "time", "cost", "random"};
    request->compute_count = draw (world, 3) ? 1 : 1 + draw (world, 3);
    request->compute = must (calloc (request->compute_count, sizeof *request->compute));
    snprintf (request->name, sizeof request->name, "test");
    snprintf (request->policy, sizeof request->policy, "%s", policies [draw (world, 4)]);
    request->duration_ms = (int64_t) (2 + draw (world, 11)) * 10 * MINUTE_MS;
    request->distinct_sites = draw (world, 2);
    int64_t earliest_ms = NOW_MS + (int64_t) (1 + draw (world, 20)) * 10 * MINUTE_MS;
    request->window.earliest = (instant_t){.set = true, .ms = earliest_ms};
    request->window.latest = (instant_t){
      .set = true,
      .ms = earliest_ms + (int64_t) draw (world, 4) * (int64_t) draw (world, 30) * 10 * MINUTE_MS};
    for (size_t n = 0; n < request->compute_count; n++) {
        compute_need_t *need = &request->compute [n];
        need->cpus = 1 + (uint32_t) draw (world, draw (world, 4) ? 8 : 60);
        need->offset_ms = draw (world, 4) ? 0 : 10 * MINUTE_MS;
        if (draw (world, 12) == 0)
            snprintf (need->site, sizeof need->site, "s%zu",
                      (size_t) draw (world, world->sites_count));
        snprintf (need->id, sizeof need->id, "n%zu", n);
    }
    if (world->domains_count > 0 && request->compute_count > 1) {
        request->network = must (calloc (1, sizeof *request->network));
        request->network_count = 1;
        request->network->ends_count = 2;
        request->network->mbps = 50 + (uint32_t) draw (world, 300);
        strcpy (request->network->ends [0], "n0");
        strcpy (request->network->ends [1], "n1");
    }
    user_request_name (request);
}

static directory_entry_t entry_of_double (const provider_double_t *provider)
{
    provider_double_t *told = (provider_double_t *) provider;
    directory_entry_t entry = {.store = {1}, .start = 1};
    snprintf (entry.name, sizeof entry.name, "%s", provider->name);
    snprintf (entry.endpoint, sizeof entry.endpoint, "mem://%s", provider->name);
    entry.site = provider->site.classes ? &told->site : NULL;
    entry.domain = provider->domain.links ? &told->domain : NULL;
    return entry;
}

/*  --- what the planner is told --- */

static provider_double_t *double_at (random_federation_t *world, const char *endpoint)
{
    for (size_t i = 0; i < world->sites_count; i++)
        if (strcmp (endpoint + 6, world->sites [i].name) == 0)
            return &world->sites [i];
    for (size_t i = 0; i < world->domains_count; i++)
        if (strcmp (endpoint + 6, world->domains [i].name) == 0)
            return &world->domains [i];
    fail_msg ("nobody is at %s", endpoint);
    return NULL;
}

static packed_t tell_directory (random_federation_t *world)
{
    const directory_entry_t gis = {
      .name = "gis/g", .store = {9}, .start = 1, .endpoint = "mem://gis/g", .events = "mem://e"};
    size_t count = 0;
    packed_t *entries =
      must (calloc (world->sites_count + world->domains_count + 1, sizeof *entries));
    entries [count++] = codec_encode (&directory_entry_codec, &gis);
    /* Ascending by name, as strings: 0, 1, 10, 100, … */
    for (int kind = 0; kind < 2; kind++) {
        size_t many = kind ? world->domains_count : world->sites_count, from = count;
        const char *names [SITES_MOST];
        for (size_t i = 0; i < many; i++) {
            const provider_double_t *one = kind ? &world->domains [i] : &world->sites [i];
            directory_entry_t entry = entry_of_double (one);
            size_t at = i;
            for (; at > 0 && strcmp (names [at - 1], one->name) > 0; at--) {
                names [at] = names [at - 1];
                entries [from + at] = entries [from + at - 1];
            }
            names [at] = one->name;
            entries [from + at] = codec_encode (&directory_entry_codec, &entry);
            count++;
        }
    }
    const char *const homes [] = {"gis/g"};
    packed_t body = entries_told_encode (
      &snapshot_told_codec, &(entries_told_t){.entries = entries,
                                              .count = count,
                                              .mark = {.store = {9}, .start = 1, .number = 1},
                                              .homes = homes,
                                              .homes_count = 1});
    for (size_t i = 0; i < count; i++)
        free (entries [i].data);
    free (entries);
    return body;
}

static packed_t tell_summaries (random_federation_t *world, bytes_t body)
{
    directory_mark_t have;
    char why [WHY_BYTES];
    named_summary_t told [SUMMARIES_MAX];
    summaries_page_t page = {.summaries = told, .mark = {.store = {9}, .start = 1}};
    assert_true (codec_decode (&summaries_question_codec, &have, body, why));
    size_t at = have.start ? have.number : 0, all = world->sites_count + world->domains_count;
    for (; at < all && page.summaries_count < SUMMARIES_MAX; at++) {
        const provider_double_t *one =
          at < world->sites_count ? &world->sites [at] : &world->domains [at - world->sites_count];
        named_summary_t *summary = &told [page.summaries_count++];
        memcpy (summary->name, one->name, sizeof summary->name);
        summary->summary = one->summary;
    }
    page.mark.number = at;
    page.more = at < all;
    return codec_encode (&summaries_page_codec, &page);
}

static packed_t tell_free (random_federation_t *world, const char *endpoint, bytes_t body)
{
    profile_question_t question;
    char why [WHY_BYTES];
    assert_true (codec_decode (&profile_question_codec, &question, body, why));
    const free_capacity_t *capacity = double_at (world, endpoint)->capacity;
    size_t resources [LINKS_MOST], count = question.resources_count;
    for (size_t i = 0; i < count; i++)
        assert_true (free_capacity_find (capacity, question.resources [i], &resources [i]));
    if (count == 0)
        for (; count < free_capacity_offers (capacity); count++)
            resources [count] = count;
    profile_t profiles [LINKS_MOST];
    free_capacity_profiles (capacity, resources, count, question.over, NULL, 16384, profiles);
    packed_t answer = codec_encode (&profile_answer_codec,
                                    &(profile_answer_t){.profiles = profiles, .count = count});
    for (size_t i = 0; i < count; i++)
        free_capacity_profile_clear (&profiles [i]);
    codec_clear (&profile_question_codec, &question);
    world->questions++;
    return answer;
}

static packed_t respond (random_federation_t *world, const call_made_t *call)
{
    bytes_t body = packed_bytes (call->body);
    if (strcmp (call->method, "Snapshot") == 0)
        return tell_directory (world);
    if (strcmp (call->method, "Announce") == 0)
        return codec_encode (
          &announce_answer_codec,
          &(announce_answer_t){.lease_ms = 3600000, .wall_ms = world->host.now.wall_ms});
    if (strcmp (call->method, "Summaries") == 0)
        return tell_summaries (world, body);
    if (strcmp (call->method, "Profile") == 0)
        return tell_free (world, call->endpoint, body);
    fail_msg ("nobody serves %s", call->method);
    return (packed_t){0};
}

static void take (void *owner, const effect_t *effect)
{
    random_federation_t *world = owner;
    char why [WHY_BYTES];
    if (effect->kind == EFFECT_REPLY) {
        if (effect->reply.status != CALL_OK)
            fail_msg ("%s", effect->reply.reason);
        assert_true (codec_decode (&answer_codec, &world->answer, effect->reply.body, why));
        world->answered = true;
    }
    if (effect->kind != EFFECT_CALL)
        return;
    call_made_t *made = must (calloc (1, sizeof *made));
    made->call = effect->call.call;
    snprintf (made->method, sizeof made->method, "%s", effect->call.method);
    snprintf (made->endpoint, sizeof made->endpoint, "%s", effect->call.endpoint);
    made->body = kept_copy (effect->call.body);
    *world->last = made;
    world->last = &made->next;
}

static void step (void *owner, const event_t *event)
{
    random_federation_t *world = owner;
    memory_host_step (&world->host, event);
}

static void answer_calls (random_federation_t *world)
{
    while (world->first) {
        call_made_t *call = world->first;
        world->first = call->next;
        if (!world->first)
            world->last = &world->first;
        packed_t body = respond (world, call);
        event_t event = {.kind = EVENT_ANSWER,
                         .answer = {.call = call->call,
                                    .status = CALL_OK,
                                    .reason = "",
                                    .body = packed_bytes (body),
                                    .store = {1},
                                    .store_start = 1}};
        step (world, &event);
        free (body.data);
        free (call->body.data);
        free (call);
    }
}

/*  Time passes only in here. */
static void pass (random_federation_t *world, int64_t ms)
{
    int64_t end_ms = world->host.now.mono_ms + ms;
    answer_calls (world);
    while (world->host.alarm_ms <= end_ms && !world->answered) {
        memory_host_turn (&world->host, world->host.alarm_ms);
        memory_host_ring (&world->host, step);
        answer_calls (world);
    }
    if (!world->answered)
        memory_host_turn (&world->host, end_ms);
}

static void ask_planner (random_federation_t *world)
{
    static const char *const gis [] = {"mem://gis/g"};
    planner_settings_t settings = SETTINGS_PRESET (planner_settings_t, &planner_table);
    settings.gis_endpoints = gis;
    settings.gis_count = 1;
    settings.finish_interval_ms = 0;
    world->last = &world->first;
    world->host = memory_host (NOW_MS - 5000, 1000, take, world);
    for (size_t i = 0; i < ENTROPY_BYTES; i++)
        world->host.now.entropy [i] = (uint8_t) draw (world, 256);
    world->host.store.id [0] = 5;
    planner_core (&settings, &world->host.core);
    memory_host_boot (&world->host, NULL, "mem://planner", step);
    pass (world, 5000);
    assert_int_equal (world->questions, 0);
    packed_t body =
      codec_encode (&reserve_codec, &(reserve_t){.request = world->request, .dry_run = true});
    step (world, &(event_t){.kind = EVENT_REQUEST,
                            .request = {.service = "Planner",
                                        .method = "Reserve",
                                        .actor = "alice",
                                        .request_id = "",
                                        .body = packed_bytes (body),
                                        .reply_to = 1}});
    pass (world, 30000);
    assert_true (world->answered);
    free (body.data);
    world->host.core.destroy (world->host.core.self);
    records_clear (&world->host.records);
}

/*  --- what all would have answered --- */

typedef struct {
    bool found;
    int64_t start_ms, cost;
    size_t sources;
} all_told_t;

static void know_all (random_federation_t *world, snapshot_t *snapshot, interval_t over)
{
    for (size_t i = 0; i < snapshot->places_count + snapshot->links_count; i++) {
        bool link = i >= snapshot->places_count;
        size_t at = link ? i - snapshot->places_count : i, resource;
        size_t source = link ? snapshot->links [at].source : snapshot->places [at].source;
        const char *name =
          link ? graph_link (snapshot->graph, at)->link->name : snapshot->places [at].class_name;
        char endpoint [96];
        snprintf (endpoint, sizeof endpoint, "mem://%s", snapshot->sources [source].party.name);
        const free_capacity_t *capacity = double_at (world, endpoint)->capacity;
        assert_true (free_capacity_find (capacity, name, &resource));
        profile_t profile;
        free_capacity_profile (capacity, resource, over, NULL, 16384, &profile);
        free_profile_set (link ? &snapshot->links [at].free_profile
                               : &snapshot->places [at].free_profile,
                          &profile);
        free_capacity_profile_clear (&profile);
    }
}

static all_told_t ask_all (random_federation_t *world)
{
    all_told_t verdict = {.found = false};
    const user_request_t *request = &world->request;
    planner_settings_t settings = SETTINGS_PRESET (planner_settings_t, &planner_table);
    char why [WHY_BYTES];
    search_order_t order = {.policy = user_request_policy (request),
                            .soonest_ms = NOW_MS + settings.guard_ms + VOTES_MS,
                            .check_from_ms = 0,
                            .prng = &world->prng,
                            .steps_max = UINT64_MAX / 2};
    assert_true (user_request_resolve (request, &settings, NOW_MS, &order.starts, why));
    snapshot_t *snapshot = snapshot_new (request, NULL);
    for (size_t i = 0; i < world->sites_count; i++) {
        directory_entry_t entry = entry_of_double (&world->sites [i]);
        snapshot_consider (snapshot, &entry, SITES_MOST * 2);
    }
    for (size_t i = 0; i < world->domains_count; i++) {
        directory_entry_t entry = entry_of_double (&world->domains [i]);
        snapshot_consider_domain (snapshot, &entry);
    }
    snapshot_join (snapshot);
    for (size_t i = 0; i < snapshot->sources_count; i++)
        verdict.sources += snapshot->sources [i].useful;
    know_all (world, snapshot, (interval_t){NOW_MS, NOW_MS + 60 * HOUR_MS});
    search_t *search = search_new (snapshot, &order);
    search_state_t state;
    do
        state = search_run (search, 1000000);
    while (state == SEARCH_MORE);
    verdict.found = state == SEARCH_FOUND;
    if (verdict.found) {
        choice_t choice = search_choice (search);
        verdict.start_ms = choice.start_ms + user_request_offset_least (request);
        for (size_t n = 0; n < request->compute_count; n++)
            verdict.cost +=
              snapshot_cost (snapshot, n, &snapshot->needs [n].options [choice.options [n]]);
        for (size_t n = 0; n < request->network_count; n++)
            verdict.cost += snapshot_path_cost (snapshot, n, &choice.paths [n]);
    }
    search_destroy (&search);
    snapshot_destroy (&snapshot);
    return verdict;
}

/*  --- one federation --- */

static void count_toll (const random_federation_t *world, const all_told_t *verdict, bool stale)
{
    toll.granted += verdict->found;
    toll.refused += !verdict->found;
    toll.stale += stale;
    if (!verdict->found)
        return;
    toll.asked += world->questions;
    toll.all += verdict->sources;
    if (world->sites_count >= 100) {
        toll.large++;
        toll.large_asked += world->questions;
        toll.large_all += verdict->sources;
    }
    if (world->request.compute_count > 1)
        return;
    toll.lone++;
    toll.lone_asked += world->questions;
    toll.lone_most = world->questions > toll.lone_most ? world->questions : toll.lone_most;
}

/*  0: the summaries are of now; 1: more was booked since; 2: and some given back. */
static void change_since (random_federation_t *world, int since)
{
    for (size_t i = 0; i < world->sites_count + world->domains_count; i++) {
        provider_double_t *one =
          i < world->sites_count ? &world->sites [i] : &world->domains [i - world->sites_count];
        if (since == 2)
            give_back (world, one);
        if (since > 0 && draw (world, 3) == 0)
            book_some (world, one, 3);
    }
}

static void judge (const random_federation_t *world, const all_told_t *all, uint64_t seed,
                   int since)
{
    bool found = world->answer.status == ANSWER_PLANNED;
    bool cost = strcmp (world->request.policy, "cost") == 0;
    bool random = strcmp (world->request.policy, "random") == 0;
    if (found != all->found)
        fail_msg ("seed %" PRIu64 ": %s, and when all are asked %s", seed,
                  found ? "planned" : "refused", all->found ? "planned" : "refused");
    if (!found && world->questions < all->sources)
        fail_msg ("seed %" PRIu64 ": refused, and only %zu of %zu were asked", seed,
                  world->questions, all->sources);
    if (!found || since == 2)
        return;
    if ((!cost || world->sites_count <= CANDIDATES_MAX / 2) &&
        world->answer.start_ms != all->start_ms)
        fail_msg ("seed %" PRIu64 ": starts after %" PRId64
                  " ms, and when all are asked after %" PRId64,
                  seed, world->answer.start_ms - NOW_MS, all->start_ms - NOW_MS);
    if (world->sites_count <= CANDIDATES_MAX / 2 && !random && world->answer.cost != all->cost)
        fail_msg ("seed %" PRIu64 ": costs %" PRId64 ", and when all are asked %" PRId64, seed,
                  world->answer.cost, all->cost);
}

static void one_federation (uint64_t seed)
{
    random_federation_t *world = must (calloc (1, sizeof *world));
    prng_seed (&world->prng, seed);
    int since = (int) (seed % 3);
    world->sites_count = draw (world, 8) ? 1 + draw (world, 60) : 1 + draw (world, SITES_MOST);
    if (world->sites_count <= 60 && draw (world, 2))
        world->domains_count =
          1 + draw (world, world->sites_count < DOMAINS_MOST ? world->sites_count : DOMAINS_MOST);
    world->sites = must (calloc (world->sites_count, sizeof *world->sites));
    world->domains = must (calloc (world->domains_count + 1, sizeof *world->domains));
    static const uint64_t told [] = {100, 95, 95, 95, 95, 95, 50, 0};
    world->told_percent = told [draw (world, 8)];
    uint64_t crowd = draw (world, 4); /* nobody is full; few; most; nearly all */
    for (size_t i = 0; i < world->sites_count; i++) {
        make_site (world, i);
        if (crowd == 3 ? draw (world, 100) > 0 : draw (world, 4) < crowd)
            fill (world, &world->sites [i]);
        book_some (world, &world->sites [i], draw (world, 12));
        summarise (world, &world->sites [i]);
    }
    for (size_t i = 0; i < world->domains_count; i++) {
        make_domain (world, i);
        if (draw (world, 4) == 0)
            fill (world, &world->domains [i]);
        book_some (world, &world->domains [i], draw (world, 20));
        summarise (world, &world->domains [i]);
    }
    make_request (world);
    change_since (world, since);
    all_told_t all = ask_all (world);
    ask_planner (world);
    judge (world, &all, seed, since);
    count_toll (world, &all, since == 2);
    codec_clear (&answer_codec, &world->answer);
    user_request_clear (&world->request);
    for (size_t i = 0; i < world->sites_count; i++)
        provider_end_double (&world->sites [i]);
    for (size_t i = 0; i < world->domains_count; i++)
        provider_end_double (&world->domains [i]);
    free (world->sites);
    free (world->domains);
    free (world);
}

static uint64_t federations = FEDERATIONS, first_seed = 1;

static void few_questions_find_what_all_would (void **state)
{
    (void) state;
    for (uint64_t seed = first_seed; seed < first_seed + federations; seed++)
        one_federation (seed);
    printf ("# %" PRIu64 " federations from seed %" PRIu64 ": %" PRIu64 " planned, %" PRIu64
            " refused; in %" PRIu64 " something was given back since the summaries\n",
            federations, first_seed, toll.granted, toll.refused, toll.stale);
    printf ("# planned: %" PRIu64 " questions; asking all: %" PRIu64 "\n", toll.asked, toll.all);
    printf ("# of one need: %" PRIu64 " planned, %" PRIu64 " questions, at most %" PRIu64
            " for one\n",
            toll.lone, toll.lone_asked, toll.lone_most);
    printf ("# at 100 to 500 sites: %" PRIu64 " planned, %" PRIu64
            " questions; asking all: %" PRIu64 "\n",
            toll.large, toll.large_asked, toll.large_all);
    assert_true (toll.asked * 2 < toll.all);
}

int main (int argc, char **argv)
{
    if (argc > 1)
        federations = strtoull (argv [1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull (argv [2], NULL, 10);
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (few_questions_find_what_all_would),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
