/*  replica - puts the parts of a site's svc-replica together, and serves its users. */
#include "replica.h"

#include "member.h"
#include "must.h"
#include "replica_wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- put, get --- */

static void tell_begun (const replica_t *self, const request_t *request, const char *name,
                        uint64_t transfer)
{
    const file_t *file = catalogue_find (self->catalogue, name);
    begin_answer_t answer = {.transfer = transfer};
    if (file)
        answer.content = file->content;
    service_reply (self->service, request, codec_encode (&begin_answer_codec, &answer));
}

static void replica_begin (const replica_t *self, const moment_t *now, const request_t *request,
                           const begin_question_t *question, bool put)
{
    char why [CHAIN_WHY_BYTES_MAX + 1] = "";
    uint64_t transfer;
    if (!may (&self->access, VERB_STORE, request->actor, request->actor, "")) {
        service_refuse (
          self->service, request, CALL_DENIED,
          "%.63s has no account at this site; add it to accounts in the site's configuration",
          request->actor);
        return;
    }
    call_status_t status =
      put ? fetcher_put (self->fetcher, now, question, request->actor, &transfer, why)
          : fetcher_get (self->fetcher, now, question, &transfer, why);
    if (status == CALL_OK)
        tell_begun (self, request, question->name, transfer);
    else
        service_refuse (self->service, request, status, "%s", why);
}

static void on_put (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_begin (owner, now, request, body, true);
}

static void on_get (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_begin (owner, now, request, body, false);
}

static void on_transfer (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    replica_t *self = owner;
    const transfer_question_t *asked = body;
    packed_t answer;
    if (!fetcher_told (self->fetcher, asked->transfer, asked->guest, &answer))
        service_refuse (
          self->service, request, CALL_NOT_FOUND,
          "%s knows of no transfer %llu: it ended more than a minute ago, or was never begun",
          self->service->name, (unsigned long long) asked->transfer);
    else
        service_reply (self->service, request, answer);
}

/*  --- files --- */

static void on_files (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    replica_t *self = owner;
    const files_question_t *question = body;
    uint32_t most = files_most (question);
    const file_t **files = must (calloc (most, sizeof *files));
    size_t count = 0;
    const file_t *next = NULL;
    if (*question->name) {
        files [0] = catalogue_find (self->catalogue, question->name);
        count = files [0] != NULL;
    } else {
        next = catalogue_after (self->catalogue, *question->after ? question->after : NULL);
        for (; next && count < most; next = catalogue_after (self->catalogue, next->name))
            files [count++] = next;
    }
    service_reply (
      self->service, request,
      files_answer_encode (files, count, next != NULL, *question->after ? NULL : self->chain));
    free (files);
}

/*  Tells only of this site's own copies. */
static void replica_on_locate (void *owner, const moment_t *now, const request_t *request,
                               void *body)
{
    (void) now;
    replica_t *self = owner;
    const file_locate_t *asked = body;
    const file_t *file = catalogue_find (self->catalogue, asked->name);
    file_place_t place;
    places_told_t told = {.places = &place, .count = file && file->content.digest_known};
    if (told.count > 0)
        place = file_place (file, self->site);
    service_reply (self->service, request, codec_encode (&places_told_codec, &told));
}

/*  --- what owners say --- */

/*  The file, if the caller may decide about it. NULL after refusing. */
static const file_t *file_said (const replica_t *self, const request_t *request, const said_t *said)
{
    const file_t *file = catalogue_find (self->catalogue, said->name);
    if (!file) {
        service_refuse (self->service, request, CALL_NOT_FOUND, "%s has no file called %s",
                        self->service->name, said->name);
        return NULL;
    }
    if (!may (&self->access, VERB_KEEP, request->actor, request->actor, file->owner)) {
        service_refuse (
          self->service, request, CALL_DENIED,
          "%s belongs to %.63s, not to %.63s; only its owner or an administrator may do this",
          said->name, *file->owner ? file->owner : "its site", request->actor);
        return NULL;
    }
    return file;
}

static void on_pin (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    replica_t *self = owner;
    const said_t *said = body;
    if (!file_said (self, request, said))
        return;
    catalogue_pin (self->catalogue, said->name, said->yes);
    service_reply (self->service, request, (packed_t){0});
}

static void on_lifetime (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    const said_t *said = body;
    if (!file_said (self, request, said))
        return;
    catalogue_expire (self->catalogue, said->name,
                      said->lifetime_ms > 0 ? now->wall_ms + said->lifetime_ms : 0);
    service_reply (self->service, request, (packed_t){0});
}

static void on_rule (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    const said_t *said = body;
    if (!file_said (self, request, said))
        return;
    catalogue_set_rule (self->catalogue, said->name, &said->rule);
    if (said->rule.copies > 0) /* the rule lives at this site, and would go with its copy */
        catalogue_keep (self->catalogue, said->name, true);
    rules_hurry (self->rules, now);
    service_reply (self->service, request, (packed_t){0});
}

static void on_evict (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    const said_t *said = body;
    const file_t *file = file_said (self, request, said);
    if (!file)
        return;
    if (file->pinned) {
        service_refuse (self->service, request, CALL_DENIED, "%s is pinned; unpin it first",
                        said->name);
        return;
    }
    if (file->kept && !said->yes) {
        service_refuse (self->service, request, CALL_DENIED,
                        "%s was put at this site and may be the only copy; evict it with --kept to "
                        "remove it for ever",
                        said->name);
        return;
    }
    cache_evicted_t evicted = cache_evict (self->cache, now, said->name);
    service_reply (self->service, request, codec_encode (&cache_evicted_codec, &evicted));
}

/*  --- life --- */

static void replica_start (void *owner, const moment_t *now)
{
    replica_t *self = owner;
    member_announce (self->service, now, &(directory_entry_t){.in_progress = 0});
    if (self->index)
        return;
    fetcher_start (self->fetcher, now);
    cache_start (self->cache, now);
    publisher_look (self->publisher, now);
    rules_hurry (self->rules, now);
}

static void replica_destroy (void *owner)
{
    replica_t *self = owner;
    rules_destroy (&self->rules);
    fetcher_destroy (&self->fetcher);
    outgoing_feeds_destroy (&self->outgoing_feeds);
    publisher_destroy (&self->publisher);
    locating_destroy (&self->locating);
    selector_destroy (&self->selector);
    cache_destroy (&self->cache);
    catalogue_destroy (&self->catalogue);
    chain_destroy (&self->chain);
    file_index_destroy (&self->index);
    service_destroy (&self->service);
    access_clear (&self->access);
    free (self->site);
    free (self);
}

static void replica_serve (replica_t *self)
{
    service_t *service = self->service;
    service_serve (service, "Replica", "Put", &put_question_codec, on_put, self);
    service_serve (service, "Replica", "Get", &get_question_codec, on_get, self);
    service_serve (service, "Replica", "Transfer", &transfer_question_codec, on_transfer, self);
    service_serve (service, "Replica", "Files", &files_question_codec, on_files, self);
    service_serve (service, "Replica", "Locate", &locate_codec, replica_on_locate, self);
    service_serve (service, "Replica", "Pin", &said_pin_codec, on_pin, self);
    service_serve (service, "Replica", "Lifetime", &said_lifetime_codec, on_lifetime, self);
    service_serve (service, "Replica", "Rule", &said_rule_codec, on_rule, self);
    service_serve (service, "Replica", "Evict", &said_evict_codec, on_evict, self);
}

static void site_make (replica_t *self, const replica_settings_t *settings)
{
    const replica_limits_t *limits = &settings->limits;
    self->chain = chain_new (self->service, settings->nodes, settings->nodes_count, &limits->chain);
    self->catalogue = catalogue_new (self->service, limits->files_max);
    self->cache = cache_new (self->service, self->catalogue, self->chain);
    self->selector = selector_new (settings->cost, limits->outgoing_feeds.pair_max);
    self->locating = locating_new (self->service, self->site, self->selector);
    self->publisher = publisher_new (self->service, self->catalogue, self->site);
    self->outgoing_feeds =
      outgoing_feeds_new (self->service, self->catalogue, self->chain, &limits->outgoing_feeds);
    self->rules = rules_new (self->service, self->catalogue, self->locating, self->site);
    fetcher_parts_t parts = {.service = self->service,
                             .catalogue = self->catalogue,
                             .chain = self->chain,
                             .cache = self->cache,
                             .selector = self->selector,
                             .locating = self->locating,
                             .publisher = self->publisher,
                             .site = self->site};
    self->fetcher = fetcher_new (&parts, &limits->transfers);
    replica_serve (self);
}

void replica_core (const replica_settings_t *settings, core_t *core)
{
    const char *slash = strchr (settings->name, '/');
    assert (slash && strncmp (settings->name, settings->index ? "index/" : "replica/",
                              (size_t) (slash - settings->name) + 1) == 0);
    replica_t *self = must (calloc (1, sizeof *self));
    self->site = must (strdup (slash + 1));
    access_copy (&self->access, &settings->access);
    self->service = member_new (settings->name, settings->gis_endpoints, settings->gis_count);
    if (settings->index)
        self->index = file_index_new (self->service, settings->limits.places_max);
    else
        site_make (self, settings);
    service_at_start (self->service, replica_start, self);
    *core = service_core (self, replica_destroy);
}
