/*  storage_executor - does the work of storage_work.h, in the agent's worker threads. */
#ifndef MUSUBI_STORAGE_EXECUTOR_H
#define MUSUBI_STORAGE_EXECUTOR_H

#include "host.h"

extern const work_kind_t storage_works [];
extern const size_t storage_executor_count;

/*  As FILE_LOOK; 0 with errno. */
uint64_t storage_room (const char *path);

/*  Makes the folder of this process's node and those in it, and notes which they are; false with
 *  errno. Before all work. */
bool storage_folders_make (const char *folder);

#endif
