/*  commands - a folder of a site's own programs as a batch_system_t (README.md: what they are
 *  asked, and what they answer), and what they write, a row for each line. A program that hangs,
 *  fails, or writes what can't be read has said nothing.
 */
#ifndef MUSUBI_COMMANDS_H
#define MUSUBI_COMMANDS_H

#include "batch_system.h"

extern const batch_system_t commands;

/*  --- what they write. Pure --- */

#define COMMANDS_VERSION        1
#define COMMANDS_LINE_BYTES_MAX 131071 /* the kernel lets an argument of a program have no more */
#define COMMANDS_LINES_MAX      200000
#define COMMANDS_CPUS_MAX       1000000

/*  Whose answer it is: of nodes, reservations and jobs; of runs; of nothing but whether it is
 *  done. */
typedef enum { COMMANDS_LIST, COMMANDS_STATE, COMMANDS_DEED } commands_answer_t;

typedef enum {
    COMMANDS_NODE,
    COMMANDS_RESERVATION,
    COMMANDS_JOB,
    COMMANDS_RUN,
    COMMANDS_KINDS
} commands_kind_t;

typedef enum {
    COMMANDS_UP,
    COMMANDS_DRAINED,
    COMMANDS_SILENT,
    COMMANDS_DOWN
} commands_node_state_t;

/*  What its kind does not have is NULL or 0. Texts are borrowed from the answer. */
typedef struct {
    commands_kind_t kind;
    const char *key;   /* name of a node, a reservation or a run; id of a job */
    const char *whose; /* account of a reservation; reservation of a job, "-" = none */
    const char *job;   /* name of a job; id of a run's */
    const char *why;   /* "" = it does not say */
    int64_t state;     /* commands_node_state_t or batch_job_state_t */
    int64_t cpus, cpus_busy;
    int64_t from_ms, until_ms; /* BATCH_FOREVER_MS = it has no end */
    name_list_t nodes;
} commands_row_t;

typedef struct {
    char *text; /* owned */
    commands_row_t *rows;
    size_t count;
} commands_rows_t;

/*  Reads rows->text, which it cuts, as a whole or not at all. COMMAND_REFUSED: the program has
 *  refused, why in its own words. COMMAND_SILENT: it was cut short, or is not as it should be; why
 *  names the line and the field. program is whose it is. */
command_told_t commands_read (const char *program, commands_answer_t answer, commands_rows_t *rows,
                              char why [WHY_BYTES]);
void commands_rows_clear (commands_rows_t *self);

#define commands_rows_auto_t commands_rows_t __attribute__ ((cleanup (commands_rows_clear)))

#endif
