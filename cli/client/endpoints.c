/*  endpoints - looked for in this order: the command line, the environment, the user's settings,
 *  the folder of the federation that runs from here.
 */
#include "endpoints.h"

#include "config.h"
#include "must.h"

#include <pwd.h>
#include <unistd.h>

#define GIS_TEXT_BYTES_MAX 4096

typedef struct {
    const char *gis;
    const char *actor;
    int64_t timeout_ms;
} own_settings_t;

static const setting_t own_rows [] = {
  SET_TEXT (own_settings_t, gis, "gis", NULL, "endpoints of the directories, separated by commas"),
  SET_TEXT (own_settings_t, actor, "actor", NULL, "the name to ask in"),
  SET_DURATION (own_settings_t, timeout_ms, "timeout", 10 * MS_SECOND, 1, MS_DAY,
                "how long to wait for an answer"),
};
static const setting_table_t own_table = SETTING_TABLE (own_settings_t, own_rows, NULL);

/*  The user's own settings, which live with *config; defaults when there is no such file. NULL with
 *  why. */
static const own_settings_t *load_settings (config_t **config, char why [LONG_WHY_BYTES])
{
    static const setting_table_t *const tables [] = {&own_table};
    const char *folder = getenv ("XDG_CONFIG_HOME");
    const char *home = getenv ("HOME");
    bool own = folder && *folder == '/';
    text_auto_t *path =
      own || home ? must_print ("%s%s/musubi.zpl", own ? folder : home, own ? "" : "/.config")
                  : NULL;
    *config = config_open (path && access (path, F_OK) == 0 ? path : NULL, NULL, 0, tables, 1, why);
    return *config ? config_settings (*config, &own_table) : NULL;
}

/*  The endpoints that `musubi up` left in its folder; NULL when there are none. Malloc'ed. */
static char *read_federation (const cli_t *cli)
{
    text_auto_t *dir = cli_federation_dir (cli);
    text_auto_t *path = must_print ("%s/gis", dir);
    file_auto_t *file = fopen (path, "re");
    if (!file)
        return NULL;
    char text [GIS_TEXT_BYTES_MAX];
    bool read = fgets (text, sizeof text, file) != NULL;
    if (!read)
        return NULL;
    text [strcspn (text, "\r\n")] = '\0';
    return must (strdup (text));
}

/*  The value from the command line, the environment or the settings, in this order; NULL where none
 *  has it. */
static const char *said (const char *option, const char *variable, const char *setting)
{
    const char *environment = getenv (variable);
    return option ? option : environment && *environment ? environment : setting;
}

static char *find_gis (const cli_t *cli, const char *setting)
{
    const char *gis = said (cli->gis, "MUSUBI_GIS", setting);
    return gis && (cli->gis || !cli->dir) ? must (strdup (gis)) : read_federation (cli);
}

static char *find_actor (const cli_t *cli, const char *setting)
{
    const char *actor = said (cli->actor, "MUSUBI_ACTOR", setting);
    const char *user = getenv ("USER");
    const struct passwd *account = actor || (user && *user) ? NULL : getpwuid (geteuid ());
    return must (strdup (actor           ? actor
                         : user && *user ? user
                         : account       ? account->pw_name
                                         : "nobody"));
}

/*  "localhost:5600", which is meant over TCP. */
static bool is_address (const char *text)
{
    const char *port = strrchr (text, ':');
    return port && port > text && port [1] && !strstr (text, "://") &&
           strspn (port + 1, "0123456789") == strlen (port + 1);
}

static bool split_gis (endpoints_t *self)
{
    for (char *save = NULL, *one = strtok_r (self->gis_text, ", ", &save); one;
         one = strtok_r (NULL, ", ", &save)) {
        bool whole = strncmp (one, "tcp://", 6) == 0 || strncmp (one, "ipc://", 6) == 0;
        if (!whole && !is_address (one))
            return cli_refuse ("--gis: \"%s\" is not an endpoint such as tcp://127.0.0.1:5600",
                               one);
        if (self->gis_count == ENDPOINTS_GIS_MAX)
            return cli_refuse ("--gis: more than %d endpoints", ENDPOINTS_GIS_MAX);
        self->gis [self->gis_count++] = must_print ("%s%s", whole ? "" : "tcp://", one);
    }
    return true;
}

static bool check_places (endpoints_t *self)
{
    if (self->gis_text && !split_gis (self))
        return false;
    if (self->gis_count == 0)
        return cli_refuse ("no federation is known: start one with `musubi up`, or give the "
                           "endpoints of its directories with --gis or MUSUBI_GIS");
    size_t length = strlen (self->actor);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char) self->actor [i] <= ' ' || self->actor [i] == 0x7f)
            length = 0;
    if (length == 0 || length > NAME_BYTES_MAX)
        return cli_refuse ("--actor: \"%s\" can't be an actor's name, which has 1 to %d bytes and "
                           "neither blanks nor control characters",
                           self->actor, NAME_BYTES_MAX);
    return true;
}

bool endpoints_find (endpoints_t *self, const cli_t *cli)
{
    char why [LONG_WHY_BYTES];
    config_t *config;
    *self = (endpoints_t){0};
    const own_settings_t *settings = load_settings (&config, why);
    if (!settings)
        return cli_refuse ("%s", why);
    self->actor = find_actor (cli, settings->actor);
    self->gis_text = find_gis (cli, settings->gis);
    self->timeout_ms = cli->timeout_ms ? cli->timeout_ms : settings->timeout_ms;
    config_destroy (&config);
    return check_places (self);
}

void endpoints_clear (endpoints_t *self)
{
    for (size_t i = 0; i < self->gis_count; i++)
        free (self->gis [i]);
    free (self->gis_text);
    free (self->actor);
    *self = (endpoints_t){0};
}

char *endpoints_actor (const cli_t *cli)
{
    char why [LONG_WHY_BYTES];
    config_t *config;
    const own_settings_t *settings = load_settings (&config, why);
    if (!settings)
        cli_fail (EXIT_USAGE, "%s", why);
    char *actor = find_actor (cli, settings ? settings->actor : NULL);
    config_destroy (&config);
    return actor;
}
