/*  sim_tc - a Linux machine with what tc and ip can do there, as far as an agent of a router asks
 *  it: devices, htb with classes and their queues, u32 filters, ifb devices. It speaks as iproute2
 *  6.1 does, refuses what the kernel refuses, and outlives whoever gives it commands.
 */
#ifndef MUSUBI_SIM_TC_H
#define MUSUBI_SIM_TC_H

#include "shaper.h"

#define SIM_TC_DEVICES 16
#define SIM_TC_CLASSES 64

typedef struct {
    unsigned minor;
    unsigned rate; /* Mbit/s */
    unsigned ceil;
    char queue [16]; /* "" = the default */
    char limit [16]; /* of that, as it was given: "192Kb"; "" = none was */
} sim_tc_class_t;

typedef struct {
    unsigned pref;
    unsigned minor;
    char matches [160]; /* as they are shown */
} sim_tc_filter_t;

typedef struct {
    char name [INTERFACE_BYTES_MAX + 1];
    bool ifb;
    bool up;
    bool htb;         /* ours */
    char others [16]; /* a root of somebody else's: "tbf 1:" */
    bool ingress;
    char redirect [INTERFACE_BYTES_MAX + 1]; /* what comes in is led there */
    sim_tc_class_t classes [SIM_TC_CLASSES];
    size_t classes_count;
    sim_tc_filter_t filters [SIM_TC_CLASSES];
    size_t filters_count;
} sim_tc_device_t;

typedef struct {
    sim_tc_device_t devices [SIM_TC_DEVICES];
    size_t devices_count;
    bool fq_codel;      /* the kernel has it */
    bool no_fq_codel;   /* what the shaper knows of that, in this life */
    size_t fq_codels;   /* how often it was asked for where it is not */
    int64_t dies_after; /* so many more commands that change something are carried out */
    bool touched;       /* by somebody else, and nobody has heard of it yet */
    const char *why;    /* a rule was broken; NULL = none was */
    size_t changes;     /* commands that changed something */
} sim_tc_t;

/*  A new device; others = NULL: nobody has made a root of its own. */
void sim_tc_device (sim_tc_t *self, const char *name, const char *others);

/*  As the shaper sees it; borrows self. */
shaper_machine_t sim_tc_machine (sim_tc_t *self);

/*  Is all that agents make gone? */
bool sim_tc_clean (const sim_tc_t *self);

/*  How many classes of circuits a device has. */
size_t sim_tc_circuits (const sim_tc_t *self, const char *device);

/*  Is there a class of that rate, at this device or ("in") at the ifb of what comes in there, with
 *  just that ceil and a short queue, and does a filter lead to it? */
bool sim_tc_has (const sim_tc_t *self, const char *device, bool in, unsigned mbps);

#endif
