/*  launch - starts members, and waits for them with limits. */
#include "configuration.h"
#include "folder.h"
#include "must.h"
#include "session.h"

#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM_NAME_BYTES 32
#define LOOK_MS            20
#define MEET_LOOK_MS       100
#define LOG_LINES          12
#define LOG_BYTES          4096
#define SERVING_WAIT_MS    3000 /* for one directory */

size_t launch_running (const folder_t *folder)
{
    size_t running = 0;
    for (size_t i = 0; i < folder->members_count; i++)
        running += process_lives (&folder->members [i].process);
    return running;
}

static bool is_kind (const folder_process_t *member, const char *kind)
{
    return strcmp (member->kind, kind) == 0;
}

/*  An agent, of a node that runs tasks or of a storage node: it serves nobody and is in no
 *  directory. */
static bool is_agent (const folder_process_t *member)
{
    return is_kind (member, "node") || is_kind (member, "batch") || is_kind (member, "storage");
}

static bool program_of (const folder_process_t *member, char program [PROGRAM_BYTES])
{
    char name [PROGRAM_NAME_BYTES];
    const char *words = configuration_program (member->kind);
    snprintf (name, sizeof name, "%.*s", (int) strcspn (words, " "), words);
    return process_beside (name, program);
}

static bool start_member (const folder_t *folder, folder_process_t *member)
{
    static char node [] = "node", batch [] = "batch";
    static char option [] = "-c";
    char program [PROGRAM_BYTES];
    text_auto_t *configuration = folder_member_file (folder, member, "", ".zpl");
    text_auto_t *output = folder_member_file (folder, member, "log/", ".ready");
    text_auto_t *log = folder_member_file (folder, member, "log/", ".log");
    char *arguments [5] = {program};
    size_t count = 1;
    if (is_agent (member))
        arguments [count++] = is_kind (member, "batch") ? batch : node;
    arguments [count++] = option;
    arguments [count] = configuration;
    bool started = program_of (member, program) &&
                   process_start (&member->process, program, arguments, output, log);
    if (!started) {
        cli_fail (EXIT_REFUSED, "%s can't be started: %s", program, strerror (errno));
        member->process = (process_t){0};
    }
    return started;
}

/*  Has it printed that it is ready? */
static bool is_ready (const folder_t *folder, const folder_process_t *member)
{
    text_auto_t *path = folder_member_file (folder, member, "log/", ".ready");
    file_auto_t *file = fopen (path, "re");
    char line [512];
    bool ready = false;
    while (file && !ready && fgets (line, sizeof line, file))
        ready = strncmp (line, "ready ", 6) == 0 && strchr (line, '\n');
    return ready;
}

/*  The last lines of a log, indented. */
static void print_log_end (const folder_t *folder, const folder_process_t *member)
{
    text_auto_t *path = folder_member_file (folder, member, "log/", ".log");
    char text [LOG_BYTES + 1];
    file_auto_t *file = fopen (path, "re");
    fprintf (stderr, "  the end of %s:\n", path);
    if (!file)
        return;
    if (fseek (file, -LOG_BYTES, SEEK_END) != 0)
        rewind (file);
    size_t size = fread (text, 1, LOG_BYTES, file);
    if (size == 0)
        fputs ("    (empty)\n", stderr);
    text [size] = '\0';
    char *at = text + size;
    for (int lines = 0; at > text; at--)
        if (at [-1] == '\n' && at != text + size && ++lines == LOG_LINES)
            break;
    for (char *save = NULL, *line = strtok_r (at, "\n", &save); line;
         line = strtok_r (NULL, "\n", &save))
        fprintf (stderr, "    %s\n", line);
}

/*  Waits for one member; false after saying how it failed. */
static bool wait_ready (const folder_t *folder, const folder_process_t *member, int64_t until_ms)
{
    while (!is_ready (folder, member)) {
        int status;
        if (waitpid (member->process.pid, &status, WNOHANG) == member->process.pid) {
            bool exited = WIFEXITED (status);
            cli_fail (EXIT_REFUSED, "%s of %s %s %d", configuration_program (member->kind),
                      member->name, exited ? "ended with exit code" : "was ended by signal",
                      exited ? WEXITSTATUS (status) : WTERMSIG (status));
            print_log_end (folder, member);
            return false;
        }
        if (cli_mono_ms () > until_ms || cli_interrupted ()) {
            cli_fail (EXIT_REFUSED, "%s of %s is not ready%s", configuration_program (member->kind),
                      member->name, cli_interrupted () ? "" : " in time");
            print_log_end (folder, member);
            return false;
        }
        cli_rest (LOOK_MS);
    }
    return true;
}

/*  Starts the directories that do not run, or all other members that do not, and waits for them. */
static bool launch_part (folder_t *folder, bool directories, bool *fresh, size_t *started)
{
    bool good = true;
    for (size_t i = 0; good && i < folder->members_count; i++) {
        folder_process_t *member = &folder->members [i];
        if (is_kind (member, "gis") != directories || process_lives (&member->process))
            continue;
        good = start_member (folder, member);
        fresh [i] = good;
        *started += good;
    }
    for (size_t i = 0; good && i < folder->members_count; i++)
        if (fresh [i])
            good = wait_ready (folder, &folder->members [i], cli_mono_ms () + LAUNCH_PATIENCE_MS);
    return good;
}

static void end_fresh (folder_t *folder, const bool *fresh)
{
    process_t list [MEMBERS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < folder->members_count; i++)
        if (fresh [i]) {
            list [count++] = folder->members [i].process;
            folder->members [i].process = (process_t){0};
        }
    process_end (list, count, LAUNCH_END_MS);
}

bool launch_missing (folder_t *folder, size_t *started)
{
    bool *fresh = must (calloc (folder->members_count + 1, sizeof *fresh));
    *started = 0;
    bool good =
      launch_part (folder, true, fresh, started) && launch_part (folder, false, fresh, started);
    if (!good)
        end_fresh (folder, fresh);
    free (fresh);
    return good;
}

/*  --- meeting ---  */

/*  Asks with an empty body; NULL when there is no answer. */
static json_t *launch_ask (session_t *session, const folder_process_t *member, const char *service,
                           const char *name)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    method_t method = services_method (service, name);
    json_auto_t *nothing = json_object ();
    session_ask (session, member->endpoint, &method, nothing, "", LAUNCH_PATIENCE_MS, &answer,
                 reason);
    return answer;
}

/*  Sleeps before another look; false when there is no time for one. */
static bool launch_look_again (int64_t until_ms, int64_t rest_ms)
{
    if (cli_mono_ms () >= until_ms || cli_interrupted ())
        return false;
    cli_rest (rest_ms);
    return true;
}

/*  Does the entry tell how much room each storage node has? It does once their agents are heard. */
static bool room_told (const json_t *entry)
{
    json_each_of (node, json_object_get (entry, "storage"), "nodes")
        if (number_of (node, "mib") == 0)
            return false;
    return true;
}

/*  Does the directory list this start of the member that answered with this status, and its
 *  room? */
static bool lists (const session_t *session, const json_t *status)
{
    const json_t *entry = session_entry (session, text_of (status, "name"));
    return entry && strcmp (text_of (entry, "store"), text_of (status, "store")) == 0 &&
           number_of (entry, "start") == number_of (status, "start") && room_told (entry);
}

/*  A session with this one directory. */
static session_t *session_with (const cli_t *cli, const char *endpoint)
{
    int code;
    cli_t own = *cli;
    own.gis = endpoint;
    return session_open (&own, &code);
}

/*  Waits until the directory lists all members. False after naming one that is missing. */
static bool wait_listed (const cli_t *cli, const folder_t *folder,
                         const folder_process_t *directory, const json_t *statuses,
                         int64_t until_ms)
{
    session_auto_t *session = session_with (cli, directory->endpoint);
    const json_t *missing = NULL;
    if (!session)
        return false;
    do {
        missing = NULL;
        bool looked = session_look (session, "");
        for (size_t i = 0; i < folder->members_count && !missing; i++) {
            const json_t *status = json_array_get (statuses, i);
            if (!is_agent (&folder->members [i]) && (!looked || !lists (session, status)))
                missing = status;
        }
    } while (missing && launch_look_again (until_ms, MEET_LOOK_MS));
    if (missing)
        cli_fail (EXIT_UNKNOWN, "directory %s does not list %s yet", directory->name,
                  text_of (missing, "name"));
    return !missing;
}

/*  Agents of storage nodes attend their site's svc-replica, all others its svc-lis. */
static bool attends (const folder_process_t *member, const folder_process_t *site)
{
    const char *at = strchr (member->name, '@');
    return is_agent (member) && at && strcmp (at + 1, site->name) == 0 &&
           is_kind (site, is_kind (member, "storage") ? "replica" : "lis");
}

/*  Has the folder an agent for this node of the site, and has the site not heard it yet? */
static bool agent_missing (const folder_t *folder, const folder_process_t *site,
                           const json_t *record)
{
    char name [2 * sizeof site->name];
    const char *up = is_kind (site, "lis") ? "NODE_UP" : "up";
    snprintf (name, sizeof name, "%.*s@%s", NAME_BYTES_MAX, text_of (record, "node"), site->name);
    for (size_t i = 0; i < folder->members_count; i++)
        if (attends (&folder->members [i], site) && strcmp (folder->members [i].name, name) == 0)
            return !has_text (record, "state", up);
    return false;
}

/*  The number of agents that the site has not heard yet; 1 when it does not answer. */
static size_t agents_missing (session_t *session, const folder_t *folder,
                              const folder_process_t *site)
{
    const char *service = is_kind (site, "lis") ? "Nodes" : "Chain";
    json_auto_t *answer = launch_ask (session, site, service, "Nodes");
    if (!answer)
        return 1;
    size_t missing = 0;
    json_each_of (record, answer, "nodes")
        missing += agent_missing (folder, site, record);
    return missing;
}

static bool has_agents (const folder_t *folder, const folder_process_t *site)
{
    for (size_t i = 0; i < folder->members_count; i++)
        if (attends (&folder->members [i], site))
            return true;
    return false;
}

/*  Waits until the site has heard all its agents. False after saying how many are missing. */
static bool wait_attended (session_t *session, const folder_t *folder, const folder_process_t *site,
                           int64_t until_ms)
{
    if (!has_agents (folder, site))
        return true;
    size_t missing;
    while ((missing = agents_missing (session, folder, site)) > 0 &&
           launch_look_again (until_ms, MEET_LOOK_MS))
        ;
    if (missing > 0)
        cli_fail (EXIT_UNKNOWN, "site %s has not heard from %zu of its %snodes yet", site->name,
                  missing, is_kind (site, "lis") ? "" : "storage ");
    return missing == 0;
}

/*  Waits for a directory: a new one first asks its sites what they have done, which takes a moment.
 *  When it takes longer, the directory says so itself when asked. */
static void wait_serving (session_t *session, const folder_process_t *directory)
{
    int64_t until_ms = cli_mono_ms () + SERVING_WAIT_MS;
    bool serves = false;
    do {
        json_auto_t *answer = launch_ask (session, directory, "Service", "Status");
        serves = *text_of (answer, "restore_guard") == '\0';
    } while (!serves && launch_look_again (until_ms, LOOK_MS));
}

bool launch_meet (const cli_t *cli, const folder_t *folder)
{
    json_auto_t *statuses = made (json_array ());
    session_auto_t *session = must (session_with (cli, folder->members [0].endpoint));
    bool good = true;
    for (size_t i = 0; i < folder->members_count && good; i++) {
        json_t *status = launch_ask (session, &folder->members [i], "Service", "Status");
        good = status && *text_of (status, "name");
        if (status)
            take_last (statuses, status);
        if (!good)
            cli_fail (EXIT_UNKNOWN, "%s of %s does not answer at %s",
                      configuration_program (folder->members [i].kind), folder->members [i].name,
                      folder->members [i].endpoint);
    }
    for (size_t i = 0; i < folder->members_count && good; i++)
        good = wait_attended (session, folder, &folder->members [i],
                              cli_mono_ms () + LAUNCH_PATIENCE_MS);
    for (size_t i = 0; i < folder->members_count && good; i++)
        if (is_kind (&folder->members [i], "gis")) {
            wait_serving (session, &folder->members [i]);
            good = wait_listed (cli, folder, &folder->members [i], statuses,
                                cli_mono_ms () + LAUNCH_PATIENCE_MS);
        }
    return good;
}
