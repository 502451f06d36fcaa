/*  batch_picture - what a batch system says of its nodes (proto/nodes.proto, BatchPicture). Plain
 *  values: the agent of the batch system makes it, the site keeps its places equal to it.
 */
#ifndef MUSUBI_BATCH_PICTURE_H
#define MUSUBI_BATCH_PICTURE_H

#include "codec.h"
#include "runs.h"
#include "site.h"

#define BATCH_NODES_MAX    65536 /* in one picture */
#define BATCH_BOOKINGS_MAX 16384
#define BATCH_TIMES_MAX    1024                /* further ones of one booking */
#define BATCH_FOREVER_MS   (INT64_C (1) << 46) /* an end that never comes */

/*  The attributes of a class that its batch system has to bear out: NAME = feature, gpu = TYPE,
 *  gpus = NUMBER. */
#define BATCH_FEATURE            "feature"
#define BATCH_GPU                "gpu"
#define BATCH_GPUS               "gpus"
#define BATCH_FEATURES_BYTES_MAX 65536 /* of a node's list of them */

typedef struct {
    char node [NAME_BYTES_MAX + 1]; /* must be the first member */
    bool up;
    bool drained;                     /* an operator has taken it out there */
    char why [RUN_WHY_BYTES_MAX + 1]; /* as the batch system gives it */
    uint32_t cpus;
    uint32_t cpus_busy;
    bool silent;           /* and not up: not heard there, which does not say that it is down */
    int64_t busy_until_ms; /* when the jobs there that are in no reservation of ours have reached
                              their limits; 0 = there is none */
    int64_t firm_until_ms; /* … those that may not be run again */
    int64_t busy_since_ms; /* the first of them has run since then */
    const char *features;  /* "haswell,ib", owned; NULL = "" */
    char gpu [NAME_BYTES_MAX + 1]; /* the type of its GPUs; "" = none is told */
    uint32_t gpus;                 /* of that type */
} batch_node_t;

/*  What becomes of jobs on a node that a reservation needs: opening/clear. */
typedef enum {
    CLEAR_WAIT,    /* none ends */
    CLEAR_REQUEUE, /* those that may be run again make way */
    CLEAR_END      /* all do */
} clear_t;

/*  Nodes that others have over [from_ms, until_ms): an advance reservation, maintenance, jobs. One
 *  that recurs has them again over each pair of again_ms, ascending by its start. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    const char **nodes;
    size_t nodes_count;
    int64_t from_ms;
    int64_t until_ms;
    int64_t *again_ms;
    size_t again_count; /* even: twice the further times */
    bool jobs;          /* that don't make way; by the site, not in what its agent tells */
} batch_booking_t;

typedef struct {
    char system [NAME_BYTES_MAX + 1];
    int64_t seen_ms;                  /* wall; 0 = it has never answered */
    char why [RUN_WHY_BYTES_MAX + 1]; /* why it has not answered since; "" = it answers */
    batch_node_t *nodes;
    size_t nodes_count;
    batch_booking_t *bookings;
    size_t bookings_count;
    int64_t longest_ms; /* that a job may take there; 0 = no limit is known */
    int64_t reach_ms; /* the longest job that may begin on its nodes; 0 = any, or it is not known */
    char trouble [WHY_BYTES]; /* what of it could not be read, or was too much; "" = nothing */
    bool partial;             /* a node that it does not tell is not known, else it is not there */
    bool features; /* those of its nodes are told, and their GPUs; else nothing is known of them */
    bool gone; /* the queue, or all its nodes: these are the nodes of all; not in what is told */
} batch_picture_t;

/*  The next of a booking's times: *time is 0 before the first one. False behind the last. */
bool batch_booking_next (const batch_booking_t *booking, size_t *time, int64_t *from_ms,
                         int64_t *until_ms);

/*  Additions to a picture, which copies what it is given; once its nodes are sorted they can be
 *  found. */
batch_node_t *batch_picture_node (batch_picture_t *picture, const char *node);
void batch_picture_sort (batch_picture_t *picture);
batch_node_t *batch_picture_find (const batch_picture_t *picture, const char *node);
batch_booking_t *batch_picture_booking (batch_picture_t *picture, const char *name, int64_t from_ms,
                                        int64_t until_ms);
void batch_booking_node (batch_booking_t *booking, const char *node);

/*  Has the node what its class sells: CPUs, features, GPUs? What it does not tell is not missed.
 *  False with why. */
bool batch_node_fits (const batch_picture_t *picture, const batch_node_t *node,
                      const node_class_t *class, char why [WHY_BYTES]);

/*  A job runs on the node; firm: it may not be run again. */
void batch_node_job (batch_node_t *node, int64_t since_ms, int64_t until_ms, bool firm);

extern const codec_t batch_booking_codec;
extern const codec_t batch_picture_codec;

#endif
