/*  flow_fixture - ends of flows on loopback: each has a thread of its own (flows.h), its files lie
 *  in one folder, and news of it are awaited.
 */
#ifndef MUSUBI_FLOW_FIXTURE_H
#define MUSUBI_FLOW_FIXTURE_H

#include "flows.h"
#include "must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define BYTES    (3 * 1024 * 1024 + 17) /* of the file */
#define WAIT_MS  20000                  /* for news that must come */
#define ANY_FLOW 0

typedef struct {
    poll_set_t *ports;
    flows_t *flows;
    uint64_t broken; /* the flow that was told as broken; 0 = none */
} end_t;

static char folder [64];
static const uint8_t id [FLOW_ID_BYTES] = {1}, token [FLOW_TOKEN_BYTES] = {2};

/*  listen: as in flows_new; NULL = it only receives. */
static inline end_t end_new (const char *listen)
{
    char why [WHY_BYTES];
    end_t end = {.ports = poll_set_new ()};
    end.flows = flows_new (end.ports, listen, NULL, why);
    if (!end.flows)
        fail_msg ("%s", why);
    return end;
}

static inline void end_destroy (end_t *end)
{
    flows_destroy (&end->flows);
    poll_set_destroy (&end->ports);
}

static inline int64_t mono_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*  The next news of this kind about a flow; others are passed over. */
static inline flow_event_t await_of (end_t *end, uint64_t flow, flow_news_t news)
{
    event_t event;
    for (int64_t until_ms = mono_ms () + WAIT_MS; mono_ms () < until_ms;) {
        while (flows_receive (end->flows, &event)) {
            if (event.flow.news == FLOW_BROKEN)
                end->broken = event.flow.flow;
            if ((flow == ANY_FLOW || event.flow.flow == flow) && event.flow.news == news)
                return event.flow;
        }
        poll_set_wait (end->ports, 100);
    }
    fail_msg ("no news %d came", (int) news);
    return (flow_event_t){0};
}

/*  Of a file in the folder; good until three more were asked for. */
static inline const char *path (const char *name)
{
    static char paths [4][128];
    static int turn;
    char *to = paths [turn++ % 4];
    snprintf (to, sizeof paths [0], "%s/%s", folder, name);
    return to;
}

static inline void write_file (const char *name, const uint8_t *data, size_t size)
{
    FILE *file = must (fopen (path (name), "wb"));
    assert_int_equal (fwrite (data, 1, size, file), size);
    fclose (file);
}

/*  A group's setup: makes the folder. */
static inline int make_folder (void **state)
{
    (void) state;
    snprintf (folder, sizeof folder, "/tmp/test_flows.XXXXXX");
    return mkdtemp (folder) ? 0 : -1;
}

#endif
