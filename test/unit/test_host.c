/*  test_host - a counter on the real host, in a process of its own, killed and asked.
 *
 *  This program is also the service: run with "serve" it carries the counter core below. Nothing is
 *  mocked: real sockets, a real store, real signals.
 */
#include "host.h"

#include "client.h"
#include "outbox.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_MS 20000
#define KEYS_MAX    100000

/*  --- the counter: the service of this test --- */

typedef struct {
    outbox_t *outbox;
    uint64_t records; /* loaded at start */
    uint64_t puts;
    uint64_t asked;  /* reply_to of the request that waits for a call, a timer or work */
    int64_t due_ms;  /* of a timer's waiter */
    int64_t wall_ms; /* at the last step */
    bool busy;       /* with something that is to be over before an end */
    bool ending;
    store_identity_t store;
} host_counter_t;

static bool is (const request_t *request, const char *method)
{
    return strcmp (request->method, method) == 0;
}

static void reply_number (host_counter_t *self, uint64_t reply_to, uint64_t number)
{
    char text [32];
    snprintf (text, sizeof text, "%" PRIu64, number);
    outbox_reply (self->outbox, reply_to, text_bytes (text));
}

static void call_elsewhere (host_counter_t *self, const request_t *request)
{
    char endpoint [256];
    snprintf (endpoint, sizeof endpoint, "%.*s", (int) request->body.size,
              (const char *) request->body.data);
    self->asked = request->reply_to;
    outbox_push (self->outbox, &(effect_t){.kind = EFFECT_CALL,
                                           .call = {.call = 1,
                                                    .endpoint = endpoint,
                                                    .service = "Counter",
                                                    .method = "Echo",
                                                    .actor = "counter",
                                                    .request_id = "",
                                                    .body = text_bytes ("from elsewhere"),
                                                    .timeout_ms = 3000}});
}

static void on_request (host_counter_t *self, const moment_t *now, const request_t *request)
{
    if (is (request, "Echo"))
        outbox_reply (self->outbox, request->reply_to, request->body);
    else if (is (request, "Put")) {
        outbox_put (self->outbox, TABLE_CLAIMS, request->body, text_bytes ("told"));
        reply_number (self, request->reply_to, ++self->puts);
    } else if (is (request, "PutAfterReply")) {
        reply_number (self, request->reply_to, ++self->puts);
        outbox_put (self->outbox, TABLE_CLAIMS, request->body, text_bytes ("told"));
    } else if (is (request, "PutRow")) {
        self->asked = request->reply_to;
        outbox_read (
          self->outbox,
          &(read_order_t){.read = 1, .table = TABLE_LEDGER, .most = 100, .bytes = UINT32_MAX});
        outbox_put (self->outbox, TABLE_LEDGER, request->body, text_bytes ("happened"));
    } else if (is (request, "PutLarge")) {
        outbox_put (self->outbox, TABLE_DECISIONS, text_bytes (request->request_id), request->body);
        reply_number (self, request->reply_to, now->store_free_bytes);
    } else if (is (request, "Records"))
        reply_number (self, request->reply_to, self->records);
    else if (is (request, "Wall"))
        reply_number (self, request->reply_to, (uint64_t) now->wall_ms);
    else if (is (request, "Entropy"))
        outbox_reply (self->outbox, request->reply_to,
                      (bytes_t){.data = now->entropy, .size = sizeof now->entropy});
    else if (is (request, "Call"))
        call_elsewhere (self, request);
    else if (is (request, "Timer")) {
        self->asked = request->reply_to;
        self->due_ms = now->mono_ms + 50;
        outbox_timer (self->outbox, self->due_ms);
    } else if (is (request, "Work")) {
        self->asked = request->reply_to;
        outbox_work (self->outbox, 1, request->request_id, request->body);
    } else if (is (request, "Begin") || is (request, "Finish")) {
        self->busy = is (request, "Begin");
        outbox_reply (self->outbox, request->reply_to, text_bytes ("yes"));
        if (self->ending && !self->busy)
            outbox_stop (self->outbox, "it is over");
    } else if (is (request, "Stop")) {
        outbox_reply (self->outbox, request->reply_to, text_bytes ("bye"));
        outbox_stop (self->outbox, "asked to");
    } else
        outbox_refuse (self->outbox, request->reply_to, CALL_UNKNOWN_METHOD, "no such method");
}

static void counter_step (void *owner, const moment_t *now, const event_t *event)
{
    host_counter_t *self = owner;
    outbox_clear (self->outbox);
    if (now->wall_ms < self->wall_ms)
        outbox_log (self->outbox, LEVEL_ALARM, "time went back");
    self->wall_ms = now->wall_ms;
    switch (event->kind) {
    case EVENT_RECORD:
        self->records++;
        break;
    case EVENT_FLOW:
        break;
    case EVENT_END:
        self->ending = true;
        if (!self->busy)
            outbox_stop (self->outbox, "told to");
        break;
    case EVENT_ROWS:
        reply_number (self, self->asked, event->rows.count);
        break;
    case EVENT_START:
        self->store = event->start.store;
        break;
    case EVENT_REQUEST:
        on_request (self, now, &event->request);
        break;
    case EVENT_ANSWER:
        if (event->answer.status == CALL_OK)
            outbox_reply (self->outbox, self->asked, event->answer.body);
        else
            reply_number (self, self->asked, event->answer.status);
        break;
    case EVENT_TIMER:
        reply_number (self, self->asked, (uint64_t) (now->mono_ms - self->due_ms));
        break;
    case EVENT_WORK:
        if (event->work.ok)
            outbox_reply (self->outbox, self->asked, event->work.result);
        else
            outbox_refuse (self->outbox, self->asked, CALL_BAD_REQUEST, "work failed");
        break;
    case EVENT_NOTICE:
        break;
    }
}

static bool counter_next (void *owner, effect_t *effect)
{
    return outbox_next (((host_counter_t *) owner)->outbox, effect);
}

static void counter_destroy (void *owner)
{
    host_counter_t *self = owner;
    outbox_destroy (&self->outbox);
    free (self);
}

typedef struct {
    const char *name;
} counter_settings_t;

static const setting_t counter_rows [] = {
  SET_TEXT (counter_settings_t, name, "name", "c1", "the counter's name"),
};
static const setting_table_t counter_table = SETTING_TABLE (counter_settings_t, counter_rows, NULL);

static bool counter_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const counter_settings_t *settings = config_settings (config, &counter_table);
    if (strcmp (settings->name, "bad") == 0) {
        snprintf (why, LONG_WHY_BYTES, "name: 'bad' is taken");
        return false;
    }
    host_counter_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    self->outbox = outbox_new ();
    *core = (core_t){
      .self = self, .step = counter_step, .next = counter_next, .destroy = counter_destroy};
    return true;
}

static bool work_double (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    *result = malloc (2 * arguments.size + 1);
    if (!*result)
        abort ();
    memcpy (*result, arguments.data, arguments.size);
    memcpy (*result + arguments.size, arguments.data, arguments.size);
    *result_size = 2 * arguments.size;
    return true;
}

static bool work_sleep (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    (void) arguments;
    (void) result;
    (void) result_size;
    nanosleep (&(struct timespec){.tv_sec = 60}, NULL);
    return false;
}

static int serve (int argc, char **argv)
{
    static const work_kind_t works [] = {{.kind = "double", .run = work_double},
                                         {.kind = "sleep", .run = work_sleep}};
    host_program_t program = {.program = "svc-counter",
                              .settings = &counter_table,
                              .pools = true,
                              .works = works,
                              .works_count = 2,
                              .core_new = counter_new};
    return host_run (&program, argc, argv);
}

/*  --- the other side --- */

#define ARGUMENTS_MAX 16

typedef struct {
    pid_t pid;
    char endpoint [256];
    FILE *output;
} host_process_t;

static char folder [64];
static char store_setting [96];
static char errors [96]; /* where services write their logs */
static client_t *client;

static int remove_one (const char *path, const struct stat *seen, int kind, struct FTW *place)
{
    (void) seen;
    (void) kind;
    (void) place;
    return remove (path);
}

static int set_up (void **state)
{
    (void) state;
    snprintf (folder, sizeof folder, "/tmp/musubi-host-XXXXXX");
    if (!mkdtemp (folder))
        return -1;
    snprintf (store_setting, sizeof store_setting, "store/folder=%s/store", folder);
    snprintf (errors, sizeof errors, "%s/errors", folder);
    client = client_new ();
    return 0;
}

static int tear_down (void **state)
{
    (void) state;
    client_destroy (&client);
    return nftw (folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/*  Starts this program as the service; arguments end with NULL. */
static host_process_t spawn (const char *const *arguments)
{
    char *argv [ARGUMENTS_MAX] = {(char []){"test_host"}, (char []){"serve"}};
    size_t argc = 2;
    for (; *arguments; arguments++) {
        argv [argc] = strdup (*arguments);
        assert_non_null (argv [argc++]);
    }
    int pipes [2];
    assert_int_equal (pipe2 (pipes, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init (&actions);
    posix_spawn_file_actions_adddup2 (&actions, pipes [1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen (&actions, STDERR_FILENO, errors,
                                      O_WRONLY | O_CREAT | O_APPEND, 0600);
    host_process_t process = {0};
    assert_int_equal (posix_spawn (&process.pid, "/proc/self/exe", &actions, NULL, argv, environ),
                      0);
    posix_spawn_file_actions_destroy (&actions);
    close (pipes [1]);
    while (argc > 2)
        free (argv [--argc]);
    process.output = fdopen (pipes [0], "r");
    assert_non_null (process.output);
    return process;
}

/*  Waits until it says that it serves. */
static host_process_t start (const char *setting)
{
    const char *arguments [] = {"--set", store_setting, setting ? "--set" : NULL, setting, NULL};
    host_process_t process = spawn (arguments);
    char events [256];
    if (fscanf (process.output, "ready endpoint=%255s events=%255s", process.endpoint, events) != 2)
        fail_msg ("the service did not come up; see %s", errors);
    return process;
}

/*  Its exit code, or minus the signal that ended it. */
static int await_end (host_process_t *process)
{
    int status;
    assert_int_equal (waitpid (process->pid, &status, 0), process->pid);
    fclose (process->output);
    return WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status);
}

static int end (host_process_t *process, int with)
{
    assert_int_equal (kill (process->pid, with), 0);
    return await_end (process);
}

static client_request_t request (const host_process_t *process, const char *method,
                                 const char *body)
{
    return (client_request_t){.endpoint = process->endpoint,
                              .service = "Counter",
                              .method = method,
                              .actor = "alice",
                              .request_id = "r1",
                              .body = text_bytes (body),
                              .timeout_ms = PATIENCE_MS};
}

/*  The answer's body as text, which lives until the next question. */
static const char *ask (const host_process_t *process, const char *method, const char *body)
{
    static char text [256];
    client_reply_t reply;
    client_request_t question = request (process, method, body);
    client_ask (client, &question, &reply);
    assert_string_equal (reply.reason, "");
    assert_int_equal (reply.status, CALL_OK);
    snprintf (text, sizeof text, "%.*s", (int) reply.body.size, (const char *) reply.body.data);
    return text;
}

static uint64_t ask_number (const host_process_t *process, const char *method, const char *body)
{
    return strtoull (ask (process, method, body), NULL, 10);
}

static bool log_says (const char *words)
{
    char line [1024];
    bool found = false;
    FILE *file = fopen (errors, "r");
    assert_non_null (file);
    while (!found && fgets (line, sizeof line, file))
        found = strstr (line, words) != NULL;
    fclose (file);
    return found;
}

static void serves_and_ends_cleanly_on_either_signal (void **state)
{
    (void) state;
    static const int signals [] = {SIGTERM, SIGINT};
    for (size_t i = 0; i < 2; i++) {
        host_process_t process = start (NULL);
        assert_string_equal (ask (&process, "Echo", "hello"), "hello");
        assert_int_equal (end (&process, signals [i]), 0);
    }
    assert_true (log_says (" info counter/c1 stopping reason=\"Terminated\""));
}

static void until_log_says (const char *words)
{
    for (int i = 0; i < PATIENCE_MS && !log_says (words); i++)
        nanosleep (&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_true (log_says (words));
}

static void what_is_under_way_is_over_before_the_end (void **state)
{
    (void) state;
    host_process_t process = start (NULL);
    ask (&process, "Begin", "");
    assert_int_equal (kill (process.pid, SIGTERM), 0);
    until_log_says ("stopping");
    assert_string_equal (ask (&process, "Echo", "still"), "still");
    assert_string_equal (ask (&process, "Finish", ""), "yes");
    assert_int_equal (await_end (&process), 0);
    assert_true (log_says ("stopping reason=\"it is over\""));
}

/*  A core that is never done does not hold up the end: it would take a limit's seconds else. */
static void told_twice_it_ends_at_once (void **state)
{
    (void) state;
    host_process_t process = start (NULL);
    ask (&process, "Begin", "");
    assert_int_equal (kill (process.pid, SIGTERM), 0);
    until_log_says ("stopping");
    assert_string_equal (ask (&process, "Echo", "still"), "still");
    assert_int_equal (end (&process, SIGINT), 0);
    assert_false (log_says ("it is over"));
}

static void a_reply_names_the_store_and_its_start (void **state)
{
    (void) state;
    uint8_t id [STORE_ID_BYTES];
    client_reply_t reply;
    for (uint32_t start_number = 1; start_number <= 2; start_number++) {
        host_process_t process = start (NULL);
        client_request_t question = request (&process, "Echo", "");
        client_ask (client, &question, &reply);
        assert_int_equal (reply.store_start, start_number);
        if (start_number == 1)
            memcpy (id, reply.store, sizeof id);
        assert_memory_equal (reply.store, id, sizeof id);
        question.to_store = id;
        client_ask (client, &question, &reply);
        assert_int_equal (reply.status, CALL_OK);
        question.to_store = (const uint8_t *) "some other store";
        client_ask (client, &question, &reply);
        assert_int_equal (reply.status, CALL_WRONG_STORE);
        assert_int_equal (end (&process, SIGTERM), 0);
    }
}

static void unknown_methods_are_the_cores_to_refuse (void **state)
{
    (void) state;
    host_process_t process = start (NULL);
    client_reply_t reply;
    client_request_t question = request (&process, "Dance", "");
    client_ask (client, &question, &reply);
    assert_int_equal (reply.status, CALL_UNKNOWN_METHOD);
    assert_string_equal (reply.reason, "no such method");
    assert_int_equal (end (&process, SIGTERM), 0);
}

static void rows_are_read_as_this_batch_has_flushed_them (void **state)
{
    (void) state;
    host_process_t process = start (NULL);
    assert_int_equal (ask_number (&process, "PutRow", "a"), 1);
    assert_int_equal (ask_number (&process, "PutRow", "b"), 2);
    assert_int_equal (ask_number (&process, "PutRow", "b"), 2);
    assert_int_equal (ask_number (&process, "PutRow", "c"), 3);
    assert_int_equal (end (&process, SIGTERM), 0);
    process = start (NULL);
    assert_int_equal (ask_number (&process, "Records", ""), 1); /* the last one */
    assert_int_equal (end (&process, SIGTERM), 0);
}

/*  Keeps 64 puts in flight until the process is killed; returns how many were answered. */
static uint64_t put_until_killed (host_process_t *process, uint64_t first, uint64_t kill_after,
                                  const char *method)
{
    uint64_t sent = 0, told = 0;
    bool killed = false;
    client_reply_t reply;
    while (!killed || client_in_flight (client) > 0) {
        while (!killed && client_in_flight (client) < 64) {
            char key [32];
            snprintf (key, sizeof key, "%020" PRIu64, first + sent++);
            client_request_t question = request (process, method, key);
            question.timeout_ms = 2000;
            client_send (client, &question);
        }
        if (client_wait (client, PATIENCE_MS, &reply) && reply.status == CALL_OK)
            told++;
        if (!killed && told >= kill_after) {
            assert_int_equal (end (process, SIGKILL), -SIGKILL);
            killed = true;
        }
    }
    return told;
}

static void every_answered_put_survives_kill_9 (void **state)
{
    (void) state;
    uint64_t told = 0;
    for (uint64_t round = 0; round < 3; round++) {
        host_process_t process = start (NULL);
        told +=
          put_until_killed (&process, round * KEYS_MAX, 500, round == 1 ? "PutAfterReply" : "Put");
    }
    host_process_t process = start (NULL);
    uint64_t records = ask_number (&process, "Records", "");
    assert_true (records >= told);
    assert_true (records <= told + 3 * 64 + 64);
    assert_int_equal (end (&process, SIGTERM), 0);
}

static void a_second_process_on_the_store_does_not_start (void **state)
{
    (void) state;
    host_process_t first = start (NULL);
    const char *arguments [] = {"--set", store_setting, NULL};
    host_process_t second = spawn (arguments);
    assert_int_equal (await_end (&second), 1);
    assert_true (log_says ("is served by another process"));
    assert_string_equal (ask (&first, "Echo", "still here"), "still here");
    assert_int_equal (end (&first, SIGTERM), 0);
}

/*  T4: a process whose store was taken over ends at its next write, and sends no answer to it. */
static void a_process_that_was_taken_over_ends_without_answering (void **state)
{
    (void) state;
    char lock [96];
    snprintf (lock, sizeof lock, "%s/store/lock", folder);
    host_process_t old = start (NULL);
    ask (&old, "Put", "ours");
    assert_int_equal (unlink (lock), 0);
    host_process_t new = start (NULL);
    client_reply_t reply;
    client_request_t question = request (&old, "Put", "no longer ours");
    question.timeout_ms = 1000;
    client_ask (client, &question, &reply);
    assert_int_equal (reply.status, CALL_TIMED_OUT);
    assert_int_equal (await_end (&old), 1);
    assert_true (log_says ("the store was taken over"));
    assert_int_equal (ask_number (&new, "Records", ""), 1);
    assert_int_equal (end (&new, SIGTERM), 0);
}

static void a_full_store_is_told_within_a_batch_and_ends_nothing (void **state)
{
    (void) state;
    static char large [60000];
    memset (large, 'x', sizeof large - 1);
    host_process_t process = start ("store/bytes=1048576");
    client_reply_t reply;
    uint64_t free_before = 1048576, told = 0;
    while (free_before > 0) {
        char id [32];
        snprintf (id, sizeof id, "%" PRIu64, told);
        client_request_t question = request (&process, "PutLarge", large);
        question.request_id = id;
        client_ask (client, &question, &reply);
        assert_int_equal (reply.status, CALL_OK);
        char told_free [32]; /* a body does not end with a NUL */
        snprintf (told_free, sizeof told_free, "%.*s", (int) reply.body.size,
                  (const char *) reply.body.data);
        uint64_t free_now = strtoull (told_free, NULL, 10);
        assert_true (free_now == 0 || told == 0 || free_now + sizeof large <= free_before);
        free_before = free_now;
        told++;
    }
    assert_int_equal (end (&process, SIGTERM), 0);
    process = start ("store/bytes=1048576");
    assert_int_equal (ask_number (&process, "Records", ""), told);
    assert_int_equal (end (&process, SIGTERM), 0);
}

/*  The request gets no answer, and the process ends and logs why. */
static void expect_end (host_process_t *process, const char *what)
{
    client_reply_t reply;
    client_request_t question = request (process, "Put", "promised to nobody");
    question.timeout_ms = 1000;
    client_ask (client, &question, &reply);
    assert_int_equal (reply.status, CALL_TIMED_OUT);
    assert_int_equal (await_end (process), 1);
    assert_true (log_says (what));
}

static void a_store_deleted_under_a_process_ends_it_before_it_promises_more (void **state)
{
    (void) state;
    char file [96];
    host_process_t process = start (NULL);
    ask (&process, "Put", "promised");
    snprintf (file, sizeof file, "%s/store/store.mdb", folder);
    assert_int_equal (unlink (file), 0);
    expect_end (&process, "store.mdb was deleted or moved");
    process = start (NULL);
    assert_int_equal (ask_number (&process, "Records", ""), 0);
    assert_int_equal (end (&process, SIGTERM), 0);
}

static void a_store_cut_under_a_process_ends_it_in_words (void **state)
{
    (void) state;
    char file [96];
    host_process_t process = start (NULL);
    ask (&process, "Put", "promised");
    snprintf (file, sizeof file, "%s/store/store.mdb", folder);
    assert_int_equal (truncate (file, 4096), 0);
    expect_end (&process, "store.mdb was cut from");
}

static void an_idle_process_finds_by_scrubbing_that_its_store_is_gone (void **state)
{
    (void) state;
    char file [96];
    host_process_t process = start ("store/scrub=100ms");
    ask (&process, "Put", "promised");
    snprintf (file, sizeof file, "%s/store/store.mdb", folder);
    assert_int_equal (unlink (file), 0);
    assert_int_equal (await_end (&process), 1);
    assert_true (log_says ("store failed doing=scrub"));
}

static void calls_between_processes_are_answered_or_time_out (void **state)
{
    (void) state;
    char pool_setting [96];
    snprintf (pool_setting, sizeof pool_setting, "store/pool=%s/pool", folder);
    host_process_t one = start (NULL);
    const char *arguments [] = {"--set", pool_setting, NULL};
    host_process_t other = spawn (arguments);
    assert_int_equal (fscanf (other.output, "ready endpoint=%255s", other.endpoint), 1);
    assert_string_equal (ask (&one, "Call", other.endpoint), "from elsewhere");
    assert_int_equal (end (&other, SIGKILL), -SIGKILL);
    assert_int_equal (end (&one, SIGTERM), 0);
    one = start (NULL);
    assert_int_equal (ask_number (&one, "Call", other.endpoint), CALL_TIMED_OUT);
    assert_int_equal (end (&one, SIGTERM), 0);
}

static void timers_ring_once_and_not_early (void **state)
{
    (void) state;
    host_process_t process = start (NULL);
    for (int i = 0; i < 3; i++)
        assert_true (ask_number (&process, "Timer", "") < PATIENCE_MS);
    assert_int_equal (end (&process, SIGTERM), 0);
}

static void entropy_is_fresh_in_each_step (void **state)
{
    (void) state;
    uint8_t drawn [200][ENTROPY_BYTES];
    host_process_t process = start (NULL);
    client_reply_t reply;
    for (size_t i = 0; i < 200; i++) {
        client_request_t question = request (&process, "Entropy", "");
        client_ask (client, &question, &reply);
        assert_int_equal (reply.body.size, ENTROPY_BYTES);
        memcpy (drawn [i], reply.body.data, ENTROPY_BYTES);
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal (drawn [i], drawn [j], ENTROPY_BYTES);
    }
    assert_int_equal (end (&process, SIGTERM), 0);
}

static void work_is_done_aside_and_its_failures_told (void **state)
{
    (void) state;
    host_process_t process = start (NULL);
    client_reply_t reply;
    client_request_t question = request (&process, "Work", "ab");
    question.request_id = "double";
    for (int i = 0; i < 5; i++) {
        client_ask (client, &question, &reply);
        assert_int_equal (reply.body.size, 4);
        assert_memory_equal (reply.body.data, "abab", 4);
    }
    question.request_id = "unheard of";
    client_ask (client, &question, &reply);
    assert_int_equal (reply.status, CALL_BAD_REQUEST);
    assert_int_equal (end (&process, SIGTERM), 0);
}

static void work_without_end_does_not_hold_up_the_end (void **state)
{
    (void) state;
    struct timespec before, after;
    host_process_t process = start (NULL);
    client_request_t question = request (&process, "Work", "");
    question.request_id = "sleep";
    client_send (client, &question);
    assert_string_equal (ask (&process, "Echo", "x"), "x"); /* the loop goes on meanwhile */
    clock_gettime (CLOCK_MONOTONIC, &before);
    assert_int_equal (end (&process, SIGTERM), 0);
    clock_gettime (CLOCK_MONOTONIC, &after);
    assert_true (after.tv_sec - before.tv_sec < 10);
}

static void a_core_that_stops_has_its_last_word_heard (void **state)
{
    (void) state;
    host_process_t process = start (NULL);
    assert_string_equal (ask (&process, "Stop", ""), "bye");
    assert_int_equal (await_end (&process), 0);
    assert_true (log_says ("stopping reason=\"asked to\""));
}

static void expect_usage (const char *one, const char *other, int code, const char *words)
{
    const char *arguments [] = {one, other, NULL};
    host_process_t process = spawn (arguments);
    assert_int_equal (await_end (&process), code);
    if (words)
        assert_true (log_says (words));
}

static void bad_settings_end_it_with_2_and_the_reason (void **state)
{
    (void) state;
    expect_usage ("--set", "store/foldr=x", 2,
                  "unknown key 'store/foldr', did you mean "
                  "'store/folder'?");
    expect_usage ("--set", "name=x", 2, "store/folder is missing");
    expect_usage ("-c", "/nowhere/x.zpl", 2, "/nowhere/x.zpl: cannot be read");
    expect_usage ("--dance", NULL, 2, "dance");
    expect_usage ("extra", NULL, 2, "'extra' is not an option");
    const char *arguments [] = {"--set", store_setting, "--set", "bind/endpoint=tcp://0.0.0.0:0",
                                NULL};
    host_process_t process = spawn (arguments);
    assert_int_equal (await_end (&process), 2);
    assert_true (log_says ("set bind/trusted = true"));
    arguments [3] = "name=bad";
    process = spawn (arguments);
    assert_int_equal (await_end (&process), 2);
    assert_true (log_says ("name: 'bad' is taken"));
}

static void help_and_version_are_told_on_standard_output (void **state)
{
    (void) state;
    static const char *const questions [][2] = {{"--help", "store/bytes = 17179869184"},
                                                {"--version", "svc-counter " MUSUBI_VERSION}};
    for (size_t i = 0; i < 2; i++) {
        const char *arguments [] = {questions [i][0], NULL};
        host_process_t process = spawn (arguments);
        char text [8192];
        size_t size = fread (text, 1, sizeof text - 1, process.output);
        text [size] = '\0';
        assert_non_null (strstr (text, questions [i][1]));
        assert_int_equal (await_end (&process), 0);
    }
}

/*  --- the client's own promises --- */

static void questions_that_cannot_be_asked_are_refused_on_the_spot (void **state)
{
    (void) state;
    host_process_t nobody = {.endpoint = "nonsense"};
    client_reply_t reply;
    client_request_t question = request (&nobody, "Echo", "");
    client_ask (client, &question, &reply);
    assert_int_equal (reply.status, CALL_BAD_REQUEST);
    assert_non_null (strstr (reply.reason, "tcp://HOST:PORT"));
    question.endpoint = "tcp://127.0.0.1:1";
    question.body.size = BODY_BYTES_MAX + 1;
    client_ask (client, &question, &reply);
    assert_int_equal (reply.status, CALL_BAD_REQUEST);
    question.body.size = 0;
    question.actor = "an actor whose name is longer than any name may be in all of this federation";
    uint64_t call = client_send (client, &question);
    assert_int_equal (client_in_flight (client), 1);
    assert_true (client_wait (client, 0, &reply));
    assert_int_equal (reply.call, call);
    assert_int_equal (reply.status, CALL_BAD_REQUEST);
    assert_false (client_wait (client, -1, &reply));
}

static void asking_in_between_keeps_the_replies_of_others (void **state)
{
    (void) state;
    host_process_t process = start (NULL);
    uint64_t calls [20];
    for (size_t i = 0; i < 20; i++) {
        client_request_t question = request (&process, "Echo", "sent before");
        calls [i] = client_send (client, &question);
    }
    assert_string_equal (ask (&process, "Echo", "asked"), "asked");
    client_reply_t reply;
    for (size_t i = 0; i < 20; i++) {
        assert_true (client_wait (client, PATIENCE_MS, &reply));
        assert_int_equal (reply.call, calls [i]);
        assert_memory_equal (reply.body.data, "sent before", 11);
    }
    assert_int_equal (client_in_flight (client), 0);
    assert_int_equal (end (&process, SIGTERM), 0);
}

static void nobody_there_is_a_time_out_for_each_call (void **state)
{
    (void) state;
    host_process_t nobody = {.endpoint = "tcp://127.0.0.1:1"};
    client_request_t question = request (&nobody, "Echo", "");
    question.timeout_ms = 50;
    client_reply_t reply;
    client_ask (client, &question, &reply);
    assert_int_equal (reply.status, CALL_TIMED_OUT);
    for (int i = 0; i < 3; i++)
        client_send (client, &question);
    for (int i = 0; i < 3; i++) {
        assert_true (client_wait (client, -1, &reply));
        assert_int_equal (reply.status, CALL_TIMED_OUT);
    }
    assert_false (client_wait (client, -1, &reply));
}

#define HOST_TEST(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "serve") == 0)
        return serve (argc - 1, argv + 1);
    const struct CMUnitTest tests [] = {
      HOST_TEST (serves_and_ends_cleanly_on_either_signal),
      HOST_TEST (what_is_under_way_is_over_before_the_end),
      HOST_TEST (told_twice_it_ends_at_once),
      HOST_TEST (a_reply_names_the_store_and_its_start),
      HOST_TEST (unknown_methods_are_the_cores_to_refuse),
      HOST_TEST (rows_are_read_as_this_batch_has_flushed_them),
      HOST_TEST (every_answered_put_survives_kill_9),
      HOST_TEST (a_second_process_on_the_store_does_not_start),
      HOST_TEST (a_process_that_was_taken_over_ends_without_answering),
      HOST_TEST (a_store_deleted_under_a_process_ends_it_before_it_promises_more),
      HOST_TEST (a_store_cut_under_a_process_ends_it_in_words),
      HOST_TEST (an_idle_process_finds_by_scrubbing_that_its_store_is_gone),
      HOST_TEST (a_full_store_is_told_within_a_batch_and_ends_nothing),
      HOST_TEST (calls_between_processes_are_answered_or_time_out),
      HOST_TEST (timers_ring_once_and_not_early),
      HOST_TEST (entropy_is_fresh_in_each_step),
      HOST_TEST (work_is_done_aside_and_its_failures_told),
      HOST_TEST (work_without_end_does_not_hold_up_the_end),
      HOST_TEST (a_core_that_stops_has_its_last_word_heard),
      HOST_TEST (bad_settings_end_it_with_2_and_the_reason),
      HOST_TEST (help_and_version_are_told_on_standard_output),
      HOST_TEST (questions_that_cannot_be_asked_are_refused_on_the_spot),
      HOST_TEST (asking_in_between_keeps_the_replies_of_others),
      HOST_TEST (nobody_there_is_a_time_out_for_each_call),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
