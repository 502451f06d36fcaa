/*  test_storage_arrivals - a storage node's agent on a real folder: what a task has left there, and
 *  nobody takes in, goes when its time is over, and not before.
 */
#include "storage.h"
#include "storage_executor.h"
#include "work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder [] = "/tmp/musubi-arrivals-XXXXXX";

static const char *path_in (const char *name)
{
    static char path [256];
    snprintf (path, sizeof path, "%s/%s", folder, name);
    return path;
}

/*  Carries out the work that a step orders; its end is another step. Returns when the core wakes
 *  next. */
static int64_t step (core_t *core, int64_t mono_ms, const event_t *event)
{
    const moment_t now = {.mono_ms = mono_ms, .wall_ms = 1700000000000 + mono_ms};
    effect_t effect;
    int64_t timer_ms = INT64_MAX;
    event_t ended = {.kind = EVENT_TIMER};
    uint8_t *result = NULL;
    size_t size;
    core->step (core->self, &now, event);
    while (core->next (core->self, &effect)) {
        if (effect.kind == EFFECT_TIMER)
            timer_ms = effect.timer.mono_ms;
        for (size_t i = 0; effect.kind == EFFECT_WORK && i < storage_executor_count; i++)
            if (strcmp (storage_works [i].kind, effect.work.kind) == 0) {
                assert_null (result);
                ended = (event_t){.kind = EVENT_WORK, .work = {.work = effect.work.work}};
                ended.work.ok = work_do (&storage_works [i], effect.work.arguments, &result, &size);
                ended.work.result = (bytes_t){.data = result, .size = size};
            }
    }
    if (ended.kind == EVENT_WORK) {
        int64_t again_ms = step (core, mono_ms, &ended);
        timer_ms = again_ms < timer_ms ? again_ms : timer_ms;
    }
    free (result);
    return timer_ms;
}

/*  Is what was left there still there, two minutes later? */
static bool stays (int64_t arrivals_ms, bool guest)
{
    static const char *const sites [] = {"sim://replica"};
    core_t core;
    FILE *left = fopen (path_in ("arrivals/left"), "w");
    assert_non_null (left);
    fclose (left);
    storage_core (&(storage_settings_t){.name = "d1",
                                        .sites = sites,
                                        .sites_count = 1,
                                        .folder = folder,
                                        .bytes_max = 1000,
                                        .guest = guest,
                                        .arrivals_ms = arrivals_ms},
                  &core);
    int64_t at_ms = step (
      &core, 0,
      &(event_t){.kind = EVENT_START, .start = {.endpoint = "sim://d1", .events = "", .data = ""}});
    while (at_ms <= 120000)
        at_ms = step (&core, at_ms, &(event_t){.kind = EVENT_TIMER});
    core.destroy (core.self);
    return access (path_in ("arrivals/left"), F_OK) == 0;
}

static void what_nobody_takes_in_goes_when_its_time_is_over (void **state)
{
    (void) state;
    assert_true (stays (3600000, false));
    assert_true (stays (1, true)); /* a guest's folder is its client's */
    assert_false (stays (1, false));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_nobody_takes_in_goes_when_its_time_is_over),
    };
    if (!mkdtemp (folder) || !storage_folders_make (folder))
        return 1;
    int failed = cmocka_run_group_tests (tests, NULL, NULL);
    static const char *const inside [] = {"arrivals/left", "parts",    "files",
                                          "marks",         "arrivals", ""};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        remove (path_in (inside [i]));
    return failed;
}
