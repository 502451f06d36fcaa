/*  processes - finds the descendants of a process, and the processes that bear the mark of a run,
 *  in /proc. */
#ifndef MUSUBI_PROCESSES_H
#define MUSUBI_PROCESSES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RUN_MARK "MUSUBI_RUN_FOLDER" /* in the environment of everything that a run starts */

/*  Sends a signal to all descendants of a process; returns how many there are. catchers: only to
 *  those that catch it. */
size_t processes_signal (pid_t under, int signal, int catchers);

/*  Stops all descendants of a process; returns how many may still run. They may have started others
 *  meanwhile: stop again until there is none. */
size_t processes_stop (pid_t under);

/*  Processor time of all living descendants of a process, and of what they have waited for. */
int64_t processes_cpu_ms (pid_t under);

/*  Kills all processes that have this folder as their mark; returns how many there were. */
size_t processes_kill_marked (const char *folder);

#endif
