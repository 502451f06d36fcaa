/*  process - services as processes of this machine: started, recognised again, ended.
 *
 *  A process id alone names whoever has it today. With the moment of its start, in the kernel's
 *  ticks since this boot, it names one process for good, so that nobody else is ever ended.
 */
#ifndef MUSUBI_PROCESS_H
#define MUSUBI_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
    pid_t pid; /* 0 = none; also the number of its session */
    uint64_t started;
} process_t;

/*  Starts a program in a session of its own, standard input empty, output and log to files (output
 *  made anew, log added to). arguments end with NULL. False with errno. */
bool process_start (process_t *self, const char *program, char *const *arguments,
                    const char *output, const char *log);

/*  A program of Musubi's: it stands beside the one that runs. False with errno. */
#define PROGRAM_BYTES 4096
bool process_beside (const char *name, char program [PROGRAM_BYTES]);

/*  Does that very process live? A dead one whose parent has not taken notice does not. */
bool process_lives (const process_t *self);

/*  Ends them all: SIGTERM, patience, SIGKILL. Returns how many had to be killed. */
size_t process_end (const process_t *list, size_t count, int64_t patience_ms);

/*  What still runs in the sessions of those processes, such as helpers they started. At most max
 *  are found. */
size_t process_stragglers (const process_t *list, size_t count, process_t *found, size_t max);

/*  Who watches over runs (svc-lis starter) below a folder, "PATH/runs/". At most max are found. */
size_t process_starters (const char *runs, process_t *found, size_t max);

/*  This boot of the machine. */
#define BOOT_BYTES 40
void process_boot (char boot [BOOT_BYTES]);

#endif
