/*  replica_fake - a svc-replica for the site under test, and a directory that lists it: which files
 *  are at which storage nodes, and which are on their way, as a test says.
 */
#ifndef MUSUBI_REPLICA_FAKE_H
#define MUSUBI_REPLICA_FAKE_H

#include "directory_wire.h"
#include "file_questions.h"
#include "queue_fixture.h"

#define FAKE_COPIES_MAX 64
#define FAKE_CALLS_MAX  256

typedef struct {
    char file [FILE_NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    bool there;  /* else on its way */
    bool stayed; /* somebody stays with it */
} fake_copy_t;

typedef struct {
    field_t *field;
    fake_copy_t copies [FAKE_COPIES_MAX];
    size_t copies_count;
    uint64_t size; /* of each file */
    struct {
        uint64_t call;
        packed_t body;
    } answers [FAKE_CALLS_MAX];
    size_t answers_count;
    size_t stagings; /* questions */
} replica_fake_t;

static const uint8_t fake_store [STORE_ID_BYTES] = {3, 3};

static inline fake_copy_t *fake_copy (replica_fake_t *self, const char *file, const char *node)
{
    for (size_t i = 0; i < self->copies_count; i++)
        if (strcmp (self->copies [i].file, file) == 0 && strcmp (self->copies [i].node, node) == 0)
            return &self->copies [i];
    assert_true (self->copies_count < FAKE_COPIES_MAX);
    fake_copy_t *copy = &self->copies [self->copies_count++];
    *copy = (fake_copy_t){.there = false};
    snprintf (copy->file, sizeof copy->file, "%s", file);
    snprintf (copy->node, sizeof copy->node, "%s", node);
    return copy;
}

static inline packed_t fake_directory (void)
{
    directory_entry_t entry = {.name = "replica/ams",
                               .start = 1,
                               .endpoint = "sim://replica/ams",
                               .events = "sim://replica/ams/events"};
    memcpy (entry.store, fake_store, STORE_ID_BYTES);
    return codec_encode (&found_codec, &(found_t){.entries = &entry, .entries_count = 1});
}

static inline packed_t fake_stay (replica_fake_t *self, bytes_t body)
{
    stay_question_t asked;
    char why [WHY_BYTES], path [600];
    assert_true (codec_decode (&stay_question_codec, &asked, body, why));
    fake_copy_t *copy = fake_copy (self, asked.name, asked.node);
    copy->stayed = asked.stay_ms > 0;
    snprintf (path, sizeof path, "/%s/%s", asked.node, asked.name);
    return codec_encode (&stay_answer_codec,
                         &(stay_answer_t){.state = copy->there ? STAGED_READY : STAGED_COMING,
                                          .size = self->size,
                                          .path = copy->there ? path : NULL});
}

static inline int fake_by_name (const void *a, const void *b)
{
    return strcmp (a, b);
}

static inline packed_t fake_staging (replica_fake_t *self, bytes_t body)
{
    staging_asked_t asked;
    char why [WHY_BYTES];
    char nodes [STAGING_FILES_MAX][FAKE_COPIES_MAX][NAME_BYTES_MAX + 1];
    staging_answer_t files [STAGING_FILES_MAX] = {0};
    assert_true (codec_decode (&staging_asked_codec, &asked, body, why));
    for (size_t i = 0; i < asked.count; i++) {
        memcpy (files [i].name, asked.files [i].name, sizeof files [i].name);
        files [i].nodes = nodes [i];
        for (size_t k = 0; k < self->copies_count; k++)
            if (self->copies [k].there && strcmp (self->copies [k].file, files [i].name) == 0)
                memcpy (nodes [i][files [i].nodes_count++], self->copies [k].node,
                        sizeof nodes [i][0]);
        qsort (nodes [i], files [i].nodes_count, sizeof nodes [i][0], fake_by_name);
    }
    packed_t told =
      codec_encode (&staging_told_codec, &(staging_told_t){.files = files, .count = asked.count});
    codec_clear (&staging_asked_codec, &asked);
    self->stagings++;
    return told;
}

static inline void fake_carry (void *owner, const effect_t *effect)
{
    replica_fake_t *self = owner;
    if (effect->kind != EFFECT_CALL)
        return;
    const char *method = effect->call.method;
    packed_t body;
    if (strcmp (method, "Find") == 0)
        body = fake_directory ();
    else if (strcmp (method, "Stay") == 0)
        body = fake_stay (self, effect->call.body);
    else if (strcmp (method, "Staging") == 0)
        body = fake_staging (self, effect->call.body);
    else
        return;
    assert_true (self->answers_count < FAKE_CALLS_MAX);
    self->answers [self->answers_count].call = effect->call.call;
    self->answers [self->answers_count++].body = body;
}

/*  Gives the answers that are there, those to questions that follow from them included. */
static inline void fake_answers (replica_fake_t *self)
{
    service_world_t *w = &self->field->w;
    for (size_t i = 0; i < self->answers_count; i++) {
        event_t event = {.kind = EVENT_ANSWER,
                         .answer = {.call = self->answers [i].call,
                                    .status = CALL_OK,
                                    .reason = "",
                                    .body = packed_bytes (self->answers [i].body)}};
        memcpy (event.answer.store, fake_store, STORE_ID_BYTES);
        for (size_t k = 0; k < w->calls_count; k++)
            if (w->calls [k].call == event.answer.call) {
                w->calls [k] = w->calls [--w->calls_count];
                step (w, &event);
                break;
            }
        free (self->answers [i].body.data);
    }
    self->answers_count = 0;
}

/*  Some seconds, in which everybody asks and is answered. */
static inline void fake_pass (replica_fake_t *self, int seconds)
{
    for (int i = 0; i < seconds * 4; i++) {
        fake_answers (self);
        agents_come (self->field);
        fake_answers (self);
        pass (&self->field->w, SECOND_MS / 4);
    }
}

/*  Agents of thin nodes have storage nodes of their own names. */
static inline void open_fake (replica_fake_t *self, field_t *field)
{
    *self = (replica_fake_t){.field = field, .size = 1000000000};
    prepare_queue (field);
    field->w.carry = fake_carry;
    field->w.carrier = self;
    for (size_t i = 0; i < field->agents_count; i++)
        if (strcmp (field->agents [i].class_name, "thin") == 0)
            field->agents [i].storage = field->agents [i].name;
    open_field (field);
    fake_pass (self, 2);
}

static inline void close_fake (replica_fake_t *self)
{
    for (size_t i = 0; i < self->answers_count; i++)
        free (self->answers [i].body.data);
    close_world (&self->field->w);
}

#endif
