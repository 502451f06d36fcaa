/*  staging_world - a site whose tasks read large files, in the simulated host: S2's evaluation
 *  (§5.1, §5.2).
 *
 *  The site's svc-lis with its queue, its nodes' agents, its svc-replica and its storage nodes, the
 *  svc-replica and the one storage node (the server) of the site that has the files, and a
 *  directory are the product's cores. Bytes are a fluid on links of LINK_MBPS, one for each node
 *  and one for the server; jobs are times. Of the ways that the product does not have (a shared
 *  server, a copy a job) only the server's link is in the world: who reads over it has an equal
 *  share.
 */
#ifndef MUSUBI_STAGING_WORLD_H
#define MUSUBI_STAGING_WORLD_H

#include "bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WORKERS_MAX 32
#define READERS_MAX (5 * WORKERS_MAX)
#define QUERIES     5 /* of a job that reads a file */
#define LINK_MBPS   100
#define FILE_BYTES  UINT64_C (300000000)
#define COPY_S      24.0 /* of a file over one link */

typedef enum {
    WAY_SHARED, /* each query reads the whole file over the server's link, while it computes */
    WAY_COPY,   /* each job copies the file from the server, then computes */
    WAY_PLACED, /* each node has the file from the beginning */
    WAY_STAGED, /* ours */
    WAYS
} staging_way_t;

typedef struct {
    staging_way_t way;
    size_t nodes;
    uint32_t node_cpus; /* of each; 0 = 1, as in the paper */
    uint32_t job_cpus;  /* of one that reads a file; 0 = 1 */
    uint32_t compute_cpus;
    size_t jobs;    /* that read a file, submitted at once */
    bool own_files; /* each a file of its own; otherwise all the same one */
    double
      compute_s; /* of such a job, mean; its queries differ by 10 % at most, as the seed says */
    size_t compute_jobs; /* that read nothing, submitted just after the others */
    double compute_job_s;
    bool overlap; /* nodes compute while they transfer, and transfer while they compute */
} staging_plan_t;

typedef struct {
    size_t over;       /* jobs that ended */
    size_t blind;      /* jobs that began without their file's right bytes */
    size_t wrong;      /* jobs of no shared link that ran for another time than they take */
    size_t suspended;  /* how often a job was */
    double makespan_s; /* from the submission to the last end; NaN: not all have ended */
    double job_s;      /* mean over jobs that read: from when their node is free to their end */
    double warm_s;     /* the same of those that are not the first at their node */
    double copies;     /* of a file, that crossed the server's link */
} staging_result_t;

/*  False with why: a check of the simulation did not hold. trace may be NULL. */
bool staging_world_play (const staging_plan_t *plan, uint64_t seed, FILE *trace,
                         staging_result_t *result, char why [LONG_WHY_BYTES]);

#endif
