/*  musubi put - gives a file of this machine to the federation. */
#include "bidi.h"
#include "file_transfer.h"
#include "files_commands.h"
#include "json_fields.h"
#include "must.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *site;
    const char *bind;
    int64_t lifetime_ms;
} put_options_t;

static void put_tell (const cli_t *cli, const char *site, const char *name, uint64_t size,
                      const char *digest, bool there, int64_t ms)
{
    char text [BYTES_TEXT_BYTES];
    if (cli->json)
        cli_print_json (json_pack ("{s:s, s:s, s:I, s:s, s:b, s:f}", "name", name, "site", site,
                                   "size", (json_int_t) size, "digest", digest, "was_there", there,
                                   "seconds", (double) ms / 1000));
    else
        printf ("%s: %s at %s%s\n", name, bytes_text ((double) size, text), site,
                there ? ", was there" : "");
}

/*  Is the endpoint on this machine? */
static bool is_near (const char *endpoint)
{
    static const char *const near [] = {"ipc://", "tcp://127.", "tcp://localhost:", "tcp://[::1]:"};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        if (strncmp (endpoint, near [i], strlen (near [i])) == 0)
            return true;
    return false;
}

/*  A site on another machine must be told from where it can fetch the file. False after saying so.
 */
static bool bind_right (const char *endpoint, const char *bind)
{
    if (bind || is_near (endpoint))
        return true;
    cli_fail (EXIT_USAGE,
              "put: the site is reached at %s and fetches the file from here: say with --bind "
              "tcp://ADDRESS:PORT at which address of this machine (port 0 = any free one). "
              "Everybody who can reach that address is trusted",
              endpoint);
    return false;
}

static int put_put (const cli_t *cli, session_t *session, const json_t *site, const char *path,
                    const char *name, const put_options_t *options)
{
    uint64_t size;
    char digest [DIGEST_TEXT_BYTES];
    json_auto_t *last = NULL;
    int64_t begun_ms = cli_mono_ms ();
    if (!bind_right (text_of (site, "endpoint"), options->bind) ||
        !file_digest ("put", path, &size, digest))
        return EXIT_USAGE;
    file_transfer_t carrying = {
      .cli = cli,
      .session = session,
      .site = site,
      .method = "Put",
      .question = json_pack ("{s:s, s:I, s:s, s:I}", "name", name, "size", (json_int_t) size,
                             "digest", digest, "lifetime_ms", (json_int_t) options->lifetime_ms),
      .order = {.gives = true, .name = name, .path = path, .size = size, .bind = options->bind}};
    int code = carry (&carrying, &last);
    if (code == EXIT_DONE)
        put_tell (cli, name_short (text_of (site, "name")), name, size, digest, last == NULL,
                  cli_mono_ms () - begun_ms);
    return code;
}

int run_put (cli_t *cli)
{
    put_options_t options = {0};
    cli_option_t list [] = {
      TEXT_OPTION ("site", &options.site, "SITE",
                   "the site that keeps it; may be left out when only one site keeps files"),
      TEXT_OPTION ("bind", &options.bind, "tcp://ADDRESS:PORT",
                   "address of this machine from which the site fetches it; needed when the site "
                   "is on another machine"),
      DURATION_OPTION ("lifetime", &options.lifetime_ms, "D",
                       "the site drops the file after this time"),
      {0}};
    cli_words_t words;
    int code;
    if (!cli_parse (cli, list, 1, 2, &words, &code))
        return code;
    text_auto_t *path = realpath (words.list [0], NULL);
    if (!path)
        return cli_fail (EXIT_USAGE, "put: %s: %s", words.list [0], strerror (errno));
    const char *slash = strrchr (words.list [0], '/');
    const char *name = words.count > 1 ? words.list [1] : slash ? slash + 1 : words.list [0];
    if (text_has_bidi_control (name))
        return cli_fail (EXIT_USAGE, "put: the name has characters that change the direction of "
                                     "text, such as U+202E; give another NAME");
    session_auto_t *session = session_open_all (cli, &code);
    const json_t *site = session ? replica_sites_entry (session, "put", options.site, &code) : NULL;
    return site ? put_put (cli, session, site, path, name, &options) : code;
}
