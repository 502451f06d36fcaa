/*  file_transfer - asks the site from time to time how the transfer stands, and ends when the site
 *  is silent for --timeout.
 */
#include "file_transfer.h"
#include "must.h"

#include "json_fields.h"
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS_FIRST       10 /* first pause between two looks; it doubles */
#define LOOK_MS_MOST        200
#define BLOCK_BYTES         (512u << 10)
#define PROGRESS_LINE_BYTES 512
#define HOPS_SHOWN          6

/*  --- digest --- */

/*  Reads up to the size that the file should have, and a little further. A file with more bytes is
 *  just being written, or has no end. */
static bool digest_read (int file, EVP_MD_CTX *context, uint64_t size_told, uint64_t *size)
{
    uint8_t *block = must (malloc (BLOCK_BYTES));
    ssize_t got = -1;
    *size = 0;
    while (!cli_interrupted () && *size <= size_told &&
           (got = read (file, block, BLOCK_BYTES)) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0 && EVP_DigestUpdate (context, block, (size_t) got) != 1)
            abort ();
        *size += got > 0 ? (uint64_t) got : 0;
    }
    free (block);
    return got == 0;
}

bool file_digest (const char *command, const char *path, uint64_t *size,
                  char digest [DIGEST_TEXT_BYTES])
{
    uint8_t bytes [32];
    struct stat status;
    int file = open (path, O_RDONLY | O_CLOEXEC |
                             O_NONBLOCK); /* without O_NONBLOCK a pipe would wait for a writer */
    if (file < 0 || fstat (file, &status) != 0 || !S_ISREG (status.st_mode)) {
        cli_fail (EXIT_USAGE, "%s: %s: %s", command, path,
                  file < 0 ? strerror (errno) : "is not a regular file");
        if (file >= 0)
            close (file);
        return false;
    }
    EVP_MD_CTX *context = EVP_MD_CTX_new ();
    if (!context || EVP_DigestInit_ex (context, EVP_sha256 (), NULL) != 1)
        abort ();
    bool read = digest_read (file, context, (uint64_t) status.st_size, size);
    if (!read)
        cli_fail (
          EXIT_USAGE, "%s: %s: %s", command, path,
          cli_interrupted () ? "interrupted"
          : *size > (uint64_t) status.st_size
            ? "has more bytes than its size says; it is being written, or is not a regular file"
            : strerror (errno));
    else if (EVP_DigestFinal_ex (context, bytes, NULL) != 1)
        abort ();
    EVP_MD_CTX_free (context);
    close (file);
    if (read)
        sodium_bin2hex (digest, DIGEST_TEXT_BYTES, bytes, sizeof bytes);
    return read;
}

/*  --- progress --- */

/*  The progress of a transfer on one line of a terminal: bytes, rate, time left, and the chain of
 *  receivers. For get, the bytes that have come here are counted; for put, those at the first
 *  receiver. */
typedef struct {
    const char *self; /* name of our guest, shown as "here" */
    bool gives;       /* put: counts what is sent; get: what comes */
    int64_t seen_ms;  /* time of the last look, for the rate */
    uint64_t seen_bytes;
    double rate; /* bytes a second, smoothed */
} transfer_progress_t;

static uint64_t bytes_of (const transfer_progress_t *self, const json_t *hops)
{
    const json_t *hop;
    for (size_t i = 0; (hop = json_array_get (hops, i)); i++)
        if (self->gives || strcmp (text_of (hop, "node"), self->self) == 0)
            return (uint64_t) number_of (hop, "has");
    return 0;
}

static void rate_learn (transfer_progress_t *self, uint64_t bytes, int64_t now_ms)
{
    if (self->seen_ms != 0 && now_ms > self->seen_ms) {
        double rate = bytes > self->seen_bytes ? (double) (bytes - self->seen_bytes) * 1000 /
                                                   (double) (now_ms - self->seen_ms)
                                               : 0;
        self->rate = self->rate > 0 ? self->rate + (rate - self->rate) / 4 : rate;
    }
    self->seen_ms = now_ms;
    self->seen_bytes = bytes;
}

static void chain_text (const transfer_progress_t *self, const json_t *transfer, char *text,
                        size_t room)
{
    uint64_t size = (uint64_t) number_of (transfer, "size");
    const char *source = text_of (transfer, "source");
    const json_t *hops = json_object_get (transfer, "hops");
    const json_t *hop;
    snprintf (text, room, "%s", self->gives ? "here" : source);
    for (size_t i = 0; (hop = json_array_get (hops, i)); i++) {
        size_t used = strlen (text);
        const char *node = text_of (hop, "node");
        uint64_t has = (uint64_t) number_of (hop, "has");
        if (i == HOPS_SHOWN) {
            snprintf (text + used, room - used, " → %zu more", json_array_size (hops) - i);
            break;
        }
        bool guest = strncmp (node, "guest-", 6) == 0;
        snprintf (text + used, room - used, "%s%s %u%%", used ? " → " : "",
                  strcmp (node, self->self) == 0 ? "here"
                  : guest                        ? "a client"
                                                 : node,
                  size > 0 ? (unsigned) (has * 100 / size) : 100);
    }
}

static void left_text (const transfer_progress_t *self, uint64_t left, char text [32])
{
    int64_t seconds = self->rate > 1 ? (int64_t) ((double) left / self->rate + 0.5) : -1;
    if (seconds < 0 || seconds > 359999)
        snprintf (text, 32, "-:--");
    else if (seconds >= 3600)
        snprintf (text, 32, "%d:%02d:%02d", (int) (seconds / 3600), (int) (seconds / 60 % 60),
                  (int) (seconds % 60));
    else
        snprintf (text, 32, "%d:%02d", (int) (seconds / 60), (int) (seconds % 60));
}

/*  Cuts the line to so many columns, never inside a letter. */
static void file_transfer_cut (char *line, unsigned columns)
{
    while (text_width (line) > columns) {
        size_t length = strlen (line);
        do
            line [--length] = '\0';
        while (length > 0 && ((unsigned char) line [length - 1] & 0xc0) == 0x80);
        if (length > 0 && (unsigned char) line [length - 1] >= 0xc0)
            line [length - 1] = '\0';
    }
}

/*  The line for a TransferAnswer at this time (monotonic), at most so many columns wide. */
static void progress_line (transfer_progress_t *self, const json_t *transfer, int64_t now_ms,
                           unsigned columns, char line [PROGRESS_LINE_BYTES])
{
    char has [BYTES_TEXT_BYTES], all [BYTES_TEXT_BYTES], rate [BYTES_TEXT_BYTES], left [32];
    char chain [PROGRESS_LINE_BYTES / 2];
    uint64_t size = (uint64_t) number_of (transfer, "size");
    uint64_t bytes = bytes_of (self, json_object_get (transfer, "hops"));
    const char *why = text_of (transfer, "why");
    rate_learn (self, bytes, now_ms);
    if (strcmp (text_of (transfer, "state"), "TRANSFER_WAITING") == 0) {
        snprintf (line, PROGRESS_LINE_BYTES, "%.120s  waiting%s%.200s", text_of (transfer, "name"),
                  *why ? ": " : "", why);
        file_transfer_cut (line, columns);
        return;
    }
    chain_text (self, transfer, chain, sizeof chain);
    left_text (self, size > bytes ? size - bytes : 0, left);
    snprintf (line, PROGRESS_LINE_BYTES, "%.80s  %s of %s  %s/s  %s  %s",
              text_of (transfer, "name"), bytes_text ((double) bytes, has),
              bytes_text ((double) size, all), bytes_text (self->rate, rate), left, chain);
    file_transfer_cut (line, columns);
}

/*  Draws the line over the one before, if standard error is a terminal. */
static void progress_draw (transfer_progress_t *self, const json_t *transfer, int64_t now_ms)
{
    char line [PROGRESS_LINE_BYTES];
    struct winsize window = {.ws_col = 80};
    if (!isatty (STDERR_FILENO))
        return;
    ioctl (STDERR_FILENO, TIOCGWINSZ, &window);
    progress_line (self, transfer, now_ms, window.ws_col > 1 ? window.ws_col - 1u : 79, line);
    fprintf (stderr, "\r\033[K%s", line);
    fflush (stderr);
}

static void progress_wipe (void)
{
    if (isatty (STDERR_FILENO))
        fputs ("\r\033[K", stderr);
}

/*  --- carrying --- */

static json_int_t file_transfer_begin (const file_transfer_t *self, int *code)
{
    json_auto_t *answer =
      replica_sites_ask (self->cli, self->session, self->site, self->method, self->question, code);
    return number_of (answer, "transfer");
}

static bool file_transfer_is (const json_t *answer, const char *state)
{
    return strcmp (text_of (answer, "state"), state) == 0;
}

/*  Asks how the transfer stands. False after saying why it failed, with *code. */
static bool file_transfer_look (const file_transfer_t *self, json_int_t *transfer, json_t **answer,
                                int *code)
{
    char reason [CLIENT_REASON_BYTES];
    const char *command = self->cli->command->name;
    json_auto_t *question = json_pack ("{s:I, s:s}", "transfer", *transfer, "guest",
                                       self->order.gives ? "" : self->guest.name);
    call_status_t status =
      replica_sites_try (self->session, self->site, "Transfer", question, answer, reason);
    if (status == CALL_NOT_FOUND) {
        *transfer = file_transfer_begin (self, code);
        return *code == EXIT_DONE;
    }
    if (cli_interrupted ())
        *code = cli_fail (EXIT_REFUSED, "%s: interrupted", command);
    else if (status == CALL_TIMED_OUT)
        *code =
          cli_fail (EXIT_UNKNOWN, "%s: %s does not answer; it is safe to run the command again",
                    command, text_of (self->site, "name"));
    else if (status != CALL_OK)
        *code = cli_fail (EXIT_REFUSED, "%s: %s", command, reason);
    else if (file_transfer_is (*answer, "TRANSFER_FAILED"))
        *code = cli_fail (EXIT_REFUSED, "%s: %s", command, text_of (*answer, "why"));
    else
        return true;
    return false;
}

/*  Follows the transfer to its end, and keeps the last answer. */
static int file_transfer_follow (const file_transfer_t *self, json_int_t transfer, json_t **last)
{
    transfer_progress_t progress = {.self = self->guest.name, .gives = self->order.gives};
    char why [LONG_WHY_BYTES];
    int code = EXIT_DONE;
    int64_t rest_ms = LOOK_MS_FIRST;
    while (transfer != 0) {
        json_t *answer = NULL;
        if (!file_transfer_look (self, &transfer, &answer, &code)) {
            json_decref (answer);
            break;
        }
        if (answer) {
            json_decref (*last);
            *last = answer;
            if (file_transfer_is (answer, "TRANSFER_DONE"))
                break;
            if (!self->cli->json)
                progress_draw (&progress, answer, cli_mono_ms ());
        }
        if (cli_interrupted ()) {
            code = cli_fail (EXIT_REFUSED, "%s: interrupted", self->cli->command->name);
            break;
        }
        if (self->order.path && !transfer_client_lives (&self->guest, why)) {
            code = cli_fail (EXIT_REFUSED, "%s: %s", self->cli->command->name, why);
            break;
        }
        cli_rest (rest_ms);
        rest_ms = 2 * rest_ms < LOOK_MS_MOST ? 2 * rest_ms : LOOK_MS_MOST;
    }
    if (!self->cli->json)
        progress_wipe ();
    return code;
}

static int begin_and_follow (file_transfer_t *self, json_t **last)
{
    int code;
    char why [LONG_WHY_BYTES];
    if (self->order.path &&
        !transfer_client_start (&self->guest, text_of (self->site, "endpoint"), &self->order, why))
        return cli_fail (EXIT_REFUSED, "%s: %s", self->cli->command->name, why);
    take (self->question, "guest", json_string (self->guest.name));
    json_int_t transfer = file_transfer_begin (self, &code);
    return code == EXIT_DONE && transfer != 0 ? file_transfer_follow (self, transfer, last) : code;
}

int carry (file_transfer_t *self, json_t **last)
{
    *last = NULL;
    if (!self->question)
        return cli_fail (EXIT_USAGE, "%s: NAME must be UTF-8", self->cli->command->name);
    int code = begin_and_follow (self, last);
    transfer_client_end (&self->guest);
    json_decref (self->question);
    if (code != EXIT_DONE) {
        json_decref (*last);
        *last = NULL;
    }
    return code;
}
