/*  sim_flows - the bulk bytes of simulated processes: disks that outlive them, and links between
 *  their hosts on which bytes are a fluid.
 *
 *  A file's content is a number. Bytes of two contents in one file spoil it for ever; with marks,
 *  wrong bytes are found as they come and when the file is looked at.
 */
#ifndef MUSUBI_SIM_FLOWS_H
#define MUSUBI_SIM_FLOWS_H

#include "sim.h"

#define SIM_PATH_BYTES 256

typedef struct sim_file {
    struct sim_file *after;
    int process;
    char path [SIM_PATH_BYTES]; /* "" = it was removed; flows that have it open go on */
    uint64_t content;           /* 0 = none yet */
    uint64_t bytes;
    uint64_t marked; /* the content that its marks were made of; 0 = it has none */
    bool damaged;
} sim_file_t;

typedef struct sim_flows sim_flows_t;

/*  Moves the bytes of all processes from now on. All hosts have links of this rate. */
sim_flows_t *sim_flows_new (sim_t *sim, uint64_t seed, uint32_t mbps);
void sim_flows_destroy (sim_flows_t **self_p);

void sim_flows_rate (sim_flows_t *self, int process, uint32_t mbps);

/*  Feeders send their marks. */
void sim_flows_mark (sim_flows_t *self);

/*  Until then no bytes come to its host or leave it. */
void sim_flows_cut (sim_flows_t *self, int process, int64_t until_us);

/*  Nobody reaches it from now on, as behind an address translator; it reaches others. */
void sim_flows_hide (sim_flows_t *self, int process);

/*  Finds the file; NULL when there is none, unless make says to make it. */
sim_file_t *sim_flows_file (sim_flows_t *self, int process, const char *path, bool make);
sim_file_t *sim_flows_files (sim_flows_t *self);
void sim_file_digest (const sim_file_t *file, uint8_t digest [FLOW_DIGEST_BYTES]);

/*  Bytes that have come to this process, in all its lives. */
uint64_t sim_flows_received (const sim_flows_t *self, int process);

/*  Bytes that have left it for others. */
uint64_t sim_flows_fed (const sim_flows_t *self, int process);

/*  Called when a process is told that its file has all bytes. */
void sim_flows_on_whole (sim_flows_t *self, void (*whole) (void *owner, int process), void *owner);

#endif
