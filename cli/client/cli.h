/*  cli - one run of the client: what was said on the command line, and how a command speaks.
 *
 *  Each command is a function in a file of its own; it parses its options together with those that
 *  all commands share, does its work over a session, and returns the exit code.
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
    EXIT_UNKNOWN = 3, /* nobody answered, or the outcome is unknown: says how to ask again */
};

typedef struct command cli_command_t;

typedef struct {
    int argc; /* the whole command line, for asking again */
    char *const *argv;
    const cli_command_t *command;
    int rest_count; /* without the program and the command's word */
    char *const *rest;

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

#define WORDS_MAX 64

/*  What was said besides options. */
typedef struct {
    const char *list [WORDS_MAX];
    size_t count;
} cli_words_t;

/*  A whole program: finds the command that is meant and runs it; returns the exit code. */
int cli_main (int argc, char **argv, const cli_command_t *commands, size_t count);

/*  Parses the rest of the command line. False when the command is over already, with *code: help
 *  was asked for and printed, or usage is bad and was refused. least to most words are taken. */
bool cli_parse (cli_t *cli, const cli_option_t *own, size_t least, size_t most, cli_words_t *words,
                int *code);

/*  Runs the one of a command's own commands ("federation configure") that the next word names, or
 *  lists them, when help is asked for. */
int cli_run_own (cli_t *cli, const cli_command_t *commands, size_t count);

/*  "musubi: …" on standard error; returns code. */
int cli_fail (int code, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/*  The same where the caller's caller knows the exit code; returns false. */
bool cli_refuse (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

/*  Remarks go to standard error, unless --json. */
void cli_note (const cli_t *cli, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

/*  JSON on standard output, in one line unless a person reads. Takes the reference. */
void cli_print_json (json_t *json);
void cli_print_json_to (json_t *json, FILE *to);

/*  The command line again, quoted for a shell, with this request id. Malloc'ed. */
char *cli_again (const cli_t *cli, const char *request_id);

/*  A file's whole text ("-" = standard input) as JSON; NULL after refusing. */
json_t *cli_read_json (const char *file);

/*  An interrupt (Ctrl-C, SIGTERM) was asked for: end soon and politely. */
bool cli_interrupted (void);
/*  It is being seen to: waits are whole again. The next one ends the process. */
void cli_interrupt_heard (void);

/*  Wall clock, ms; monotonic clock, ms; a rest of so long, cut short by an interrupt. */
int64_t cli_wall_ms (void);
int64_t cli_mono_ms (void);
void cli_rest (int64_t ms);

/*  Columns of the terminal that standard output is; 100 where it is none. */
size_t cli_width (void);

/*  What is kept of this user's between commands: "~/.local/state/musubi/NAME". Malloc'ed. */
char *cli_state_file (const char *name);
/*  The folder of the federation that runs from here: --dir, or that of the last `musubi up`; before
 *  each had its own they shared one, "federation". Malloc'ed. */
char *cli_federation_dir (const cli_t *cli);

#endif
