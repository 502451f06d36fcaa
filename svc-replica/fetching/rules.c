/*  rules - goes through the catalogue by name, and asks as many sites for each file as its rule
 *  demands.
 */
#include "rules.h"

#include "member.h"
#include "must.h"
#include "replica_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_TRY_MS 2000
#define FULL_MAX   8 /* files in a round that find no room at the site's own nodes */
#define SITES_MAX  (2 * PLACES_MAX)

typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* must be the first member */
    bool refused;
} rule_asked_t;

struct rules {
    fetcher_parts_t parts;
    fetcher_t *fetcher;
    char name [FILE_NAME_BYTES_MAX + 1]; /* file that this round has come to */
    bool busy;                           /* a file is being looked at */
    bool again;                          /* this round follows others: the nearest site was asked */
    rule_asked_t asked [PLACES_MAX];     /* for this file in this round */
    size_t asked_count;
    char full [FILE_NAME_BYTES_MAX + 1]; /* file with which the round before stopped to find room */
    size_t full_count;
    uint64_t timer;
};

static void rules_go_on (rules_t *self, const moment_t *now);
static void rules_look (rules_t *self, const moment_t *now);

static void rules_on_round (void *owner, const moment_t *now, uint64_t token)
{
    rules_t *self = owner;
    if (self->busy)
        return;
    if (self->full_count < FULL_MAX)
        self->full [0] = '\0'; /* it came to the end */
    self->full_count = 0;
    self->name [0] = '\0';
    self->again = token;
    rules_go_on (self, now);
}

/*  --- what there is, and where one may be added --- */

typedef struct {
    const char *sites [SITES_MAX + 1]; /* that keep a copy, or have been asked to */
    size_t count;
    const char *cached [SITES_MAX + 1]; /* that have a copy, and do not keep it as the rule wants */
    size_t cached_count;
} holders_t;

/*  Is the rule for this site? */
static bool rule_for (const replica_rule_t *rule, const char *site)
{
    char all [RULE_SITES_BYTES + 2], one [NAME_BYTES_MAX + 3];
    snprintf (all, sizeof all, ",%s,", rule->sites);
    snprintf (one, sizeof one, ",%s,", site);
    return !*rule->sites || strstr (all, one);
}

/*  How many nodes of this site are to have the file; 0 = any one. */
static uint32_t own_nodes (const rules_t *self, const file_t *file)
{
    return file->rule.copies == 0 || rule_for (&file->rule, self->parts.site) ? file->rule.nodes
                                                                              : 0;
}

/*  The first domain that has this site as a vertex; "" when there is none. */
static const char *domain_of (const rules_t *self, const char *site)
{
    const directory_t *directory = directory_of (self->parts.service);
    for (const directory_entry_t *entry = NULL; (entry = directory_next (directory, "nis", entry));)
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

static const rule_asked_t *asked_of (const rules_t *self, const char *site)
{
    return list_find (self->asked, self->asked_count, sizeof *self->asked, site);
}

/*  The nearest site that would add a copy, by what was measured of transfers from there; later any
 *  one, because the nearest may have no room. A site that has the file in its cache is preferred,
 *  because nothing must be sent to it. NULL when there is none. *all: how many sites the rule is
 *  for. */
static const char *target_of (const rules_t *self, const moment_t *now, const file_t *file,
                              const holders_t *holders, size_t *all)
{
    const directory_t *directory = directory_of (self->parts.service);
    const char *sites [2][SITES_MAX];
    size_t count [2] = {0, 0};
    int64_t again_ms;
    *all = 0;
    for (const directory_entry_t *entry = NULL;
         (entry = directory_next (directory, "replica", entry));) {
        const char *site = site_of (entry->name);
        bool cached =
          !apart_from_all (self, holders->cached, holders->cached_count, SPREAD_SITES, site);
        *all += rule_for (&file->rule, site);
        if (rule_for (&file->rule, site) && strcmp (site, self->parts.site) != 0 &&
            !asked_of (self, site) && count [cached] < SITES_MAX &&
            apart_from_all (self, holders->sites, holders->count, file->rule.spread, site))
            sites [cached][count [cached]++] = site;
    }
    size_t most = count [true] > 0;
    size_t best = selector_choose (self->parts.selector, now->mono_ms, sites [most], count [most],
                                   file->content.size, &again_ms);
    if (count [most] > 0 && (self->again || best == count [most]))
        best = prng_below (&self->parts.service->prng, count [most]);
    return count [most] == 0 ? NULL : sites [most][best];
}

static void on_asked (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    rules_t *self = owner;
    self->asked [token].refused = result->status != CALL_OK;
    if (self->asked [token].refused)
        outbox_log (self->parts.service->outbox, LEVEL_WARNING,
                    "rule name=%s not kept yet site=%s reason=%.200s", self->name,
                    self->asked [token].site, result->reason);
    rules_look (self, now); /* perhaps one more is needed */
}

/*  What is left of its lifetime: 0 = no end, less than 0: it is over. */
static int64_t left_ms (const rules_t *self, const moment_t *now, const file_t *file)
{
    int64_t left = file->expires_ms - timekeeper_least (&self->parts.service->timekeeper, now);
    return file->expires_ms == 0 ? 0 : left != 0 ? left : -1;
}

static void rules_ask (rules_t *self, const moment_t *now, const file_t *file, const char *site)
{
    char peer [NAME_BYTES_MAX + 16];
    begin_question_t question = {
      .keep = true, .lifetime_ms = left_ms (self, now, file), .nodes = file->rule.nodes};
    rule_asked_t *asked = &self->asked [self->asked_count];
    snprintf (asked->site, sizeof asked->site, "%s", site);
    snprintf (peer, sizeof peer, "replica/%s", site);
    memcpy (question.name, self->name, sizeof question.name);
    packed_t body = codec_encode (&get_question_codec, &question);
    call_order_t order = {.peer = peer,
                          .service = "Replica",
                          .method = "Get",
                          .timeout_ms = ASK_TRY_MS,
                          .tries_max = 1};
    service_count (self->parts.service, "rule_requests", 1);
    service_ask (self->parts.service, now, &order, body, on_asked, self, self->asked_count++);
}

static void holders_find (const rules_t *self, const file_t *file, const file_copies_t *located,
                          holders_t *holders)
{
    *holders = (holders_t){.count = 0};
    if (file_copies (file, COPY_SOUND) > 0 && rule_for (&file->rule, self->parts.site))
        holders->sites [holders->count++] = self->parts.site;
    for (size_t i = 0; i < self->asked_count; i++)
        if (!self->asked [i].refused)
            holders->sites [holders->count++] = self->asked [i].site;
    for (size_t i = 0; i < located->count && i < PLACES_MAX; i++) {
        const file_place_t *place = &located->places [i];
        if (!content_equal (&place->content, &file->content) || asked_of (self, place->site) ||
            !rule_for (&file->rule, place->site))
            continue;
        if (place->kept && place->nodes == file->rule.nodes)
            holders->sites [holders->count++] = place->site;
        else
            holders->cached [holders->cached_count++] = place->site;
    }
}

static void rules_on_located (void *owner, const moment_t *now, const file_copies_t *located)
{
    rules_t *self = owner;
    const file_t *file = catalogue_find (self->parts.catalogue, self->name);
    if (!file || file->rule.copies == 0 || !file->content.digest_known) {
        rules_go_on (self, now);
        return;
    }
    holders_t holders;
    size_t all;
    holders_find (self, file, located, &holders);
    const char *target = target_of (self, now, file, &holders, &all);
    /* A silent site may have a copy, so nothing is ordered while one does not answer, unless all
     * are to have one. */
    if (target && (located->silent == 0 || file->rule.copies >= all) &&
        self->asked_count < PLACES_MAX && left_ms (self, now, file) >= 0 &&
        copies_apart (self, &holders, file->rule.spread) < file->rule.copies)
        rules_ask (self, now, file, target);
    else
        rules_go_on (self, now);
}

static void rules_look (rules_t *self, const moment_t *now)
{
    locating_ask (self->parts.locating, now, self->name, true, rules_on_located, self);
}

/*  Brings a file to more nodes of this site. After FULL_MAX in vain the round leaves the others to
 *  the next one, since to look for room takes time. */
static void rules_spread (rules_t *self, const moment_t *now, const file_t *file)
{
    if (own_nodes (self, file) < 2 || self->full_count == FULL_MAX ||
        strcmp (self->name, self->full) <= 0 ||
        fetcher_spread (self->fetcher, now, self->name, own_nodes (self, file)) ||
        ++self->full_count < FULL_MAX)
        return;
    memcpy (self->full, self->name, sizeof self->full);
}

/*  Goes on to the next file with a rule, or ends the round. */
static void rules_go_on (rules_t *self, const moment_t *now)
{
    const file_t *file = catalogue_after (self->parts.catalogue, self->name);
    for (; file; file = catalogue_after (self->parts.catalogue, self->name)) {
        memcpy (self->name, file->name, sizeof self->name);
        if (file_copies (file, COPY_SOUND) == 0)
            continue;
        rules_spread (self, now, file);
        if (file->rule.copies > 0)
            break;
    }
    self->busy = file && directory_of (self->parts.service) &&
                 directory_known (directory_of (self->parts.service));
    if (!self->busy) {
        timers_move (self->parts.service->timers, &self->timer, now->mono_ms + RULES_LOOK_MS,
                     rules_on_round, self, true);
        return;
    }
    self->asked_count = 0;
    if (file->rule.spread == SPREAD_DOMAINS)
        directory_follow (directory_of (self->parts.service), now, "nis");
    rules_look (self, now);
}

void rules_hurry (rules_t *self, const moment_t *now)
{
    if (self->busy)
        return;
    timers_move (self->parts.service->timers, &self->timer, now->mono_ms, rules_on_round, self, 0);
}

rules_t *rules_new (const fetcher_parts_t *parts, fetcher_t *fetcher)
{
    rules_t *self = must (calloc (1, sizeof *self));
    self->parts = *parts;
    self->fetcher = fetcher;
    return self;
}

void rules_destroy (rules_t **self_p)
{
    rules_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->parts.service->timers, self->timer);
    free (self);
    *self_p = NULL;
}
