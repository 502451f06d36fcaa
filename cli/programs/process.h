/*  process - services as processes of this machine: started, recognised again, ended.
 *
 *  A process id names whichever process has it today. Together with the time of its start, in the
 *  kernel's ticks since boot, it names one process for good, so that no other is ever ended.
 */
#ifndef MUSUBI_PROCESS_H
#define MUSUBI_PROCESS_H

#include "cli.h"

#include <sys/types.h>

typedef struct {
    pid_t pid; /* 0 = none; also the id of its session */
    uint64_t started;
} process_t;

/*  Starts a program in a session of its own, with empty standard input, and output and log to files
 *  (output is replaced, log appended to). arguments end with NULL. False with errno. */
bool process_start (process_t *self, const char *program, char *const *arguments,
                    const char *output, const char *log);

/*  The path of a program that lies beside the running one. False with errno. */
#define PROGRAM_BYTES 4096
bool process_beside (const char *name, char program [PROGRAM_BYTES]);

/*  Does this process live? Not when it is dead and its parent has not reaped it. */
bool process_lives (const process_t *self);

/*  Ends them all with SIGTERM and, after patience_ms, SIGKILL. Returns how many had to be killed.
 */
size_t process_end (const process_t *list, size_t count, int64_t patience_ms);

/*  Asks it to end with SIGTERM, and waits for that at most patience_ms. It may take longer. */
void process_leave (const process_t *self, int64_t patience_ms);

/*  Processes that still run in the sessions of these, such as helpers that they started; at most
 *  max. */
size_t process_stragglers (const process_t *list, size_t count, process_t *found, size_t max);

/*  The starters (svc-lis starter) of runs below a folder, "PATH/runs/"; at most max. */
size_t process_starters (const char *runs, process_t *found, size_t max);

/*  The id of this boot of the machine. */
#define BOOT_BYTES 40
void process_boot (char boot [BOOT_BYTES]);

/*  --- musubi-tools, the second program, which only operators and researchers need. musubi starts
 *  it with the same command line, as git does with its own; so users know one client, which links
 *  nothing that only the tools need --- */

/*  One of its commands, for both programs' help; running it starts musubi-tools. */
const cli_command_t *tools_command (const char *name);

/*  Replaces this process by musubi-tools, which lies beside this program or on the PATH. Returns
 *  only when it is at neither place, after saying so. */
int tools_start (cli_t *cli);

#endif
