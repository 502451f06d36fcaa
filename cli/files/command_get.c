/*  musubi get - fetches a file of the federation to this machine, by way of a site, which keeps a
 *  copy for the next who asks.
 */
#include "file_transfer.h"
#include "files_commands.h"
#include "json_fields.h"
#include "output_file.h"

#include "must.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *site;
    const char *output;
    bool stage;
    bool keep;
} get_options_t;

/*  Where the file goes. */
typedef struct {
    char *given; /* as given; a folder stands for the file's name in it */
    char *path;  /* absolute, where the transfer writes it */
    FILE *
      through; /* not NULL: path is a temporary one, and the file is copied to what lies at given */
} target_file_t;

/*  A path in a new private folder, malloc'ed. NULL after saying why not. */
static char *path_aside (void)
{
    const char *temporary = getenv ("TMPDIR");
    text_auto_t *folder =
      must_print ("%s/musubi-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp (folder))
        return must_print ("%s/file", folder);
    cli_fail (EXIT_USAGE, "get: %s: %s", folder, strerror (errno));
    return NULL;
}

/*  The absolute path, if its folder exists and can be written to. NULL after saying why not. */
static char *path_beside (const char *given)
{
    const char *last = strrchr (given, '/');
    int length = last && last > given ? (int) (last - given) : 1;
    text_auto_t *parent = must_print ("%.*s", length, last ? given : ".");
    text_auto_t *real = realpath (parent, NULL);
    if (real && access (real, W_OK) == 0)
        return must_print ("%s/%s", strcmp (real, "/") == 0 ? "" : real, last ? last + 1 : given);
    cli_fail (EXIT_USAGE, "get: %s: %s", parent, strerror (errno));
    return NULL;
}

/*  False after saying why not. Ended by place_end in either case. */
static bool get_place_find (target_file_t *self, const char *output, const char *name)
{
    const char *slash = strrchr (name, '/');
    const char *base = slash ? slash + 1 : name;
    struct stat status;
    if (!output)
        output = base;
    bool folder = stat (output, &status) == 0 && S_ISDIR (status.st_mode);
    self->given = must_print (folder ? "%s/%s" : "%s", output, base);
    if (!output_file_through (self->given, &self->through))
        return false;
    self->path = self->through ? path_aside () : path_beside (self->given);
    return self->path != NULL;
}

static void aside_remove (const target_file_t *self)
{
    unlink (self->path);
    *strrchr (self->path, '/') = '\0';
    rmdir (self->path);
}

/*  Copies it from the temporary path to where it goes, and removes the temporary path in any case.
 */
static int pass_on (target_file_t *self)
{
    FILE *from = fopen (self->path, "re");
    if (!from)
        return cli_fail (EXIT_UNKNOWN, "get: %s: %s", self->path, strerror (errno));
    aside_remove (self);
    FILE *through = self->through;
    self->through = NULL;
    return output_file_copy (from, through, self->given);
}

static void place_end (target_file_t *self)
{
    if (self->through && self->path)
        aside_remove (self);
    if (self->through && self->through != stdout)
        fclose (self->through);
    free (self->path);
    free (self->given);
}

/*  Prints the result; on standard error if the file itself goes to standard output. */
static void get_tell (const cli_t *cli, const char *site, const char *name, const char *path,
                      const json_t *last, int64_t ms)
{
    char text [BYTES_TEXT_BYTES];
    json_int_t size = number_of (last, "size");
    FILE *to = path && strcmp (path, "-") == 0 ? stderr : stdout;
    if (cli->json) {
        json_t *form = json_pack ("{s:s, s:s, s:I, s:s, s:b, s:f}", "name", name, "site", site,
                                  "size", size, "source", text_of (last, "source"), "was_there",
                                  last == NULL, "seconds", (double) ms / 1000);
        if (path)
            json_object_set_new (form, "file", json_string (path));
        cli_print_json_to (form, to);
    } else if (!path) {
        printf ("%s: at %s%s\n", name, site, last ? "" : ", was there");
    } else {
        fprintf (to, "%s: %s to %s\n", name, bytes_text ((double) size, text), path);
    }
}

static int get (const cli_t *cli, session_t *session, const json_t *site, const char *name,
                target_file_t *place, const get_options_t *options)
{
    json_auto_t *last = NULL;
    int64_t begun_ms = cli_mono_ms ();
    file_transfer_t carrying = {
      .cli = cli,
      .session = session,
      .site = site,
      .method = "Get",
      .question = json_pack ("{s:s, s:b}", "name", name, "keep", options->keep),
      .order = {.name = name, .path = place->path, .size = INT64_MAX / 2}};
    int code = carry (&carrying, &last);
    bool aside = place->through != NULL;
    if (code == EXIT_DONE && aside)
        code = pass_on (place);
    if (code == EXIT_DONE)
        get_tell (cli, name_short (text_of (site, "name")), name,
                  aside ? place->given : place->path, last, cli_mono_ms () - begun_ms);
    return code;
}

int run_get (cli_t *cli)
{
    get_options_t options = {0};
    cli_option_t list [] = {
      TEXT_OPTION (
        "output", &options.output, "FILE",
        "-o: write the file here; - = standard output. Otherwise its own name in this folder"),
      TEXT_OPTION (
        "site", &options.site, "SITE",
        "the site that fetches it for you; may be left out when only one site keeps files"),
      FLAG_OPTION ("stage", &options.stage, "bring it to the site only, not to this machine"),
      FLAG_OPTION ("keep", &options.keep, "the site does not evict its copy to make room"),
      {0}};
    cli_words_t words;
    int code;
    target_file_t place = {.given = NULL};
    if (!cli_parse (cli, list, 1, 1, &words, &code))
        return code;
    if (options.stage && options.output)
        return cli_fail (
          EXIT_USAGE,
          "get: --stage brings nothing to this machine, so --output can't be given with it");
    if (options.stage || get_place_find (&place, options.output, words.list [0])) {
        session_auto_t *session = session_open_all (cli, &code);
        const json_t *site =
          session ? replica_sites_entry (session, "get", options.site, &code) : NULL;
        if (site)
            code = get (cli, session, site, words.list [0], &place, &options);
    } else {
        code = EXIT_USAGE;
    }
    place_end (&place);
    return code;
}
