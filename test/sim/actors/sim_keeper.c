/*  sim_keeper - one question of each node at a time. */
#include "sim_keeper.h"

#include "message.h"
#include "outbox.h"

#include "chain.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 1500
#define AGAIN_MS   100

static void ask (sim_keeper_t *self, sim_kept_t *kept)
{
    Musubi__StorageAttendRequest asked = MUSUBI__STORAGE_ATTEND_REQUEST__INIT;
    Musubi__StoredFile file = MUSUBI__STORED_FILE__INIT, *files [] = {&file};
    uint8_t digest [32] = {0};
    char actor [NAME_BYTES_MAX + 1];
    snprintf (actor, sizeof actor, "storage/%s", kept->name);
    asked.node = (char *) kept->name;
    asked.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = self->store.id};
    asked.start = self->store.start;
    asked.number = ++kept->number;
    asked.seen = kept->seen;
    asked.bytes_max = kept->bytes_max;
    asked.bytes_used = kept->file ? kept->file_bytes : 0;
    asked.folder = "/files";
    if (kept->file && kept->files_seen == 0) {
        memcpy (digest, kept->file, strlen (kept->file));
        file.number = 1;
        file.file = (char *) kept->file;
        file.size = kept->file_bytes;
        file.digest = (ProtobufCBinaryData){.len = sizeof digest, .data = digest};
        file.proved_ms = file.used_ms = SIM_EPOCH_MS;
        asked.n_files = 1;
        asked.files = files;
    }
    size_t size;
    uint8_t *body = message_pack (&asked.base, &size);
    kept->call = ++self->calls;
    outbox_push (self->outbox,
                 &(effect_t){.kind = EFFECT_CALL,
                             .call = {.call = kept->call,
                                      .endpoint = sim_address (self->sim, kept->process),
                                      .service = "Chain",
                                      .method = "Attend",
                                      .actor = actor,
                                      .request_id = "",
                                      .body = {.data = body, .size = size},
                                      .timeout_ms = TIMEOUT_MS}});
    free (body);
}

static void on_answer (sim_keeper_t *self, int64_t mono_ms, const event_t *event)
{
    for (size_t i = 0; i < self->kept_count; i++) {
        sim_kept_t *kept = &self->kept [i];
        if (kept->call != event->answer.call)
            continue;
        kept->call = 0;
        kept->due_ms = mono_ms + AGAIN_MS;
        if (event->answer.status == CALL_TIMED_OUT)
            return;
        Musubi__StorageAttendAnswer *told =
          event->answer.status == CALL_OK
            ? (Musubi__StorageAttendAnswer *) message_unpack (
                &musubi__storage_attend_answer__descriptor, event->answer.body)
            : NULL;
        if (!told)
            return;
        kept->seen = told->number;
        if (kept->smaller)
            sim_check_lowered (self->check, kept->process, kept->name, kept->mib);
        kept->smaller = false;
        kept->files_seen = told->files_seen;
        message_free (&told->base);
        return;
    }
}

static void keeper_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_keeper_t *self = owner;
    int64_t due_ms = INT64_MAX;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START) {
        self->store = event->start.store;
        for (size_t i = 0; i < self->kept_count; i++) {
            sim_kept_t *kept = &self->kept [i];
            kept->number = kept->seen = kept->files_seen = kept->call = 0;
            kept->due_ms = now->mono_ms;
        }
    }
    if (event->kind == EVENT_ANSWER)
        on_answer (self, now->mono_ms, event);
    for (size_t i = 0; i < self->kept_count; i++) {
        sim_kept_t *kept = &self->kept [i];
        if (kept->call == 0 && kept->due_ms <= now->mono_ms)
            ask (self, kept);
        else if (kept->call == 0 && kept->due_ms < due_ms)
            due_ms = kept->due_ms;
    }
    outbox_timer (self->outbox, due_ms);
}

static bool keeper_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_keeper_t *) owner)->outbox, effect);
}

static void keeper_destroy (void *owner)
{
    outbox_destroy (&((sim_keeper_t *) owner)->outbox);
}

void sim_keeper_make (void *owner, core_t *core)
{
    sim_keeper_t *self = owner;
    self->outbox = outbox_new ();
    *core =
      (core_t){.self = self, .step = keeper_step, .next = keeper_next, .destroy = keeper_destroy};
}
