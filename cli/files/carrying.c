/*  carrying - questions every so often; who is silent for as long as --timeout ends it. */
#include "carrying.h"
#include "must.h"

#include "fields.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS_FIRST 10 /* between two looks: doubles, so that small files are quick */
#define LOOK_MS_MOST  200
#define BLOCK_BYTES   (512u << 10)

/*  --- digest --- */

/*  Up to the size that it should have, and a little further: what has more is being written, or is
 *  made as it is read, perhaps without end. */
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
    int file = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
    if (file < 0 || fstat (file, &status) != 0 || !S_ISREG (status.st_mode)) {
        cli_fail (EXIT_USAGE, "%s: %s: %s", command, path,
                  file < 0 ? strerror (errno) : "is no regular file");
        if (file >= 0)
            close (file);
        return false;
    }
    EVP_MD_CTX *context = EVP_MD_CTX_new ();
    if (!context || EVP_DigestInit_ex (context, EVP_sha256 (), NULL) != 1)
        abort ();
    bool read = digest_read (file, context, (uint64_t) status.st_size, size);
    if (!read)
        cli_fail (EXIT_USAGE, "%s: %s: %s", command, path,
                  cli_interrupted ()                  ? "interrupted"
                  : *size > (uint64_t) status.st_size ? "has more bytes than its size says: it is "
                                                        "being written, or is no plain file"
                                                      : strerror (errno));
    else if (EVP_DigestFinal_ex (context, bytes, NULL) != 1)
        abort ();
    EVP_MD_CTX_free (context);
    close (file);
    if (read)
        sodium_bin2hex (digest, DIGEST_TEXT_BYTES, bytes, sizeof bytes);
    return read;
}

/*  --- carrying --- */

static json_int_t begin (const carrying_t *self, int *code)
{
    json_auto_t *answer =
      holdings_ask (self->cli, self->session, self->site, self->method, self->question, code);
    return number_of (answer, "transfer");
}

static bool is (const json_t *answer, const char *state)
{
    return strcmp (text_of (answer, "state"), state) == 0;
}

/*  How it stands; false when it ended otherwise than well, after telling, with *code. */
static bool look (const carrying_t *self, json_int_t *transfer, json_t **answer, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    const char *command = self->cli->command->name;
    bool own = self->guest && !self->gives;
    json_auto_t *question =
      json_pack ("{s:I, s:s}", "transfer", *transfer, "guest", own ? self->guest->name : "");
    call_status_t status =
      holdings_try (self->session, self->site, "Transfer", question, answer, reason);
    if (status == CALL_NOT_FOUND) {
        *transfer = begin (self, code);
        return *code == EXIT_DONE;
    }
    if (cli_interrupted ())
        *code = cli_fail (EXIT_REFUSED, "%s: interrupted", command);
    else if (status == CALL_TIMED_OUT)
        *code = cli_fail (EXIT_UNKNOWN, "%s: %s does not answer; asking again is safe", command,
                          text_of (self->site, "name"));
    else if (status != CALL_OK)
        *code = cli_fail (EXIT_REFUSED, "%s: %s", command, reason);
    else if (is (*answer, "TRANSFER_FAILED"))
        *code = cli_fail (EXIT_REFUSED, "%s: %s", command, text_of (*answer, "why"));
    else
        return true;
    return false;
}

/*  Until it is over; the last answer is kept. */
static int follow (const carrying_t *self, json_int_t transfer, json_t **last)
{
    progress_t progress = {.self = self->guest ? self->guest->name : "", .gives = self->gives};
    char why [GUEST_WHY_BYTES];
    int code = EXIT_DONE;
    int64_t rest_ms = LOOK_MS_FIRST;
    while (transfer != 0) {
        json_t *answer = NULL;
        if (!look (self, &transfer, &answer, &code)) {
            json_decref (answer);
            break;
        }
        if (answer) {
            json_decref (*last);
            *last = answer;
            if (is (answer, "TRANSFER_DONE"))
                break;
            if (!self->cli->json)
                progress_draw (&progress, answer, cli_mono_ms ());
        }
        if (cli_interrupted ()) {
            code = cli_fail (EXIT_REFUSED, "%s: interrupted", self->cli->command->name);
            break;
        }
        if (self->guest && !guest_lives (self->guest, why)) {
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

int carry (const carrying_t *self, json_t **last)
{
    int code;
    *last = NULL;
    json_int_t transfer = begin (self, &code);
    if (code == EXIT_DONE && transfer != 0)
        code = follow (self, transfer, last);
    if (code != EXIT_DONE) {
        json_decref (*last);
        *last = NULL;
    }
    return code;
}
