/*  chain_scene - one site's storage nodes and sources, and a file that goes down a chain of them:
 *  drawn from a seed, run under faults, and judged.
 *
 *  Conductor and agents die at every effect and come back; what is between them loses, doubles,
 *  delays, reorders and cuts; hosts are cut off, stand still as after SIGSTOP, are slow, lose on
 *  their disks what was not flushed; a source's file changes; one receiver may be gone for good. At
 *  every step and at the end:
 *
 *      nothing is kept under a name, or told as verified, that is not the file
 *      no receiver that comes back is given up
 *      a node that was skipped stands where no other depends on it
 *      soon after faults have ended all nodes but one that is gone for good have the file
 *      no byte that is on a disk is received again, as long as none was wrong
 */
#ifndef MUSUBI_CHAIN_SCENE_H
#define MUSUBI_CHAIN_SCENE_H

#include "chain.h"
#include "sim_disk.h"

#define CHAIN_SCENE_NODES_MAX 16
#define CHAIN_SCENE_DRAWN_MAX 6 /* nodes of a schedule that is drawn */
#define CHAIN_SCENE_ENDS_MAX  (CHAIN_SCENE_NODES_MAX + 2)
#define CHAIN_SCENE_MBPS      100 /* of every host */

typedef struct chain_scene chain_scene_t;

/*  A storage node, or a source (a guest). */
typedef struct {
    chain_scene_t *scene;
    char name [24];
    char process [32];
    char folder [32];
    bool guest;
} chain_end_t;

typedef enum { FALL_DEAD, FALL_CUT_OFF, FALL_STANDING_STILL, FALLS } fall_t;

struct chain_scene {
    /*  Its shape: set before chain_scene_begin. */
    size_t nodes, sources;
    uint64_t size;
    uint32_t mbps;
    uint32_t slow_ms; /* chain_limits_t; 0 = 1 000 */
    bool hides;       /* every other node, from the first on, is reached by nobody */
    const chain_loan_t
      *loan;         /* of the first node to another site, as long as it is wanted; or NULL */
    uint64_t part;   /* node 0 is a client's end that goes on with so many bytes; 0 = it is none */
    bool part_other; /* these are of another file */
    size_t late; /* so many of the first nodes start when bytes move already, one after another */

    sim_t *sim;
    sim_flows_t *flows;
    sim_disk_t disk;
    sim_tally_t *tally;
    int site;
    chain_end_t ends [CHAIN_SCENE_ENDS_MAX];
    int processes [CHAIN_SCENE_ENDS_MAX];
    bool damaged_source; /* one of two sources gets other bytes than it had */
    bool harms;          /* a machine may lose its power, */
    bool harmed;         /* and has lost it */
    bool marks;          /* feeders send their marks */
    prng_t prng;         /* random numbers for the power loss */
    size_t gone;         /* this node does not come back; SIZE_MAX = all do */
    fall_t gone_how;
    int64_t begun_us;                            /* the transfer */
    int64_t verified_us [CHAIN_SCENE_NODES_MAX]; /* 0 = not yet */

    /*  Of the conductor's present life. */
    service_t *service;
    chain_t *chain;
};

/*  Starts the processes, and begins the transfer as soon as all have come; without faults. tally
 *  and trace as in sim_new. */
void chain_scene_begin (chain_scene_t *self, uint64_t seed, sim_tally_t *tally, FILE *trace);
void chain_scene_end (chain_scene_t *self);

/*  A node falls now, for good. */
void chain_scene_fall (chain_scene_t *self, fall_t how, size_t node);

/*  True when the node is told to have the file. */
bool chain_scene_has (const chain_scene_t *self, size_t node);

/*  A whole schedule. True when every check held; else why says which did not. trace may be NULL.
 *  Counts go into the tally. */
bool chain_scene_run (uint64_t seed, sim_tally_t *tally, FILE *trace, char why [LONG_WHY_BYTES]);

#endif
