/*  storage_executor - the kinds of work of storage_work.h, as the agent's workers do them. */
#ifndef MUSUBI_STORAGE_EXECUTOR_H
#define MUSUBI_STORAGE_EXECUTOR_H

#include "host.h"

extern const work_kind_t storage_works [];
extern const size_t storage_executor_count;

/*  Makes the folders of a node, its own one included; false with errno. */
bool storage_folders_make (const char *folder);

#endif
