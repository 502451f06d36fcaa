/*  endpoints - looked for in this order: the command line, the environment, the user's settings,
 *  the folder of the federation that runs from here.
 */
#include "endpoints.h"

#include "config.h"
#include "must.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_PRESET     "10s"
#define TIMEOUT_MS_PRESET  10000
#define GIS_TEXT_BYTES_MAX 4096

static const config_key_t settings_keys [] = {
  KEY_TEXT ("gis", NULL, "endpoints of the directories, separated by commas"),
  KEY_TEXT ("actor", NULL, "the name to ask in"),
  KEY_DURATION ("timeout", TIMEOUT_PRESET, 1, 86400000, "how long to wait for an answer"),
};

/*  The user's own settings; *config stays NULL when there is no such file. */
static bool load_settings (config_t **config, char why [LONG_WHY_BYTES])
{
    const char *folder = getenv ("XDG_CONFIG_HOME");
    const char *home = getenv ("HOME");
    *config = NULL;
    bool own = folder && *folder == '/';
    if (!own && !home)
        return true;
    text_auto_t *path = must_print ("%s%s/musubi.zpl", own ? folder : home, own ? "" : "/.config");
    if (access (path, F_OK) != 0)
        return true;
    *config = config_load (path, NULL, 0, settings_keys,
                           sizeof settings_keys / sizeof settings_keys [0], why);
    return *config != NULL;
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
static const char *said (const char *option, const char *variable, const config_t *settings,
                         const char *key)
{
    const char *environment = getenv (variable);
    return option                        ? option
           : environment && *environment ? environment
           : settings                    ? config_text (settings, key)
                                         : NULL;
}

static char *find_gis (const cli_t *cli, const config_t *settings)
{
    const char *gis = said (cli->gis, "MUSUBI_GIS", settings, "gis");
    return gis && (cli->gis || !cli->dir) ? must (strdup (gis)) : read_federation (cli);
}

static char *find_actor (const cli_t *cli, const config_t *settings)
{
    const char *actor = said (cli->actor, "MUSUBI_ACTOR", settings, "actor");
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
    config_t *settings;
    *self = (endpoints_t){0};
    if (!load_settings (&settings, why))
        return cli_refuse ("%s", why);
    self->actor = find_actor (cli, settings);
    self->gis_text = find_gis (cli, settings);
    self->timeout_ms = cli->timeout_ms ? cli->timeout_ms
                       : settings      ? config_duration_ms (settings, "timeout")
                                       : TIMEOUT_MS_PRESET;
    config_destroy (&settings);
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
    config_t *settings;
    if (!load_settings (&settings, why))
        cli_fail (EXIT_USAGE, "%s", why);
    char *actor = find_actor (cli, settings);
    config_destroy (&settings);
    return actor;
}
