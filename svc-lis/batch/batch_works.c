/*  batch_works - runs on the agent's workers. */
#include "batch_works.h"

#include "batch_script.h"
#include "clock.h"
#include "must.h"
#include "run_files.h"
#include "run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES_MAX (512u << 10)
#define TOLD_BYTES     256 /* of what a job writes of itself */
#define PASSWD_BYTES   4096
#define GONE_MS        30000 /* after so long a job that is neither known nor over is lost */

static const batch_system_t *batch_works_system;
static const batch_setup_t *batch_works_setup;

void batch_works_begin (const batch_system_t *system, const batch_setup_t *setup)
{
    batch_works_system = system;
    batch_works_setup = setup;
}

static const char *batch_path (char path [PATH_MAX], const char *runs, const char *name,
                               const char *behind)
{
    snprintf (path, PATH_MAX, "%s/%s%s", runs, name, behind);
    return path;
}

/*  --- what a run's folder says --- */

/*  Its order, and its account. */
typedef struct {
    ticket_t ticket;
    struct passwd account;
    char text [PASSWD_BYTES];
} batch_run_t;

static bool batch_account_find (batch_run_t *run, char why [WHY_BYTES])
{
    struct passwd *known;
    const char *name = run->ticket.order->account;
    return (getpwnam_r (name, &run->account, run->text, sizeof run->text, &known) == 0 && known &&
            known->pw_uid != 0) ||
           wrong (why, "there is no local account %.80s that may run tasks", name);
}

/*  Clear it with codec_clear, found or not. */
static bool batch_run_read (batch_run_t *run, const char *runs, const char *name)
{
    char path [PATH_MAX], why [WHY_BYTES];
    descriptor_auto_t folder = open (runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    packed_t record;
    *run = (batch_run_t){0};
    snprintf (path, sizeof path, "%s.order", name);
    if (folder < 0 || !run_file_read (folder, path, &record))
        return false;
    bool good = codec_decode (&ticket_codec, &run->ticket, packed_bytes (record), why) &&
                batch_account_find (run, why);
    free (record.data);
    return good;
}

/*  A small file that the account has written itself. */
static bool told_read (const char *path, uid_t account, char told [TOLD_BYTES])
{
    struct stat file;
    descriptor_auto_t fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool own =
      fd >= 0 && fstat (fd, &file) == 0 && S_ISREG (file.st_mode) && file.st_uid == account;
    ssize_t got = own ? read (fd, told, TOLD_BYTES - 1) : -1;
    told [got > 0 ? got : 0] = '\0';
    return got > 0;
}

/*  "END_MS CODE", and two lines of times, of which the second is that of what the script ran. */
static bool end_read (const char *told, run_report_t *report)
{
    int code, minutes, more;
    double seconds, rest;
    if (sscanf (told, "%" SCNd64 " %d", &report->ended_ms, &code) != 2)
        return false;
    report->state = RUN_ENDED;
    report->signal = code > 128 && code < 128 + NSIG ? code - 128 : 0;
    report->exit_code = report->signal ? 0 : code;
    if (sscanf (told, "%*d %*d %*s %*s %dm%lfs %dm%lfs", &minutes, &seconds, &more, &rest) == 4)
        report->cpu_ms = (int64_t) ((minutes + more) * 60000 + (seconds + rest) * 1000);
    return true;
}

static void batch_over (run_report_t *report, run_state_t state, const char *why)
{
    report->state = state;
    report->ended_ms = clock_ms (CLOCK_REALTIME);
    snprintf (report->why, sizeof report->why, "%s", why);
}

/*  Outputs of a run that has ended well are handed over. On the way to its working folder no link
 *  is followed: what is there belongs to the account. */
static void stand_outputs_hand (run_report_t *report, const char *runs, const batch_run_t *run)
{
    descriptor_auto_t folder = run_folder_open (runs, run->ticket.name);
    descriptor_auto_t work =
      folder < 0 ? -1 : openat (folder, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    report->handed = (work >= 0 || wrong (report->why, "its folder: %s", strerror (errno))) &&
                     run_files_hand (&run->ticket, work, run->account.pw_uid, true, report->why);
}

/*  Has it ended by what the job has written? Why one ended by a signal only the batch system says,
 *  once its job is over; until then something of it may still write its outputs. */
static bool stand_end_read (run_report_t *report, const char *runs, const batch_job_seen_t *seen,
                            const batch_run_t *run)
{
    char path [PATH_MAX], told [TOLD_BYTES];
    run_report_t end = *report;
    bool outputs = run->ticket.order->outputs_count > 0;
    batch_path (path, runs, run->ticket.name, "/end");
    if (!told_read (path, run->account.pw_uid, told) || !end_read (told, &end) ||
        ((end.signal || outputs) && batch_job_lives (seen->state)))
        return false;
    *report = end;
    if (end.signal && seen->state == BATCH_JOB_LOST)
        batch_over (report, RUN_LOST, seen->why);
    else if (end.signal && seen->state == BATCH_JOB_ENDED)
        snprintf (report->why, sizeof report->why, "%s", seen->why);
    if (outputs && !end.signal && end.exit_code == 0)
        stand_outputs_hand (report, runs, run);
    return true;
}

/*  A batch system that was killed may have forgotten a job that goes on, to its end or until it is
 *  found and killed: it is not lost before that. Notes since when it has been gone. */
static bool batch_job_gone (const char *runs, const char *name, batch_job_state_t state)
{
    char path [PATH_MAX];
    struct stat mark;
    batch_path (path, runs, name, ".gone");
    if (state != BATCH_JOB_UNKNOWN) {
        unlink (path);
        return false;
    }
    descriptor_auto_t fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd >= 0 && fstat (fd, &mark) == 0 &&
           clock_ms (CLOCK_REALTIME) - (int64_t) mark.st_mtim.tv_sec * 1000 >= GONE_MS;
}

/*  The job has made its folder. */
static void stand_begun (run_report_t *report, const char *runs, const batch_job_seen_t *seen,
                         const batch_run_t *run)
{
    const char *name = run->ticket.name;
    char path [PATH_MAX], told [TOLD_BYTES];
    if (told_read (batch_path (path, runs, name, "/begun"), run->account.pw_uid, told))
        report->started_ms = strtoll (told, NULL, 10);
    if (stand_end_read (report, runs, seen, run))
        return;
    report->state = RUN_RUNNING;
    report->suspended = seen->state == BATCH_JOB_SUSPENDED;
    bool ordered = access (batch_path (path, runs, name, ".ended"), F_OK) == 0;
    bool gone = batch_job_gone (runs, name, seen->state);
    if (seen->state == BATCH_JOB_ENDED || (ordered && seen->state == BATCH_JOB_UNKNOWN)) {
        batch_over (report, RUN_ENDED, seen->why);
        report->signal = SIGKILL;
    } else if (seen->state == BATCH_JOB_LOST || gone) {
        batch_over (report, RUN_LOST, *seen->why ? seen->why : "its job is gone without an end");
    }
}

static void stand_unbegun (stand_t *stand, const char *runs, const batch_job_seen_t *seen)
{
    char path [PATH_MAX];
    bool ended = access (batch_path (path, runs, stand->name, ".ended"), F_OK) == 0;
    stand->report.state = RUN_CLAIMED;
    stand->queued =
      seen->state >= (ended ? BATCH_JOB_HELD : BATCH_JOB_QUEUED) && seen->state < BATCH_JOB_ENDED;
    if (stand->queued) {
        if (seen->state == BATCH_JOB_QUEUED)
            snprintf (stand->report.why, sizeof stand->report.why, "%s", seen->why);
        return;
    }
    if (ended)
        batch_over (&stand->report, RUN_REFUSED, "it was ended before it began");
    else if (seen->state >= BATCH_JOB_ENDED)
        batch_over (&stand->report, RUN_REFUSED, seen->why);
}

static void batch_stand (stand_t *stand, const char *runs, const char *name,
                         const batch_job_seen_t *seen)
{
    char path [PATH_MAX];
    batch_run_t run;
    struct stat folder;
    snprintf (stand->name, sizeof stand->name, "%s", name);
    bool known = batch_run_read (&run, runs, name);
    if (lstat (batch_path (path, runs, name, ""), &folder) != 0)
        stand_unbegun (stand, runs, seen);
    else if (known && S_ISDIR (folder.st_mode) && folder.st_uid == run.account.pw_uid)
        stand_begun (&stand->report, runs, seen, &run);
    else
        batch_over (&stand->report, RUN_LOST, "the run's folder is not its account's");
    codec_clear (&ticket_codec, &run.ticket);
}

/*  seen is zero, and has room for each of the names. */
static bool batch_look_at (const char *runs, const char *const *names, size_t count,
                           batch_job_seen_t *seen, work_result_t *result, char why [WHY_BYTES])
{
    const batch_jobs_t asked = {batch_works_setup, names, count, seen};
    if (!batch_works_system->jobs (&asked, why))
        return false;
    result->stands = must (calloc (count, sizeof *result->stands));
    for (; result->stands_count < count; result->stands_count++)
        batch_stand (&result->stands [result->stands_count], runs, names [result->stands_count],
                     &seen [result->stands_count]);
    return true;
}

/*  --- the works --- */

static bool batch_look (const void *asked, void *told, char why [WHY_BYTES])
{
    const work_order_t *order = asked;
    work_result_t *result = told;
    if (order->names_count > 0) {
        batch_job_seen_t *seen = must (calloc (order->names_count, sizeof *seen));
        bool good =
          batch_look_at (order->runs, order->names, order->names_count, seen, result, why);
        free (seen);
        return good;
    }
    result->batch = must (calloc (1, sizeof *result->batch));
    if (batch_works_system->look (batch_works_setup, result->batch, why)) {
        batch_drain_claimed (result->batch);
        return true;
    }
    codec_clear (&batch_picture_codec, result->batch);
    *result->batch = (batch_picture_t){0};
    snprintf (result->batch->why, sizeof result->batch->why, "%s", why);
    return true;
}

static bool batch_refuse (work_result_t *result, const char *name, const char *why)
{
    result->stands = must (calloc (1, sizeof *result->stands));
    result->stands_count = 1;
    snprintf (result->stands->name, sizeof result->stands->name, "%s", name);
    batch_over (&result->stands->report, RUN_REFUSED, why);
    return true;
}

/*  Anybody may make a file there, and nobody can take another's away. */
static bool runs_make (const char *runs)
{
    return (mkdir (runs, 0700) == 0 && chmod (runs, 01777) == 0) || errno == EEXIST;
}

static bool batch_order_write (const work_order_t *order, char why [WHY_BYTES])
{
    char file [RUN_NAME_BYTES_MAX + 8];
    snprintf (file, sizeof file, "%s.order", order->ticket.name);
    descriptor_auto_t folder =
      runs_make (order->runs) ? open (order->runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    packed_t packed = codec_encode (&ticket_codec, &order->ticket);
    bool written = folder >= 0 && run_file_write (folder, file, packed_bytes (packed));
    if (!written)
        wrong (why, "%.80s/%.80s: %s", order->runs, file, strerror (errno));
    free (packed.data);
    return written;
}

/*  Also one that is not its account's yet. */
static bool batch_work_remove (const char *runs, const char *name, char why [WHY_BYTES])
{
    char path [PATH_MAX];
    struct stat there;
    const char *const rm [] = {"rm", "-rf", batch_path (path, runs, name, ".work"), NULL};
    return lstat (path, &there) != 0 ||
           command_run (rm, NULL, batch_works_setup->limit_ms, NULL, why) == COMMAND_DONE;
}

/*  The working folder of a run with files. One that is there and its account's is whole: a job that
 *  nobody knows of may take it at any moment. */
static bool batch_work_make (const work_order_t *order, const struct passwd *account,
                             char why [WHY_BYTES])
{
    char path [PATH_MAX];
    struct stat made;
    const ticket_t *ticket = &order->ticket;
    const run_files_account_t own = {account->pw_name, account->pw_uid, account->pw_gid,
                                     account->pw_uid != geteuid ()};
    batch_path (path, order->runs, ticket->name, ".work");
    if (own.other && geteuid () != 0)
        return wrong (why,
                      "inputs, outputs: the agent of the batch system should run as root, to give "
                      "files to account %.31s",
                      own.name);
    if (lstat (path, &made) == 0 && made.st_uid == own.uid && made.st_mode == (S_IFDIR | 0700))
        return true;
    if (!batch_work_remove (order->runs, ticket->name, why))
        return false;
    bool new = mkdir (path, 01700) == 0;
    descriptor_auto_t work =
      new ? open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
    return (work >= 0 || wrong (why, "%.160s: %s", path, strerror (errno))) &&
           run_files_enter (ticket, work, &own, why) &&
           ((fchmod (work, 0700) == 0 && fchown (work, own.uid, own.gid) == 0) ||
            wrong (why, "%.160s: %s", path, strerror (errno)));
}

static void output_path (char path [PATH_MAX], const char *runs, const ticket_t *ticket,
                         const char *file, const char *behind)
{
    const char *folder = ticket->order->folder;
    if (*file == '/')
        snprintf (path, PATH_MAX, "%s", file);
    else if (*file && *folder)
        snprintf (path, PATH_MAX, "%s/%s", folder, file);
    else if (*file)
        snprintf (path, PATH_MAX, "%s/%s/work/%s", runs, ticket->name, file);
    else
        snprintf (path, PATH_MAX, "%s/%s%s", runs, ticket->name, behind);
}

static command_told_t batch_submit (const work_order_t *order, const batch_run_t *run,
                                    const batch_job_seen_t *seen, char why [WHY_BYTES])
{
    const ticket_t *ticket = &order->ticket;
    char path [PATH_MAX], output [PATH_MAX], errors [PATH_MAX] = "";
    char name [BATCH_NAME_BYTES_MAX + 1], reservation [BATCH_NAME_BYTES_MAX + 1] = "";
    if (!batch_name (batch_works_setup, ticket->name, name, why) ||
        (*ticket->order->reservation &&
         !batch_name (batch_works_setup, ticket->order->reservation, reservation, why)))
        return COMMAND_REFUSED;
    text_auto_t *script =
      batch_script (ticket, batch_path (path, order->runs, ticket->name, ""), run->account.pw_dir);
    output_path (output, order->runs, ticket, ticket->order->output, ".out");
    if (*ticket->order->errors)
        output_path (errors, order->runs, ticket, ticket->order->errors, ".err");
    return batch_works_system->submit (
      batch_works_setup,
      &(batch_job_t){.name = name,
                     .account = ticket->order->account,
                     .charged = ticket->order->charged,
                     .qos = ticket->order->qos,
                     .reservation = reservation,
                     .held = seen->state == BATCH_JOB_HELD ? seen->id : "",
                     .cpus = ticket->order->cpus,
                     .gpus = ticket->order->gpus,
                     .limit_ms = ticket->order->limit_ms,
                     .script = script,
                     .folder = "/",
                     .output = output,
                     .errors = errors},
      why);
}

static bool batch_start (const void *asked, void *told, char why [WHY_BYTES])
{
    const work_order_t *order = asked;
    work_result_t *result = told;
    batch_run_t run = {.ticket = order->ticket};
    batch_job_seen_t seen = {0};
    if (!order->ticket.name)
        return wrong (why, "ticket: missing");
    if (!batch_account_find (&run, why))
        return batch_refuse (result, order->ticket.name, why);
    if (!batch_order_write (order, why) ||
        !batch_look_at (order->runs, &order->ticket.name, 1, &seen, result, why))
        return false;
    if (result->stands->report.state != RUN_CLAIMED || result->stands->queued)
        return true;
    bool made =
      !order_has_files (order->ticket.order) || batch_work_make (order, &run.account, why);
    command_told_t how = made ? batch_submit (order, &run, &seen, why) : COMMAND_REFUSED;
    if (how == COMMAND_SILENT)
        return false;
    if (how == COMMAND_REFUSED) {
        result->stands->report.node_unfit = !made && run_files_gone (&order->ticket);
        batch_over (&result->stands->report, RUN_REFUSED, why);
        batch_work_remove (order->runs, order->ticket.name, why);
    }
    result->stands->queued = how == COMMAND_DONE;
    return true;
}

static bool batch_ended_mark (const char *runs, const char *name, char why [WHY_BYTES])
{
    char path [PATH_MAX];
    descriptor_auto_t fd = runs_make (runs)
                             ? open (batch_path (path, runs, name, ".ended"),
                                     O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                             : -1;
    return (fd >= 0 && fsync (fd) == 0) || wrong (why, "run %.80s: %s", name, strerror (errno));
}

static bool batch_tell (const work_order_t *order, const batch_job_seen_t *seen,
                        char why [WHY_BYTES])
{
    bool only_told = order->warn || order->suspend || order->resume;
    bool runs = seen->state == BATCH_JOB_RUNNING || seen->state == BATCH_JOB_SUSPENDED;
    batch_signal_t end = order->force ? BATCH_KILL : BATCH_END;
    if (!only_told && !batch_ended_mark (order->runs, order->names [0], why))
        return false;
    if (!only_told && seen->state > BATCH_JOB_UNKNOWN && seen->state < BATCH_JOB_ENDED)
        return batch_works_system->signal (batch_works_setup, seen->id, runs ? end : BATCH_END,
                                           why);
    if (!runs || !only_told)
        return true;
    return (!order->warn ||
            batch_works_system->signal (batch_works_setup, seen->id, BATCH_WARN, why)) &&
           (order->suspend == (seen->state == BATCH_JOB_SUSPENDED) ||
            batch_works_system->signal (batch_works_setup, seen->id,
                                        order->suspend ? BATCH_SUSPEND : BATCH_RESUME, why));
}

static bool batch_signal (const void *asked, void *told, char why [WHY_BYTES])
{
    const work_order_t *order = asked;
    batch_job_seen_t seen = {0}, after = {0};
    const batch_jobs_t jobs = {batch_works_setup, order->names, 1, &seen};
    if (order->names_count != 1)
        return wrong (why, "names: should be the name of one run");
    const work_result_t *result = told;
    bool good = batch_works_system->jobs (&jobs, why) && batch_tell (order, &seen, why) &&
                batch_look_at (order->runs, order->names, 1, &after, told, why);
    return good && (result->stands->report.state != RUN_REFUSED ||
                    batch_work_remove (order->runs, order->names [0], why));
}

static bool batch_read (const void *asked, void *told, char why [WHY_BYTES])
{
    const work_order_t *order = asked;
    work_result_t *result = told;
    batch_run_t run;
    struct stat file;
    packed_t output;
    char path [PATH_MAX], from [PATH_MAX + 4], skip [32], most [32];
    if (order->names_count != 1 || !batch_run_read (&run, order->runs, order->names [0])) {
        result->why = must (strdup ("the site no longer keeps that run"));
        return true;
    }
    bool errors = order->errors && *run.ticket.order->errors;
    output_path (path, order->runs, &run.ticket,
                 errors ? run.ticket.order->errors : run.ticket.order->output, ".out");
    snprintf (from, sizeof from, "if=%s", path);
    snprintf (skip, sizeof skip, "skip=%" PRIu64, order->offset);
    snprintf (most, sizeof most, "count=%" PRIu32,
              order->most < READ_BYTES_MAX ? order->most : READ_BYTES_MAX);
    const char *const dd [] = {
      "dd", from, "iflag=skip_bytes,count_bytes,nonblock", "status=none", skip, most, NULL};
    if (command_run_as (run.ticket.order->account, dd, NULL, batch_works_setup->limit_ms, &output,
                        why) != COMMAND_DONE &&
        !strstr (why, "No such file"))
        result->why = must (strdup (why));
    result->data = packed_bytes (output);
    result->size = stat (path, &file) == 0 ? (uint64_t) file.st_size : order->offset + output.size;
    codec_clear (&ticket_codec, &run.ticket);
    return true;
}

/*  --- run_prune --- */

static void batch_forget (const char *runs, const char *name)
{
    static const char *const files [] = {".out", ".err", ".ended", ".gone", ".order"};
    char path [PATH_MAX], why [WHY_BYTES];
    batch_run_t run;
    packed_t output = {0};
    if (batch_run_read (&run, runs, name)) {
        const char *const rm [] = {"rm", "-rf", batch_path (path, runs, name, ""), NULL};
        command_run_as (run.ticket.order->account, rm, NULL, batch_works_setup->limit_ms, &output,
                        why);
        batch_work_remove (runs, name, why);
    }
    free (output.data);
    codec_clear (&ticket_codec, &run.ticket);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink (batch_path (path, runs, name, files [i]));
}

/*  Its end, or its order when it was ended unbegun, is so old. */
static bool batch_old (const char *runs, const char *name, int64_t keep_ms)
{
    char path [PATH_MAX];
    struct stat file;
    bool over = stat (batch_path (path, runs, name, "/end"), &file) == 0 ||
                stat (batch_path (path, runs, name, ".ended"), &file) == 0;
    return over && clock_ms (CLOCK_REALTIME) - (int64_t) file.st_mtim.tv_sec * 1000 >= keep_ms;
}

static bool batch_prune (const void *asked, void *told, char why [WHY_BYTES])
{
    (void) told, (void) why;
    const work_order_t *order = asked;
    DIR *runs = opendir (order->runs);
    if (!runs)
        return true; /* nothing was ever run */
    for (const struct dirent *entry; (entry = readdir (runs));) {
        run_id_t id;
        uint8_t site [STORE_ID_BYTES];
        char name [RUN_NAME_BYTES_MAX + 1];
        const char *behind = strstr (entry->d_name, ".order");
        if (!behind || behind [6] || behind - entry->d_name > RUN_NAME_BYTES_MAX)
            continue;
        snprintf (name, sizeof name, "%.*s", (int) (behind - entry->d_name), entry->d_name);
        if (run_name_parse (name, site, &id) && batch_old (order->runs, name, order->keep_ms))
            batch_forget (order->runs, name);
    }
    closedir (runs);
    return true;
}

const work_kind_t batch_works [] = {
  RUN_WORK (RUN_START, batch_start),   RUN_WORK (RUN_LOOK, batch_look),
  RUN_WORK (RUN_SIGNAL, batch_signal), RUN_WORK (RUN_READ, batch_read),
  RUN_WORK (RUN_PRUNE, batch_prune),
};
const size_t batch_works_count = sizeof batch_works / sizeof *batch_works;
