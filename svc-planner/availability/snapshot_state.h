/*  snapshot_state - what the files of snapshot share. */
#ifndef MUSUBI_SNAPSHOT_STATE_H
#define MUSUBI_SNAPSHOT_STATE_H

#include "snapshot.h"

source_t *snapshot_add_source (snapshot_t *self, const directory_entry_t *entry,
                               source_kind_t kind);

/*  Returns its index. */
size_t snapshot_add_place (snapshot_t *self, size_t source, const node_class_t *class);

void snapshot_add_option (need_options_t *options, const option_t *option);
bool snapshot_has_option (const need_options_t *options, size_t place);

#endif
