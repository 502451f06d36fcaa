/*  participant_ref - participants, for plans and for people. */
#include "participant_ref.h"
#include "directory_entry.h"

#include <stdio.h>
#include <string.h>

const char *participant_ref_short_name (const char *party_name)
{
    const char *slash = strchr (party_name, '/');
    return slash ? slash + 1 : party_name;
}

part_kind_t participant_ref_part_kind (const char *name)
{
    return strncmp (name, "nis/", 4) == 0       ? PART_NETWORK
           : strncmp (name, "replica/", 8) == 0 ? PART_SPACE
                                                : PART_COMPUTE;
}

const char *participant_ref_words (const char *name, char words [PARTICIPANT_REF_WORDS_BYTES])
{
    part_kind_t kind = participant_ref_part_kind (name);
    const char *what = kind == PART_NETWORK             ? "network domain "
                       : kind == PART_SPACE             ? "storage of "
                       : strncmp (name, "lis/", 4) == 0 ? "site "
                                                        : NULL;
    snprintf (words, PARTICIPANT_REF_WORDS_BYTES, "%s%s", what ? what : "",
              what ? participant_ref_short_name (name) : name);
    return words;
}

participant_ref_t participant_ref_of_entry (const directory_entry_t *entry)
{
    participant_ref_t party = {0};
    snprintf (party.name, sizeof party.name, "%s", entry->name);
    snprintf (party.endpoint, sizeof party.endpoint, "%s", entry->endpoint);
    memcpy (party.store, entry->store, STORE_ID_BYTES);
    return party;
}

int64_t participant_ref_lead_ms (const directory_entry_t *entry)
{
    return entry && entry->site      ? entry->site->lead_ms
           : entry && entry->domain  ? entry->domain->lead_ms
           : entry && entry->storage ? entry->storage->lead_ms
                                     : 0;
}

call_order_t participant_ref_order (const participant_ref_t *party,
                                    const planner_settings_t *settings, const char *service,
                                    const char *method)
{
    return (call_order_t){.peer = party->name,
                          .endpoint = party->endpoint,
                          .to_store = party->store,
                          .service = service,
                          .method = method,
                          .timeout_ms = settings->try_ms,
                          .tries_max = settings->tries_max};
}

call_order_t participant_ref_status_order (const participant_ref_t *party,
                                           const planner_settings_t *settings)
{
    call_order_t order = participant_ref_order (party, settings, "Service", "Status");
    order.to_store = NULL;
    return order;
}
