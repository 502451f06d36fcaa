/*  musubi get - a file of the federation comes to this machine, by way of a site; and stays there
 * for whoever asks next.
 */
#include "carrying.h"

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

static const char *short_name (const json_t *site)
{
    return json_string_value (json_object_get (site, "name")) + strlen ("replica/");
}

/*  Where it is to lie, absolute; a folder means its name in it. NULL after telling. Malloc'ed. */
static char *path_of (const char *output, const char *name)
{
    const char *slash = strrchr (name, '/');
    const char *base = slash ? slash + 1 : name;
    struct stat status;
    char *path = NULL;
    if (!output)
        output = base;
    bool folder = stat (output, &status) == 0 && S_ISDIR (status.st_mode);
    char *given = NULL;
    if ((folder ? asprintf (&given, "%s/%s", output, base) : asprintf (&given, "%s", output)) < 0)
        abort ();
    char *last = strrchr (given, '/');
    const char *file = last ? last + 1 : given;
    char *parent = last == given ? strdup ("/")
                   : last        ? strndup (given, (size_t) (last - given))
                                 : strdup (".");
    char *real = parent ? realpath (parent, NULL) : NULL;
    if (!real || access (real, W_OK) != 0)
        cli_fail (EXIT_USAGE, "get: %s: %s", parent, strerror (errno));
    else if (asprintf (&path, "%s/%s", strcmp (real, "/") == 0 ? "" : real, file) < 0)
        abort ();
    free (real);
    free (parent);
    free (given);
    return path;
}

static void tell (const cli_t *cli, const json_t *site, const char *name, const char *path,
                  const json_t *last, int64_t ms)
{
    char text [BYTES_TEXT_BYTES];
    const char *source = json_string_value (json_object_get (last, "source"));
    json_int_t size = json_integer_value (json_object_get (last, "size"));
    if (cli->json) {
        json_t *form = json_pack ("{s:s, s:s, s:I, s:s, s:b, s:f}", "name", name, "site",
                                  short_name (site), "size", size, "source", source ? source : "",
                                  "was_there", last == NULL, "seconds", (double) ms / 1000);
        if (path)
            json_object_set_new (form, "file", json_string (path));
        cli_print_json (form);
    } else if (!path) {
        printf ("%s: at %s%s\n", name, short_name (site), last ? "" : ", was there");
    } else {
        printf ("%s: %s to %s\n", name, bytes_text ((double) size, text), path);
    }
}

static int get (const cli_t *cli, session_t *session, const json_t *site, const char *name,
                const char *path, const get_options_t *options)
{
    char why [GUEST_WHY_BYTES];
    guest_t guest = {.folder = NULL};
    json_t *last = NULL;
    int64_t begun_ms = cli_mono_ms ();
    guest_errand_t errand = {.name = name, .path = path, .size = INT64_MAX / 2};
    const char *endpoint = json_string_value (json_object_get (site, "endpoint"));
    if (path && !guest_start (&guest, endpoint, &errand, why)) {
        guest_end (&guest);
        return cli_fail (EXIT_REFUSED, "get: %s", why);
    }
    json_t *question =
      json_pack ("{s:s, s:s, s:b}", "name", name, "guest", guest.name, "keep", options->keep);
    carrying_t carrying = {.cli = cli,
                           .session = session,
                           .site = site,
                           .method = "Get",
                           .question = question,
                           .guest = path ? &guest : NULL};
    int code =
      question ? carry (&carrying, &last) : cli_fail (EXIT_USAGE, "get: the name must be UTF-8");
    guest_end (&guest);
    json_decref (question);
    if (code == EXIT_DONE)
        tell (cli, site, name, path, last, cli_mono_ms () - begun_ms);
    json_decref (last);
    return code;
}

/*  "-o FILE" is "--output FILE". New, with as many words. */
static char **long_options (const cli_t *cli)
{
    static char output [] = "--output";
    char **words = calloc ((size_t) cli->rest_count + 1, sizeof *words);
    if (!words)
        abort ();
    for (int i = 0; i < cli->rest_count; i++)
        words [i] = strcmp (cli->rest [i], "-o") == 0 ? output : cli->rest [i];
    return words;
}

int run_get (cli_t *cli)
{
    get_options_t options = {0};
    option_t list [] = {
      {"output", OPTION_TEXT, &options.output, "FILE", "-o: where to; else its name, here", 0, 0},
      {"site", OPTION_TEXT, &options.site, "SITE", "by way of it; the only one if there is one", 0,
       0},
      {"stage", OPTION_FLAG, &options.stage, NULL, "to the site alone, not to this machine", 0, 0},
      {"keep", OPTION_FLAG, &options.keep, NULL, "it is not evicted there to make room", 0, 0},
    };
    words_t words;
    int code;
    char **rest = long_options (cli);
    cli->rest = rest;
    bool parsed = cli_parse (cli, (options_t){list, 4}, 1, 1, &words, &code);
    char *path = NULL;
    if (parsed && options.stage && options.output) {
        code = cli_fail (EXIT_USAGE, "get: --stage and --output contradict each other");
        parsed = false;
    }
    if (parsed && !options.stage) {
        path = path_of (options.output, words.list [0]);
        code = EXIT_USAGE;
    }
    if (parsed && (path || options.stage)) {
        session_t *session = session_open_all (cli, &code);
        const json_t *site = session ? holdings_site (session, "get", options.site, &code) : NULL;
        if (site)
            code = get (cli, session, site, words.list [0], path, &options);
        session_close (&session);
    }
    free (path);
    free (rest);
    return code;
}
