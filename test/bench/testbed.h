/*  testbed - a federation of real processes, started with `musubi up` for a bench, and what its
 *  services count: flushes, messages, bytes, processor time.
 *
 *  It ends the program when something it needs can't be had. One thread at a time.
 */
#ifndef MUSUBI_BENCH_TESTBED_H
#define MUSUBI_BENCH_TESTBED_H

#include "client.h"

#include <sys/types.h>

/*  Three sites that are never full, and one directory; or the same with two domains: sites one and
 *  two belong to both, and three links form a triangle. */
#define TESTBED_SITES                                                                              \
    "name = bench\n"                                                                               \
    "directories = g1\n"                                                                           \
    "sites\n"                                                                                      \
    "    one\n        classes\n            cpu\n                nodes = 1000000\n"                 \
    "    two\n        classes\n            cpu\n                nodes = 1000000\n"                 \
    "    three\n        classes\n            cpu\n                nodes = 1000000\n"
#define TESTBED_LINKS                                                                              \
    "domains\n"                                                                                    \
    "    N\n        sites = \"one, two\"\n        links\n"                                         \
    "            one-two\n                between = \"one, two\"\n"                                \
    "                mbps = 1000000000\n"                                                          \
    "    S\n        sites = \"one, two, three\"\n        links\n"                                  \
    "            one-three\n                between = \"one, three\"\n"                            \
    "                mbps = 1000000000\n"                                                          \
    "            two-three\n                between = \"two, three\"\n"                            \
    "                mbps = 1000000000\n"

#define TESTBED_FOURTH_SITE                                                                        \
    "    four\n        classes\n            cpu\n                nodes = 1000000\n"
/*  Behind TESTBED_SITES: a storage node at the last of them, and an index of files. */
#define TESTBED_STORAGE                                                                            \
    "        storage\n            nodes = \"d1\"\n            bytes = 100000000000\n"              \
    "indexes = i1\n"

#define TESTBED_SERVICES_MAX 64
#define TESTBED_ACTOR        "bench" /* the actor that administrates it */

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    char endpoint [256];
    uint8_t store [STORE_ID_BYTES];
} testbed_service_t;

typedef struct {
    client_t *client;
    char folder [64];
    char gis [256]; /* the first directory's address */
    testbed_service_t services [TESTBED_SERVICES_MAX];
    size_t services_count;
    const char *planners [TESTBED_SERVICES_MAX]; /* the services' addresses */
    size_t planners_count;
    pid_t pids [TESTBED_SERVICES_MAX];
    size_t pids_count;
    size_t agents_count; /* of these, of nodes and storage nodes, which no directory lists */
    int64_t asked;       /* used for counting */
    bool halted;
} testbed_t;

/*  A federation with this many planners. Returns once all services are listed in the directory. The
 *  client is borrowed. */
void testbed_start (testbed_t *self, client_t *client, const char *federation, size_t planners);
void testbed_stop (testbed_t *self);

/*  Ends the services; configurations and stores stay until testbed_stop. */
void testbed_halt (testbed_t *self);

/*  Puts a small file into the federation, at this site. */
void testbed_put (const testbed_t *self, const char *name, const char *site);

/*  The service of this name, as "lis/one". */
const testbed_service_t *testbed_service (const testbed_t *self, const char *name);

/*  Sends a request as TESTBED_ACTOR to an address. The answer must be CALL_OK; it lives as long as
 *  the client's replies do. */
void testbed_ask (const testbed_t *self, const char *endpoint, const char *service,
                  const char *method, bytes_t body, client_reply_t *reply);

/*  Counts so far, over all services and the client, and how often the services were asked for them.
 */
typedef struct {
    int64_t flushes;
    int64_t messages; /* sent: requests, replies, hints */
    int64_t bytes;    /* of their headers and bodies */
    int64_t asked;
} testbed_counts_t;
testbed_counts_t testbed_counts (testbed_t *self);

/*  The difference since then, without the messages that asking took. */
testbed_counts_t testbed_spent (testbed_t *self, testbed_counts_t from);

/*  Returns when no process has flushed for a while, so that what was going on has ended. */
void testbed_quiet (testbed_t *self);

/*  Processor seconds of all services so far. */
double testbed_cpu_s (const testbed_t *self);

#endif
