/*  fetcher_looking - finds out which sites have a file, or are receiving it and may feed others
 *  meanwhile.
 */
#include "fetcher_state.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  Can bytes come from there? Not if the site waits for them itself: for a source, or, by way of
 *  others, for this site. What a site that does not answer has is not known. */
static bool has_bytes (const transit_t *transit, const file_copies_t *located,
                       const file_place_t *place)
{
    for (size_t steps = 0; place->sound == 0; steps++) {
        if (!*place->from || strcmp (place->from, transit->fetcher->parts.site) == 0 ||
            steps == located->count)
            return false;
        place = list_find (located->places, located->count, sizeof *place, place->from);
        if (!place)
            return true;
    }
    return true;
}

/*  Of the contents that sites have under this name, the one that counts is that of the transfer. */
static void content_find (transit_t *transit, const file_copies_t *located)
{
    const file_place_t *first = NULL;
    for (size_t i = 0; i < located->count; i++)
        if (has_bytes (transit, located, &located->places [i]) &&
            (!transit->expected || memcmp (located->places [i].content.digest, transit->digest,
                                           FILE_DIGEST_BYTES) == 0) &&
            (!first || file_place_order (&located->places [i], first) < 0))
            first = &located->places [i];
    if (!first)
        return;
    transit->file.content = first->content;
    transit->file.content.digest_known = true;
    transit->file.created_ms = first->created_ms;
    if (!*transit->file.owner)
        memcpy (transit->file.owner, first->owner, sizeof first->owner);
}

bool transit_sent_wrong (const transit_t *transit, const char *site)
{
    return list_find (transit->wrong, transit->wrong_count, sizeof *transit->wrong, site);
}

static bool any_unseen (const file_copies_t *located, const file_place_t *source)
{
    size_t seen = located->silent; /* they may be fed, or have been */
    for (size_t i = 0; i < located->count; i++)
        seen += strcmp (located->places [i].from, source->site) == 0;
    return seen < source->feeds;
}

static void candidates_set (transit_t *transit, const file_copies_t *located)
{
    free (transit->candidates);
    transit->candidates = must (calloc (located->count + 1, sizeof *transit->candidates));
    transit->candidates_count = 0;
    transit->unseen = false;
    for (size_t i = 0; i < located->count; i++) {
        const file_place_t *place = &located->places [i];
        if (has_bytes (transit, located, place) &&
            content_equal (&place->content, &transit->file.content) &&
            !transit_sent_wrong (transit, place->site)) {
            transit->candidates [transit->candidates_count++] = *place;
            transit->unseen = transit->unseen || any_unseen (located, place);
        }
    }
}

/*  True, with why, when this site or another one has only quarantined copies of it. */
static bool only_damaged (const transit_t *transit, const file_copies_t *located,
                          char why [WHY_BYTES])
{
    const fetcher_parts_t *parts = &transit->fetcher->parts;
    const file_t *own = catalogue_find (parts->catalogue, transit->file.name);
    file_place_t place = located->damaged;
    if (own && file_copies (own, COPY_SOUND) == 0 && file_copies (own, COPY_QUARANTINED) > 0)
        place = file_place (own, parts->site);
    if (place.quarantined > 0)
        file_place_damaged (&place, transit->file.name, why);
    return place.quarantined > 0;
}

static void found_for_fetch (transit_t *transit, const moment_t *now, const file_copies_t *located)
{
    if (!transit->file.content.digest_known)
        content_find (transit, located);
    candidates_set (transit, located);
    if (transit->candidates_count == 0) {
        bool doubted = transit->wrong_count > 0;
        bool failed = doubted || (!transit->begun && transit->chains > 0); /* transit->why: how */
        char silent [WHY_BYTES] = "", why [3 * WHY_BYTES];
        bool waits = transit_silent (transit, now, silent);
        if (located->silent > 0 || waits || !only_damaged (transit, located, why))
            snprintf (why, sizeof why, "%s%sno %ssite has %.100s%s%.60s%s%.160s", silent,
                      waits ? ", and " : "", waits || failed ? "other " : "", transit->file.name,
                      located->silent ? "; these did not answer: " : "", located->silent_names,
                      failed ? "; " : "", failed ? transit->why : "");
        /* And not only the indexes, or a site before it has looked what is wrong. */
        bool all_asked = transit->rests > 0 || (!transit->begun && !doubted);
        if (located->silent > 0 || waits || !all_asked)
            transit_rest (transit, now, 0, why);
        else
            transit_fail (transit, now, "%s", why);
        return;
    }
    transit->file.used_ms = now->wall_ms;
    if (transit->begun)
        transit_source (transit, now);
    else
        transit_room (transit, now);
}

/*  A name must mean the same file everywhere, as far as sites answer. */
static void found_for_put (transit_t *transit, const moment_t *now, const file_copies_t *located)
{
    for (size_t i = 0; i < located->count; i++) {
        if (content_equal (&located->places [i].content, &transit->file.content))
            continue;
        transit_fail (transit, now, "%s has another file called %.150s; choose another name",
                      located->places [i].site, transit->file.name);
        return;
    }
    transit_room (transit, now);
}

static void fetcher_looking_on_located (void *owner, const moment_t *now,
                                        const file_copies_t *located)
{
    transit_t *transit = owner;
    transit->question = 0;
    if (transit->kind == TRANSIT_PUT)
        found_for_put (transit, now, located);
    else
        found_for_fetch (transit, now, located);
}

void transit_look (transit_t *transit, const moment_t *now)
{
    fetcher_t *self = transit->fetcher;
    transit_move (transit, TRANSIT_LOOKING);
    /* What the indexes said was of no use, or who is fed by whom has to be known. */
    bool everybody = transit->rests > 0 || transit->begun;
    transit->question = locating_ask (self->parts.locating, now, transit->file.name, everybody,
                                      fetcher_looking_on_located, transit);
}
