/*  cli - the options of all commands, input, output, interrupts and clocks. */
#include "cli.h"

#include "clock.h"
#include "json.h"
#include "must.h"

#include <czmq.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH_PRESET 100

bool cli_parse (cli_t *cli, const cli_option_t *own, size_t least, size_t most, int *code)
{
    const cli_option_t global [] = {
      TEXT_OPTION ("gis", &cli->gis, "ENDPOINTS",
                   "endpoints of the directories, separated by commas (MUSUBI_GIS)"),
      TEXT_OPTION ("dir", &cli->dir, "DIR", "folder of a federation that `musubi up` started"),
      TEXT_OPTION ("actor", &cli->actor, "NAME", "the name to ask in (MUSUBI_ACTOR, USER)"),
      DURATION_OPTION ("timeout", &cli->timeout_ms, "10s",
                       "how long to wait for an answer; put, get: for any news, else 2m"),
      FLAG_OPTION ("json", &cli->json, "print the answer as JSON"),
      FLAG_OPTION ("help", &cli->help, "describe this command and its options"),
      {0}};
    char why [WHY_BYTES];
    bool parsed = options_parse (own, global, cli->rest_count, cli->rest, cli->words, WORDS_MAX,
                                 &cli->words_count, why);
    if (cli->help) {
        printf ("musubi %s %s\n%s\n\n", cli->command->name, cli->command->synopsis,
                cli->command->summary);
        options_describe (own, stdout);
        options_describe (global, stdout);
        *code = EXIT_DONE;
        return false;
    }
    *code = EXIT_USAGE;
    if (!parsed)
        return cli_refuse ("%s: %s", cli->command->name, why);
    if (cli->words_count < least || cli->words_count > most)
        return cli_refuse ("usage: musubi %s %s", cli->command->name, cli->command->synopsis);
    return true;
}

/*  The index of the first argument that is no option; the values of options are stepped over. -1
 *  when there is none. */
static int cli_first_word (int argc, char *const *argv)
{
    static const cli_option_t list [] = {
      {.name = "gis", .kind = OPTION_TEXT},        {.name = "dir", .kind = OPTION_TEXT},
      {.name = "actor", .kind = OPTION_TEXT},      {.name = "timeout", .kind = OPTION_DURATION},
      {.name = "request-id", .kind = OPTION_TEXT}, {0}};
    return options_first_word (list, argc, argv);
}

/*  The command whose name ends with that word: "configure" is "federation configure". */
static const cli_command_t *find_command (const cli_command_t *commands, size_t count,
                                          const char *word)
{
    for (size_t i = 0; i < count; i++) {
        const char *above = strchr (commands [i].name, ' ');
        if (strcmp (above ? above + 1 : commands [i].name, word) == 0)
            return &commands [i];
    }
    return NULL;
}

/*  Runs a command with the arguments that remain without its own word. */
static int run_without (cli_t cli, const cli_command_t *command, int at)
{
    memory_auto char **rest = must (calloc ((size_t) cli.rest_count, sizeof *rest));
    memory_auto const char **words = must (calloc (WORDS_MAX + 1, sizeof *words));
    for (int i = 0, to = 0; i < cli.rest_count; i++)
        if (i != at)
            rest [to++] = cli.rest [i];
    cli.command = command;
    cli.rest = rest;
    cli.rest_count--;
    cli.words = words;
    return command->run (&cli);
}

static void print_own (const cli_t *cli, const cli_command_t *commands, size_t count)
{
    printf ("musubi %s %s\n%s\n\n", cli->command->name, cli->command->synopsis,
            cli->command->summary);
    for (size_t i = 0; i < count; i++)
        printf ("  %s %s\n      %s\n", commands [i].name, commands [i].synopsis,
                commands [i].summary);
}

int cli_run_own (cli_t *cli, const cli_command_t *commands, size_t count)
{
    int at = cli_first_word (cli->rest_count, cli->rest);
    for (int i = 0; at < 0 && i < cli->rest_count; i++) {
        if (strcmp (cli->rest [i], "--help") == 0) {
            print_own (cli, commands, count);
            return EXIT_DONE;
        }
    }
    const cli_command_t *command = at < 0 ? NULL : find_command (commands, count, cli->rest [at]);
    return command
             ? run_without (*cli, command, at)
             : cli_fail (EXIT_USAGE, "%s: name one of its commands; `musubi %s --help` lists them",
                         cli->command->name, cli->command->name);
}

static void say_line (const char *begin, const char *format, va_list arguments)
{
    fputs (begin, stderr);
    vfprintf (stderr, format, arguments);
    fputc ('\n', stderr);
}

int cli_fail (int code, const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    say_line ("musubi: ", format, arguments);
    va_end (arguments);
    return code;
}

void cli_note (const cli_t *cli, const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    if (!cli->json)
        say_line ("", format, arguments);
    va_end (arguments);
}

void cli_print_json (json_t *json)
{
    cli_print_json_to (json, stdout);
}

bool cli_json (const cli_t *cli, json_t *json)
{
    if (cli->json)
        cli_print_json (json);
    else
        json_decref (json);
    return cli->json;
}

void cli_print_json_to (json_t *json, FILE *to)
{
    size_t form = isatty (fileno (to)) ? JSON_INDENT (2) : 0;
    (void) json_dumpf (json, to, form | JSON_ENCODE_ANY); /* cli_end reports a failure */
    fputc ('\n', to);
    json_decref (json);
}

size_t cli_width (void)
{
    struct winsize size;
    if (isatty (STDOUT_FILENO) && ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return WIDTH_PRESET;
}

static void put_quoted (FILE *line, const char *word)
{
    bool plain = *word && strspn (word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789-_./:,=@+%") == strlen (word);
    fputs (plain ? " " : " '", line);
    for (; *word; word++)
        if (*word == '\'')
            fputs ("'\\''", line);
        else
            fputc (*word, line);
    fputs (plain ? "" : "'", line);
}

char *cli_again (const cli_t *cli, const char *request_id)
{
    char *text = NULL;
    size_t size;
    FILE *line = must (open_memstream (&text, &size));
    fputs ("musubi", line);
    int i = 1;
    for (; i < cli->argc && strcmp (cli->argv [i], "--") != 0; i++) {
        if (strcmp (cli->argv [i], "--request-id") == 0)
            i++;
        else if (strncmp (cli->argv [i], "--request-id=", 13) != 0)
            put_quoted (line, cli->argv [i]);
    }
    fputs (" --request-id", line);
    put_quoted (line, request_id);
    for (; i < cli->argc; i++) /* what follows "--" is no option */
        put_quoted (line, cli->argv [i]);
    fclose (line);
    return must (text);
}

char *cli_read_text (const char *file, size_t most, size_t *size)
{
    bool standard = strcmp (file, "-") == 0;
    errno = 0;
    FILE *from = standard ? stdin : fopen (file, "re");
    char *text = must (malloc (most + 1));
    *size = from ? fread (text, 1, most, from) : 0;
    bool read = from && !ferror (from);
    int error = errno ? errno : ENOENT;
    if (from && !standard)
        fclose (from);
    text [*size] = '\0';
    if (read)
        return text;
    free (text);
    errno = error;
    return NULL;
}

json_t *cli_read_json (const char *file)
{
    const char *name = strcmp (file, "-") == 0 ? "standard input" : file;
    char why [WHY_BYTES];
    size_t size;
    /* One byte more than allowed is read, so that a text that is too long is refused as such. */
    text_auto_t *text = cli_read_text (file, BODY_BYTES_MAX + 1, &size);
    json_t *json = text ? json_parse (text, size, why) : NULL;
    if (!json)
        cli_fail (EXIT_USAGE, "%s: %s", name, text ? why : strerror (errno));
    return json;
}

static volatile sig_atomic_t interrupted;

static void on_signal (int number)
{
    (void) number;
    interrupted = 1;
}

bool cli_interrupted (void)
{
    return interrupted;
}

void cli_interrupt_heard (void)
{
    interrupted = 0;
}

static void cli_catch_interrupts (void)
{
    /* Without SA_RESTART an interrupt ends a wait. SA_RESETHAND: the second interrupt ends the
     * process. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int) SA_RESETHAND};
    sigaction (SIGINT, &action, NULL);
    sigaction (SIGTERM, &action, NULL);
    signal (SIGPIPE, SIG_DFL);
}

int64_t cli_wall_ms (void)
{
    return clock_ms (CLOCK_REALTIME);
}

int64_t cli_mono_ms (void)
{
    return clock_ms (CLOCK_MONOTONIC);
}

/*  Ends a run: the code, or exit 3 with a message when standard output could not be written. A
 *  command that runs for long checks ferror (stdout) itself. */
static int cli_end (int code)
{
    if (fflush (stdout) != 0)
        return cli_fail (EXIT_UNKNOWN, "standard output can't be written: %s", strerror (errno));
    return ferror (stdout) ? cli_fail (EXIT_UNKNOWN, "standard output can't be written") : code;
}

void cli_rest (int64_t ms)
{
    struct timespec rest = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep (&rest, NULL);
}

char *cli_state_file (const char *name)
{
    const char *state = getenv ("XDG_STATE_HOME");
    const char *home = getenv ("HOME");
    bool own = state && *state == '/';
    return must_print ("%s%s/musubi/%s",
                       own             ? state
                       : home && *home ? home
                                       : ".",
                       own ? "" : "/.local/state", name);
}

char *cli_federation_dir (const cli_t *cli)
{
    char *path = cli->dir ? must (strdup (cli->dir)) : cli_state_file ("current");
    if (cli->dir || access (path, F_OK) == 0)
        return path;
    free (path);
    return cli_state_file ("federation");
}

static void cli_print_help (const cli_command_t *commands, size_t count)
{
    printf ("musubi - reserve CPUs at several sites for one time, all or nothing\n\n"
            "usage: musubi [--gis ENDPOINT[,…]] [--json] [--timeout 10s] COMMAND …\n\n");
    for (size_t i = 0; i < count; i++)
        printf ("  %-10s %.*s\n", commands [i].name, (int) strcspn (commands [i].summary, "\n"),
                commands [i].summary);
    printf ("\n`musubi COMMAND --help` describes a command. Exit codes: 0 done, 1 refused,\n"
            "2 bad usage or input, 3 no answer, or the outcome is unknown.\n");
}

int cli_main (int argc, char **argv, const cli_command_t *commands, size_t count)
{
    int word = cli_first_word (argc - 1, argv + 1) + 1; /* 0: none */
    for (int i = 1; i < (word ? word : argc); i++) {
        if (strcmp (argv [i], "--version") == 0) {
            printf ("musubi %s\n", MUSUBI_VERSION);
            return cli_end (EXIT_DONE);
        }
        if (strcmp (argv [i], "--help") == 0) {
            cli_print_help (commands, count);
            return cli_end (EXIT_DONE);
        }
    }
    if (!word)
        return cli_fail (EXIT_USAGE, "name a command; `musubi --help` lists them");
    const cli_command_t *command = find_command (commands, count, argv [word]);
    if (!command)
        return cli_fail (EXIT_USAGE, "\"%s\" is not a command; `musubi --help` lists them",
                         argv [word]);
    zsys_handler_set (NULL);
    zsys_init ();
    cli_catch_interrupts ();
    cli_t cli = {.argc = argc, .argv = argv, .rest_count = argc - 1, .rest = argv + 1};
    return cli_end (run_without (cli, command, word - 1));
}

/*  --- files that are written --- */

#define BLOCK_BYTES 65536

static bool is_standard (const char *path)
{
    return strcmp (path, "-") == 0;
}

static int output_file_refuse (const char *path, int code)
{
    return cli_fail (code, "%s: can't be written: %s", path, strerror (errno));
}

FILE *output_file_open (const char *path, bool fresh)
{
    struct stat status;
    if (is_standard (path))
        return stdout;
    bool there = stat (path, &status) == 0;
    FILE *file = fopen (path, fresh && !(there && !S_ISREG (status.st_mode)) ? "wxe" : "we");
    if (!file && fresh && errno == EEXIST)
        cli_fail (EXIT_USAGE, "%s exists already: remove it, or choose another name", path);
    else if (!file)
        output_file_refuse (path, EXIT_USAGE);
    return file;
}

int output_file_close (FILE *file, const char *path)
{
    if (file == stdout)
        return EXIT_DONE;
    bool written = fflush (file) == 0 && !ferror (file);
    int error = errno;
    if (fclose (file) != 0 && written)
        return output_file_refuse (path, EXIT_UNKNOWN);
    errno = error;
    return written ? EXIT_DONE : output_file_refuse (path, EXIT_UNKNOWN);
}

bool output_file_through (const char *path, FILE **file)
{
    struct stat status;
    *file = is_standard (path) ? stdout : NULL;
    if (*file || lstat (path, &status) != 0 || S_ISREG (status.st_mode))
        return true;
    *file = fopen (path, "ae"); /* a link and its file stay until there is a new one */
    if (!*file)
        output_file_refuse (path, EXIT_USAGE);
    return *file != NULL;
}

int output_file_copy (FILE *from, FILE *to, const char *path)
{
    char block [BLOCK_BYTES];
    size_t got;
    struct stat status;
    bool cut = to == stdout || fstat (fileno (to), &status) != 0 || !S_ISREG (status.st_mode) ||
               ftruncate (fileno (to), 0) == 0;
    if (!cut)
        output_file_refuse (path, EXIT_UNKNOWN);
    while (cut && (got = fread (block, 1, sizeof block, from)) > 0 &&
           fwrite (block, 1, got, to) == got)
        ;
    bool whole = cut && !ferror (from);
    if (cut && !whole)
        cli_fail (EXIT_UNKNOWN, "%s: the fetched file can't be read", path);
    fclose (from);
    int code = output_file_close (to, path);
    return whole ? code : EXIT_UNKNOWN;
}
