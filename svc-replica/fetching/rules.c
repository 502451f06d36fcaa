/*  rules - goes through the catalogue by name, and asks as many sites for each file as its rule
 *  demands.
 */
#include "rules.h"

#include "directory.h"
#include "must.h"
#include "replica_wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_TRY_MS 2000
#define SITES_MAX  (PLACES_MAX + RULE_COPIES_MAX)

struct rules {
    service_t *service;
    catalogue_t *catalogue;
    locating_t *locating;
    const char *site;
    char name [FILE_NAME_BYTES_MAX + 1];              /* file that this round has come to */
    bool busy;                                        /* a file is being looked at */
    bool refused;                                     /* the site that was asked last refused */
    char asked [RULE_COPIES_MAX][NAME_BYTES_MAX + 1]; /* sites asked for this file in this round */
    size_t asked_count;
    uint64_t timer;
};

static void rules_go_on (rules_t *self, const moment_t *now);
static void rules_look (rules_t *self, const moment_t *now);

static void rules_on_round (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    rules_t *self = owner;
    self->timer = 0;
    if (self->busy)
        return;
    self->name [0] = '\0';
    rules_go_on (self, now);
}

static void rules_round_over (rules_t *self, const moment_t *now)
{
    timers_cancel (self->service->timers, self->timer);
    self->timer =
      timers_set (self->service->timers, now->mono_ms + RULES_LOOK_MS, rules_on_round, self, 0);
}

/*  --- what there is, and where one may be added --- */

typedef struct {
    const char *sites [SITES_MAX + 1]; /* that keep a copy, or have been asked to */
    size_t count;
    const char *cached [SITES_MAX + 1]; /* that only cache a copy */
    size_t cached_count;
} holders_t;

/*  The first domain that has this site as a vertex; "" when there is none. */
static const char *domain_of (const rules_t *self, const char *site)
{
    const directory_t *directory = self->service->directory;
    for (const directory_entry_t *entry = directory_next (directory, "nis", NULL); entry;
         entry = directory_next (directory, "nis", entry))
        for (size_t i = 0; entry->domain && i < entry->domain->vertices_count; i++)
            if (entry->domain->vertices [i].kind == VERTEX_SITE &&
                strcmp (entry->domain->vertices [i].name, site) == 0)
                return entry->name;
    return "";
}

static bool apart (const rules_t *self, spread_t spread, const char *a, const char *b)
{
    if (strcmp (a, b) == 0)
        return false;
    return spread == SPREAD_SITES || strcmp (domain_of (self, a), domain_of (self, b)) != 0;
}

static bool apart_from_all (const rules_t *self, const char *const *sites, size_t count,
                            spread_t spread, const char *site)
{
    for (size_t i = 0; i < count; i++)
        if (!apart (self, spread, site, sites [i]))
            return false;
    return true;
}

/*  How many copies count: those that are apart from all before them. */
static uint32_t copies_apart (const rules_t *self, const holders_t *holders, spread_t spread)
{
    const char *counted [SITES_MAX + 1];
    uint32_t count = 0;
    for (size_t i = 0; i < holders->count; i++)
        if (apart_from_all (self, counted, count, spread, holders->sites [i]))
            counted [count++] = holders->sites [i];
    return count;
}

static bool has_cached (const holders_t *holders, const char *site)
{
    for (size_t i = 0; i < holders->cached_count; i++)
        if (strcmp (holders->cached [i], site) == 0)
            return true;
    return false;
}

/*  A site that would add a copy, at random. A site that has the file in its cache is preferred,
 *  because nothing must be sent to it. NULL when there is none. */
static const char *target_of (rules_t *self, const holders_t *holders, spread_t spread)
{
    const directory_t *directory = self->service->directory;
    const char *chosen [2] = {NULL, NULL};
    uint64_t seen [2] = {0, 0};
    for (const directory_entry_t *entry = directory_next (directory, "replica", NULL); entry;
         entry = directory_next (directory, "replica", entry)) {
        const char *site = entry->name + strlen ("replica/");
        bool cached = !self->refused && has_cached (holders, site);
        if (apart_from_all (self, holders->sites, holders->count, spread, site) &&
            prng_below (&self->service->prng, ++seen [cached]) == 0)
            chosen [cached] = entry->name;
    }
    return chosen [true] ? chosen [true] : chosen [false];
}

static void on_asked (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    (void) token;
    rules_t *self = owner;
    self->refused = result->status != CALL_OK;
    if (!self->refused) {
        rules_look (self, now); /* perhaps one more is needed */
        return;
    }
    outbox_log (self->service->outbox, LEVEL_WARNING, "rule name=%s not kept yet reason=%.200s",
                self->name, result->reason);
    rules_go_on (self, now);
}

/*  What is left of its lifetime: 0 = no end, less than 0: it is over. */
static int64_t left_ms (const rules_t *self, const moment_t *now, const file_t *file)
{
    int64_t left = file->expires_ms - timekeeper_least (&self->service->timekeeper, now);
    return file->expires_ms == 0 ? 0 : left != 0 ? left : -1;
}

static bool was_asked (const rules_t *self, const char *site)
{
    for (size_t i = 0; i < self->asked_count; i++)
        if (strcmp (self->asked [i], site) == 0)
            return true;
    return false;
}

static void rules_ask (rules_t *self, const moment_t *now, const char *peer, int64_t lifetime_ms)
{
    snprintf (self->asked [self->asked_count++], sizeof *self->asked, "%s",
              peer + strlen ("replica/"));
    begin_question_t question = {.keep = true, .lifetime_ms = lifetime_ms};
    memcpy (question.name, self->name, sizeof question.name);
    packed_t body = codec_encode (&get_question_codec, &question);
    call_order_t order = {.peer = peer,
                          .service = "Replica",
                          .method = "Get",
                          .timeout_ms = ASK_TRY_MS,
                          .tries_max = 1};
    service_count (self->service, "rule_requests", 1);
    service_ask (self->service, now, &order, body, on_asked, self, 0);
}

static void holders_find (const rules_t *self, const file_t *file, const file_copies_t *located,
                          holders_t *holders)
{
    *holders = (holders_t){.count = 0};
    if (file_copies (file, COPY_SOUND) > 0)
        holders->sites [holders->count++] = self->site;
    for (size_t i = 0; i < self->asked_count; i++)
        holders->sites [holders->count++] = self->asked [i];
    for (size_t i = 0; i < located->count && i < PLACES_MAX; i++) {
        const file_place_t *place = &located->places [i];
        if (!content_equal (&place->content, &file->content) || was_asked (self, place->site))
            continue;
        if (place->kept)
            holders->sites [holders->count++] = place->site;
        else
            holders->cached [holders->cached_count++] = place->site;
    }
}

static void rules_on_located (void *owner, const moment_t *now, const file_copies_t *located)
{
    rules_t *self = owner;
    const file_t *file = catalogue_find (self->catalogue, self->name);
    if (!file || file->rule.copies == 0 || !file->content.digest_known) {
        rules_go_on (self, now);
        return;
    }
    holders_t holders;
    holders_find (self, file, located, &holders);
    const char *target = NULL;
    /* A silent site may have a copy, so nothing is ordered while one does not answer. */
    if (located->silent == 0 && self->asked_count < RULE_COPIES_MAX &&
        left_ms (self, now, file) >= 0 &&
        copies_apart (self, &holders, file->rule.spread) < file->rule.copies)
        target = target_of (self, &holders, file->rule.spread);
    if (target)
        rules_ask (self, now, target, left_ms (self, now, file));
    else
        rules_go_on (self, now);
}

static void rules_look (rules_t *self, const moment_t *now)
{
    locating_ask (self->locating, now, self->name, true, rules_on_located, self);
}

/*  Goes on to the next file with a rule, or ends the round. */
static void rules_go_on (rules_t *self, const moment_t *now)
{
    const file_t *file = catalogue_after (self->catalogue, self->name);
    while (file && (file->rule.copies == 0 || file_copies (file, COPY_SOUND) == 0))
        file = catalogue_after (self->catalogue, file->name);
    self->busy = file && self->service->directory && directory_known (self->service->directory);
    if (!self->busy) {
        rules_round_over (self, now);
        return;
    }
    memcpy (self->name, file->name, sizeof self->name);
    self->asked_count = 0;
    rules_look (self, now);
}

void rules_hurry (rules_t *self, const moment_t *now)
{
    if (self->busy)
        return;
    timers_cancel (self->service->timers, self->timer);
    self->timer = timers_set (self->service->timers, now->mono_ms, rules_on_round, self, 0);
}

rules_t *rules_new (service_t *service, catalogue_t *catalogue, locating_t *locating,
                    const char *site)
{
    rules_t *self = must (calloc (1, sizeof *self));
    *self =
      (rules_t){.service = service, .catalogue = catalogue, .locating = locating, .site = site};
    return self;
}

void rules_destroy (rules_t **self_p)
{
    rules_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->service->timers, self->timer);
    free (self);
    *self_p = NULL;
}
