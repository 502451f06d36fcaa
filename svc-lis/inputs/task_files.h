/*  task_files - which files a bag's tasks may name as their inputs and outputs. "%i" in a name or a
 *  path stands for the task's index. Pure.
 */
#ifndef MUSUBI_TASK_FILES_H
#define MUSUBI_TASK_FILES_H

#include "runs.h"

/*  Gives files without a path the last part of their name. False with why, which names the field: a
 *  name or a path that no file may have, one place for two files, a file that two tasks would make,
 *  or one that tasks make and read. */
bool task_files_check (run_order_t *order, uint32_t count, char why [WHY_BYTES]);

/*  The text with the index in the place of "%i", new; NULL when it is longer than most bytes. */
char *task_files_text (const char *text, uint32_t index, size_t most);

#endif
