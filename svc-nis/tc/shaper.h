/*  shaper - makes the queueing disciplines of a machine equal to what is wanted there, by commands
 *  of tc and ip, and tells what is there afterwards. README.md draws them.
 *
 *  It looks, compares, and changes what differs; so it may be ended at any moment and begun again.
 *  What it makes it knows again by its handle (SHAPER_HANDLE), and it touches nothing else. It sees
 *  the machine through shaper_machine_t alone: pure.
 */
#ifndef MUSUBI_SHAPER_H
#define MUSUBI_SHAPER_H

#include "shape.h"

#define SHAPER_HANDLE   "6d75:" /* of each htb that it makes; "mu" */
#define SHAPER_IFB      "mu"    /* the names of its ifbs begin so */
#define SHAPER_REDIRECT 28021   /* the pref of the filter that leads what comes in to its ifb */

typedef struct {
    void *owner;

    /*  Runs a command, whose words have single blanks between them. *output, where it is wanted, is
     *  malloc'ed. False with why, what the program says. */
    bool (*command) (void *owner, const char *command, char **output, char why [WHY_BYTES]);

    /*  Can that much be shaped at an interface? False with why: it is not there, it carries less,
     *  there is no right to. */
    bool (*fit) (void *owner, const char *interface, uint32_t mbps, char why [WHY_BYTES]);

    /*  Is there no fq_codel? It is tried until then; set where it was refused and bfifo was not. */
    bool *no_fq_codel;
} shaper_machine_t;

/*  Fills *seen with the interfaces of the order, their troubles and queues, and those of its shapes
 *  that are there: codec_clear. */
void shaper_run (const shaper_machine_t *machine, const router_work_t *order, router_work_t *seen);

#endif
