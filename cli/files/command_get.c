/*  musubi get - fetches a file of the federation to this machine, by way of a site, which keeps a
 *  copy for the next who asks.
 */
#include "commands.h"
#include "folder_transfer.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    transfer_ends_t ends;
    const char *site;
    const char *output;
    const char *bind;
    const char *at_nodes;
    json_int_t nodes; /* of the site that are to have it; 0 = any one */
    bool stage;
    bool keep;
    bool salvage;
    bool recursive;
} get_options_t;

/*  Where the file goes. */
typedef struct {
    char *given; /* as given; a folder stands for the file's name in it */
    char *path;  /* absolute, where the transfer writes it */
    FILE *
      through; /* not NULL: path is a temporary one, and the file is copied to what lies at given */
} target_file_t;

char *path_aside (void)
{
    char *path = path_temporary ("musubi-XXXXXX");
    int file = mkstemp (path);
    if (file >= 0 && close (file) == 0)
        return path;
    cli_fail (EXIT_USAGE, "get: %s: %s", path, strerror (errno));
    free (path);
    return NULL;
}

char *path_beside (const char *given)
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
    const char *base = basename (name);
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

/*  Copies it from the temporary path to where it goes, and removes the temporary path in any case.
 */
static int pass_on (target_file_t *self)
{
    FILE *from = fopen (self->path, "re");
    if (!from)
        return cli_fail (EXIT_UNKNOWN, "get: %s: %s", self->path, strerror (errno));
    unlink (self->path);
    FILE *through = self->through;
    self->through = NULL;
    return output_file_copy (from, through, self->given);
}

static void place_end (target_file_t *self)
{
    if (self->through && self->path)
        unlink (self->path);
    if (self->through && self->through != stdout)
        fclose (self->through);
    free (self->path);
    free (self->given);
}

static const char *get_site (const get_options_t *options)
{
    return name_short (text_of (options->ends.site, "name"));
}

/*  Prints the result; on standard error if the file itself goes to standard output. */
static void get_tell (const get_options_t *options, const char *name, const char *path,
                      const json_t *last, int64_t ms)
{
    char text [BYTES_TEXT_BYTES];
    const char *at_nodes = options->at_nodes, *site = get_site (options);
    json_int_t size = number_of (last, "size");
    FILE *to = path && strcmp (path, "-") == 0 ? stderr : stdout;
    if (options->ends.cli->json) {
        json_t *form = json_pack ("{s:s, s:s, s:I, s:s, s:b, s:f}", "name", name, "site", site,
                                  "size", size, "source", text_of (last, "source"), "was_there",
                                  last == NULL, "seconds", (double) ms / 1000);
        if (path)
            json_object_set_new (form, "file", json_string (path));
        if (at_nodes)
            json_object_set_new (form, "at_nodes", json_string (at_nodes));
        cli_print_json_to (form, to);
    } else if (!path) {
        printf ("%s: at %s%s%s%s\n", name, at_nodes ? at_nodes : "",
                at_nodes ? " storage nodes of " : "", site, last ? "" : ", was there");
    } else {
        fprintf (to, "%s: %s to %s\n", name, bytes_text ((double) size, text), path);
    }
}

/*  Says which nodes do not have it, if fewer have it than were asked for. */
static int nodes_short (const get_options_t *options, const char *name, const json_t *last)
{
    char text [NAMES_TEXT_BYTES];
    const json_t *lacking = json_object_get (last, "lacking");
    json_int_t have = number_of (last, "nodes"),
               all = have + (json_int_t) json_array_size (lacking);
    if (have >= options->nodes || have == all)
        return EXIT_DONE;
    return cli_fail (EXIT_REFUSED, "get: %s is at %lld of %lld storage nodes of %s; %s", name, have,
                     all, get_site (options), texts_join (lacking, "; ", text, sizeof text));
}

/*  place NULL = to the site only. */
static int get_carry (const char *name, const target_file_t *place, const get_options_t *options,
                      json_t **last)
{
    file_transfer_t carrying = {.ends = options->ends,
                                .method = "Get",
                                .question = json_pack ("{s:s, s:b, s:I, s:b}", "name", name, "keep",
                                                       options->keep, "nodes", options->nodes,
                                                       "salvage", options->salvage),
                                .path = place ? place->path : NULL,
                                .passing = place && place->through};
    return carry (&carrying, last);
}

/*  *path is what users read of where it went. */
static int get_here (const char *name, target_file_t *place, const get_options_t *options,
                     const char **path, json_t **last)
{
    *path = place->through ? place->given : place->path;
    int code = get_carry (name, place, options, last);
    return code == EXIT_DONE && place->through ? pass_on (place) : code;
}

static int get (const char *name, target_file_t *place, const get_options_t *options)
{
    json_auto_t *last = NULL, *at_nodes = NULL;
    int64_t begun_ms = cli_mono_ms ();
    const char *path;
    bool more = place->path && options->nodes > 0;
    int code = get_here (name, place, options, &path, &last);
    if (code == EXIT_DONE && more) /* the nodes may need longer */
        code = get_carry (name, NULL, options, &at_nodes);
    if (code == EXIT_DONE)
        code = nodes_short (options, name, more ? at_nodes : last);
    if (code == EXIT_DONE)
        get_tell (options, name, path, last, cli_mono_ms () - begun_ms);
    return code;
}

/*  What is right of a bad copy. It is never the file, so this ends with exit code 1. */
static int salvage (const char *name, target_file_t *place, const get_options_t *options)
{
    int code;
    const transfer_ends_t *ends = &options->ends;
    const char *path;
    json_auto_t *last = NULL, *question = json_pack ("{s:s, s:b}", "name", name, "salvage", true);
    json_auto_t *told =
      replica_sites_ask (ends->cli, ends->session, ends->site, "Get", question, &code);
    const json_t *bad = json_object_get (told, "bad");
    if (!told || (code = get_here (name, place, options, &path, &last)) != EXIT_DONE)
        return code;
    for (size_t i = 0; i + 1 < json_array_size (bad); i += 2) {
        json_int_t offset = json_integer_value (json_array_get (bad, i));
        json_int_t bytes = json_integer_value (json_array_get (bad, i + 1));
        cli_note (ends->cli, "get: %s: %lld bytes from %lld on are bad, and zeros here", name,
                  (long long) bytes, (long long) offset);
    }
    return cli_fail (EXIT_REFUSED, "get: %s is not whole in %s: %s", name, path,
                     json_array_size (bad) > 0 ? "what is bad of it is named above"
                                               : "which of its bytes are bad is not known");
}

static int get_one (const char *name, const get_options_t *options)
{
    target_file_t place = {.given = NULL};
    int code = options->stage || get_place_find (&place, options->output, name)
                 ? (options->salvage ? salvage : get) (name, &place, options)
                 : EXIT_USAGE;
    size_t length;
    json_auto_t *held =
      code == EXIT_REFUSED
        ? folder_above (options->ends.cli, options->ends.session, name, &length, NULL)
        : NULL;
    folder_order_t order = {.ends = options->ends, .name = name, .keep = options->keep};
    if (held && name [length] == '/' && place.path && !place.through)
        code = folder_get (&order, place.given);
    else if (held)
        cli_fail (EXIT_USAGE, "get: %s is a folder: add -r", name);
    place_end (&place);
    return code;
}

/*  A word with * or ? that is a file's name means that file. */
static bool names_several (const transfer_ends_t *ends, const char *word)
{
    json_auto_t *silent = json_array ();
    json_auto_t *held =
      strpbrk (word, "*?") ? replica_sites_gather (ends->session, NULL, word, silent) : NULL;
    return held && json_array_size (held) == 0;
}

/*  Each into the folder that --output names, under the last part of its name. */
static int get_several (const get_options_t *options)
{
    const cli_t *cli = options->ends.cli;
    json_auto_t *names = json_object (), *bases = json_object ();
    const char *name, *to = options->output ? options->output : ".";
    struct stat status;
    json_t *value;
    int code = EXIT_DONE;
    if (!options->stage && (stat (to, &status) != 0 || !S_ISDIR (status.st_mode)))
        return cli_fail (EXIT_USAGE, "get: %s is not a folder; several files need one with -o", to);
    for (size_t i = 0; i < cli->words_count && code == EXIT_DONE; i++)
        if (names_several (&options->ends, cli->words [i]))
            code = files_like (cli, options->ends.session, cli->words [i], names);
        else if (json_object_set_new (names, cli->words [i], json_true ()) != 0)
            code = cli_fail (EXIT_USAGE, "get: NAME must be UTF-8");
    json_object_foreach (names, name, value)
    {
        const char *base = basename (name);
        if (!options->stage && json_object_get (bases, base))
            return cli_fail (EXIT_USAGE, "get: two files would become %s/%s; get them one by one",
                             to, base);
        json_object_set_new (bases, base, json_true ());
    }
    json_object_foreach (names, name, value)
    {
        int one = code == EXIT_UNKNOWN || cli_interrupted () ? EXIT_DONE : get_one (name, options);
        code = one == EXIT_DONE ? code : one;
    }
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
      BIND_OPTION (&options.bind),
      FLAG_OPTION ("stage", &options.stage, "bring it to the site only, not to this machine"),
      TEXT_OPTION ("at-nodes", &options.at_nodes, "all|N",
                   "bring it to all storage nodes of the site, or to so many of them; to this "
                   "machine only if --output is given, too"),
      FLAG_OPTION ("keep", &options.keep,
                   "the site does not evict its copies to make room, and sees to --at-nodes from "
                   "now on"),
      FLAG_OPTION ("salvage", &options.salvage,
                   "what is right of a copy that has gone bad, and zeros for the rest; exit 1"),
      FLAG_OPTION ("recursive", &options.recursive,
                   "-r: a folder, or a member of one; what is here of it is not fetched again"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, WORDS_MAX, &code))
        return code;
    if (!nodes_wanted (cli, "at-nodes", options.at_nodes, &options.nodes))
        return EXIT_USAGE;
    if (options.stage && (options.output || options.bind))
        return cli_fail (EXIT_USAGE,
                         "get: --stage brings nothing to this machine, so --%s can't be given with "
                         "it",
                         options.output ? "output" : "bind");
    if (options.salvage && (options.stage || options.nodes > 0 || options.recursive))
        return cli_fail (EXIT_USAGE, "get: --salvage is for files brought to this machine");
    if (options.recursive && (options.nodes > 0 || options.stage || cli->words_count > 1))
        return cli_fail (EXIT_USAGE, "get: -r is for one folder, which is brought to this machine; "
                                     "`musubi rule` brings it to sites");
    options.stage = options.stage || (options.nodes > 0 && !options.output);
    session_auto_t *session = session_open_all (cli, &code);
    const json_t *site = session ? replica_sites_entry (session, "get", options.site, &code) : NULL;
    if (!site)
        return code;
    options.ends =
      (transfer_ends_t){.cli = cli, .session = session, .site = site, .bind = options.bind};
    folder_order_t order = {.ends = options.ends, .name = cli->words [0], .keep = options.keep};
    return options.recursive ? folder_get (&order, options.output)
           : cli->words_count > 1 || names_several (&options.ends, cli->words [0])
             ? get_several (&options)
             : get_one (cli->words [0], &options);
}
