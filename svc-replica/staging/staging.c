/*  staging - one place for each file and node, with those who stay there. */
#include "staging.h"

#include "change_notice.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  Somebody who stays. */
typedef struct {
    char who [NAME_BYTES_MAX + 1];
    int64_t until_ms; /* monotonic */
} stayer_t;

#define STAY_KEY_BYTES (FILE_NAME_BYTES_MAX + NAME_BYTES_MAX + 2)

typedef struct {
    char key [STAY_KEY_BYTES]; /* name, newline, node: no name has a newline */
    staged_file_t told;        /* name and node; the rest as it was last looked at */
    stayer_t *stays;
    size_t stays_count;
    bool booked;              /* a booking under way wants it, as of the last look: */
    disk_booking_t booked_by; /* a copy */
    bool alarmed;             /* a reservation is degraded by it */
    uint64_t transfer;        /* that brings it; 0 = none */
    uint32_t fails;           /* in a row */
    int64_t again_ms;         /* monotonic: not tried before */
} stayed_file_t;

struct staging {
    fetcher_parts_t parts;
    fetcher_t *fetcher;
    const access_t *access;
    const disk_bookings_t *bookings;
    ordered_t *files; /* of stayed_file_t, by key */
    size_t stays;
    int64_t stored_ms; /* wall: the store says that there may be stays until then */
    int64_t held_ms;   /* monotonic: before that nothing is evicted; 0 = no such time */
    uint64_t timer;
    change_notice_t notice; /* that a reservation's file is late, or not any more */
};

/*  --- what the store says --- */

static const bytes_t stays_key = {.data = (const uint8_t *) "until", .size = 5};

static void staging_on_record (void *owner, bytes_t key, bytes_t value)
{
    (void) key;
    staging_t *self = owner;
    if (value.size != sizeof self->stored_ms) {
        service_bad_record (self->parts.service, "stays", "it should have 8 bytes");
        return;
    }
    self->stored_ms = (int64_t) number_get (value.data, value.size);
}

/*  There will be stays until then. One write serves all that end within the next longest stay. */
static void stays_noted (staging_t *self, const moment_t *now, uint32_t stay_ms)
{
    uint8_t value [sizeof self->stored_ms];
    if (now->wall_ms + stay_ms <= self->stored_ms)
        return;
    self->stored_ms = now->wall_ms + 2 * STAY_MS_MAX;
    number_put (value, (uint64_t) self->stored_ms, sizeof value);
    outbox_put (self->parts.service->outbox, TABLE_STAYS, stays_key,
                (bytes_t){.data = value, .size = sizeof value});
}

/*  --- stays --- */

static void stay_key (char key [STAY_KEY_BYTES], const char *name, const char *node)
{
    snprintf (key, STAY_KEY_BYTES, "%s\n%s", name, node);
}

static stayed_file_t *stayed_find (const staging_t *self, const char *name, const char *node)
{
    char key [STAY_KEY_BYTES];
    stay_key (key, name, node);
    return ordered_find (self->files, key);
}

static stayed_file_t *stayed_make (staging_t *self, const char *name, const char *node)
{
    stayed_file_t *file = stayed_find (self, name, node);
    if (file)
        return file;
    file = must (calloc (1, sizeof *file));
    stay_key (file->key, name, node);
    snprintf (file->told.file, sizeof file->told.file, "%s", name);
    snprintf (file->told.node, sizeof file->told.node, "%s", node);
    ordered_add (self->files, file->key, file);
    return file;
}

static stayer_t *stay_find (const stayed_file_t *file, const char *who)
{
    return list_find (file->stays, file->stays_count, sizeof *file->stays, who);
}

static void stay_end (staging_t *self, stayed_file_t *file, stayer_t *stay)
{
    *stay = file->stays [--file->stays_count];
    self->stays--;
}

static void stay_set (staging_t *self, stayed_file_t *file, const char *who, int64_t until_ms)
{
    stayer_t *stay = stay_find (file, who);
    if (!stay) {
        file->stays = must (reallocarray (file->stays, file->stays_count + 1, sizeof *file->stays));
        stay = &file->stays [file->stays_count++];
        snprintf (stay->who, sizeof stay->who, "%s", who);
        self->stays++;
    }
    stay->until_ms = until_ms;
}

static void stayed_free (staging_t *self, stayed_file_t *file)
{
    self->stays -= file->stays_count;
    free (file->stays);
    ordered_remove (self->files, file->key);
    free (file);
}

static bool staging_stays (void *owner, const moment_t *now, const char *name, const char *node)
{
    const staging_t *self = owner;
    return now->mono_ms < self->held_ms || stayed_find (self, name, node);
}

/*  --- how it stands --- */

/*  The copy, if it is as good as it should be: its node is up and has it, since its last start,
 *  too, and nobody doubts it. (What is read again now and then, at a rate, is not doubted.) */
static const chain_file_t *ready_copy (const staging_t *self, const staged_file_t *told)
{
    const chain_node_t *node = chain_node (self->parts.chain, told->node);
    const copy_t *copy = file_copy (catalogue_find (self->parts.catalogue, told->file), told->node);
    const chain_file_t *have = chain_file (node, told->file);
    return copy && copy->state == COPY_SOUND && have && !have->unsure && !have->drop &&
               !(have->prove && have->mbps == 0) && !have->stored.quarantined &&
               node->agent.state == AGENT_UP
             ? have
             : NULL;
}

/*  Its node is up, has told of all its files, and of this one not. */
static bool copy_gone (const staging_t *self, const staged_file_t *told)
{
    const chain_node_t *node = chain_node (self->parts.chain, told->node);
    return node && node->agent.state == AGENT_UP && node->files_told &&
           !chain_file (node, told->file); /* a node that is not configured any more is none */
}

static void stayed_move (const staging_t *self, stayed_file_t *file, staged_state_t to)
{
    if (file->told.state != to)
        outbox_log (self->parts.service->outbox, to == STAGED_LATE ? LEVEL_WARNING : LEVEL_INFO,
                    "stay name=%s node=%s %s->%s%s%s", file->told.file, file->told.node,
                    staged_state_word (file->told.state), staged_state_word (to),
                    to == STAGED_LATE ? " why=" : "", to == STAGED_LATE ? file->told.why : "");
    file->told.state = to;
}

static void stayed_ready (const staging_t *self, stayed_file_t *file, const chain_file_t *copy)
{
    file->transfer = 0;
    file->fails = 0;
    file->again_ms = 0;
    file->told.has = file->told.size = copy->stored.content.size;
    file->told.source [0] = file->told.why [0] = '\0';
    stayed_move (self, file, STAGED_READY);
}

/*  Its transfer has ended without it. */
static void stayed_failed (const staging_t *self, const moment_t *now, stayed_file_t *file)
{
    file->transfer = 0;
    file->again_ms =
      now->mono_ms + pause_doubled (STAGING_AGAIN_MS, STAGING_AGAIN_MS_MAX, file->fails++);
    stayed_move (self, file, STAGED_LATE);
}

/*  How its transfer stands; false when that has ended. One that failed before counts as late until
 *  bytes come. */
static bool stayed_comes (const staging_t *self, const moment_t *now, stayed_file_t *file)
{
    staged_file_t told = file->told;
    told.has = 0;
    bool comes = fetcher_bringing (self->fetcher, now, file->transfer, &told);
    if (file->fails > 0 && !*told.why)
        memcpy (told.why, file->told.why, sizeof told.why);
    file->told = told;
    if (comes && (file->fails == 0 || told.has > 0))
        stayed_move (self, file, STAGED_COMING);
    return comes;
}

/*  Is it, as it is known here, another file than the one that is booked? */
static bool booked_another (const stayed_file_t *file, const file_t *known)
{
    return file->booked && known && known->content.digest_known &&
           memcmp (known->content.digest, file->booked_by.booking.digest, FILE_DIGEST_BYTES) != 0;
}

/*  Looks how the file stands, and begins what is to be done for it. */
static void stayed_look (staging_t *self, const moment_t *now, stayed_file_t *file)
{
    const chain_file_t *copy = ready_copy (self, &file->told);
    const file_t *known = catalogue_find (self->parts.catalogue, file->told.file);
    const copy_t *there = file_copy (known, file->told.node);
    if (booked_another (file, known)) {
        snprintf (file->told.why, sizeof file->told.why,
                  "%.180s has another content than when it was booked", file->told.file);
        stayed_move (self, file, STAGED_LATE);
        return;
    }
    if (copy) {
        stayed_ready (self, file, copy);
        return;
    }
    if (known)
        file->told.size = known->content.size;
    if (there && there->state == COPY_SOUND && !copy_gone (self, &file->told)) {
        file->transfer = 0;
        snprintf (file->told.why, sizeof file->told.why,
                  "storage node %s has it, and has not told so yet, or is not up", file->told.node);
        stayed_move (self, file, STAGED_COMING);
        return;
    }
    if (file->transfer != 0 && !stayed_comes (self, now, file)) {
        stayed_failed (self, now, file);
        return;
    }
    if (file->transfer != 0 || now->mono_ms < file->again_ms)
        return;
    bring_t bring = {.name = file->told.file, .node = file->told.node, .source = ""};
    if (file->booked) {
        bring.mbps = file->booked_by.booking.mbps;
        bring.source = file->booked_by.booking.source;
        bring.digest = file->booked_by.booking.digest;
    }
    fetcher_bring (self->fetcher, now, &bring, &file->transfer, file->told.why);
    if (file->transfer != 0)
        (void) stayed_comes (self, now, file);
    else if (file->fails == 0)
        stayed_move (self, file, STAGED_COMING);
}

/*  Nobody stays: what has not come is given up. */
static void stayed_end (staging_t *self, const moment_t *now, stayed_file_t *file)
{
    if (file->transfer != 0)
        fetcher_bring_end (self->fetcher, now, file->transfer, file->told.node);
    stayed_free (self, file);
}

static void stays_expire (staging_t *self, const moment_t *now, stayed_file_t *file)
{
    for (size_t i = file->stays_count; i-- > 0;)
        if (file->stays [i].until_ms <= now->mono_ms)
            stay_end (self, file, &file->stays [i]);
}

/*  --- bookings --- */

/*  Marks the files of bookings that are under way. Of several the one that comes first by its key
 *  is brought as it says. */
static void bookings_note (staging_t *self, const moment_t *now)
{
    for (stayed_file_t *file = NULL; (file = ordered_next (self->files, file));)
        file->booked = false;
    int64_t now_ms = timekeeper_least (&self->parts.service->timekeeper, now);
    for (const disk_booking_t *booked = NULL;
         (booked = disk_bookings_next (self->bookings, "", NULL, booked));) {
        if (!*booked->booking.file || !disk_booking_runs (booked, now_ms))
            continue;
        stayed_file_t *file = stayed_make (self, booked->booking.file, booked->booking.node);
        if (!file->booked)
            file->booked_by = *booked;
        file->booked = true;
    }
}

/*  How the file of a booking stands. */
static staged_file_t booking_told (const staging_t *self, const moment_t *now,
                                   const disk_booking_t *booked)
{
    const space_booking_t *booking = &booked->booking;
    const stayed_file_t *file = stayed_find (self, booking->file, booking->node);
    int64_t now_ms = timekeeper_least (&self->parts.service->timekeeper, now);
    staged_file_t told = {.state = STAGED_AWAITED, .size = booking->bytes};
    if (file && disk_booking_runs (booked, now_ms)) {
        told = file->told;
        if (told.state != STAGED_READY)
            told.state = now_ms >= booking->due_ms ? STAGED_LATE : STAGED_COMING;
    }
    memcpy (told.need, booking->need, sizeof told.need);
    memcpy (told.node, booking->node, sizeof told.node);
    memcpy (told.file, booking->file, sizeof told.file);
    return told;
}

/*  The alarm that a file is late; and its end. */
static void booking_alarm (staging_t *self, const moment_t *now, stayed_file_t *file)
{
    staged_file_t told = booking_told (self, now, &file->booked_by);
    bool late = told.state == STAGED_LATE;
    if (late == file->alarmed)
        return;
    file->alarmed = late;
    change_notice_tell (&self->notice);
    service_count (self->parts.service, "staged_late", late);
    outbox_log (self->parts.service->outbox, late ? LEVEL_ALARM : LEVEL_INFO,
                "reservation %s %s file=%s node=%s has=%llu size=%llu%s%s",
                file->booked_by.reservation, late ? "degraded" : "has its file", told.file,
                told.node, (unsigned long long) told.has, (unsigned long long) told.size,
                *told.why ? " why=" : "", told.why);
}

static size_t staging_staged (void *owner, const moment_t *now, const char *reservation,
                              staged_file_t **files)
{
    const staging_t *self = owner;
    size_t count = 0, room = 0;
    *files = NULL;
    for (const disk_booking_t *booked = NULL;
         (booked = disk_bookings_next (self->bookings, "", NULL, booked));) {
        if (!*booked->booking.file || strcmp (booked->reservation, reservation) != 0)
            continue;
        *files = must_grow (*files, count, &room, sizeof **files);
        (*files) [count++] = booking_told (self, now, booked);
    }
    return count;
}

void staging_tell (staging_t *self, const disk_bookings_t *bookings, usage_t *usage)
{
    self->bookings = bookings;
    usage->staged = staging_staged;
    usage->staged_owner = self;
}

static void staging_on_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    staging_t *self = owner;
    char key [STAY_KEY_BYTES];
    bookings_note (self, now);
    for (stayed_file_t *file = ordered_after (self->files, NULL); file;
         file = ordered_after (self->files, key)) {
        memcpy (key, file->key, sizeof key);
        stays_expire (self, now, file);
        if (file->stays_count == 0 && !file->booked) {
            stayed_end (self, now, file);
            continue;
        }
        stayed_look (self, now, file);
        if (file->booked)
            booking_alarm (self, now, file);
    }
    int64_t pause_ms = ordered_count (self->files) > 0 ? STAGING_LOOK_MS : STAGING_IDLE_MS;
    self->timer =
      timers_set (self->parts.service->timers, now->mono_ms + pause_ms, staging_on_look, self, 0);
}

/*  --- Stay --- */

bool staging_allows (const fetcher_parts_t *parts, const access_t *access, const request_t *request,
                     const char *name)
{
    char lis [NAME_BYTES_MAX + 8];
    const chain_node_t *node = chain_node (parts->chain, name);
    snprintf (lis, sizeof lis, "lis/%s", parts->site);
    if (strcmp (request->actor, lis) != 0 &&
        !may (access, VERB_ADMINISTER, request->actor, request->actor, ""))
        return service_refuse (
          parts->service, request, CALL_DENIED,
          "%.63s may not say which files tasks of this site use and make; only "
          "%s and administrators may",
          request->actor, lis);
    return (node && !node->guest) ||
           service_refuse (parts->service, request, CALL_BAD_REQUEST,
                           "node: %s has no storage node %s", parts->service->name, name);
}

static void stay_answered (const staging_t *self, const request_t *request,
                           const staged_file_t *told)
{
    char path [STORAGE_PATH_BYTES];
    const file_t *file = catalogue_find (self->parts.catalogue, told->file);
    const chain_node_t *node = chain_node (self->parts.chain, told->node);
    stay_answer_t answer = {.state = told->state, .size = told->size, .has = told->has};
    if (file && file->content.digest_known) {
        answer.digest_known = true;
        memcpy (answer.digest, file->content.digest, FILE_DIGEST_BYTES);
    }
    if (told->state == STAGED_READY && *node->folder) {
        storage_path (node->folder, "files", told->file, path);
        answer.path = path;
    }
    memcpy (answer.why, told->why, sizeof answer.why);
    memcpy (answer.source, told->source, sizeof answer.source);
    service_reply (self->parts.service, request, codec_encode (&stay_answer_codec, &answer));
}

/*  Only tells. */
static void stay_looked (const staging_t *self, const moment_t *now, const request_t *request,
                         const stay_question_t *question)
{
    const stayed_file_t *stayed = stayed_find (self, question->name, question->node);
    staged_file_t told = {.state = STAGED_AWAITED};
    if (stayed)
        told = stayed->told;
    memcpy (told.file, question->name, sizeof told.file);
    memcpy (told.node, question->node, sizeof told.node);
    const chain_file_t *copy = ready_copy (self, &told);
    if (copy) {
        told.state = STAGED_READY;
        told.has = told.size = copy->stored.content.size;
    } else if (stayed && stayed->transfer != 0) {
        (void) fetcher_bringing (self->fetcher, now, stayed->transfer, &told);
    } else if (told.state == STAGED_READY) {
        told.state = STAGED_COMING; /* it has just gone, and will be brought again */
    }
    stay_answered (self, request, &told);
}

static void on_stay (void *owner, const moment_t *now, const request_t *request, void *body)
{
    staging_t *self = owner;
    const stay_question_t *question = body;
    if (!staging_allows (&self->parts, self->access, request, question->node))
        return;
    if (question->look) {
        stay_looked (self, now, request, question);
        return;
    }
    if (question->stay_ms == 0) {
        stayed_file_t *file = stayed_find (self, question->name, question->node);
        stayer_t *stay = file ? stay_find (file, question->who) : NULL;
        if (stay)
            stay_end (self, file, stay);
        if (file && file->stays_count == 0 && !file->booked)
            stayed_end (self, now, file);
        stay_looked (self, now, request, question);
        return;
    }
    if (self->stays >= STAYS_MAX && !stayed_find (self, question->name, question->node)) {
        service_refuse (self->parts.service, request, CALL_OVERLOADED,
                        "%d stays are the most at once; ask again later", STAYS_MAX);
        return;
    }
    stayed_file_t *file = stayed_make (self, question->name, question->node);
    stay_set (self, file, question->who, now->mono_ms + question->stay_ms);
    stays_noted (self, now, question->stay_ms);
    if (question->doubt)
        chain_prove (self->parts.chain, now, question->node, question->name, 0);
    catalogue_use (self->parts.catalogue, question->name, now->wall_ms);
    stayed_look (self, now, file);
    stay_answered (self, request, &file->told);
}

/*  --- life --- */

void staging_start (staging_t *self, const moment_t *now)
{
    int64_t left_ms = self->stored_ms - timekeeper_least (&self->parts.service->timekeeper, now);
    if (left_ms > 0)
        self->held_ms = now->mono_ms + (left_ms < STAY_MS_MAX ? left_ms : STAY_MS_MAX);
    staging_on_look (self, now, 0);
}

staging_t *staging_new (const fetcher_parts_t *parts, fetcher_t *fetcher, const access_t *access)
{
    staging_t *self = must (calloc (1, sizeof *self));
    *self = (staging_t){.parts = *parts,
                        .fetcher = fetcher,
                        .access = access,
                        .notice = {.service = parts->service, .topic = "staged"},
                        .files = ordered_by_text (offsetof (stayed_file_t, key))};
    service_limit (parts->service, "stays_max", STAYS_MAX);
    service_load (parts->service, TABLE_STAYS, staging_on_record, self);
    service_serve (parts->service, "Replica", "Stay", &stay_question_codec, ALWAYS, on_stay, self);
    staging_question_serve (&self->parts);
    cache_on_stays (parts->cache, staging_stays, self);
    return self;
}

void staging_destroy (staging_t **self_p)
{
    staging_t *self = *self_p;
    if (!self)
        return;
    for (stayed_file_t *file; (file = ordered_after (self->files, NULL));)
        stayed_free (self, file);
    timers_cancel (self->parts.service->timers, self->timer);
    change_notice_end (&self->notice);
    ordered_destroy (&self->files);
    free (self);
    *self_p = NULL;
}
