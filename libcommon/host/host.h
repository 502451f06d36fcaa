/*  host - the real host: carries one core over ZeroMQ, one store and the system's clocks.
 *
 *  It drains its ROUTER, steps the core for each request, makes one durable write for the batch,
 *  and only then lets replies, calls and hints leave; a batch without puts needs no write. A
 *  program that keeps nothing has no store.
 */
#ifndef MUSUBI_HOST_H
#define MUSUBI_HOST_H

#include "codec.h"
#include "config.h"
#include "core.h"
#include "poll_set.h"
#include "states.h"

/*  Slow work by kind: runs on a worker thread, or in a process it spawns itself. One of run,
 *  carry_out and run_for is given. */
typedef struct {
    const char *kind;

    /*  Returns true with *result malloc'ed, or false with a sentence in it. */
    bool (*run) (bytes_t arguments, uint8_t **result, size_t *result_size);

    /*  The same of structs, by their codecs. result is zero at first; false with why. */
    const codec_t *order;
    const codec_t *result;
    bool (*carry_out) (const void *order, void *result, char why [WHY_BYTES]);

    /*  As run, of a thing that is there once; the host's own. */
    bool (*run_for) (void *owner, bytes_t arguments, uint8_t **result, size_t *result_size);
    void *owner;
} work_kind_t;

/*  Who moves bulk bytes: the functions of flow/flows.h. */
typedef struct {
    struct flows *(*begin) (poll_set_t *ports, const char *listen, const char *host,
                            char why [WHY_BYTES]);
    void (*end) (struct flows **self_p);
    const char *(*endpoint) (const struct flows *self);
    void (*order) (struct flows *self, const flow_order_t *order);
    bool (*receive) (struct flows *self, event_t *event);
} flow_part_t;

typedef struct {
    const char *program;             /* "svc-lis" */
    const setting_table_t *settings; /* its own; the host adds bind_table, store_table, pool_table
                                        if it pools, and data_table where it moves bulk bytes. Its
                                        first row is the name */
    const work_kind_t *works;
    size_t works_count;
    size_t workers;          /* works at once, at most WORKERS_MAX; 0 = WORKERS (work.h) */
    const flow_part_t *flow; /* it moves bulk bytes: bind/data says where from; or NULL */
    const state_table_t *const *states; /* what --states prints, NULL behind the last; or NULL */
    bool keeps_nothing;      /* no store: it serves under an id that is drawn at its start */
    bool pools;              /* its store may be one of a pool */
    const char *not_adopted; /* why --adopt makes no sense here; NULL: it does */

    /*  Makes the core; NULL with why filled: exit 2. The config lives as long as the core. */
    bool (*core_new) (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

    /*  NULL, or: is all of it fit, though it would begin? What is not it has printed. For
     *  --check. */
    bool (*fit) (void);

    /*  NULL, or: does the process that serves the store already do the job of this one? Then this
     *  one ends as if it had done the job itself. */
    bool (*gives_way) (void);
} host_program_t;

/*  Settings that every service has. */
typedef struct {
    const char *endpoint;
    const char *events;
    const char *host;         /* NULL: as in endpoint */
    uint32_t connections_max; /* incoming ones; beyond so many, or when ulimit -n is nearly reached,
                                 the longest idle ones are closed */
    bool trusted;
} bind_settings_t;

typedef struct {
    const char *folder; /* NULL: in a pool */
    uint64_t bytes;
    int64_t scrub_ms;
} store_settings_t;

typedef struct {
    const char *folder; /* ""; else one of its stores */
} pool_settings_t;

typedef struct {
    const char *endpoint; /* "none": it feeds nobody */
} data_settings_t;

extern const setting_table_t bind_table;
extern const setting_table_t data_table;
extern const setting_table_t store_table;
extern const setting_table_t pool_table;

/*  The whole life of a service: svc-X [-c FILE.zpl] [--set path=value]… [--verbose] [--version]
 *  [--help] [--states] [--adopt] [--backup FOLDER]. Prints "ready endpoint=… events=…" when it
 *  serves. Returns the exit code: 0 after SIGTERM, SIGINT or EFFECT_STOP; 2 on a bad configuration;
 *  1 when the machine fails. */
int host_run (const host_program_t *program, int argc, char **argv);

#endif
