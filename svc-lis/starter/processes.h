/*  processes - what is under a process, and what bears the mark of a run, as /proc tells. */
#ifndef MUSUBI_PROCESSES_H
#define MUSUBI_PROCESSES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RUN_MARK "MUSUBI_RUN_FOLDER" /* in the environment of everything that a run starts */

/*  Send a signal to all that is under a process, itself left out; returns how many there are.
 *  catchers: only to those that catch it. */
size_t processes_signal (pid_t under, int signal, int catchers);

/*  Processor time of all that is alive under a process, itself left out, and of what that has
 *  waited for. */
int64_t processes_cpu_ms (pid_t under);

/*  Kill whatever has this folder as its mark; returns how many there were. */
size_t processes_kill_marked (const char *folder);

#endif
