/*  locating - each question makes several calls, first to indexes and then to sites. */
#include "locating.h"

#include "member.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASKED_MAX 512 /* most calls of one question */

typedef struct {
    char peer [NAME_BYTES_MAX + 1];
    uint64_t call;
    int64_t sent_ms;
} locating_call_t;

typedef struct {
    locating_t *locating;
    uint64_t number;
    char name [FILE_NAME_BYTES_MAX + 1];
    bool sites_asked;
    bool waits; /* to be told of sites that are new */
    locating_call_t *asked;
    size_t asked_count;
    size_t left;
    uint64_t timer; /* used when there is nobody to ask */
    file_place_t *places;
    size_t places_count;
    file_copies_t located;
    located_fn *done;
    void *owner;
} locating_question_t;

struct locating {
    service_t *service;
    const char *site;
    ordered_t *questions; /* by number */
    uint64_t numbers;
    selector_t *selector;
};

static void question_free (locating_question_t *question)
{
    locating_t *self = question->locating;
    ordered_remove (self->questions, &question->number);
    for (size_t i = 0; i < question->asked_count; i++)
        calls_cancel (self->service->calls, question->asked [i].call);
    timers_cancel (self->service->timers, question->timer);
    free (question->asked);
    free (question->places);
    free (question);
}

static void place_add (locating_question_t *question, const file_place_t *place)
{
    bool own = strcmp (place->site, question->locating->site) == 0;
    if (!own && place->sound + place->staged == 0 && place->quarantined > 0)
        question->located.damaged = *place;
    if (own || place->sound + place->staged == 0)
        return;
    for (size_t i = 0; i < question->places_count; i++) {
        if (strcmp (question->places [i].site, place->site) == 0) {
            question->places [i] = *place;
            return;
        }
    }
    if (question->places_count == PLACES_MAX)
        return;
    question->places =
      must (reallocarray (question->places, question->places_count + 1, sizeof *question->places));
    question->places [question->places_count++] = *place;
}

static void silent_add (locating_question_t *question, const char *site)
{
    file_copies_t *located = &question->located;
    size_t used = strlen (located->silent_names);
    if (located->silent++ < LOCATE_NAMED)
        snprintf (located->silent_names + used, sizeof located->silent_names - used, "%s%s",
                  used ? ", " : "", site);
}

static void ask_sites (locating_question_t *question, const moment_t *now);

static void locating_finish (locating_question_t *question, const moment_t *now)
{
    question->located.places = question->places;
    question->located.count = question->places_count;
    question->done (question->owner, now, &question->located);
    question_free (question);
}

static bool any_sound (const locating_question_t *question)
{
    for (size_t i = 0; i < question->places_count; i++)
        if (question->places [i].sound > 0)
            return true;
    return false;
}

static void locating_go_on (locating_question_t *question, const moment_t *now)
{
    if (question->left > 0)
        return;
    if (!question->sites_asked && !any_sound (question))
        ask_sites (question, now);
    else
        locating_finish (question, now);
}

static void locating_on_answer (void *owner, const moment_t *now, uint64_t token,
                                const call_result_t *result)
{
    locating_question_t *question = owner;
    locating_t *self = question->locating;
    locating_call_t *asked = &question->asked [token];
    places_told_t told = {.count = 0};
    const char *site = site_of (asked->peer); /* NULL: an index */
    asked->call = 0;
    question->left--;
    bool good = call_take (result, &places_told_codec, &told, NULL);
    if (site && good)
        selector_heard (self->selector, site, (now->mono_ms - asked->sent_ms) * 1000);
    else if (site)
        silent_add (question, site);
    for (size_t i = 0; i < told.count; i++) {
        if (site && strcmp (told.places [i].site, site) != 0)
            continue; /* a site may tell only of itself */
        place_add (question, &told.places [i]);
        if (site)
            selector_load (self->selector, site, told.places [i].sending);
    }
    codec_clear (&places_told_codec, &told);
    locating_go_on (question, now);
}

static void ask_one (locating_question_t *question, const moment_t *now, const char *peer,
                     bytes_t body)
{
    locating_call_t *asked = &question->asked [question->asked_count];
    *asked = (locating_call_t){.sent_ms = now->mono_ms};
    snprintf (asked->peer, sizeof asked->peer, "%s", peer);
    call_order_t order = {.peer = peer,
                          .service = site_of (peer) ? "Replica" : "ReplicaIndex",
                          .method = "Locate",
                          .actor = question->locating->service->name,
                          .body = body,
                          .timeout_ms = LOCATE_TRY_MS,
                          .tries_max = 1};
    asked->call = calls_start (question->locating->service->calls, now, &order, locating_on_answer,
                               question, question->asked_count);
    question->asked_count++;
    question->left++;
}

static void locating_on_nobody (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    locating_go_on (owner, now);
}

/*  Asks all services of a kind, except this one. */
static void ask_kind (locating_question_t *question, const moment_t *now, const char *kind)
{
    service_t *service = question->locating->service;
    file_locate_t asked;
    memcpy (asked.name, question->name, sizeof asked.name);
    packed_t body = codec_encode (&locate_codec, &asked);
    const directory_entry_t *entry =
      directory_of (service) ? directory_next (directory_of (service), kind, NULL) : NULL;
    for (; entry && question->asked_count < ASKED_MAX;
         entry = directory_next (directory_of (service), kind, entry))
        if (strcmp (entry->name, service->name) != 0)
            ask_one (question, now, entry->name, packed_bytes (body));
    free (body.data);
    if (question->left == 0)
        question->timer =
          timers_set (service->timers, now->mono_ms, locating_on_nobody, question, 0);
}

static void ask_known (locating_question_t *question, const moment_t *now)
{
    const directory_t *directory = directory_of (question->locating->service);
    question->waits = false;
    if (directory && !directory_known (directory))
        silent_add (question, "(the directory)");
    ask_kind (question, now, "replica");
}

static void ask_sites (locating_question_t *question, const moment_t *now)
{
    directory_t *directory = directory_of (question->locating->service);
    question->sites_asked = true;
    question->waits = directory && directory_refresh (directory, now);
    if (!question->waits)
        ask_known (question, now);
}

static void locating_on_heard (void *owner, const moment_t *now)
{
    locating_t *self = owner;
    locating_question_t *question = NULL;
    while ((question = ordered_next (self->questions, question)))
        if (question->waits)
            ask_known (question, now);
}

uint64_t locating_ask (locating_t *self, const moment_t *now, const char *name, bool everybody,
                       located_fn *done, void *owner)
{
    locating_question_t *question = must (calloc (1, sizeof *question));
    assert (strlen (name) <= FILE_NAME_BYTES_MAX);
    question->locating = self;
    question->number = ++self->numbers;
    question->done = done;
    question->owner = owner;
    question->asked = must (calloc (ASKED_MAX, sizeof *question->asked));
    memcpy (question->name, name, strlen (name) + 1);
    ordered_add (self->questions, &question->number, question);
    if (everybody)
        ask_sites (question, now);
    else
        ask_kind (question, now, "index");
    return question->number;
}

void locating_cancel (locating_t *self, uint64_t number)
{
    locating_question_t *question = ordered_find (self->questions, &number);
    if (question)
        question_free (question);
}

locating_t *locating_new (service_t *service, const char *site, selector_t *selector)
{
    locating_t *self = must (calloc (1, sizeof *self));
    *self = (locating_t){
      .service = service,
      .site = site,
      .questions = ordered_by_bytes (offsetof (locating_question_t, number), sizeof (uint64_t)),
      .selector = selector};
    if (directory_of (service))
        directory_on_heard (directory_of (service), locating_on_heard, self);
    return self;
}

void locating_destroy (locating_t **self_p)
{
    locating_t *self = *self_p;
    if (!self)
        return;
    for (locating_question_t *question; (question = ordered_after (self->questions, NULL));)
        question_free (question);
    ordered_destroy (&self->questions);
    free (self);
    *self_p = NULL;
}
