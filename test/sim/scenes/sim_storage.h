/*  sim_storage - files of two sites in the simulated host, the product's cores over disks and links
 *  of sim_flows: a home, whose one storage node (the server) has all files from the beginning, and
 *  a site with a storage node on each of its machines.
 */
#ifndef MUSUBI_SIM_STORAGE_H
#define MUSUBI_SIM_STORAGE_H

#include "gis.h"
#include "replica.h"
#include "sim_disk.h"

#define SIM_STORAGE_NODES_MAX 8
#define SIM_STORAGE_FILES_MAX 4

/*  A storage node, or the client's end that gives a file at the beginning. */
typedef struct {
    struct sim_storage *storage;
    char name [32];
    char process [40];
    char file [24]; /* that it gives; "" = it is a storage node */
    uint64_t bytes_max;
    uint64_t bytes_had; /* when it came back smaller, less what has left since; 0 = it did not */
    int number;
} sim_storage_end_t;

typedef struct sim_storage {
    sim_t *sim;         /* in */
    sim_flows_t *flows; /* in */
    gis_settings_t gis;
    const char *gis_endpoints [1];
    replica_settings_t replicas [2];
    int home, here; /* processes of both svc-replica */
    core_t here_core;
    sim_disk_t disk;
    sim_storage_end_t server;
    sim_storage_end_t nodes [SIM_STORAGE_NODES_MAX]; /* in: names and bytes_max; on machines here */
    const char *node_names [SIM_STORAGE_NODES_MAX];
    size_t nodes_count;                     /* in */
    uint64_t sizes [SIM_STORAGE_FILES_MAX]; /* in: of the files in-0, in-1 … */
    size_t files_count;                     /* in */
    sim_storage_end_t givers [SIM_STORAGE_FILES_MAX];
    struct outbox *outbox; /* of the client */
    uint64_t calls;
} sim_storage_t;

/*  Adds a directory, and all that files need beside it; runs until the server has the files. Call
 *  it before faults begin. */
void sim_storage_begin (sim_storage_t *self);

/*  Undoes what is not of this world alone. */
void sim_storage_end (void);

/*  Is the process a storage node's, or a client's end? */
bool sim_storage_is (const sim_storage_t *self, int process);

/*  The file of a node under its name in the federation; NULL = it has none. */
sim_file_t *sim_storage_file (const sim_storage_t *self, const sim_storage_end_t *node,
                              const char *name);

/*  The content that file in-N has, where it is right. */
static inline uint64_t sim_storage_content (size_t file)
{
    return file + 1;
}

#endif
