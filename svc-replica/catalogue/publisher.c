/*  publisher - a follower for each index, and the pages that are sent to it. */
#include "publisher.h"

#include "member.h"
#include "must.h"
#include "replica_wire.h"

#include <stdlib.h>
#include <string.h>

#define FOLLOWERS_MAX 16
#define LOOK_MS       2000 /* between two looks into the directory */
#define BEAT_MS       (REPLICA_LEASE_MS / 3)
#define PAGE_BYTES    (BODY_BYTES_MAX / 2)

typedef struct {
    publisher_t *publisher;
    char index [NAME_BYTES_MAX + 1]; /* "index/i1" */
    uint64_t number;                 /* the index knows all changes up to this one */
    uint64_t call;
    int64_t told_ms; /* when it was last asked */
    uint64_t failures;
} publisher_index_t;

struct publisher {
    service_t *service;
    catalogue_t *catalogue;
    const char *site;
    publisher_index_t *followers [FOLLOWERS_MAX];
    size_t followers_count;
    uint64_t look_timer;
    uint64_t soon_timer;
};

/*  The changes after the follower's number that fit into one page. */
static size_t news_gather (const publisher_t *self, const publisher_index_t *follower, news_t *news,
                           uint64_t *number)
{
    size_t count = 0;
    size_t bytes = 0;
    const file_t *file = catalogue_changed (self->catalogue, follower->number);
    for (; file && count < PUBLISHED_MAX && bytes < PAGE_BYTES;
         file = catalogue_changed (self->catalogue, file->changed)) {
        *number = file->changed;
        bool useless =
          file->gone || !file->content.digest_known ||
          (file_copies (file, COPY_SOUND) == 0 && file_copies (file, COPY_STAGED) == 0 &&
           file_copies (file, COPY_QUARANTINED) == 0);
        if (useless && follower->number == 0)
            continue; /* it has not been told of the file */
        news_t *one = &news [count++];
        memcpy (one->name, file->name, sizeof one->name);
        one->there = !useless;
        if (one->there)
            one->place = file_place (file, self->site);
        bytes += strlen (file->name) + 2 * NAME_BYTES_MAX + FILE_DIGEST_BYTES + 64;
    }
    if (!file)
        *number = catalogue_number (self->catalogue);
    return count;
}

static void follower_tell (publisher_index_t *follower, const moment_t *now);

static void publisher_on_told (void *owner, const moment_t *now, uint64_t token,
                               const call_result_t *result)
{
    publisher_index_t *follower = owner;
    publisher_t *self = follower->publisher;
    publish_answer_t answer;
    (void) token;
    follower->call = 0;
    if (!call_take (result, &publish_answer_codec, &answer, NULL)) {
        if (follower->failures++ == 0)
            outbox_log (self->service->outbox, LEVEL_WARNING, "index %s told->silent reason=%.200s",
                        follower->index, result->reason);
        return; /* the next look will try again */
    }
    if (follower->failures > 0)
        outbox_log (self->service->outbox, LEVEL_INFO, "index %s silent->told", follower->index);
    follower->failures = 0;
    follower->number = catalogue_knows (self->catalogue, answer.number) ? answer.number : 0;
    if (follower->number != catalogue_number (self->catalogue))
        follower_tell (follower, now);
}

static void follower_tell (publisher_index_t *follower, const moment_t *now)
{
    publisher_t *self = follower->publisher;
    if (follower->call != 0)
        return;
    news_t *news = must (calloc (PUBLISHED_MAX, sizeof *news));
    publish_t publish = {.start = self->service->store.start,
                         .after = follower->number,
                         .lease_ms = REPLICA_LEASE_MS,
                         .news = news};
    memcpy (publish.site, self->site, strlen (self->site) + 1);
    memcpy (publish.store, self->service->store.id, STORE_ID_BYTES);
    publish.count = news_gather (self, follower, news, &publish.number);
    packed_t body = codec_encode (&publish_codec, &publish);
    free (news);
    call_order_t order = {.peer = follower->index,
                          .service = "ReplicaIndex",
                          .method = "Publish",
                          .timeout_ms = PUBLISH_TRY_MS,
                          .tries_max = 1};
    follower->told_ms = now->mono_ms;
    follower->call = service_ask (self->service, now, &order, body, publisher_on_told, follower, 0);
}

static publisher_index_t *follower_find (const publisher_t *self, const char *index)
{
    for (size_t i = 0; i < self->followers_count; i++)
        if (strcmp (self->followers [i]->index, index) == 0)
            return self->followers [i];
    return NULL;
}

static void follower_free (publisher_t *self, size_t i)
{
    calls_cancel (self->service->calls, self->followers [i]->call);
    free (self->followers [i]);
    self->followers [i] = self->followers [--self->followers_count];
}

static void publisher_on_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    publisher_t *self = owner;
    publisher_look (self, now);
}

static void followers_fit (publisher_t *self)
{
    const directory_t *directory = directory_of (self->service);
    for (size_t i = self->followers_count; i-- > 0;)
        if (!directory_find (directory, self->followers [i]->index))
            follower_free (self, i);
    for (const directory_entry_t *entry = directory_next (directory, "index", NULL);
         entry && self->followers_count < FOLLOWERS_MAX;
         entry = directory_next (directory, "index", entry)) {
        if (follower_find (self, entry->name))
            continue;
        publisher_index_t *follower = must (calloc (1, sizeof *follower));
        follower->publisher = self;
        follower->told_ms = INT64_MIN / 2;
        memcpy (follower->index, entry->name, sizeof follower->index);
        self->followers [self->followers_count++] = follower;
    }
}

void publisher_look (publisher_t *self, const moment_t *now)
{
    if (directory_of (self->service))
        followers_fit (self);
    for (size_t i = 0; i < self->followers_count; i++) {
        publisher_index_t *follower = self->followers [i];
        bool behind = follower->number != catalogue_number (self->catalogue);
        if (behind || follower->number == 0 || now->mono_ms - follower->told_ms >= BEAT_MS)
            follower_tell (follower, now);
    }
    timers_move (self->service->timers, &self->look_timer, now->mono_ms + LOOK_MS,
                 publisher_on_look, self, 0);
}

static void on_soon (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    publisher_t *self = owner;
    self->soon_timer = 0;
    for (size_t i = 0; i < self->followers_count; i++)
        if (self->followers [i]->failures == 0 &&
            self->followers [i]->number != catalogue_number (self->catalogue))
            follower_tell (self->followers [i], now);
}

/*  Called at the end of the step in which something changed. */
static void on_dirty (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    publisher_t *self = owner;
    self->soon_timer =
      timers_set (self->service->timers, now->mono_ms + PUBLISH_GAP_MS, on_soon, self, 0);
}

static void publisher_on_changed (void *owner)
{
    publisher_t *self = owner;
    if (self->soon_timer != 0 || self->followers_count == 0)
        return;
    self->soon_timer = timers_set (self->service->timers, 0, on_dirty, self, 0);
}

void publisher_stale (publisher_t *self, const moment_t *now, const char *name, const char *site)
{
    stale_t stale = {.name = ""};
    memcpy (stale.name, name, strlen (name) + 1);
    memcpy (stale.site, site, strlen (site) + 1);
    packed_t body = codec_encode (&stale_codec, &stale);
    /* Only a hint, so nobody waits for the answer; the lease corrects a wrong place, too. */
    for (size_t i = 0; i < self->followers_count; i++) {
        call_order_t order = {.peer = self->followers [i]->index,
                              .service = "ReplicaIndex",
                              .method = "Stale",
                              .actor = self->service->name,
                              .body = {.data = body.data, .size = body.size},
                              .timeout_ms = PUBLISH_TRY_MS,
                              .tries_max = 2};
        calls_start (self->service->calls, now, &order, NULL, NULL, 0);
    }
    free (body.data);
}

publisher_t *publisher_new (service_t *service, catalogue_t *catalogue, const char *site)
{
    publisher_t *self = must (calloc (1, sizeof *self));
    *self = (publisher_t){.service = service, .catalogue = catalogue, .site = site};
    catalogue_on_change (catalogue, publisher_on_changed, self);
    return self;
}

void publisher_destroy (publisher_t **self_p)
{
    publisher_t *self = *self_p;
    if (!self)
        return;
    while (self->followers_count > 0)
        follower_free (self, self->followers_count - 1);
    timers_cancel (self->service->timers, self->look_timer);
    timers_cancel (self->service->timers, self->soon_timer);
    free (self);
    *self_p = NULL;
}
