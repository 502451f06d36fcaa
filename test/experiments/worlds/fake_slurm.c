/*  fake_slurm - scontrol, squeue, scancel and sinfo of Slurm 22.05.8 on nodes n1 …, of 2 CPUs
 *  each. */
#include "batch_fake.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void slurm_begin (batch_fake_t *world)
{
    *world = (batch_fake_t){.now_ms = FAKE_START_MS};
    fake_job_add (world, "again", "", 0, true);
    fake_job_add (world, "once", "", 1, false);
    fake_job_add (world, "elsewhere", "", 3, false);
}

/*  What stands behind "key=" in a word of the command; NULL: in none. */
static const char *value_of (const char *const *words, const char *key)
{
    size_t size = strlen (key);
    for (size_t i = 0; *words [i]; i++)
        if (strncmp (words [i], key, size) == 0)
            return words [i] + size;
    return NULL;
}

static bool has_node (const char *nodes, int host)
{
    char name [16];
    snprintf (name, sizeof name, "n%d", host + 1);
    return fake_word (nodes, name);
}

/*  --- reservations --- */

static int64_t time_of (const batch_fake_t *world, const char *text)
{
    struct tm parts = {0};
    if (strcmp (text, "now") == 0)
        return world->now_ms / 1000 * 1000;
    strptime (text, "%Y-%m-%dT%H:%M:%S", &parts);
    return (int64_t) timegm (&parts) * 1000;
}

static void time_show (int64_t ms, char text [32])
{
    struct tm parts;
    time_t s = (time_t) (ms / 1000);
    gmtime_r (&s, &parts);
    strftime (text, 32, "%Y-%m-%dT%H:%M:%S", &parts);
}

static bool overlaps (const batch_fake_t *world, const fake_made_t *one)
{
    bool is = false;
    for (size_t i = 0; i < FAKE_MADE_MAX; i++)
        for (int host = 0; host < FAKE_HOSTS; host++) {
            const fake_made_t *other = &world->made [i];
            is = is || (other->there && strcmp (other->name, one->name) != 0 &&
                        has_node (other->list, host) && has_node (one->list, host) &&
                        other->from_ms < one->until_ms && one->from_ms < other->until_ms);
        }
    return is;
}

/*  Without IGNORE_JOBS none may run into it; here none has a limit. */
static bool is_busy (const batch_fake_t *world, const fake_made_t *made)
{
    bool busy = false;
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        busy = busy || (*world->jobs [i].id && world->jobs [i].host >= 0 &&
                        strcmp (world->jobs [i].into, made->name) != 0 &&
                        has_node (made->list, world->jobs [i].host));
    return busy;
}

/*  Of create and update: the same words. */
static bool reservation_put (batch_fake_t *world, const char *const *words, fake_made_t *made,
                             char why [WHY_BYTES])
{
    fake_made_t after = *made;
    const char *nodes = value_of (words, "nodes="), *users = value_of (words, "users=");
    const char *from = value_of (words, "starttime="), *until = value_of (words, "endtime=");
    const char *partition = value_of (words, "partitionname=");
    if (nodes)
        snprintf (after.list, sizeof after.list, "%s", nodes);
    if (users)
        snprintf (after.users, sizeof after.users, "%s", users);
    if (partition)
        snprintf (after.partition, sizeof after.partition, "%s", partition);
    after.from_ms = from ? time_of (world, from) : after.from_ms;
    after.until_ms = until ? time_of (world, until) : after.until_ms;
    const char *flags = value_of (words, "flags=");
    after.ignores = after.ignores || flags;
    after.overlaps =
      after.overlaps || value_of (words, "flags+=") || (flags && strstr (flags, "OVERLAP"));
    if (!after.overlaps && overlaps (world, &after))
        return wrong (why, "Error creating the reservation: Requested reservation overlaps with "
                           "another reservation");
    if (!after.ignores && is_busy (world, &after))
        return wrong (why, "Error creating the reservation: Requested nodes are busy");
    after.there = true;
    *made = after;
    return true;
}

static bool reservation_create (batch_fake_t *world, const char *const *words, const char *name,
                                char why [WHY_BYTES])
{
    fake_made_t *made = fake_made (world, name, true);
    if (made->there)
        return wrong (why, "Error creating the reservation: Duplicate reservation name");
    bool good = reservation_put (world, words, made, why);
    if (!good)
        *made = (fake_made_t){.there = false};
    return good;
}

static bool job_of (const fake_job_t *job, const char *reservation, const char *nodes)
{
    return *job->id && (!reservation || strcmp (job->into, reservation) == 0) &&
           (!nodes || (job->host >= 0 && has_node (nodes, job->host)));
}

/*  What waits in it is held. */
static bool reservation_delete (batch_fake_t *world, const char *name, char why [WHY_BYTES])
{
    fake_made_t *made = fake_made (world, name, false);
    if (!made || !made->there)
        return wrong (why, "delete_reservation reservation=%.60s: Requested reservation is invalid",
                      name);
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        if (job_of (&world->jobs [i], name, NULL) && world->jobs [i].host >= 0)
            return wrong (
              why, "delete_reservation reservation=%.60s: Requested reservation is in use", name);
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        if (job_of (&world->jobs [i], name, NULL))
            world->jobs [i].held = true;
    *made = (fake_made_t){.there = false};
    return true;
}

/*  "n[1-2]", "n3". */
static void nodes_show (const char *nodes, char *to)
{
    int first = -1, last = -1, count = 0;
    char *at = to + sprintf (to, "n[");
    for (int host = 0; host <= FAKE_HOSTS; host++) {
        bool has = host < FAKE_HOSTS && has_node (nodes, host);
        if (!has && first >= 0)
            at += last > first
                    ? sprintf (at, "%s%d-%d", at [-1] == '[' ? "" : ",", first + 1, last + 1)
                    : sprintf (at, "%s%d", at [-1] == '[' ? "" : ",", first + 1);
        first = !has ? -1 : first < 0 ? host : first;
        last = host;
        count += has;
    }
    if (count == 1)
        sprintf (to, "%s", nodes);
    else
        sprintf (at, "]");
}

static char *reservations_show (const batch_fake_t *world)
{
    char *text = NULL;
    for (size_t i = 0; i < FAKE_MADE_MAX; i++) {
        const fake_made_t *made = &world->made [i];
        char from [32], until [32], nodes [FAKE_NAME];
        if (!made->there)
            continue;
        time_show (made->from_ms, from);
        time_show (made->until_ms, until);
        nodes_show (made->list, nodes);
        fake_print (&text,
                    "ReservationName=%s StartTime=%s EndTime=%s Duration=00:20:00 Nodes=%s "
                    "NodeCnt=2 CoreCnt=4 Features=(null) PartitionName=%s "
                    "Flags=IGNORE_JOBS,%sSPEC_NODES TRES=cpu=4 Users=%s Groups=(null) "
                    "Accounts=(null) Licenses=(null) State=%s BurstBuffer=(null) Watts=n/a "
                    "MaxStartDelay=(null)\n",
                    made->name, from, until, nodes, made->partition,
                    made->overlaps ? "OVERLAP," : "", made->users,
                    made->from_ms <= world->now_ms ? "ACTIVE" : "INACTIVE");
    }
    return text ? text : must (strdup ("No reservations in the system\n"));
}

/*  --- jobs --- */

static bool job_change (batch_fake_t *world, const char *const *words, char why [WHY_BYTES])
{
    const char *id = value_of (words, "jobid="), *comment = value_of (words, "comment=");
    const char *into = value_of (words, "reservationname=");
    fake_job_t *job = fake_job (world, id);
    if (!job)
        return wrong (why, "Invalid job id specified for job %.20s", id);
    if (comment)
        snprintf (job->comment, sizeof job->comment, "%s", comment);
    if (into)
        snprintf (job->into, sizeof job->into, "%s", into);
    return true;
}

static bool job_requeue (fake_job_t *job, const char *id, char why [WHY_BYTES])
{
    if (!job)
        return wrong (why, "Invalid job id specified for job %.20s", id);
    if (!job->again)
        return wrong (why, "Requested operation is presently disabled for job %.20s", id);
    job->moved = true; /* it waits for its begin time */
    job->host = -1;
    return true;
}

static char *scontrol (batch_fake_t *world, const char *const *words, char why [WHY_BYTES])
{
    const char *verb = words [1], *what = words [2];
    const char *named = value_of (words, "reservation=");
    const char *updated = value_of (words, "reservationname=");
    bool done = false;
    if (strcmp (verb, "-o") == 0)
        return reservations_show (world);
    if (strcmp (verb, "create") == 0)
        done = reservation_create (world, words, named, why);
    else if (strcmp (verb, "delete") == 0)
        done = reservation_delete (world, named, why);
    else if (strcmp (verb, "update") == 0 && value_of (words, "jobid="))
        done = job_change (world, words, why);
    else if (strcmp (verb, "update") == 0) {
        fake_made_t *made = fake_made (world, updated, false);
        done = made && made->there
                 ? reservation_put (world, words, made, why)
                 : wrong (why, "Error updating the reservation: Requested reservation is invalid");
    } else if (strcmp (verb, "requeue") == 0)
        done = job_requeue (fake_job (world, what), what, why);
    else if (strcmp (verb, "uhold") == 0 && fake_job (world, what))
        done = fake_job (world, what)->held = true;
    return done ? must (strdup ("")) : NULL;
}

static void job_show (const fake_job_t *job, const char *format, char **text)
{
    for (; *format; format++) {
        if (*format != '%') {
            fake_print (text, "%c", *format);
            continue;
        }
        format++;
        fake_print (text, "%s",
                    *format == 'i'   ? job->id
                    : *format == 'j' ? job->name
                    : *format == 'u' ? "bob"
                    : *format == 'e' ? "NONE"
                    : *format == 'v' ? (*job->into ? job->into : "(null)")
                    : job->host < 0  ? "PENDING"
                    : job->ends_ms   ? "COMPLETING"
                                     : "RUNNING");
    }
    fake_print (text, "\n");
}

/*  Fields as "Name:" and what stands behind them, separated by commas. */
static void job_show_named (const fake_job_t *job, const char *fields, char **text)
{
    const char *state = job->host < 0 ? "PENDING" : job->ends_ms ? "COMPLETING" : "RUNNING";
    const struct {
        const char *name, *value;
    } known [] = {{"JobArrayID", job->id},
                  {"Name", job->name},
                  {"State", state},
                  {"Reservation", *job->into ? job->into : "(null)"},
                  {"StartTime", "2026-11-23T09:00:00"},
                  {"EndTime", "NONE"},
                  {"Requeue", "1"},
                  {"BatchFlag", "1"}};
    for (const char *at = fields; *at; at += *at == ',') {
        size_t size = strcspn (at, ":");
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strlen (known [i].name) == size && strncmp (known [i].name, at, size) == 0)
                fake_print (text, "%s", known [i].value);
        if (size == 8 && strncmp ("NodeList", at, size) == 0)
            fake_print (text, "n%d", job->host + 1);
        at += size + 1;
        fake_print (text, "%.*s", (int) strcspn (at, ","), at);
        at += strcspn (at, ",");
    }
    fake_print (text, "\n");
}

static char *squeue (const batch_fake_t *world, const char *const *words)
{
    const char *states = fake_behind (words, "-t");
    char *text = must (strdup (""));
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++) {
        const fake_job_t *job = &world->jobs [i];
        if (job_of (job, fake_behind (words, "-R"), fake_behind (words, "-w")) &&
            (!states || fake_word (states, job->host < 0 ? "PD" : "R"))) {
            if (fake_behind (words, "-O"))
                job_show_named (job, fake_behind (words, "-O"), &text);
            else
                job_show (job, fake_behind (words, "-o"), &text);
        }
    }
    return text;
}

static void scancel (batch_fake_t *world, const char *const *words)
{
    const char *reservation = value_of (words, "--reservation=");
    bool kill = value_of (words, "--signal=KILL") != NULL;
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++) {
        fake_job_t *job = &world->jobs [i];
        if (reservation ? !job_of (job, reservation, fake_behind (words, "-w"))
                        : strcmp (job->id, words [1]) != 0 || !*job->id)
            continue;
        if (kill || job->host < 0)
            *job = (fake_job_t){.id = ""};
        else if (job->ends_ms == 0)
            job->ends_ms = world->now_ms + FAKE_JOB_ENDS_MS;
    }
}

static bool may_run (const batch_fake_t *world, const fake_job_t *job, int host)
{
    size_t used = 0;
    bool free = !*job->into;
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        used += *world->jobs [i].id && world->jobs [i].host == host;
    for (size_t i = 0; i < FAKE_MADE_MAX; i++) {
        const fake_made_t *made = &world->made [i];
        if (!made->there || made->until_ms <= world->now_ms || !has_node (made->list, host))
            continue;
        free = made->from_ms <= world->now_ms && strcmp (made->name, job->into) == 0;
    }
    return free && used < 2;
}

static void slurm_schedule (batch_fake_t *world)
{
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++) {
        fake_job_t *job = &world->jobs [i];
        for (int host = 0; host < FAKE_HOSTS; host++)
            if (*job->id && job->host < 0 && !job->held && !job->moved &&
                may_run (world, job, host))
                job->host = host;
    }
}

#define SINFO_NODE(name) name "|idle|2|0/2/0/2|up|no|infinite|UNLIMITED|(null)|(null)|none\n"
#define SINFO_NODES      SINFO_NODE ("n1") SINFO_NODE ("n2") SINFO_NODE ("n3") SINFO_NODE ("n4")

static char *slurm_answer (batch_fake_t *world, const char *const *words, size_t count,
                           char why [WHY_BYTES])
{
    (void) count;
    const char *program = words [0], *format = fake_behind (words, "-o");
    if (strcmp (program, "scontrol") == 0)
        return scontrol (world, words, why);
    if (strcmp (program, "squeue") == 0)
        return squeue (world, words);
    if (strcmp (program, "scancel") == 0)
        scancel (world, words);
    else if (strcmp (program, "sinfo") == 0)
        return must (strdup (!format                      ? "slurm-wlm 22.05.8\n"
                             : strcmp (format, "%g") == 0 ? "all\n"
                             : strcmp (format, "%R") == 0 ? "batch\n"
                             : strcmp (format, "%l") == 0 ? "infinite\n"
                                                          : SINFO_NODES));
    return must (strdup (""));
}

static void slurm_tell (const batch_fake_t *world, char *text, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < FAKE_MADE_MAX; i++) {
        const fake_made_t *made = &world->made [i];
        if (made->there)
            used += (size_t) snprintf (text + used, bytes - used, "%s on %s for %s in %s %s %lld\n",
                                       made->name, made->list, made->users, made->partition,
                                       made->from_ms <= world->now_ms ? "begun" : "waits",
                                       (long long) made->until_ms);
    }
    for (size_t i = 0; i < FAKE_JOBS_MAX; i++)
        if (*world->jobs [i].id)
            used +=
              (size_t) snprintf (text + used, bytes - used, "job %s in %s %d%s %s\n",
                                 world->jobs [i].name, world->jobs [i].into, world->jobs [i].host,
                                 world->jobs [i].held ? " held" : "", world->jobs [i].comment);
}

const fake_kind_t fake_slurm = {.name = "slurm",
                                .host = "n",
                                .begin = slurm_begin,
                                .answer = slurm_answer,
                                .schedule = slurm_schedule,
                                .tell = slurm_tell};
