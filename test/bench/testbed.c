/*  testbed - `musubi up` and `musubi down` beside this program, the directory's list,
 *  Service.Status of each.
 */
#include "testbed.h"

#include "bench.h"
#include "bus.pb-c.h"
#include "gis.pb-c.h"
#include "message.h"
#include "planner.pb-c.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ASK_MS      30000
#define START_MS    20000 /* until all services serve */
#define QUIET_MS    300   /* without a flush; a planner sends what it gathers in 50 */
#define PAUSE_MS    20
#define QUIET_TRIES 100

/*  The folder of this program. */
static void own_folder (char own [512])
{
    ssize_t size = readlink ("/proc/self/exe", own, 511);
    if (size <= 0)
        bench_fail ("/proc/self/exe can't be read");
    own [size] = '\0';
    *strrchr (own, '/') = '\0';
}

/*  Runs the client beside this program: `musubi ARGUMENTS`, its output to a pipe. */
static FILE *musubi (const char *arguments)
{
    char own [512], command [2048];
    own_folder (own);
    snprintf (command, sizeof command, "'%s/musubi' --actor " TESTBED_ACTOR " %s", own, arguments);
    FILE *output = popen (command, "r");
    if (!output)
        bench_fail ("musubi can't be run");
    return output;
}

static void musubi_quietly (const char *arguments)
{
    FILE *output = musubi (arguments);
    char line [512];
    char last [512] = "";
    while (fgets (line, sizeof line, output))
        strcpy (last, line);
    if (pclose (output) != 0) {
        fprintf (stderr, "%s", last);
        bench_fail (arguments);
    }
}

static void pause_ms (int milliseconds)
{
    nanosleep (&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL);
}

void testbed_ask (const testbed_t *self, const char *endpoint, const char *service,
                  const char *method, bytes_t body, client_reply_t *reply)
{
    client_ask (self->client,
                &(client_request_t){.endpoint = endpoint,
                                    .service = service,
                                    .method = method,
                                    .actor = TESTBED_ACTOR,
                                    .body = body,
                                    .timeout_ms = ASK_MS},
                reply);
    if (reply->status != CALL_OK)
        bench_fail (reply->reason);
}

static ProtobufCMessage *ask (const testbed_t *self, const char *endpoint, const char *service,
                              const char *method, const ProtobufCMessageDescriptor *descriptor)
{
    client_reply_t reply;
    testbed_ask (self, endpoint, service, method, (bytes_t){0}, &reply);
    ProtobufCMessage *message = message_unpack (descriptor, reply.body);
    if (!message)
        bench_fail ("an answer can't be read");
    return message;
}

static void find_services (testbed_t *self)
{
    ProtobufCMessage *message =
      ask (self, self->gis, "Gis", "Snapshot", &musubi__snapshot_answer__descriptor);
    const Musubi__SnapshotAnswer *snapshot = (const Musubi__SnapshotAnswer *) message;
    self->services_count = self->planners_count = 0;
    for (size_t i = 0; i < snapshot->n_entries && i < TESTBED_SERVICES_MAX; i++) {
        const Musubi__Entry *entry = snapshot->entries [i];
        testbed_service_t *service = &self->services [self->services_count++];
        *service = (testbed_service_t){0};
        snprintf (service->name, sizeof service->name, "%s", entry->name);
        snprintf (service->endpoint, sizeof service->endpoint, "%s", entry->endpoint);
        if (entry->store.len == STORE_ID_BYTES)
            memcpy (service->store, entry->store.data, STORE_ID_BYTES);
        if (strncmp (service->name, "planner/", 8) == 0)
            self->planners [self->planners_count++] = service->endpoint;
    }
    message_free (message);
}

static void find_pids (testbed_t *self)
{
    char arguments [512], rest [256];
    snprintf (arguments, sizeof arguments, "up --dir '%s/run' --pids", self->folder);
    FILE *output = musubi (arguments);
    int pid;
    while (self->pids_count < TESTBED_SERVICES_MAX &&
           fscanf (output, "%d %255[^\n]", &pid, rest) == 2) {
        self->pids [self->pids_count++] = pid;
        self->agents_count += strncmp (rest, "node/", 5) == 0 || strncmp (rest, "storage/", 8) == 0;
    }
    pclose (output);
}

/*  A planner refuses requests until it has heard of the sites. */
static bool planners_serve (const testbed_t *self)
{
    Musubi__ShowReservationRequest question = MUSUBI__SHOW_RESERVATION_REQUEST__INIT;
    question.reservation = (char *) "none";
    size_t size, serving = 0;
    uint8_t *body = message_pack (&question.base, &size);
    for (size_t i = 0; i < self->planners_count; i++) {
        client_reply_t reply;
        client_ask (self->client,
                    &(client_request_t){.endpoint = self->planners [i],
                                        .service = "Planner",
                                        .method = "Show",
                                        .actor = TESTBED_ACTOR,
                                        .body = {body, size},
                                        .timeout_ms = ASK_MS},
                    &reply);
        serving += reply.status == CALL_OK;
    }
    free (body);
    return serving == self->planners_count;
}

static void await_services (testbed_t *self)
{
    for (int waited_ms = 0; waited_ms < START_MS; waited_ms += PAUSE_MS) {
        find_services (self);
        if (self->services_count + self->agents_count == self->pids_count && planners_serve (self))
            return;
        pause_ms (PAUSE_MS);
    }
    bench_fail ("not every service serves");
}

/*  However the program ends, no service is left behind. */
static testbed_t *running;

static void stop_running (void)
{
    if (running)
        testbed_stop (running);
}

static char ending [2048]; /* the command that ends the services, for a shell */

/*  Another program takes this one's place, since little else is safe within a handler. */
static void on_signal (int signal)
{
    (void) signal;
    execl ("/bin/sh", "sh", "-c", ending, (char *) NULL);
    _exit (1);
}

static void end_with_signals (const testbed_t *self)
{
    static const int signals [] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = on_signal};
    char own [512];
    own_folder (own);
    snprintf (ending, sizeof ending,
              "for try in 1 2 3 4 5; do '%s/musubi' down --dir '%s/run' && break; sleep 1; done; "
              "rm -rf '%s'; exit 1",
              own, self->folder, self->folder);
    sigfillset (&action.sa_mask); /* a second signal must not end the shell */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction (signals [i], &action, NULL);
}

void testbed_start (testbed_t *self, client_t *client, const char *federation, size_t planners)
{
    *self = (testbed_t){.client = client};
    strcpy (self->folder, "/tmp/musubi-bench.XXXXXX");
    if (!mkdtemp (self->folder))
        bench_fail ("no temporary folder");
    char name [128];
    snprintf (name, sizeof name, "%s/bench.zpl", self->folder);
    FILE *file = fopen (name, "w");
    if (!file || fputs (federation, file) < 0 || fclose (file) != 0)
        bench_fail ("no federation file");

    char arguments [512];
    snprintf (arguments, sizeof arguments, "up '%s' --planners %zu --dir '%s/run' 2>&1", name,
              planners, self->folder);
    if (!running && atexit (stop_running) != 0)
        bench_fail ("no place for an exit's handler");
    running = self;
    end_with_signals (self);
    musubi_quietly (arguments);
    snprintf (name, sizeof name, "%s/run/gis", self->folder);
    file = fopen (name, "r");
    if (!file || !fgets (self->gis, sizeof self->gis, file))
        bench_fail ("no directory");
    fclose (file);
    self->gis [strcspn (self->gis, ",\r\n")] = '\0';
    find_pids (self);
    await_services (self);
}

void testbed_halt (testbed_t *self)
{
    char command [256];
    if (self->halted)
        return;
    self->halted = true;
    snprintf (command, sizeof command, "down --dir '%s/run' 2>&1", self->folder);
    musubi_quietly (command);
}

void testbed_stop (testbed_t *self)
{
    char command [256];
    running = NULL;
    testbed_halt (self);
    snprintf (command, sizeof command, "rm -rf '%s'", self->folder);
    if (system (command) != 0)
        bench_fail (command);
}

void testbed_put (const testbed_t *self, const char *name, const char *site)
{
    char arguments [512];
    snprintf (arguments, sizeof arguments, "--gis %s put '%s/bench.zpl' %s --site %s 2>&1",
              self->gis, self->folder, name, site);
    musubi_quietly (arguments);
}

const testbed_service_t *testbed_service (const testbed_t *self, const char *name)
{
    for (size_t i = 0; i < self->services_count; i++)
        if (strcmp (self->services [i].name, name) == 0)
            return &self->services [i];
    bench_fail (name);
}

static void count (testbed_counts_t *counts, const Musubi__StatusAnswer__Counter *counter)
{
    if (strcmp (counter->name, "flushes") == 0)
        counts->flushes += counter->value;
    else if (strcmp (counter->name, "messages_sent") == 0)
        counts->messages += counter->value;
    else if (strcmp (counter->name, "bytes_sent") == 0)
        counts->bytes += counter->value;
}

testbed_counts_t testbed_counts (testbed_t *self)
{
    testbed_counts_t counts = {.asked = ++self->asked,
                               .messages = (int64_t) client_sent (self->client),
                               .bytes = (int64_t) client_sent_bytes (self->client)};
    for (size_t i = 0; i < self->services_count; i++) {
        ProtobufCMessage *message = ask (self, self->services [i].endpoint, "Service", "Status",
                                         &musubi__status_answer__descriptor);
        const Musubi__StatusAnswer *answer = (const Musubi__StatusAnswer *) message;
        for (size_t c = 0; c < answer->n_counters; c++)
            count (&counts, answer->counters [c]);
        message_free (message);
    }
    return counts;
}

testbed_counts_t testbed_spent (testbed_t *self, testbed_counts_t from)
{
    testbed_counts_t to = testbed_counts (self);
    testbed_counts_t after = testbed_counts (self); /* what asking alone costs */
    int64_t asked = to.asked - from.asked;
    return (testbed_counts_t){
      .flushes = to.flushes - from.flushes,
      .messages = to.messages - from.messages - asked * (after.messages - to.messages),
      .bytes = to.bytes - from.bytes - asked * (after.bytes - to.bytes),
      .asked = asked,
    };
}

void testbed_quiet (testbed_t *self)
{
    int64_t flushes = -1;
    for (int i = 0; i < QUIET_TRIES; i++) {
        int64_t before = flushes;
        flushes = testbed_counts (self).flushes;
        if (flushes == before)
            return;
        pause_ms (QUIET_MS);
    }
    bench_fail ("the federation does not come to rest");
}

double testbed_cpu_s (const testbed_t *self)
{
    double sum = 0;
    for (size_t i = 0; i < self->pids_count; i++) {
        char name [64];
        snprintf (name, sizeof name, "/proc/%d/stat", (int) self->pids [i]);
        FILE *file = fopen (name, "r");
        unsigned long user = 0, kernel = 0;
        if (file) {
            if (fscanf (file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                        &user, &kernel) != 2)
                user = kernel = 0;
            fclose (file);
        }
        sum += (double) (user + kernel) / (double) sysconf (_SC_CLK_TCK);
    }
    return sum;
}
