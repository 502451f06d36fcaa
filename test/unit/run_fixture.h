/*  run_fixture - runs as a node's workers and starters carry them out: real files, real processes.
 *  A program with it is its own starter: called with "starter" it is one.
 */
#ifndef MUSUBI_RUN_FIXTURE_H
#define MUSUBI_RUN_FIXTURE_H

#include "lease.h"
#include "processes.h"
#include "run_executor.h"
#include "run_folder.h"
#include "starter.h"
#include "work.h"

#include <fcntl.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define WAIT_MS_MAX 60000 /* for what must happen: a bound on failure, never met */
#define LONG_GRACE_MS                                                                              \
    3600000 /* SIGTERM is what ends it: a shell that is about to start a program                   \
               holds signals off, and with none SIGKILL might come first */

static const uint8_t site [STORE_ID_BYTES] = {0xab, 1};
static char runs [256];
static uint64_t bags;

/*  --- what a test has carried out --- */

typedef struct {
    bool ok;
    work_result_t result;
    char why [256];
} run_executor_test_done_t;

static inline const work_kind_t *kind_of (const char *kind)
{
    for (size_t i = 0; i < run_executor_count; i++)
        if (strcmp (run_works [i].kind, kind) == 0)
            return &run_works [i];
    fail_msg ("no kind %s", kind);
    return NULL;
}

static inline run_executor_test_done_t carry_out (const char *kind, const work_order_t *order)
{
    run_executor_test_done_t done = {0};
    char why [WHY_BYTES];
    uint8_t *result = NULL;
    size_t size = 0;
    packed_t packed = codec_encode (&work_order_codec, order);
    done.ok = work_do (kind_of (kind), (bytes_t){packed.data, packed.size}, &result, &size);
    free (packed.data);
    if (done.ok)
        assert_true (codec_decode (&work_result_codec, &done.result, (bytes_t){result, size}, why));
    else
        snprintf (done.why, sizeof done.why, "%.*s", (int) size, (const char *) result);
    free (result);
    return done;
}

static inline stand_t stand_of (run_executor_test_done_t *done)
{
    if (!done->ok)
        fail_msg ("%s", done->why);
    assert_int_equal (done->result.stands_count, 1);
    stand_t stand = done->result.stands [0];
    codec_clear (&work_result_codec, &done->result);
    return stand;
}

/*  --- runs --- */

typedef struct {
    char name [RUN_NAME_BYTES_MAX + 1];
    run_id_t id;
    run_order_t order;
    const char *arguments [4];
    const char *environment [2];
    uint64_t output_bytes_max;
    uint64_t room_bytes_least;
    const char *arrivals;
} made_t;

static inline const char *own_account (void)
{
    const struct passwd *entry = getpwuid (geteuid ());
    return geteuid () == 0 ? "nobody" : entry ? entry->pw_name : "";
}

/*  The program of these runs is a shell; nothing else starts one. */
static inline made_t made (const char *script)
{
    made_t made = {.id = {.task = {.bag = ++bags, .index = 3}, .number = 1}};
    run_name (site, &made.id, made.name);
    made.arguments [0] = "/bin/sh";
    made.arguments [1] = "-c";
    made.arguments [2] = script;
    made.environment [0] = "COLOUR=green";
    made.environment [1] = "MUSUBI_NODE=a lie";
    made.order = (run_order_t){.arguments_count = 3,
                               .environment_count = 2,
                               .folder = "",
                               .output = "",
                               .errors = "",
                               .cpus = 1,
                               .limit_ms = 600000,
                               .cpu_limit_ms = 600000,
                               .account = own_account (),
                               .owner = "alice",
                               .reservation = "r1",
                               .need = "ocean"};
    return made;
}

static inline int64_t mono_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline stand_t begin_leased (made_t *made, int64_t lease_ms)
{
    made->order.arguments = made->arguments;
    made->order.environment = made->environment;
    work_order_t order = {.runs = runs,
                          .ticket = {.name = made->name,
                                     .id = made->id,
                                     .site = "ams",
                                     .node = "n1",
                                     .order = &made->order,
                                     .output_bytes_max = made->output_bytes_max,
                                     .room_bytes_least = made->room_bytes_least,
                                     .arrivals = made->arrivals},
                          .lease_ms = mono_ms () + lease_ms,
                          .endpoint = ""};
    run_executor_test_done_t done = carry_out (RUN_START, &order);
    return stand_of (&done);
}

static inline stand_t begin (made_t *made)
{
    return begin_leased (made, 3600000);
}

static inline stand_t look (const made_t *made)
{
    const char *names [] = {made->name};
    run_executor_test_done_t done =
      carry_out (RUN_LOOK, &(work_order_t){.runs = runs, .names = names, .names_count = 1});
    return stand_of (&done);
}

static inline stand_t tell (const made_t *made, work_order_t order)
{
    const char *names [] = {made->name};
    order.runs = runs;
    order.names = names;
    order.names_count = 1;
    run_executor_test_done_t done = carry_out (RUN_SIGNAL, &order);
    return stand_of (&done);
}

static inline void rest (void)
{
    nanosleep (&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static inline stand_t await_end (const made_t *made)
{
    int64_t until_ms = mono_ms () + WAIT_MS_MAX;
    for (;;) {
        stand_t stand = look (made);
        if (run_over (stand.report.state))
            return stand;
        if (mono_ms () > until_ms)
            fail_msg ("run %s does not end", made->name);
        rest ();
    }
}

/*  The output of a run, or in brackets why there is none. */
static inline void written (const made_t *made, bool errors, char *text, size_t room)
{
    const char *names [] = {made->name};
    run_executor_test_done_t done =
      carry_out (RUN_READ, &(work_order_t){.runs = runs,
                                           .names = names,
                                           .names_count = 1,
                                           .errors = errors,
                                           .most = (uint32_t) room - 1});
    assert_true (done.ok);
    snprintf (text, room, "%.*s", (int) done.result.data.size,
              done.result.data.data ? (const char *) done.result.data.data : "");
    if (*done.result.why)
        snprintf (text, room, "(%s)", done.result.why);
    codec_clear (&work_result_codec, &done.result);
}

static inline void output_of (const made_t *made, char *text, size_t room)
{
    written (made, false, text, room);
}

/*  Waits until the run has written this. */
static inline void await_output (const made_t *made, const char *wanted)
{
    char text [4096];
    int64_t until_ms = mono_ms () + WAIT_MS_MAX;
    do {
        if (mono_ms () > until_ms)
            fail_msg ("run %s does not write %s", made->name, wanted);
        rest ();
        output_of (made, text, sizeof text);
    } while (!strstr (text, wanted));
}

static inline pid_t number_in (const made_t *made, const char *word)
{
    char text [4096];
    output_of (made, text, sizeof text);
    const char *at = strstr (text, word);
    assert_non_null (at);
    return atoi (at + strlen (word));
}

/*  Each test has its own folder of runs, because a lease is never shortened. */
static inline int folder_make (void **state)
{
    (void) state;
    snprintf (runs, sizeof runs, "/tmp/test_run_works.XXXXXX");
    if (!mkdtemp (runs))
        return -1;
    return chmod (runs, 0711);
}

static inline int folder_remove (void **state)
{
    (void) state;
    run_executor_test_done_t done =
      carry_out (RUN_PRUNE, &(work_order_t){.runs = runs, .keep_ms = 0});
    codec_clear (&work_result_codec, &done.result);
    char lease [300];
    snprintf (lease, sizeof lease, "%s/lease", runs);
    unlink (lease);
    return rmdir (runs); /* whatever was left would hold it */
}

#endif
