/*  cli - one run of the client: its command line, and how a command prints and fails.
 *
 *  Each command is a function in a file of its own. It parses its options together with those that
 *  all commands share, works through a session, and returns the exit code.
 */
#ifndef MUSUBI_CLI_H
#define MUSUBI_CLI_H

#include "options.h"

#include <jansson.h>

/*  What scripts rely on. */
enum {
    EXIT_DONE = 0,
    EXIT_REFUSED = 1, /* the answer says why */
    EXIT_USAGE = 2,   /* bad usage or input */
    EXIT_UNKNOWN = 3, /* no answer, or the outcome is unknown: says how to ask again */
};

#define WORDS_MAX 16384

typedef struct command cli_command_t;

typedef struct {
    int argc; /* the whole command line, for asking again */
    char *const *argv;
    const cli_command_t *command;
    int rest_count; /* without the program and the word of the command */
    char *const *rest;

    const char **words; /* the arguments that are no options; then NULL */
    size_t words_count;

    /* Options of all commands; NULL and 0 = not given. */
    const char *gis;
    const char *dir;
    const char *actor;
    const char *request_id;
    int64_t timeout_ms;
    bool json;
    bool help;
} cli_t;

struct command {
    const char *name;
    const char *synopsis; /* "ID PATCH.json|-" */
    const char *summary;  /* one line */
    int (*run) (cli_t *cli);
};

/*  A whole program: finds the command that is meant and runs it; returns the exit code. */
int cli_main (int argc, char **argv, const cli_command_t *commands, size_t count);

/*  Parses the rest of the command line, which must have least to most words. False when the command
 *  is over already, with *code: help was asked for and printed, or usage is bad and was refused. */
bool cli_parse (cli_t *cli, const cli_option_t *own, size_t least, size_t most, int *code);

/*  Runs the subcommand ("federation configure") that the next word names; lists them all when help
 *  is asked for. */
int cli_run_own (cli_t *cli, const cli_command_t *commands, size_t count);

/*  "musubi: …" on standard error; returns code. */
int cli_fail (int code, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/*  The same where the exit code is known further up; returns false. */
#define cli_refuse(...) (cli_fail (EXIT_USAGE, __VA_ARGS__), false)

/*  Remarks go to standard error, unless --json. */
void cli_note (const cli_t *cli, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/*  JSON on standard output: indented on a terminal, else in one line. Takes the reference. */
void cli_print_json (json_t *json);
void cli_print_json_to (json_t *json, FILE *to);

/*  With --json prints it, and is true; else it is for people, and the caller prints that. Takes the
 *  reference. */
bool cli_json (const cli_t *cli, json_t *json);

/*  The command line again, quoted for a shell, with this request id. Malloc'ed. */
char *cli_again (const cli_t *cli, const char *request_id);

/*  A file's first bytes ("-" = standard input), as text: a NUL follows. Malloc'ed; NULL with errno
 *  when it can't be read. */
char *cli_read_text (const char *file, size_t most, size_t *size);

/*  A file's whole text ("-" = standard input) as JSON; NULL after refusing. */
json_t *cli_read_json (const char *file);

/*  Has an interrupt (Ctrl-C, SIGTERM) come? Then end soon. */
bool cli_interrupted (void);
/*  Forgets the interrupt, so that waits last again. The next one ends the process. */
void cli_interrupt_heard (void);

/*  Wall clock in ms; monotonic clock in ms; a sleep that an interrupt cuts short. */
int64_t cli_wall_ms (void);
int64_t cli_mono_ms (void);
void cli_rest (int64_t ms);

/*  Columns of the terminal that standard output is; 100 where it is none. */
size_t cli_width (void);

/*  A file that is kept for this user between commands: "~/.local/state/musubi/NAME". Malloc'ed. */
char *cli_state_file (const char *name);
/*  The folder of the current federation: --dir, or that of the last `musubi up`, or "federation",
 *  the only folder of older versions. Malloc'ed. */
char *cli_federation_dir (const cli_t *cli);

/*  --- a file that a command is told to write. "-" is standard output. A device, a pipe or the
 *  target of a link is written to, never replaced --- */
/*  fresh: refuses a regular file that exists already. NULL after refusing (exit 2). */
FILE *output_file_open (const char *path, bool fresh);

/*  Closes it. EXIT_DONE, or exit 3 after saying that it could not be written; for standard output
 *  the end of the run says so. */
int output_file_close (FILE *file, const char *path);

/*  For a file that is made elsewhere and then moved to this path: opens what must be written to in
 *  place instead (a device, a pipe, a link), without cutting it; *file is NULL when there is
 *  nothing of the kind. False after refusing. */
bool output_file_through (const char *path, FILE **file);

/*  Replaces the contents of a file opened so. Closes both files; returns as output_file_close. */
int output_file_copy (FILE *from, FILE *to, const char *path);

#endif
