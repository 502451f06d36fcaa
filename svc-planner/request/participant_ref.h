/*  participant_ref - a participant: what its name says, how it is called. */
#ifndef MUSUBI_PARTICIPANT_REF_H
#define MUSUBI_PARTICIPANT_REF_H

#include "call.h"
#include "directory.h"
#include "planner_settings.h"
#include "transaction.h"

#define PARTICIPANT_REF_WORDS_BYTES 96

/*  "site ams" of "lis/ams", "network domain N" of "nis/N", "storage of ams" of "replica/ams";
 *  anything else stays as it is. */
const char *participant_ref_words (const char *name, char words [PARTICIPANT_REF_WORDS_BYTES]);

/*  "ams" of "lis/ams". */
const char *participant_ref_short_name (const char *party_name);

/*  The kind of its parts: bandwidth for a network domain, bytes for storage, else nodes. */
part_kind_t participant_ref_part_kind (const char *name);

/*  The participant of a directory's entry. */
participant_ref_t participant_ref_of_entry (const directory_entry_t *entry);

/*  Its lead; 0 without an entry. */
int64_t participant_ref_lead_ms (const directory_entry_t *entry);

/*  A call to the very store that a plan names, with the tries of the settings. */
call_order_t participant_ref_order (const participant_ref_t *party,
                                    const planner_settings_t *settings, const char *service,
                                    const char *method);

/*  Service.Status of whatever store answers at its address (status_lost). */
call_order_t participant_ref_status_order (const participant_ref_t *party,
                                           const planner_settings_t *settings);

#endif
