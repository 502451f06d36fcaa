/*  nis - a domain: a provider whose resources are links. Its own are its graph, told to everybody
 *  who asks and to the directories, the paths through it, and the use of its circuits.
 */
#include "nis.h"

#include "codec_table.h"
#include "domain.h"
#include "member.h"
#include "must.h"
#include "readmission_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const setting_t nis_rows [] = {
  SET_INSIDE (nis_settings_t, provider, "", provider_settings_t, &provider_table),
  SET_FIXED (nis_settings_t, provider.limits.bookings.fresh_steps_max, "limits/fresh_steps_max",
             8192),
  SET_FIXED (nis_settings_t, provider.limits.questions.profile_steps_max,
             "limits/profile_steps_max", CALENDAR_SERVICE_STEPS_MOST),
  SET_FIXED (nis_settings_t, provider.limits.questions.windows_max, "limits/windows_max",
             NIS_WINDOWS_MOST),
  SET_FIXED (nis_settings_t, paths_max, "limits/paths_max", NIS_PATHS_MOST),
  SET_INSIDE (nis_settings_t, routers, "agents/", routers_settings_t, &routers_table),
};

static const void *nis_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    calendar_service_limits_t *questions =
      &((nis_settings_t *) settings)->provider.limits.questions;
    questions->resources_max = DOMAIN_LINKS_MAX;
    questions->quantity_max = LINK_MBPS_MAX;
    return NULL;
}

const setting_table_t nis_table = SETTING_TABLE (nis_settings_t, nis_rows, nis_rule);

/*  The description of the domain, with its present capacities. */
static const domain_t *domain_now (nis_t *self)
{
    for (size_t i = 0; i < self->domain.links_count; i++)
        self->domain.links [i].mbps = free_capacity_offer (self->provider.room, i)->quantity;
    return &self->domain;
}

static void nis_announce (void *owner, const moment_t *now)
{
    nis_t *self = owner;
    domain_t domain = *domain_now (self);
    path_service_changed (self->paths);
    member_announce (self->provider.service, now, &(directory_entry_t){.domain = &domain});
}

/*  For readmission: the bookings of an answer in this domain. */
static bool nis_part_told (void *owner, const answer_t *answer, packed_t *part,
                           char why [WHY_BYTES])
{
    const nis_t *self = owner;
    return allocated_in_domain (answer, self->provider.service->name + strlen ("nis/"),
                                &self->domain, part, why);
}

static void nis_destroy (void *owner)
{
    nis_t *self = owner;
    path_service_destroy (&self->paths);
    routers_destroy (&self->routers);
    provider_close (&self->provider);
    circuit_usage_destroy (&self->uses);
    provider_end (&self->provider);
    codec_clear (&domain_codec, &self->domain);
    free (self);
}

static void settings_check (const nis_settings_t *settings)
{
    uint32_t windows_max = settings->provider.limits.questions.windows_max;
    char why [WHY_BYTES];
    assert (strncmp (settings->provider.name, "nis/", 4) == 0);
    assert (domain_check (&settings->domain, settings->provider.name + 4, why));
    assert (windows_max > 0 && windows_max <= NIS_WINDOWS_MOST);
    assert (settings->paths_max > 0 && settings->paths_max <= NIS_PATHS_MOST);
}

void nis_core (const nis_settings_t *settings, core_t *core)
{
    settings_check (settings);
    nis_t *self = must (calloc (1, sizeof *self));
    provider_t *provider = &self->provider;
    part_reader_t reader;
    codec_copy (&domain_codec, &self->domain, &settings->domain);
    provider_begin (provider, &settings->provider);
    member_follow_none (provider->service);
    provider->room = circuits_room (settings->provider.name + strlen ("nis/"), &self->domain,
                                    &provider->service->timekeeper);
    self->circuits = (circuits_t){provider->room, &self->domain};
    circuits_reader (&self->circuits, &reader);
    provider_book (provider, &settings->provider, &reader);
    self->uses = circuit_usage_new (provider->service, &provider->access, settings->use);
    if (settings->agents) {
        self->routers =
          routers_new (provider->service, provider->service->name + strlen ("nis/"), &self->domain,
                       &settings->routers, circuit_usage_moved, self->uses);
        circuit_usage_back_end (self->uses, routers_back_end (self->routers));
    }
    circuit_usage_tell (self->uses, &provider->resource.usage);
    provider_vote (provider, &settings->provider);
    circuit_usage_attach (self->uses, provider->participant);
    provider_answer (provider, &settings->provider, nis_part_told, nis_announce, self);
    self->paths = path_service_new (provider->service, &self->domain, provider->room,
                                    provider->questions, settings->paths_max);
    provider_open (provider, &settings->provider, nis_announce, core, nis_destroy);
}
