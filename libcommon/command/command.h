/*  command - runs one program, of a batch system say, and takes what it writes. It is found by its
 *  name on our PATH, never by way of a shell, and gets no more of our environment than tells where
 *  a batch system is (SLURM_CONF, SGE_…). It writes times in UTC. Threads: any.
 */
#ifndef MUSUBI_COMMAND_H
#define MUSUBI_COMMAND_H

#include "codec.h"

#include <stdint.h>
#include <sys/types.h>

#define COMMAND_OUTPUT_BYTES_MAX (64u << 20)
#define COMMAND_ARGUMENTS_MAX    64

typedef enum {
    COMMAND_DONE,    /* exit code 0 */
    COMMAND_REFUSED, /* another exit code; why is what it said first */
    COMMAND_SILENT   /* it can't be run, was late, or wrote too much */
} command_told_t;

/*  arguments end with NULL; [0] is the program. input is what it reads; NULL = nothing. When it has
 *  not ended after limit_ms it is killed, with all of its group. *output (or NULL: not wanted) is
 *  always set, to text to be freed, in which other bytes than ASCII's lines have become question
 *  marks. */
command_told_t command_run (const char *const *arguments, const char *input, int64_t limit_ms,
                            char **output, char why [WHY_BYTES]);

/*  The same with the rights of a local account, by way of musubi-as, which stands in the folder of
 *  our own program; without it when the account is ours already and not root's. *output is
 *  bytes. */
command_told_t command_run_as (const char *account, const char *const *arguments, const char *input,
                               int64_t limit_ms, packed_t *output, char why [WHY_BYTES]);

/*  The process of this thread's last command_run; -1 when it could not begin. */
pid_t command_process (void);

/*  The next line of *text, which it ends with NUL and moves past; NULL at the end. */
char *command_line (char **text);

/*  The next field of *line, up to | or its end, likewise; "" when there is none. */
char *command_field (char **line);

#endif
