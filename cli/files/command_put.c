/*  musubi put - gives a file of this machine to the federation. */
#include "bidi.h"
#include "commands.h"
#include "folder_pack.h"
#include "folder_transfer.h"

typedef struct {
    transfer_ends_t ends;
    const char *site;
    const char *bind;
    int64_t lifetime_ms;
    bool recursive;
    const char *links;
} put_options_t;

static void put_tell (const transfer_ends_t *ends, const char *name, uint64_t size,
                      const char *digest, bool there, int64_t ms)
{
    char text [BYTES_TEXT_BYTES];
    const char *site = name_short (text_of (ends->site, "name"));
    if (!cli_json (ends->cli, json_pack ("{s:s, s:s, s:I, s:s, s:b, s:f}", "name", name, "site",
                                         site, "size", (json_int_t) size, "digest", digest,
                                         "was_there", there, "seconds", (double) ms / 1000)))
        printf ("%s: %s at %s%s\n", name, bytes_text ((double) size, text), site,
                there ? ", was there" : "");
}

/*  LINKS_SKIP + 1 when it is no such word. */
static tree_links_t put_links_of (const char *word)
{
    static const char *const words [] = {"keep", "follow", "skip"};
    tree_links_t links = LINKS_KEEP;
    while (links <= LINKS_SKIP && strcmp (words [links], word) != 0)
        links++;
    return links;
}

/*  False after saying what is wrong with a name. */
static bool put_name_right (const char *name, const put_options_t *options)
{
    if (text_has_bidi_control (name))
        return cli_refuse ("put: the name has characters that change the direction of text, such "
                           "as U+202E; give another NAME");
    text_auto_t *inside = must_print ("/%s/", name);
    if (strstr (inside, FOLDER_MARK))
        return cli_refuse ("put: a NAME may not have .folder between its slashes: the pieces of "
                           "folders are called so");
    if (options->recursive && strlen (name) > FOLDER_SHORT_NAME_MAX)
        return cli_refuse ("put: the NAME of a folder must not be longer than 150 bytes");
    return put_links_of (options->links) <= LINKS_SKIP ||
           cli_refuse ("put: --links should be keep, follow or skip");
}

static int put_put (const char *path, const char *name, const put_options_t *options)
{
    uint64_t size;
    char digest [DIGEST_TEXT_BYTES];
    json_auto_t *last = NULL;
    int64_t begun_ms = cli_mono_ms ();
    if (!file_digest ("put", path, &size, digest))
        return EXIT_USAGE;
    file_transfer_t carrying = {
      .ends = options->ends,
      .method = "Put",
      .question = json_pack ("{s:s, s:I, s:s, s:I}", "name", name, "size", (json_int_t) size,
                             "digest", digest, "lifetime_ms", (json_int_t) options->lifetime_ms),
      .path = path};
    int code = carry (&carrying, &last);
    if (code == EXIT_DONE)
        put_tell (&options->ends, name, size, digest, last == NULL, cli_mono_ms () - begun_ms);
    return code;
}

/*  name NULL = its own; into: below that name. */
static int put_one (const char *file, const char *name, bool into, const put_options_t *options)
{
    text_auto_t *path = realpath (file, NULL);
    if (!path)
        return cli_fail (EXIT_USAGE, "put: %s: %s", file, strerror (errno));
    const char *own = basename (options->recursive ? path : file);
    bool bare = !name || (into && strcmp (name, "./") == 0);
    text_auto_t *whole = must_print ("%s%s", bare ? "" : name, bare || into ? own : "");
    if (!put_name_right (whole, options))
        return EXIT_USAGE;
    folder_order_t order = {.ends = options->ends,
                            .name = whole,
                            .links = put_links_of (options->links),
                            .lifetime_ms = options->lifetime_ms};
    return options->recursive ? folder_put (&order, path) : put_put (path, whole, options);
}

int run_put (cli_t *cli)
{
    put_options_t options = {.links = "keep"};
    cli_option_t list [] = {
      TEXT_OPTION ("site", &options.site, "SITE",
                   "the site that keeps it; may be left out when only one site keeps files"),
      BIND_OPTION (&options.bind),
      DURATION_OPTION ("lifetime", &options.lifetime_ms, "D",
                       "the site drops the file after this time"),
      FLAG_OPTION ("recursive", &options.recursive,
                   "-r: a folder with all that it has; what the site has of it is not sent again"),
      TEXT_OPTION ("links", &options.links, "keep|follow|skip",
                   "-r: symbolic links stay links, become what they lead to, or are left out"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, WORDS_MAX, &code))
        return code;
    const char *last = cli->words [cli->words_count - 1];
    size_t length = strlen (last);
    bool into = cli->words_count > 1 && length > 1 && last [length - 1] == '/';
    if (cli->words_count > 2 && !into)
        return cli_fail (EXIT_USAGE,
                         "put: several files go below a name that ends with a slash, "
                         "such as era5/, or ./ for none; %s does not",
                         last);
    session_auto_t *session = session_open_all (cli, &code);
    const json_t *site = session ? replica_sites_entry (session, "put", options.site, &code) : NULL;
    if (!site)
        return code;
    options.ends =
      (transfer_ends_t){.cli = cli, .session = session, .site = site, .bind = options.bind};
    code = EXIT_DONE;
    for (size_t i = 0; i == 0 || i + 1 < cli->words_count; i++) {
        int one = put_one (cli->words [i], cli->words_count > 1 ? last : NULL, into, &options);
        code = one == EXIT_DONE ? code : one;
        if (one == EXIT_UNKNOWN || cli_interrupted ())
            break;
    }
    return code;
}
