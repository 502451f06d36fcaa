/*  snapshot_state - what the files of snapshot share. */
#ifndef MUSUBI_SNAPSHOT_STATE_H
#define MUSUBI_SNAPSHOT_STATE_H

#include "snapshot.h"

source_t *snapshot_add_source (snapshot_t *self, const directory_entry_t *entry,
                               source_kind_t kind);

/*  A source takes nothing, whenever that is. */
#define ALWAYS_FROM_MS  (-(INT64_C (1) << 58))
#define ALWAYS_UNTIL_MS (INT64_C (1) << 58)

/*  What may be free of a resource, by its number in the entry: all that the summary does not deny.
 *  NULL: all of it. */
void snapshot_suppose (const snapshot_t *self, free_profile_t *profile,
                       const free_summary_t *summary, size_t resource, uint32_t quantity);

/*  Returns its index. */
size_t snapshot_add_place (snapshot_t *self, size_t source, const node_class_t *class);

void snapshot_add_option (need_options_t *options, const option_t *option);
bool snapshot_has_option (const need_options_t *options, size_t place);

#endif
