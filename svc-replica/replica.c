/*  replica - puts the parts of a site's svc-replica together, and serves its users. */
#include "replica.h"

#include "member.h"
#include "must.h"
#include "readmission_wire.h"
#include "replica_wire.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRANSFERS_MOST 2048

static_assert (2 * TRANSFERS_MOST <= CHAIN_TRANSFERS_MAX, "as many again may be over");

static const char *const cost_words [] = {"rtt", "throughput", NULL};

static const setting_t replica_rows [] = {
  SET_FLAG (
    replica_settings_t, index, "index", false,
    "true: this is an index, which remembers what all sites have and has no files of its own"),
  SET_CHOICE (replica_settings_t, cost, "cost", SELECT_THROUGHPUT, cost_words,
              "how a source is chosen: throughput (measured throughput and present load) or rtt "
              "(round trip time)"),
  SET_INSIDE (replica_settings_t, provider, "", provider_settings_t, &provider_table),
  SET_FIXED (replica_settings_t, provider.limits.questions.profile_steps_max,
             "limits/profile_steps_max", 16384),
  SET_FIXED (replica_settings_t, provider.limits.bookings.fresh_steps_max, "limits/fresh_steps_max",
             CHAIN_NODES_MAX),
  SET_INSIDE (replica_settings_t, plus, "", plus_limits_t, &plus_table),
  SET_COUNT (replica_settings_t, limits.transfers.mbps, "mbps", 0, 0, 1000000,
             "Mbit/s of each transfer; 0 = as fast as it goes"),
  SET_COUNT (replica_settings_t, limits.files_max, "limits/files_max", 1000000, 1, 100000000,
             "most files that the catalogue may have; an index remembers four times as many places "
             "of files, of all sites together"),
  SET_MERGED (replica_settings_t, limits.places_max, "limits/places_max",
              "four times limits/files_max"),
  SET_FIXED (replica_settings_t, limits.transfers.transfers_max, "limits/transfers_max", 1024),
  SET_COUNT (replica_settings_t, limits.outgoing_feeds.source_max,
             "limits/transfers_per_source_max", 16, 1, TRANSFERS_MOST,
             "most transfers that the site feeds to other sites at once; a quarter of them to any "
             "one site, and as many from any one site to here"),
  SET_MERGED (replica_settings_t, limits.outgoing_feeds.pair_max, "limits/transfers_per_pair_max",
              "a quarter of limits/transfers_per_source_max, at least 1"),
  SET_DURATION (replica_settings_t, limits.transfers.patience_ms, "limits/patience", MS_MINUTE,
                MS_SECOND, MS_HOUR,
                "a transfer that waits longer than this for a source, or for room, fails"),
  SET_DURATION (replica_settings_t, limits.home_ms, "limits/home", MS_HOUR, 0, 365 * MS_DAY,
                "a task from another site is over without its outputs at home after this"),
  SET_INSIDE (replica_settings_t, limits.chain, "", chain_limits_t, &chain_table),
  SET_DURATION (replica_settings_t, limits.scrub.every_ms, "limits/scrub_every", 30 * MS_DAY, 0,
                3650 * MS_DAY,
                "each copy is read again before its last proof is older than this; 0 = only when "
                "musubi scrub asks for it"),
  SET_COUNT (replica_settings_t, limits.scrub.mbps, "limits/scrub_mbps", 400, 1, 1000000,
             "Mbit/s at which a storage node reads its copies again"),
};

static const void *replica_settings_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    replica_settings_t *replica = settings;
    calendar_service_limits_t *questions = &replica->provider.limits.questions;
    questions->windows_max = 64;
    questions->resources_max = CHAIN_NODES_MAX;
    questions->quantity_max = SPACE_BYTES_MAX / SPACE_UNIT;
    replica->limits.places_max = 4 * replica->limits.files_max;
    uint32_t pair_max = replica->limits.outgoing_feeds.source_max / 4;
    replica->limits.outgoing_feeds.pair_max = pair_max > 0 ? pair_max : 1;
    replica->limits.outgoing_feeds.mbps = replica->limits.transfers.mbps;
    return NULL;
}

const setting_table_t replica_table =
  SETTING_TABLE (replica_settings_t, replica_rows, replica_settings_rule);

/*  --- put, get --- */

/*  A folder is files called NAME/.folder/… with the digest at the end. It is its owner's alone, and
 *  no file is called as it is. False after refusing. */
#define FOLDER_MARK "/.folder/"
static bool folder_allows (const replica_t *self, const request_t *request,
                           const begin_question_t *question)
{
    char name [FILE_NAME_BYTES_MAX + sizeof FOLDER_MARK + 1], digest [2 * FILE_DIGEST_BYTES + 1];
    const char *mark = strstr (question->name, FOLDER_MARK);
    int length = mark ? (int) (mark - question->name) : (int) strlen (question->name);
    snprintf (name, sizeof name, "%.*s" FOLDER_MARK "-", length, question->name);
    const file_t *piece = catalogue_after (self->catalogue, name);
    if (piece && strncmp (piece->name, name, (size_t) length + strlen (FOLDER_MARK)) != 0)
        piece = NULL;
    name [length] = '\0';
    sodium_bin2hex (digest, sizeof digest, question->digest, FILE_DIGEST_BYTES);
    const char *what =
      !mark && piece                           ? "is a folder here; choose another name"
      : !mark                                  ? NULL
      : catalogue_find (self->catalogue, name) ? "is a file here; choose another name"
      : piece &&
          !may (&self->provider.access, VERB_KEEP, request->actor, request->actor, piece->owner)
        ? "is a folder of somebody else's"
      : !strstr (mark, digest) ? "is no folder with such a piece: its name must have its digest"
                               : NULL;
    return !what || service_refuse (self->service, request, CALL_DENIED, "%s %s", name, what);
}

/*  False after refusing. */
static bool replica_allows (const replica_t *self, const request_t *request)
{
    return may (&self->provider.access, VERB_STORE, request->actor, request->actor, "") ||
           service_refuse (
             self->service, request, CALL_DENIED,
             "%.63s has no account at this site; add it to accounts in the site's configuration",
             request->actor);
}

/*  What is to stay for good takes no room that is booked. False after refusing. */
static bool may_last (const replica_t *self, const moment_t *now, const request_t *request,
                      const file_t *file)
{
    char why [WHY_BYTES];
    return !file || disk_space_may_last (self->space, now, file, why) ||
           service_refuse (self->service, request, CALL_OVERLOADED, "%s", why);
}

static void replica_begin (const replica_t *self, const moment_t *now, const request_t *request,
                           const begin_question_t *question, bool put)
{
    char why [WHY_BYTES] = "";
    begin_answer_t answer = {.transfer = 0};
    damage_t damage = {.bad_count = 0};
    if (!replica_allows (self, request) || (put && !folder_allows (self, request, question)) ||
        ((put || question->keep) &&
         !may_last (self, now, request, catalogue_find (self->catalogue, question->name))))
        return;
    call_status_t status =
      put ? fetcher_put (self->fetcher, now, question, request->actor, &answer.transfer, why)
      : question->salvage
        ? fetcher_salvage (self->fetcher, now, question, &answer.transfer, &damage, why)
        : fetcher_get (self->fetcher, now, question, &answer.transfer, why);
    if (status != CALL_OK) {
        service_refuse (self->service, request, status, "%s", why);
        return;
    }
    const file_t *file = catalogue_find (self->catalogue, question->name);
    if (question->salvage)
        answer.content = damage.found;
    else if (file)
        answer.content = file->content;
    for (size_t i = 0; i < damage.bad_count; i++) {
        answer.bad [answer.bad_count++] = damage.bad [i].offset;
        answer.bad [answer.bad_count++] = damage.bad [i].bytes;
    }
    service_reply (self->service, request, codec_encode (&begin_answer_codec, &answer));
}

static void on_put (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_begin (owner, now, request, body, true);
}

/*  A rule takes as many nodes as a site has; a user learns that there are fewer. */
static bool nodes_allow (const replica_t *self, const request_t *request, uint32_t wanted)
{
    uint32_t nodes = 0;
    for (size_t i = 0; i < chain_nodes (self->chain); i++)
        nodes += !chain_node_at (self->chain, i)->guest;
    return wanted <= nodes || wanted == NODES_ALL || strncmp (request->actor, "replica/", 8) == 0 ||
           service_refuse (self->service, request, CALL_BAD_REQUEST,
                           "nodes: %u are wanted, and %s has %u storage nodes", wanted,
                           self->service->name, nodes);
}

static void on_get (void *owner, const moment_t *now, const request_t *request, void *body)
{
    const begin_question_t *question = body;
    if (nodes_allow (owner, request, question->nodes))
        replica_begin (owner, now, request, body, false);
}

static void on_transfer (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    const transfer_question_t *asked = body;
    packed_t answer;
    if (!fetcher_told (self->fetcher, now, asked->transfer, asked->guest, &answer))
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
        size_t copies = 0;
        next = catalogue_after (self->catalogue, *question->after ? question->after : NULL);
        for (; next && count < most && copies < FILES_PAGE_COPIES_MAX;
             next = catalogue_after (self->catalogue, next->name)) {
            files [count++] = next;
            copies += next->copies_count;
        }
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
    if (told.count > 0) {
        place = file_place (file, self->site);
        outgoing_feeds_tell (self->outgoing_feeds, request, asked->name, &place);
    }
    service_reply (self->service, request, codec_encode (&places_told_codec, &told));
}

/*  --- what owners say --- */

/*  Copies the file, if the caller may decide about it; false after refusing. */
static bool file_said (const replica_t *self, const request_t *request, const said_t *said,
                       file_t *copy)
{
    const file_t *file = catalogue_find (self->catalogue, said->name);
    *copy = file ? *file : (file_t){.copies = NULL};
    if (!file)
        return service_refuse (self->service, request, CALL_NOT_FOUND, "%s has no file called %s",
                               self->service->name, said->name);
    return may (&self->provider.access, VERB_KEEP, request->actor, request->actor, file->owner) ||
           service_refuse (
             self->service, request, CALL_DENIED,
             "%s belongs to %.63s, not to %.63s; only its owner or an administrator may do this",
             said->name, *file->owner ? file->owner : "its site", request->actor);
}

static void file_want (const replica_t *self, const request_t *request, const file_t *wanted)
{
    catalogue_want (self->catalogue, wanted);
    service_reply (self->service, request, (packed_t){0});
}

static void on_pin (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    const said_t *said = body;
    file_t wanted;
    if (!file_said (self, request, said, &wanted) ||
        (said->yes && !may_last (self, now, request, &wanted)))
        return;
    wanted.pinned = said->yes;
    file_want (self, request, &wanted);
}

static void on_lifetime (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    const said_t *said = body;
    file_t wanted;
    if (!file_said (self, request, said, &wanted))
        return;
    wanted.expires_ms = said->lifetime_ms > 0 ? now->wall_ms + said->lifetime_ms : 0;
    file_want (self, request, &wanted);
}

static void on_rule (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    const said_t *said = body;
    file_t wanted;
    if (!file_said (self, request, said, &wanted) ||
        (said->rule.copies > 0 && !may_last (self, now, request, &wanted)))
        return;
    wanted.rule = said->rule;
    if (said->rule.copies > 0) /* the rule lives at this site, and would go with its copy */
        wanted.kept = true;
    rules_hurry (self->rules, now);
    file_want (self, request, &wanted);
}

static void on_scrub (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    if (!replica_allows (self, request))
        return;
    scrub_answer_t answer = scrub_ask (self->scrub, now, body);
    service_reply (self->service, request, codec_encode (&scrub_answer_codec, &answer));
}

static void on_evict (void *owner, const moment_t *now, const request_t *request, void *body)
{
    replica_t *self = owner;
    const said_t *said = body;
    file_t file;
    if (!file_said (self, request, said, &file))
        return;
    if (file.pinned || (file.kept && !said->yes)) {
        service_refuse (self->service, request, CALL_DENIED,
                        file.pinned ? "%s is pinned; unpin it first"
                                    : "%s was put at this site and may be the only copy; evict it "
                                      "with --kept to remove it for ever",
                        said->name);
        return;
    }
    cache_evicted_t evicted = cache_evict (self->cache, now, said->name);
    service_reply (self->service, request, codec_encode (&cache_evicted_codec, &evicted));
}

/*  --- life --- */

static void replica_announce (void *owner, const moment_t *now)
{
    replica_t *self = owner;
    site_storage_t storage = disk_space_offer (self->space);
    member_announce (self->service, now, &(directory_entry_t){.storage = &storage});
    codec_clear (&site_storage_codec, &storage);
}

/*  For readmission: the room of an answer at this site. */
static bool replica_part_told (void *owner, const answer_t *answer, packed_t *part,
                               char why [WHY_BYTES])
{
    const replica_t *self = owner;
    (void) why;
    return allocated_in_storage (answer, self->site, part);
}

/*  Whoever asks for room asks calendars that know what is there. */
static void replica_step (void *owner, const moment_t *now, const event_t *event)
{
    replica_t *self = owner;
    if (event->kind == EVENT_REQUEST && strcmp (event->request.service, "Chain") == 0)
        disk_space_hear (self->space, now);
    else if (event->kind == EVENT_REQUEST)
        disk_space_refresh (self->space, now);
    self->step (owner, now, event);
}

static void replica_start (void *owner, const moment_t *now)
{
    replica_t *self = owner;
    if (self->index) {
        member_announce (self->service, now, &(directory_entry_t){.in_progress = 0});
        return;
    }
    if (directory_of (self->service)) {
        directory_follow (directory_of (self->service), now, "index");
        directory_follow (directory_of (self->service), now, "replica");
    }
    fetcher_start (self->fetcher, now);
    cache_start (self->cache, now);
    scrub_start (self->scrub, now);
    publisher_look (self->publisher, now);
    rules_hurry (self->rules, now);
    staging_start (self->staging, now);
}

static void replica_destroy (void *owner)
{
    replica_t *self = owner;
    plus_destroy (&self->plus);
    provider_close (&self->provider);
    disk_space_destroy (&self->space);
    taking_destroy (&self->taking);
    staging_destroy (&self->staging);
    rules_destroy (&self->rules);
    fetcher_destroy (&self->fetcher);
    outgoing_feeds_destroy (&self->outgoing_feeds);
    publisher_destroy (&self->publisher);
    locating_destroy (&self->locating);
    selector_destroy (&self->selector);
    cache_destroy (&self->cache);
    scrub_destroy (&self->scrub);
    catalogue_destroy (&self->catalogue);
    chain_destroy (&self->chain);
    file_index_destroy (&self->index);
    provider_end (&self->provider);
    free (self->site);
    free (self);
}

static void replica_serve (replica_t *self)
{
    service_t *service = self->service;
    service_serve (service, "Replica", "Put", &put_question_codec, BEGINS, on_put, self);
    service_serve (service, "Replica", "Get", &get_question_codec, ALWAYS, on_get, self);
    service_serve (service, "Replica", "Transfer", &transfer_question_codec, BEGINS, on_transfer,
                   self);
    service_serve (service, "Replica", "Files", &files_question_codec, ALWAYS, on_files, self);
    service_serve (service, "Replica", "Locate", &locate_codec, ALWAYS, replica_on_locate, self);
    service_serve (service, "Replica", "Pin", &said_pin_codec, ALWAYS, on_pin, self);
    service_serve (service, "Replica", "Lifetime", &said_lifetime_codec, ALWAYS, on_lifetime, self);
    service_serve (service, "Replica", "Rule", &said_rule_codec, BEGINS, on_rule, self);
    service_serve (service, "Replica", "Scrub", &scrub_question_codec, ALWAYS, on_scrub, self);
    service_serve (service, "Replica", "Evict", &said_evict_codec, ALWAYS, on_evict, self);
}

static void site_make (replica_t *self, const replica_settings_t *settings)
{
    const replica_limits_t *limits = &settings->limits;
    self->chain = chain_new (self->service, settings->nodes, settings->nodes_count, &limits->chain);
    self->catalogue = catalogue_new (self->service, limits->files_max);
    self->cache = cache_new (self->service, self->catalogue, self->chain);
    self->scrub = scrub_new (self->service, self->chain, &limits->scrub);
    self->selector = selector_new (settings->cost, limits->outgoing_feeds.pair_max);
    self->locating = locating_new (self->service, self->site, self->selector);
    self->publisher = publisher_new (self->service, self->catalogue, self->site);
    self->outgoing_feeds =
      outgoing_feeds_new (self->service, self->catalogue, self->chain, &limits->outgoing_feeds);
    fetcher_parts_t parts = {.service = self->service,
                             .catalogue = self->catalogue,
                             .chain = self->chain,
                             .cache = self->cache,
                             .selector = self->selector,
                             .locating = self->locating,
                             .publisher = self->publisher,
                             .site = self->site};
    self->fetcher = fetcher_new (&parts, &limits->transfers);
    self->rules = rules_new (&parts, self->fetcher);
    self->staging = staging_new (&parts, self->fetcher, &self->provider.access);
    self->taking = taking_new (&parts, &self->provider.access, self->rules, limits->home_ms);
    outgoing_feeds_from (self->outgoing_feeds, fetcher_from, self->fetcher);
    replica_serve (self);
}

/*  Its calendars, and its vote. */
static void space_make (replica_t *self, const replica_settings_t *settings)
{
    const provider_settings_t *booking = &settings->provider;
    provider_t *provider = &self->provider;
    part_reader_t reader;
    disk_space_parts_t parts = {.service = self->service,
                                .catalogue = self->catalogue,
                                .chain = self->chain,
                                .cache = self->cache,
                                .room = disk_space_room (self->site, settings->nodes,
                                                         settings->nodes_count, &settings->terms,
                                                         &self->service->timekeeper)};
    provider->room = parts.room;
    self->space = disk_space_new (&parts);
    disk_space_reader (self->space, &reader);
    provider_book (provider, booking, &reader);
    disk_space_tell (self->space, &provider->resource.usage);
    staging_tell (self->staging, disk_space_bookings (self->space), &provider->resource.usage);
    provider_vote (provider, booking);
    provider_answer (provider, booking, replica_part_told, replica_announce, self);
    disk_space_attach (self->space, provider->participant, provider->questions);
    self->plus = plus_new (&(plus_parts_t){.service = self->service,
                                           .reader = reader,
                                           .room = provider->room,
                                           .participant = provider->participant,
                                           .access = &provider->access},
                           &settings->plus);
}

void replica_core (const replica_settings_t *settings, core_t *core)
{
    const char *slash = strchr (settings->provider.name, '/');
    assert (slash && strncmp (settings->provider.name, settings->index ? "index/" : "replica/",
                              (size_t) (slash - settings->provider.name) + 1) == 0);
    replica_t *self = must (calloc (1, sizeof *self));
    self->site = must (strdup (slash + 1));
    provider_begin (&self->provider, &settings->provider);
    self->service = self->provider.service;
    member_follow_none (self->service);
    if (settings->index) {
        self->index = file_index_new (self->service, settings->limits.places_max);
        service_at_start (self->service, replica_start, self);
        *core = service_core (self, replica_destroy);
        return;
    }
    site_make (self, settings);
    space_make (self, settings);
    service_at_start (self->service, replica_start, self);
    provider_open (&self->provider, &settings->provider, replica_announce, core, replica_destroy);
    self->step = core->step;
    core->step = replica_step;
}
