/*  starter - a loop that waits for three things: a child has ended, the agent has a wish, or it is
 *  time for something. All signals are blocked and waited for, so that nothing happens between two
 *  looks.
 */
#include "starter.h"

#include "client.h"
#include "lease.h"
#include "must.h"
#include "processes.h"
#include "run_begin.h"
#include "run_files.h"
#include "run_folder.h"
#include "run_output.h"
#include "timetext.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS      10000 /* at a limit, and when the lease ends */
#define KILL_AGAIN_MS 100
#define LEFT_MS_MAX   10000 /* until all that a killed run has left behind is gone */
#define USE_MS_LEAST  100   /* between two looks at the processor time it has used */
#define USE_MS_MOST   10000
#define TELL_MS       1000
#define STOP_AGAIN_MS 10 /* a process that was being started may have come late */
#define STOP_LOOK_MS  1000
#define USE_BYTES     72

typedef struct {
    char path [RUN_PATH_BYTES];
    char runs [RUN_PATH_BYTES];
    int folder;
    int claim; /* we hold its lock as long as we live */
    int use;
    int signals;
    run_output_t output;
    stand_t stand;
    pid_t program;
    int told;  /* by it, before it becomes the program */
    bool over; /* the program has ended */
    int status;
    const run_order_t *order;
    const ticket_t *ticket;
    int64_t started_ms; /* of lease_now_ms, as all times below */
    bool warned;
    bool ending;
    bool suspend;       /* all its processes are to be stopped */
    int64_t suspend_ms; /* since then */
    int64_t stop_ms;    /* when to see to that; INT64_MAX = not */
    int64_t stood_ms;   /* how long it has been suspended in all, until it was resumed last */
    int64_t kill_ms;
    int64_t use_ms; /* when to look at its processor time again */
    int64_t lease_ms;
    char why [RUN_WHY_BYTES_MAX + 1];
} starter_t;

static int64_t waited_for_ms (void)
{
    struct rusage used;
    getrusage (RUSAGE_CHILDREN, &used);
    return ((int64_t) used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

/*  A hint that there is something to look at. */
static void agent_tell (const starter_t *self)
{
    lease_t lease;
    client_reply_t reply;
    if (!lease_read (self->runs, &lease) || strcmp (lease.endpoint, "-") == 0)
        return;
    client_t *client = client_new ();
    run_ended_t ended;
    memcpy (ended.name, self->stand.name, sizeof ended.name);
    packed_t body = codec_encode (&run_ended_codec, &ended);
    client_ask (client,
                &(client_request_t){.endpoint = lease.endpoint,
                                    .service = "Agent",
                                    .method = "Ended",
                                    .actor = "starter",
                                    .body = packed_bytes (body),
                                    .timeout_ms = TELL_MS},
                &reply);
    free (body.data);
    client_destroy (&client);
}

/*  --- what it has used --- */

/*  Written over in place, so that a full disk does not matter. */
static void use_write (starter_t *self)
{
    char text [USE_BYTES + 1];
    self->stand.report.dropped = self->output.dropped;
    snprintf (text, sizeof text, "%-20" PRId64 " %-26" PRId64 " %-21" PRIu64 " %d",
              self->stand.report.started_ms, self->stand.report.cpu_ms, self->stand.report.dropped,
              self->stand.report.suspended);
    ssize_t written = pwrite (self->use, text, USE_BYTES - 1, 0);
    (void) written; /* it is only shown while the run goes on */
}

static void end_begin (starter_t *self, int64_t grace_ms, const char *why);

/*  The next look is when all processors together could have used up the limit at the earliest. */
static void use_look (starter_t *self, int64_t now_ms)
{
    int64_t used_ms = waited_for_ms () + processes_cpu_ms (getpid ());
    if (used_ms > self->stand.report.cpu_ms)
        self->stand.report.cpu_ms = used_ms;
    use_write (self);
    int64_t left_ms = self->order->cpu_limit_ms - self->stand.report.cpu_ms;
    if (left_ms <= 0 && !self->ending) {
        char why [RUN_WHY_BYTES_MAX + 1], limit [TIMETEXT_BYTES];
        snprintf (why, sizeof why, "it used more processor time than its limit of %s",
                  timetext_format_duration (self->order->cpu_limit_ms, limit));
        end_begin (self, GRACE_MS, why);
    }
    long processors = sysconf (_SC_NPROCESSORS_ONLN);
    int64_t wait_ms = left_ms / (processors > 0 ? processors : 1);
    wait_ms = wait_ms > USE_MS_LEAST ? wait_ms : USE_MS_LEAST;
    self->use_ms = now_ms + (wait_ms < USE_MS_MOST ? wait_ms : USE_MS_MOST);
}

/*  --- suspending --- */

static void suspended_set (starter_t *self, bool suspended)
{
    if (self->stand.report.suspended == suspended)
        return;
    self->stand.report.suspended = suspended;
    use_write (self);
    agent_tell (self);
}

/*  Also when all are stopped: any process of their account could have let one go on. */
static void stop_look (starter_t *self, int64_t now_ms)
{
    bool stopped = processes_stop (getpid ()) == 0;
    if (stopped)
        suspended_set (self, true);
    self->stop_ms = now_ms + (stopped ? STOP_LOOK_MS : STOP_AGAIN_MS);
}

static void suspend_want (starter_t *self, bool suspend)
{
    if (self->suspend == suspend)
        return;
    self->suspend = suspend;
    self->stop_ms = suspend ? 0 : INT64_MAX;
    if (suspend) {
        self->suspend_ms = lease_now_ms ();
        return;
    }
    self->stood_ms += lease_now_ms () - self->suspend_ms;
    processes_signal (getpid (), SIGCONT, 0);
    suspended_set (self, false);
}

/*  --- its end --- */

static void end_begin (starter_t *self, int64_t grace_ms, const char *why)
{
    int64_t kill_ms = lease_now_ms () + grace_ms;
    if (self->ending && kill_ms >= self->kill_ms)
        return;
    if (!self->ending) {
        snprintf (self->why, sizeof self->why, "%s", why);
        processes_signal (getpid (), SIGTERM, 0);
        processes_signal (getpid (), SIGCONT, 0);
        self->suspend = self->stand.report.suspended = false;
        self->stop_ms = INT64_MAX;
    }
    self->ending = true;
    self->kill_ms = kill_ms;
}

static void wish_read (starter_t *self)
{
    packed_t wish;
    int64_t grace_ms;
    if (!run_file_read (self->folder, "wish", &wish))
        return;
    if (sscanf ((const char *) wish.data, "end %" SCNd64, &grace_ms) == 1) {
        end_begin (self, grace_ms, "");
    } else if (!self->ending) {
        suspend_want (self, strstr ((const char *) wish.data, "suspend") != NULL);
        if (!self->warned && strstr ((const char *) wish.data, "warn")) {
            self->warned = true;
            processes_signal (getpid (), SIGUSR1, 1);
        }
    }
    free (wish.data);
}

static void lease_look (starter_t *self, int64_t now_ms)
{
    lease_t lease;
    if (lease_read (self->runs, &lease) && lease.until_ms > now_ms) {
        self->lease_ms = lease.until_ms;
        return;
    }
    self->lease_ms = INT64_MAX;
    end_begin (self, GRACE_MS, "its site was silent for longer than its lease (nodes/lease)");
}

/*  When the run has had its time, which stands still while it is suspended. */
static int64_t limit_at_ms (const starter_t *self)
{
    return self->suspend ? INT64_MAX
                         : self->started_ms + self->stood_ms + self->order->limit_ms + 1;
}

static void time_look (starter_t *self, int64_t now_ms)
{
    if (now_ms >= self->lease_ms)
        lease_look (self, now_ms);
    if (now_ms >= self->use_ms)
        use_look (self, now_ms);
    if (now_ms >= self->stop_ms)
        stop_look (self, now_ms);
    if (!self->ending && now_ms >= limit_at_ms (self)) {
        char why [RUN_WHY_BYTES_MAX + 1], limit [TIMETEXT_BYTES];
        snprintf (why, sizeof why, "it ran longer than its limit of %s",
                  timetext_format_duration (self->order->limit_ms, limit));
        end_begin (self, GRACE_MS, why);
    }
    if (self->ending && now_ms >= self->kill_ms) {
        processes_signal (getpid (), SIGKILL, 0);
        self->kill_ms = now_ms + KILL_AGAIN_MS;
    }
}

static int64_t time_next (const starter_t *self)
{
    int64_t next_ms = self->use_ms < self->lease_ms ? self->use_ms : self->lease_ms;
    next_ms = self->stop_ms < next_ms ? self->stop_ms : next_ms;
    int64_t over_ms = self->ending ? self->kill_ms : limit_at_ms (self);
    return next_ms < over_ms ? next_ms : over_ms;
}

/*  Takes the ends of its own children, and of those whose parents have died. */
static bool children_take (starter_t *self)
{
    int status;
    pid_t pid;
    while ((pid = waitpid (-1, &status, WNOHANG)) > 0) {
        if (pid == self->program) {
            self->over = true;
            self->status = status;
        }
    }
    return pid == 0; /* some are there */
}

static void signals_take (starter_t *self)
{
    struct signalfd_siginfo heard;
    while (read (self->signals, &heard, sizeof heard) == sizeof heard) {
        if (heard.ssi_signo == STARTER_POKE)
            wish_read (self);
        if (heard.ssi_signo == SIGTERM || heard.ssi_signo == SIGINT || heard.ssi_signo == SIGHUP)
            end_begin (self, GRACE_MS, "its starter was told to end");
    }
}

static void starter_watch (starter_t *self)
{
    while (!self->over) {
        int64_t now_ms = lease_now_ms ();
        time_look (self, now_ms);
        int64_t wait_ms = time_next (self) - now_ms;
        wait_ms = wait_ms > INT_MAX ? INT_MAX : wait_ms > 0 ? wait_ms : 0;
        struct pollfd awaited [] = {{.fd = self->signals, .events = POLLIN},
                                    {.fd = self->output.pipe, .events = POLLIN}};
        poll (awaited, 2, (int) wait_ms);
        signals_take (self);
        run_output_take (&self->output);
        children_take (self);
    }
}

/*  Kills everything that the program has started, however deep. */
static void starter_leftovers_end (starter_t *self)
{
    int64_t until_ms = lease_now_ms () + LEFT_MS_MAX;
    while (children_take (self)) {
        processes_signal (getpid (), SIGKILL, 0);
        if (lease_now_ms () >= until_ms) {
            snprintf (self->why, sizeof self->why, "it has left processes that can't be killed");
            return;
        }
        nanosleep (&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

/*  --- the record --- */

static void record (starter_t *self, run_state_t state, const char *why)
{
    self->stand.report.state = state;
    self->stand.report.suspended = false;
    self->stand.report.ended_ms = clock_ms (CLOCK_REALTIME);
    snprintf (self->stand.report.why, sizeof self->stand.report.why, "%s", why);
    if (!run_end_record (self->folder, &self->stand)) {
        fprintf (stderr, "the end can't be recorded: %s\n", strerror (errno));
        return; /* the run is lost then, as our lock ends with us */
    }
    agent_tell (self);
}

/*  Outputs of a run that has ended well are handed over; of another they stay where they are. */
static void starter_files_leave (starter_t *self)
{
    struct stat told;
    descriptor_auto_t work =
      openat (self->folder, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (work < 0)
        return;
    run_files_leave (self->order, work);
    if (self->order->outputs_count > 0 && WIFEXITED (self->status) &&
        WEXITSTATUS (self->status) == 0 && fstat (work, &told) == 0)
        self->stand.report.handed =
          run_files_hand (self->ticket, work, told.st_uid, false, self->why);
}

static void record_ended (starter_t *self)
{
    char limit [TIMETEXT_BYTES];
    int64_t used_ms = waited_for_ms ();
    if (used_ms > self->stand.report.cpu_ms)
        self->stand.report.cpu_ms = used_ms;
    run_output_take (&self->output);
    if (!self->ending)
        run_begin_told (self->told, self->why);
    starter_files_leave (self);
    use_write (self);
    self->stand.report.exit_code = WIFEXITED (self->status) ? WEXITSTATUS (self->status) : 0;
    self->stand.report.signal = WIFSIGNALED (self->status) ? WTERMSIG (self->status) : 0;
    if (self->stand.report.signal == SIGXCPU && !self->ending)
        snprintf (self->why, sizeof self->why, "it used more processor time than its limit of %s",
                  timetext_format_duration (self->order->cpu_limit_ms, limit));
    record (self, RUN_ENDED, self->why);
}

/*  --- its life --- */

static void carry_out (starter_t *self, const ticket_t *ticket)
{
    char why [RUN_WHY_BYTES_MAX + 1];
    self->ticket = ticket;
    self->order = ticket->order;
    self->stop_ms = INT64_MAX;
    snprintf (self->stand.name, sizeof self->stand.name, "%s", ticket->name);
    wish_read (self);
    if (self->ending) {
        record (self, RUN_REFUSED, "it was ended before it began");
        return;
    }
    self->stand.report.started_ms = clock_ms (CLOCK_REALTIME);
    self->started_ms = lease_now_ms ();
    use_write (self);
    sigset_t all;
    sigfillset (&all);
    self->signals = signalfd (-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
    self->program = -1;
    if (self->signals < 0 || !run_output_open (&self->output, self->folder,
                                               ticket->output_bytes_max, ticket->room_bytes_least))
        snprintf (why, sizeof why, "its folder on the node: %s", strerror (errno));
    else
        self->program =
          run_begin (ticket, self->folder, self->path, self->output.writer, &self->told, why);
    if (self->program < 0) {
        self->stand.report.started_ms = 0;
        self->stand.report.node_unfit = run_files_gone (ticket);
        record (self, RUN_REFUSED, why);
        return;
    }
    run_output_begun (&self->output);
    self->use_ms = self->started_ms + USE_MS_LEAST;
    lease_look (self, self->started_ms);
    wish_read (self);
    starter_watch (self);
    starter_leftovers_end (self);
    record_ended (self);
}

static void starter_run (starter_t *self)
{
    packed_t order = {0};
    char why [WHY_BYTES] = "the file with its order is missing";
    ticket_t ticket;
    if (run_file_read (self->folder, "order", &order) &&
        codec_decode (&ticket_codec, &ticket, packed_bytes (order), why)) {
        carry_out (self, &ticket);
        codec_clear (&ticket_codec, &ticket);
    } else {
        record (self, RUN_REFUSED, why);
    }
    free (order.data);
}

/*  Takes the claim, in the process that stays. The process that leaves it behind ends with the exit
 *  code that is returned here. */
static int claim (starter_t *self)
{
    self->folder = open (self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (self->folder < 0)
        return STARTER_FAILED;
    self->use = openat (self->folder, "use", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (self->use >= 0)
        self->claim = run_claim (self->folder);
    if (self->use >= 0 && self->claim >= 0)
        return STARTER_BEGUN;
    if (errno == EEXIST)
        return STARTER_CLAIMED_BEFORE;
    return errno == ENOSPC || errno == EDQUOT ? STARTER_NO_ROOM : STARTER_FAILED;
}

static void starter_stay (starter_t *self, int tell)
{
    setsid ();
    prctl (PR_SET_CHILD_SUBREAPER, 1);
    uint8_t code = (uint8_t) claim (self);
    if (code == STARTER_FAILED)
        fprintf (stderr, "%s: %s\n", self->path, strerror (errno));
    ssize_t told = write (tell, &code, 1);
    (void) told; /* the process that has started us may be gone: the claim is what counts */
    close (tell);
    if (code == STARTER_BEGUN)
        starter_run (self);
}

static bool paths_take (starter_t *self, const char *path)
{
    const char *slash = strrchr (path, '/');
    if (*path != '/' || !slash || slash == path || strlen (path) >= RUN_PATH_BYTES)
        return false;
    snprintf (self->path, sizeof self->path, "%s", path);
    snprintf (self->runs, sizeof self->runs, "%.*s", (int) (slash - path), path);
    return true;
}

int starter_main (int argc, char **argv)
{
    starter_t *self = must (calloc (1, sizeof *self));
    int pipes [2];
    sigset_t all;
    if (argc != 2 || !paths_take (self, argv [1])) {
        fprintf (stderr, "usage: svc-lis starter FOLDER\n"
                         "begins the run of that folder, an absolute path; an agent calls it\n");
        free (self);
        return 2;
    }
    close_range (3, ~0U, 0);
    sigfillset (&all);
    sigprocmask (SIG_BLOCK, &all, NULL);
    if (pipe2 (pipes, O_CLOEXEC) != 0)
        return STARTER_FAILED;
    pid_t pid = fork ();
    if (pid == 0) {
        close (pipes [0]);
        starter_stay (self, pipes [1]);
        _exit (0);
    }
    close (pipes [1]);
    uint8_t code = STARTER_FAILED;
    if (pid < 0 || read (pipes [0], &code, 1) != 1)
        code = STARTER_FAILED;
    free (self);
    return code;
}
