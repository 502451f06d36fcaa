/*  fake_gridengine - qconf, qstat, qmod, qdel, qrsub, qrdel and qrstat of Grid Engine 8.1.9, with
 *  ENABLE_RESCHEDULE_KILL: a job that may not be run again and is rescheduled is gone.
 */
#include "batch_fake.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char batch_text [] = "qname                 %s\n"
                                  "hostlist              %s\n"
                                  "seq_no                0\n"
                                  "load_thresholds       NONE\n"
                                  "suspend_thresholds    NONE\n"
                                  "nsuspend              1\n"
                                  "suspend_interval      00:05:00\n"
                                  "priority              0\n"
                                  "min_cpu_interval      00:05:00\n"
                                  "processors            UNDEFINED\n"
                                  "qtype                 BATCH INTERACTIVE\n"
                                  "ckpt_list             NONE\n"
                                  "pe_list               smp make\n"
                                  "rerun                 TRUE\n"
                                  "slots                 2\n"
                                  "tmpdir                /tmp\n"
                                  "shell                 /bin/sh\n"
                                  "prolog                NONE\n"
                                  "epilog                NONE\n"
                                  "shell_start_mode      posix_compliant\n"
                                  "starter_method        NONE\n"
                                  "suspend_method        NONE\n"
                                  "resume_method         NONE\n"
                                  "terminate_method      NONE\n"
                                  "notify                00:00:60\n"
                                  "owner_list            NONE\n"
                                  "user_lists            NONE\n"
                                  "xuser_lists           NONE\n"
                                  "subordinate_list      NONE\n"
                                  "complex_values        NONE\n"
                                  "projects              NONE\n"
                                  "xprojects             NONE\n"
                                  "calendar              NONE\n"
                                  "initial_state         default\n"
                                  "s_rt                  INFINITY\n"
                                  "h_rt                  INFINITY\n";

/*  --- queues --- */

static void queue_begin (batch_fake_t *world, const char *name, const char *hosts)
{
    fake_made_t *queue = fake_made (world, name, true);
    queue->there = true;
    snprintf (queue->text, sizeof queue->text, batch_text, name, hosts);
    for (int i = 0; i < FAKE_HOSTS; i++) {
        char host [16];
        snprintf (host, sizeof host, "g%d", i + 1);
        queue->on [i] = fake_word (hosts, host);
    }
}

/*  The site's queue on all hosts, and another one that an operator has disabled on the first. */
static void gridengine_begin (batch_fake_t *world)
{
    *world = (batch_fake_t){.now_ms = FAKE_START_MS};
    queue_begin (world, "batch", "g1 g2 g3 g4");
    queue_begin (world, "spare", "g1 g2 g3");
    fake_made (world, "spare", false)->closed [0] = true;
    fake_job_add (world, "again", "batch", 0, true);
    fake_job_add (world, "once", "spare", 1, false);
    fake_job_add (world, "elsewhere", "batch", 3, false);
}

static const char *line_of (const char *text, const char *key)
{
    const char *line = strstr (text, key);
    return line ? line + strcspn (line, " ") + strspn (line + strcspn (line, " "), " ") : "";
}

static bool value_is (const char *text, const char *key, const char *value)
{
    const char *line = line_of (text, key);
    return strcspn (line, "\n") == strlen (value) && strncmp (line, value, strlen (value)) == 0;
}

/*  qconf -Aq and -Mq. New instances have its initial state. */
static bool queue_take (batch_fake_t *world, const char *path, bool add, char why [WHY_BYTES])
{
    char text [4096] = "", name [FAKE_NAME] = "", hosts [FAKE_LIST];
    FILE *file = fopen (path, "r");
    size_t size = file ? fread (text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose (file);
    text [size] = '\0';
    if (size == 0)
        return wrong (why, "error: error opening file \"%.80s\" for reading", path);
    snprintf (name, sizeof name, "%.*s", (int) strcspn (line_of (text, "qname "), "\n"),
              line_of (text, "qname "));
    fake_made_t *queue = fake_made (world, name, true);
    if (add == queue->there)
        return wrong (why,
                      add ? "cluster queue \"%.80s\" already exists"
                          : "cluster queue \"%.80s\" does not exist",
                      name);
    if (!value_is (text, "user_lists ", "NONE") && !queue->listed)
        return wrong (why, "denied: userset \"%.80s\" does not exist", name);
    snprintf (hosts, sizeof hosts, "%.*s", (int) strcspn (line_of (text, "hostlist "), "\n"),
              line_of (text, "hostlist "));
    for (int i = 0; i < FAKE_HOSTS; i++) {
        char host [16];
        snprintf (host, sizeof host, "g%d", i + 1);
        bool on = fake_word (hosts, host);
        if (on && !(queue->there && queue->on [i]))
            queue->closed [i] = value_is (text, "initial_state ", "disabled");
        queue->on [i] = on;
    }
    queue->there = true;
    memcpy (queue->text, text, sizeof text);
    return true;
}

static bool queue_runs (const batch_fake_t *world, const char *queue)
{
    bool runs = false;
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        runs = runs || (*world->jobs [i].id && world->jobs [i].host >= 0 &&
                        strcmp (world->jobs [i].into, queue) == 0);
    return runs;
}

/*  qconf -dq. */
static bool queue_delete (batch_fake_t *world, const char *name, char why [WHY_BYTES])
{
    fake_made_t *queue = fake_made (world, name, false);
    if (!queue || !queue->there)
        return wrong (why, "denied: cluster queue \"%.80s\" does not exist", name);
    if (queue_runs (world, name))
        return wrong (why, "There are still running jobs in the queue. Deletion denied.");
    queue->there = false;
    memset (queue->on, 0, sizeof queue->on);
    memset (queue->closed, 0, sizeof queue->closed);
    if (!queue->listed)
        *queue->name = '\0';
    return true;
}

/*  --- access lists --- */

/*  qconf -au and -du: what can be done is, also when something else is refused. */
static bool list_change (batch_fake_t *world, bool add, const char *words, const char *name,
                         char why [WHY_BYTES])
{
    fake_made_t *queue = fake_made (world, name, add);
    if (!add && !(queue && queue->listed))
        return wrong (why, "denied: access list \"%.80s\" does not exist", name);
    bool good = true;
    queue->listed = true;
    char all [FAKE_LIST], one [FAKE_NAME];
    for (; *words; words += strcspn (words, ","), words += *words == ',') {
        snprintf (one, sizeof one, "%.*s", (int) strcspn (words, ","), words);
        char *to = all, before [FAKE_LIST];
        bool has = fake_word (queue->list, one);
        if (has == add)
            good = wrong (why,
                          add ? "\"%.60s\" is already in access list \"%.80s\""
                              : "user \"%.60s\" is not in access list \"%.80s\"",
                          one, name);
        *all = '\0';
        memcpy (before, queue->list, sizeof before);
        for (char *rest = before, *word; (word = strsep (&rest, ","));)
            if (*word && strcmp (word, one) != 0)
                to += sprintf (to, "%s%s", to == all ? "" : ",", word);
        if (add)
            sprintf (to, "%s%s", to == all ? "" : ",", one);
        memcpy (queue->list, all, sizeof all);
    }
    return good;
}

/*  qconf -su: a long line goes on behind a backslash. */
static char *list_show (const fake_made_t *queue)
{
    char *text = NULL;
    size_t size = 8;
    const char *at = *queue->list ? queue->list : "NONE";
    fake_print (&text, "name    %s\ntype    ACL\nfshare  0\noticket 0\nentries ", queue->name);
    for (; *at; at += strcspn (at, ","), at += *at == ',') {
        int word = (int) strcspn (at, ",");
        bool last = at [word] == '\0', folds = size + (size_t) word + 3 > 80 && size > 8;
        fake_print (&text, "%s%.*s%s", folds ? " \\\n        " : "", word, at, last ? "\n" : ",");
        size = (folds ? 8 : size) + (size_t) word + 1;
    }
    return text;
}

/*  qconf -dul. */
static bool list_delete (batch_fake_t *world, const char *name, char why [WHY_BYTES])
{
    fake_made_t *queue = fake_made (world, name, false);
    if (!queue || !queue->listed)
        return wrong (why, "denied: userset \"%.80s\" does not exist", name);
    if (queue->there)
        return wrong (why, "denied: userset \"%.80s\" is still referenced in user list", name);
    *queue = (fake_made_t){.there = false};
    return true;
}

/*  --- instances and jobs --- */

static size_t used_of (const batch_fake_t *world, const char *queue, int host)
{
    size_t used = 0;
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        used += *world->jobs [i].id && world->jobs [i].host == host &&
                strcmp (world->jobs [i].into, queue) == 0;
    return used;
}

static char *instances_show (const batch_fake_t *world, bool calendars)
{
    char *text = NULL;
    fake_print (&text, "<?xml version='1.0'?>\n<job_info  xmlns:xsd=\"qstat.xsd\">\n"
                       "  <queue_info>\n");
    for (size_t i = 0; i < FAKE_MADE_MAX; i++)
        for (int host = 0; host < FAKE_HOSTS; host++) {
            const fake_made_t *queue = &world->made [i];
            if (!queue->there || !queue->on [host])
                continue;
            fake_print (&text,
                        "    <Queue-List>\n      <name>%s@g%d</name>\n      <qtype>BIP</qtype>\n"
                        "      <slots_used>%zu</slots_used>\n      <slots_resv>0</slots_resv>\n"
                        "      <slots_total>2</slots_total>\n      <load_avg>5.49707</load_avg>\n"
                        "      <arch>lx-amd64</arch>\n",
                        queue->name, host + 1, used_of (world, queue->name, host));
            if (queue->closed [host])
                fake_print (&text, "      <state>d</state>\n");
            if (calendars)
                fake_print (&text, "      <resource name=\"calendar\" type=\"qf\">NONE"
                                   "</resource>\n");
            fake_print (&text, "    </Queue-List>\n");
        }
    fake_print (&text, "  </queue_info>\n  <job_info>\n  </job_info>\n</job_info>\n");
    return text;
}

static void job_show (const fake_job_t *job, char **text)
{
    bool runs = job->host >= 0;
    char instance [FAKE_NAME + 16] = "";
    if (runs)
        snprintf (instance, sizeof instance, "%s@g%d", job->into, job->host + 1);
    fake_print (text,
                "    <job_list state=\"%s\">\n      <JB_job_number>%s</JB_job_number>\n"
                "      <JAT_prio>0.50000</JAT_prio>\n      <JB_name>%s</JB_name>\n"
                "      <JB_owner>root</JB_owner>\n      <state>%s%s</state>\n"
                "      <queue_name>%s</queue_name>\n      <slots>1</slots>\n"
                "      <full_job_name>%s</full_job_name>\n"
                "      <hard_req_queue>%s</hard_req_queue>\n      <binding>NONE</binding>\n"
                "    </job_list>\n",
                runs ? "running" : "pending", job->id, job->name, job->ends_ms > 0 ? "d" : "",
                runs         ? "r"
                : job->moved ? "Rq"
                             : "qw",
                instance, job->name, job->into);
}

static char *jobs_show (const batch_fake_t *world)
{
    char *text = NULL;
    fake_print (&text, "<?xml version='1.0'?>\n<job_info  xmlns:xsd=\"qstat.xsd\">\n");
    for (int waits = 0; waits < 2; waits++) {
        fake_print (&text, "  <%s>\n", waits ? "job_info" : "queue_info");
        for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
            if (*world->jobs [i].id && (world->jobs [i].host < 0) == waits)
                job_show (&world->jobs [i], &text);
        fake_print (&text, "  </%s>\n", waits ? "job_info" : "queue_info");
    }
    fake_print (&text, "</job_info>\n");
    return text;
}

/*  qmod -d and -e of "batch@g1,batch@g2": what is there is switched. */
static bool instances_switch (batch_fake_t *world, const char *words, bool disable,
                              char why [WHY_BYTES])
{
    bool good = true;
    for (; *words; words += strcspn (words, ","), words += *words == ',') {
        char one [FAKE_NAME];
        snprintf (one, sizeof one, "%.*s", (int) strcspn (words, ","), words);
        char *at = strchr (one, '@');
        int host = at ? fake_host (at + 1) : -1;
        if (at)
            *at = '\0';
        fake_made_t *queue = fake_made (world, one, false);
        if (host < 0 || !queue || !queue->there || !queue->on [host])
            good = wrong (why, "invalid queue \"%.60s\"", one);
        else
            queue->closed [host] = disable;
    }
    return good;
}

/*  qmod -rj. */
static bool job_again (batch_fake_t *world, const char *id, char why [WHY_BYTES])
{
    fake_job_t *job = fake_job (world, id);
    if (!job)
        return wrong (why, "invalid queue or job \"%.60s\"", id);
    if (job->host >= 0 && !job->again)
        *job = (fake_job_t){.id = ""};
    else if (job->host >= 0) {
        job->moved = true;
        job->host = -1;
    }
    return true;
}

/*  qdel: one that runs is told first. */
static bool job_delete (batch_fake_t *world, const char *id, bool force, char why [WHY_BYTES])
{
    fake_job_t *job = fake_job (world, id);
    if (!job)
        return wrong (why, "denied: job \"%.60s\" does not exist", id);
    if (force || job->host < 0)
        *job = (fake_job_t){.id = ""};
    else if (job->ends_ms == 0)
        job->ends_ms = world->now_ms + FAKE_JOB_ENDS_MS;
    return true;
}

/*  --- advance reservations --- */

static bool on_host (const char *instances, int host)
{
    char name [32];
    snprintf (name, sizeof name, "batch@g%d", host + 1);
    return fake_word (instances, name);
}

/*  A job without a limit, as all are here, begins on no host that is reserved for later. */
static bool advance_has (const batch_fake_t *world, int host, int64_t from_ms, int64_t until_ms)
{
    bool has = false;
    for (size_t i = 0; i < FAKE_MADE_MAX; i++) {
        const fake_advance_t *one = &world->advances [i];
        has = has ||
              (one->id > 0 && one->on [host] && one->from_ms < until_ms && from_ms < one->until_ms);
    }
    return has;
}

static int64_t advance_time (const char *text)
{
    struct tm parts = {0};
    strptime (text, "%Y%m%d%H%M.%S", &parts);
    return (int64_t) timegm (&parts) * 1000;
}

static bool advance_make (batch_fake_t *world, const char *const *words, char why [WHY_BYTES])
{
    const char *instances = fake_behind (words, "-q");
    fake_advance_t *place = NULL, made = {.from_ms = advance_time (fake_behind (words, "-a")),
                                          .until_ms = advance_time (fake_behind (words, "-e"))};
    int slots = 0;
    bool fits = true;
    if (made.from_ms < world->now_ms)
        return wrong (why, "start time is in the past");
    for (int host = 0; host < FAKE_HOSTS; host++) {
        made.on [host] = on_host (instances, host);
        slots += made.on [host] ? 2 : 0;
        fits =
          fits && !(made.on [host] && (used_of (world, "batch", host) > 0 ||
                                       advance_has (world, host, made.from_ms, made.until_ms)));
    }
    for (size_t i = 0; i < FAKE_MADE_MAX; i++)
        place = world->advances [i].id == 0 ? &world->advances [i] : place;
    if (!fits || !place || atoi (fake_behind (words, "make")) != slots)
        return wrong (why, "advance_reservation: no suitable queues");
    made.id = ++world->advances_made;
    snprintf (made.name, sizeof made.name, "%s", fake_behind (words, "-N"));
    *place = made;
    return true;
}

/*  By names or by ids. */
static bool advances_delete (batch_fake_t *world, const char *which, char why [WHY_BYTES])
{
    bool found = false;
    char id [16];
    for (size_t i = 0; i < FAKE_MADE_MAX; i++) {
        fake_advance_t *one = &world->advances [i];
        snprintf (id, sizeof id, "%d", one->id);
        if (one->id == 0 || !(fake_word (which, one->name) || fake_word (which, id)))
            continue;
        *one = (fake_advance_t){.id = 0};
        found = true;
    }
    return found || wrong (why, "denied: advance_reservation \"%.80s\" does not exist", which);
}

static void advance_time_show (int64_t ms, char text [32])
{
    struct tm parts;
    time_t s = (time_t) (ms / 1000);
    gmtime_r (&s, &parts);
    strftime (text, 32, "%Y-%m-%dT%H:%M:%S", &parts);
}

/*  ids: those that are asked for with all that they have; "*" = all, without their hosts. */
static char *advances_show (const batch_fake_t *world, const char *ids)
{
    char *text = NULL, from [32], until [32], id [16];
    bool all = strcmp (ids, "*") == 0;
    fake_print (&text, "<?xml version='1.0'?>\n<qrstat xmlns:xsd=\"qrstat.xsd\">\n");
    for (size_t i = 0; i < FAKE_MADE_MAX; i++) {
        const fake_advance_t *one = &world->advances [i];
        snprintf (id, sizeof id, "%d", one->id);
        if (one->id == 0 || !(all || fake_word (ids, id)))
            continue;
        advance_time_show (one->from_ms, from);
        advance_time_show (one->until_ms, until);
        fake_print (&text,
                    "   <ar_summary>\n      <id>%s</id>\n      <name>%s</name>\n"
                    "      <owner>root</owner>\n      <state>w</state>\n"
                    "      <start_time>%s</start_time>\n      <end_time>%s</end_time>\n",
                    id, one->name, from, until);
        for (int host = 0; !all && host < FAKE_HOSTS; host++)
            if (one->on [host])
                fake_print (&text,
                            "      <granted_slots_list>\n         <granted_slots  "
                            "queue_instance=\"batch@g%d\" slots=\"2\"/>\n"
                            "      </granted_slots_list>\n",
                            host + 1);
        fake_print (&text, "   </ar_summary>\n");
    }
    fake_print (&text, "</qrstat>\n");
    return text;
}

static void gridengine_schedule (batch_fake_t *world)
{
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++) {
        fake_job_t *job = &world->jobs [i];
        const fake_made_t *queue = *job->id ? fake_made (world, job->into, false) : NULL;
        for (int host = 0; queue && queue->there && job->host < 0 && host < FAKE_HOSTS; host++)
            if (queue->on [host] && !queue->closed [host] &&
                used_of (world, queue->name, host) < 2 &&
                !(strcmp (queue->name, "batch") == 0 &&
                  advance_has (world, host, world->now_ms, INT64_MAX)))
                job->host = host;
    }
}

/*  --- commands --- */

static char *said (bool done)
{
    return done ? must (strdup ("")) : NULL;
}

static char *qconf (batch_fake_t *world, const char *const *words, char why [WHY_BYTES])
{
    const char *verb = words [1], *what = words [2];
    const fake_made_t *queue = fake_made (world, what, false);
    if (strcmp (verb, "-sq") == 0)
        return queue && queue->there ? must (strdup (queue->text))
                                     : (wrong (why,
                                               "No cluster queue or queue instance matches the "
                                               "phrase \"%.80s\"",
                                               what),
                                        NULL);
    if (strcmp (verb, "-su") == 0)
        return queue && queue->listed
                 ? list_show (queue)
                 : (wrong (why, "denied: access list \"%.80s\" does not exist", what), NULL);
    if (strcmp (verb, "-Aq") == 0 || strcmp (verb, "-Mq") == 0)
        return said (queue_take (world, what, verb [1] == 'A', why));
    if (strcmp (verb, "-dq") == 0)
        return said (queue_delete (world, what, why));
    if (strcmp (verb, "-au") == 0 || strcmp (verb, "-du") == 0)
        return said (list_change (world, verb [1] == 'a', what, words [3], why));
    if (strcmp (verb, "-dul") == 0)
        return said (list_delete (world, what, why));
    if (strcmp (verb, "-sp") == 0)
        return must (strdup (strcmp (what, "make") == 0 ? "allocation_rule    $round_robin\n"
                                                        : "allocation_rule    $pe_slots\n"));
    if (strcmp (verb, "-sc") == 0)
        return must (strdup ("musubi musubi RESTRING == FORCED NO NONE 0\n"));
    char *text = NULL;
    if (strcmp (verb, "-sul") != 0)
        return said (strcmp (verb, "-tsm") == 0 || wrong (why, "qconf %.40s", verb));
    fake_print (&text, "arusers\ndeadlineusers\ndefaultdepartment\n");
    for (size_t i = 0; i < FAKE_MADE_MAX; i++)
        if (world->made [i].listed)
            fake_print (&text, "%s\n", world->made [i].name);
    return text;
}

static char *gridengine_answer (batch_fake_t *world, const char *const *words, size_t count,
                                char why [WHY_BYTES])
{
    (void) count;
    const char *program = words [0], *verb = words [1], *what = words [2];
    if (strcmp (program, "qconf") == 0)
        return qconf (world, words, why);
    if (strcmp (program, "qstat") == 0)
        return strcmp (verb, "-u") == 0 ? jobs_show (world)
                                        : instances_show (world, strcmp (verb, "-F") == 0);
    if (strcmp (program, "qmod") == 0 && strcmp (verb, "-rj") == 0)
        return said (job_again (world, what, why));
    if (strcmp (program, "qmod") == 0)
        return said (instances_switch (world, what, strcmp (verb, "-d") == 0, why));
    if (strcmp (program, "qdel") == 0)
        return said (job_delete (world, *what ? what : verb, *what, why));
    if (strcmp (program, "qrstat") == 0)
        return advances_show (world, what);
    if (strcmp (program, "qrsub") == 0)
        return said (advance_make (world, words, why));
    if (strcmp (program, "qrdel") == 0)
        return said (advances_delete (world, verb, why));
    return said (wrong (why, "%.60s: command not found", program));
}

static int text_compare (const void *a, const void *b)
{
    return strcmp (a, b);
}

/*  The words of an access list are in no order. */
static void gridengine_tell (const batch_fake_t *world, char *text, size_t bytes)
{
    char lines [64][FAKE_NAME * 2];
    size_t count = 0, used = 0;
    for (size_t i = 0; i < FAKE_MADE_MAX; i++) {
        const fake_made_t *queue = &world->made [i];
        if (queue->there)
            used += (size_t) snprintf (text + used, bytes - used, "%s", queue->text);
        for (int host = 0; host < FAKE_HOSTS; host++)
            if (queue->there && queue->on [host])
                snprintf (lines [count++], sizeof lines [0], "%s@g%d %s", queue->name, host + 1,
                          queue->closed [host] ? "d" : "");
        char list [FAKE_LIST];
        memcpy (list, queue->list, sizeof list);
        for (char *rest = list, *word; queue->listed && (word = strsep (&rest, ","));)
            snprintf (lines [count++], sizeof lines [0], "%.90s has %.90s", queue->name, word);
    }
    for (size_t i = 0; i < FAKE_MADE_MAX; i++)
        for (int host = 0; world->advances [i].id > 0 && host < FAKE_HOSTS; host++)
            if (world->advances [i].on [host])
                snprintf (lines [count++], sizeof lines [0], "advance %.90s g%d %lld %lld",
                          world->advances [i].name, host + 1,
                          (long long) world->advances [i].from_ms,
                          (long long) world->advances [i].until_ms);
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        if (*world->jobs [i].id)
            snprintf (lines [count++], sizeof lines [0], "job %.80s in %.80s %d",
                      world->jobs [i].name, world->jobs [i].into, world->jobs [i].host);
    qsort (lines, count, sizeof lines [0], text_compare);
    for (size_t i = 0; i < count; i++)
        used += (size_t) snprintf (text + used, bytes - used, "%s\n", lines [i]);
}

const fake_kind_t fake_gridengine = {.name = "gridengine",
                                     .host = "g",
                                     .begin = gridengine_begin,
                                     .answer = gridengine_answer,
                                     .schedule = gridengine_schedule,
                                     .tell = gridengine_tell};
