/*  allocations - pages of claims, in the order of their txids. */
#include "allocations.h"

#include "access.h"
#include "must.h"
#include "readmission_wire.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES_MAX (BODY_BYTES_MAX / 2) /* one more, with its plan and answer, still fits */
#define PAGE_MAX       1024
#define LOOKS_MAX      4096 /* claims looked at for one page, told or not */

struct allocations {
    service_t *service;
    participant_t *participant;
    const access_t *access;
};

typedef struct {
    const char *participant;
    allocations_page_t page;
    size_t looks;
    size_t bytes;
} collect_t;

static bool concerns (const command_view_t *command, const char *participant)
{
    return command->amended || plan_party (command->plan, participant);
}

static void allocations_add (collect_t *self, const command_view_t *command)
{
    claim_part_t claim;
    char why [WHY_BYTES];
    allocation_t told = {.decided = command->state == COMMAND_COMMITTED,
                         .amended = command->amended};
    if (!codec_decode (&claim_part_codec, &claim, command->part, why))
        return; /* the loader has seen it: never */
    told.answer = claim.answer;
    told.plan = codec_encode (&plan_codec, command->plan);
    allocations_page_t *page = &self->page;
    page->list = must (realloc (page->list, (page->count + 1) * sizeof *page->list));
    page->list [page->count++] = told;
    self->bytes += told.plan.size + told.answer.size;
}

static bool collect (void *owner, const command_view_t *command)
{
    collect_t *self = owner;
    if (self->looks == LOOKS_MAX || self->page.count == PAGE_MAX || self->bytes > PAGE_BYTES_MAX) {
        self->page.next_set = true;
        return false;
    }
    bool kept = command->state == COMMAND_COMMITTED || command->state == COMMAND_PREPARED;
    if (kept && concerns (command, self->participant))
        allocations_add (self, command);
    self->looks++;
    txid_pack (&command->plan->txid, self->page.next);
    return true;
}

static void on_allocations (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    allocations_t *self = owner;
    const allocations_question_t *question = body;
    if (strcmp (request->actor, question->participant) != 0 &&
        !may (self->access, VERB_ADMINISTER, request->actor, request->actor, "")) {
        service_refuse (self->service, request, CALL_DENIED,
                        "%.63s may not ask for the allocations of %s", request->actor,
                        question->participant);
        return;
    }
    collect_t told = {.participant = question->participant};
    txid_t after;
    txid_unpack (&after, (bytes_t){question->after, TXID_BYTES});
    participant_commands (self->participant, question->after_set ? &after : NULL, collect, &told);
    service_reply (self->service, request, codec_encode (&allocations_page_codec, &told.page));
    codec_clear (&allocations_page_codec, &told.page);
}

allocations_t *allocations_new (service_t *service, participant_t *participant,
                                const access_t *access)
{
    allocations_t *self = must (calloc (1, sizeof *self));
    *self = (allocations_t){.service = service, .participant = participant, .access = access};
    service_serve (service, "Home", "Allocations", &allocations_question_codec, ALWAYS,
                   on_allocations, self);
    return self;
}

void allocations_destroy (allocations_t **self_p)
{
    free (*self_p);
    *self_p = NULL;
}
