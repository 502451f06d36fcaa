/*  participant_ref - what a participant's name says about it. */
#ifndef MUSUBI_PARTICIPANT_REF_H
#define MUSUBI_PARTICIPANT_REF_H

#include "call.h"
#include "directory.h"
#include "planner_settings.h"
#include "transaction.h"

#define PARTICIPANT_REF_WORDS_BYTES 96

/*  "site ams" of "lis/ams", "network domain N" of "nis/N"; anything else stays as it is. */
const char *participant_ref_words (const char *name, char words [PARTICIPANT_REF_WORDS_BYTES]);

/*  "ams" of "lis/ams". */
const char *participant_ref_short_name (const char *party_name);

/*  What it books: bandwidth in a domain, nodes elsewhere. */
part_kind_t participant_ref_part_kind (const char *name);

/*  As the directory has it. */
participant_ref_t participant_ref_of_entry (const directory_entry_t *entry);

/*  How long before its start it must hear of a reservation; of no entry, 0. */
int64_t participant_ref_lead_ms (const directory_entry_t *entry);

/*  A call to the store that a plan names, tried as often as the settings say. */
call_order_t participant_ref_order (const participant_ref_t *party,
                                    const planner_settings_t *settings, const char *service,
                                    const char *method);

/*  Service.Status of whatever store answers there (status_lost). */
call_order_t participant_ref_status_order (const participant_ref_t *party,
                                           const planner_settings_t *settings);

#endif
