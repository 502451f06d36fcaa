/*  lis - a site is a provider (provider.h) whose resources are classes of nodes. What a site adds
 *  to that: its description, for people and directories; S3's interface; and what runs on its
 *  nodes.
 */
#include "lis.h"

#include "member.h"
#include "must.h"
#include "readmission_wire.h"
#include "site.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

free_capacity_t *bookings_room (const char *name, const site_t *site,
                                const timekeeper_t *timekeeper)
{
    resource_offer_t offers [SITE_CLASSES_MAX];
    assert (site->classes_count <= SITE_CLASSES_MAX);
    for (size_t i = 0; i < site->classes_count; i++) {
        const node_class_t *class = &site->classes [i];
        offers [i] = (resource_offer_t){.quantity = class->nodes, .unit = class->cpus_per_node};
        snprintf (offers [i].name, sizeof offers [i].name, "%s", class->name);
    }
    free_capacity_settings_t settings = {
      .name = name,
      .words = {.resource = "class", .quantity = "nodes", .amount = "CPUs"},
      .terms = {.disclosure = site->disclosure,
                .lead_ms = site->lead_ms,
                .horizon_ms = site->horizon_ms,
                .gap_ms = site->cleaning_gap_ms},
      .offers = offers,
      .offers_count = site->classes_count,
    };
    return free_capacity_new (&settings, timekeeper);
}

static admission_want_t *bookings_read (const part_body_t *part, size_t *count)
{
    *count = part->compute.bookings_count;
    admission_want_t *wishes = must (malloc ((*count + 1) * sizeof *wishes));
    for (size_t i = 0; i < *count; i++) {
        const compute_booking_t *booking = &part->compute.bookings [i];
        wishes [i] = (admission_want_t){.amount = booking->cpus,
                                        .quantity = booking->nodes,
                                        .from_ms = booking->from_ms,
                                        .until_ms = booking->until_ms};
        memcpy (wishes [i].need, booking->need, sizeof wishes [i].need);
        memcpy (wishes [i].resource, booking->class_name, sizeof wishes [i].resource);
    }
    return wishes;
}

void bookings_reader (part_reader_t *reader)
{
    *reader = (part_reader_t){.part_kind = PART_COMPUTE, .read = bookings_read};
}

/*  The site's description, with the number of nodes that it offers now. */
static site_t *site_now (lis_t *self)
{
    for (size_t i = 0; i < self->site.classes_count; i++)
        self->site.classes [i].nodes = free_capacity_offer (self->provider.room, i)->quantity;
    return &self->site;
}

static void lis_announce (void *owner, const moment_t *now)
{
    lis_t *self = owner;
    site_t site = *site_now (self);
    member_announce (self->provider.service, now, &(directory_entry_t){.site = &site});
}

/*  For readmission: what an answer that a home keeps has booked here. */
static bool lis_part_told (void *owner, const answer_t *answer, packed_t *part,
                           char why [WHY_BYTES])
{
    const lis_t *self = owner;
    return allocated_at_site (answer, self->provider.service->name + strlen ("lis/"), &self->site,
                              part, why);
}

/*  Before a batch system has been looked at nobody knows which nodes there are. */
static const char *lis_known (void *owner)
{
    const nodes_t *nodes = ((const lis_t *) owner)->runner->nodes;
    const batch_picture_t *picture = nodes_picture (nodes);
    bool seen = nodes_batch (nodes) == NODES_NONE || (picture && picture->seen_ms > 0);
    return seen ? NULL : nodes_batch_silent (nodes);
}

static void lis_destroy (void *owner)
{
    lis_t *self = owner;
    plus_destroy (&self->plus);
    provider_close (&self->provider);
    runner_destroy (&self->runner);
    provider_end (&self->provider);
    codec_clear (&site_codec, &self->site);
    free (self);
}

void lis_core (const lis_settings_t *settings, core_t *core)
{
    assert (strncmp (settings->provider.name, "lis/", 4) == 0);
    lis_t *self = must (calloc (1, sizeof *self));
    provider_t *provider = &self->provider;
    part_reader_t reader;
    codec_copy (&site_codec, &self->site, &settings->site);
    provider_begin (provider, &settings->provider);
    member_follow_none (provider->service);
    provider->room = bookings_room (settings->provider.name + strlen ("lis/"), &self->site,
                                    &provider->service->timekeeper);
    bookings_reader (&reader);
    provider_book (provider, &settings->provider, &reader);
    if (settings->runner) {
        self->runner = runner_new (provider, &self->site, settings->runner);
        openings_usage (self->runner->openings, &provider->resource.usage);
    }
    provider_vote (provider, &settings->provider);
    provider_answer (provider, &settings->provider, lis_part_told, lis_announce, self);
    self->plus = plus_new (&(plus_parts_t){.service = provider->service,
                                           .reader = reader,
                                           .room = provider->room,
                                           .participant = provider->participant,
                                           .access = &provider->access},
                           &settings->plus);
    if (self->runner) {
        runner_attach (self->runner);
        readmission_when (provider->readmission, lis_known, self);
    }
    provider_open (provider, &settings->provider, lis_announce, core, lis_destroy);
}

charges_t *lis_charges (const core_t *core)
{
    const lis_t *self = core->self;
    return self->runner ? &self->runner->charges : NULL;
}
