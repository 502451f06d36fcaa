/*  file_index - all places by name and site, and those of each site by name. */
#include "file_index.h"

#include "must.h"
#include "ordered.h"
#include "replica_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void file_place_damaged (const file_place_t *place, const char *name, char why [WHY_BYTES])
{
    char bad [96] = "is damaged, and where is not known";
    if (place->bad > 0)
        snprintf (bad, sizeof bad, "has %llu bad MiB%s, %sat %llu MiB",
                  (unsigned long long) place->bad, place->bad > 1 ? "s" : "",
                  place->bad > 1 ? "the first " : "",
                  (unsigned long long) (place->bad_at / FLOW_CHUNK_BYTES));
    snprintf (why, WHY_BYTES,
              "%.40s's only copy of %.60s %.76s; get --salvage gives the rest, and its owner can "
              "put it again",
              place->site, name, bad);
}

const char *site_of (const char *name)
{
    static const char kind [] = "replica/";
    return strncmp (name, kind, sizeof kind - 1) == 0 ? name + sizeof kind - 1 : NULL;
}

int file_place_order (const file_place_t *a, const file_place_t *b)
{
    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms ? -1 : 1;
    return memcmp (a->content.digest, b->content.digest, FILE_DIGEST_BYTES);
}

#define SITES_MAX 4096

typedef struct teller {
    char site [NAME_BYTES_MAX + 1];
    file_index_t *index;
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint64_t number; /* of the last change that it has told */
    int64_t until_ms;
    uint64_t timer;
    ordered_t *places; /* by name */
} index_site_t;

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    file_place_t place;
    index_site_t *teller;
} index_row_t;

struct file_index {
    service_t *service;
    uint32_t places_max;
    ordered_t *places; /* by name, then site */
    ordered_t *tellers;
};

typedef struct {
    const char *name;
    const char *site;
} place_key_t;

static int file_index_by_place (const void *key, const void *thing)
{
    const place_key_t *a = key;
    const index_row_t *b = thing;
    int order = strcmp (a->name, b->name);
    return order != 0 ? order : strcmp (a->site, b->place.site);
}

static place_key_t file_index_key_of (const index_row_t *told)
{
    return (place_key_t){.name = told->name, .site = told->place.site};
}

/*  --- places --- */

static void told_free (file_index_t *self, index_row_t *told)
{
    place_key_t key = file_index_key_of (told);
    ordered_remove (self->places, &key);
    ordered_remove (told->teller->places, told->name);
    service_count (self->service, "places", -1);
    free (told);
}

static index_row_t *told_find (const file_index_t *self, const char *name, const char *site)
{
    return ordered_find (self->places, &(place_key_t){.name = name, .site = site});
}

static void told_put (file_index_t *self, index_site_t *teller, const news_t *news)
{
    index_row_t *told = told_find (self, news->name, teller->site);
    if (!told) {
        if (ordered_count (self->places) >= self->places_max) {
            service_count (self->service, "places_refused", 1);
            return;
        }
        told = must (calloc (1, sizeof *told));
        memcpy (told->name, news->name, sizeof told->name);
        memcpy (told->place.site, teller->site, sizeof told->place.site);
        told->teller = teller;
        ordered_add (teller->places, told->name, told);
        place_key_t key = file_index_key_of (told);
        ordered_add (self->places, &key, told);
        service_count (self->service, "places", 1);
    }
    told->place = news->place;
    memcpy (told->place.site, teller->site, sizeof told->place.site);
}

static void teller_forget (index_site_t *teller)
{
    for (index_row_t *told; (told = ordered_after (teller->places, NULL));)
        told_free (teller->index, told);
    teller->number = 0;
}

static void teller_free (index_site_t *teller)
{
    teller_forget (teller);
    timers_cancel (teller->index->service->timers, teller->timer);
    ordered_remove (teller->index->tellers, teller->site);
    ordered_destroy (&teller->places);
    free (teller);
}

/*  --- leases --- */

static void file_index_on_lease (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    index_site_t *teller = owner;
    teller->timer = 0;
    if (now->mono_ms < teller->until_ms) {
        teller->timer = timers_set (teller->index->service->timers, teller->until_ms,
                                    file_index_on_lease, teller, 0);
        return;
    }
    outbox_log (teller->index->service->outbox, LEVEL_WARNING,
                "site %s listed->gone cause=lease files=%zu", teller->site,
                ordered_count (teller->places));
    service_count (teller->index->service, "leases_ended", 1);
    teller_free (teller);
}

static index_site_t *teller_of (file_index_t *self, const moment_t *now, const publish_t *from)
{
    index_site_t *teller = ordered_find (self->tellers, from->site);
    if (!teller) {
        teller = must (calloc (1, sizeof *teller));
        memcpy (teller->site, from->site, sizeof teller->site);
        teller->index = self;
        teller->places = ordered_by_text (offsetof (index_row_t, name));
        ordered_add (self->tellers, teller->site, teller);
        outbox_log (self->service->outbox, LEVEL_INFO, "site %s absent->listed", teller->site);
    }
    teller->until_ms = now->mono_ms + from->lease_ms;
    if (teller->timer == 0)
        teller->timer =
          timers_set (self->service->timers, teller->until_ms, file_index_on_lease, teller, 0);
    return teller;
}

/*  --- what is asked --- */

/*  Does this message come from the start of the site whose changes are known? A later start
 *  replaces it. */
static bool of_now (const index_site_t *teller, const publish_t *from)
{
    return teller->start == from->start && memcmp (teller->store, from->store, STORE_ID_BYTES) == 0;
}

static void file_index_publish (file_index_t *self, index_site_t *teller, const publish_t *from)
{
    bool afresh = from->after == 0;
    if (!of_now (teller, from) && afresh) {
        teller->start = from->start;
        memcpy (teller->store, from->store, STORE_ID_BYTES);
    }
    if (!of_now (teller, from)) {
        teller_forget (teller);
        return;
    }
    if (afresh)
        teller_forget (teller);
    if (from->after != teller->number)
        return; /* a page is late or lost; the answer says where to go on */
    for (size_t i = 0; i < from->count; i++) {
        index_row_t *told = told_find (self, from->news [i].name, teller->site);
        if (from->news [i].there)
            told_put (self, teller, &from->news [i]);
        else if (told)
            told_free (self, told);
    }
    teller->number = from->number;
}

static void on_publish (void *owner, const moment_t *now, const request_t *request, void *body)
{
    file_index_t *self = owner;
    const publish_t *from = body;
    const char *site = site_of (request->actor);
    bool full =
      !ordered_find (self->tellers, from->site) && ordered_count (self->tellers) >= SITES_MAX;
    if (!site || strcmp (site, from->site) != 0)
        service_refuse (self->service, request, CALL_DENIED,
                        "%.63s may not publish for site %s; only replica/%s may", request->actor,
                        from->site, from->site);
    else if (full)
        service_refuse (self->service, request, CALL_OVERLOADED,
                        "the index knows %d sites already, and may not know more", SITES_MAX);
    else {
        index_site_t *teller = teller_of (self, now, from);
        file_index_publish (self, teller, from);
        publish_answer_t answer = {.number = of_now (teller, from) ? teller->number : 0};
        service_reply (self->service, request, codec_encode (&publish_answer_codec, &answer));
    }
}

/*  Fills in all places of one name; returns how many there are. */
static size_t places_of (const file_index_t *self, const char *name, file_place_t *places,
                         size_t most)
{
    size_t count = 0;
    const index_row_t *told =
      ordered_after (self->places, &(place_key_t){.name = name, .site = ""});
    for (; told && strcmp (told->name, name) == 0 && count < most;) {
        places [count++] = told->place;
        place_key_t key = file_index_key_of (told);
        told = ordered_after (self->places, &key);
    }
    return count;
}

static void file_index_on_locate (void *owner, const moment_t *now, const request_t *request,
                                  void *body)
{
    (void) now;
    file_index_t *self = owner;
    const file_locate_t *asked = body;
    places_told_t told = {.places = must (calloc (PLACES_MAX, sizeof *told.places))};
    told.count = places_of (self, asked->name, told.places, PLACES_MAX);
    service_reply (self->service, request, codec_encode (&places_told_codec, &told));
    free (told.places);
}

static void on_stale (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    file_index_t *self = owner;
    const stale_t *stale = body;
    if (!site_of (request->actor)) {
        service_refuse (self->service, request, CALL_DENIED,
                        "only a site's svc-replica may say that a place is stale");
        return;
    }
    index_row_t *told = told_find (self, stale->name, stale->site);
    if (told) {
        outbox_log (self->service->outbox, LEVEL_WARNING, "stale name=%s site=%s said_by=%s",
                    stale->name, stale->site, request->actor);
        service_count (self->service, "stale", 1);
        told_free (self, told);
    }
    service_reply (self->service, request, (packed_t){0});
}

/*  --- life --- */

file_index_t *file_index_new (service_t *service, uint32_t places_max)
{
    file_index_t *self = must (calloc (1, sizeof *self));
    *self = (file_index_t){.service = service,
                           .places_max = places_max,
                           .places = ordered_new (file_index_by_place),
                           .tellers = ordered_by_text (offsetof (index_site_t, site))};
    service_serve (service, "ReplicaIndex", "Publish", &publish_codec, ALWAYS, on_publish, self);
    service_serve (service, "ReplicaIndex", "Locate", &locate_codec, ALWAYS, file_index_on_locate,
                   self);
    service_serve (service, "ReplicaIndex", "Stale", &stale_codec, ALWAYS, on_stale, self);
    service_limit (service, "places_max", places_max);
    return self;
}

void file_index_destroy (file_index_t **self_p)
{
    file_index_t *self = *self_p;
    if (!self)
        return;
    for (index_site_t *teller; (teller = ordered_after (self->tellers, NULL));)
        teller_free (teller);
    ordered_destroy (&self->places);
    ordered_destroy (&self->tellers);
    free (self);
    *self_p = NULL;
}
