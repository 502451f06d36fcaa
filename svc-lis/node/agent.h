/*  agent - a node's side of proto/nodes.proto: it asks its site what is wanted, claims runs in its
 *  store before it has them begun, and says how they stand.
 *
 *  What is wanted comes whole with each answer; what is carried out is work (node_work.h) whose end
 *  is recorded in a run's folder by whoever has begun it. So an agent that dies has lost nothing:
 *  the next one reads its claims, looks at their folders, asks, and goes on. It begins nothing that
 *  its site has not wanted in this start.
 *
 *  A site is known by its store. Should that be another one, the runs of the former are ended, and
 *  no more is said of them. Pure.
 */
#ifndef MUSUBI_AGENT_H
#define MUSUBI_AGENT_H

#include "core.h"

/*  Strings are borrowed for life; sites are copied. */
typedef struct {
    const char *name; /* of the node in its site: "n017" */
    const char *class_name;
    uint32_t cpus;
    const char *const *sites; /* endpoints of its LIS; the next is tried when one is silent */
    size_t sites_count;
    const char *runs; /* folder of all runs' folders, absolute */
    int64_t keep_ms;  /* folders of runs that ended are kept so long; 24 h */
    int64_t look_ms;  /* what runs is looked at so often, should a starter be dead; 5 000 */
    uint64_t output_bytes_max; /* kept of what a run writes; 64 MiB */
    uint64_t room_bytes_least; /* nothing of it is while the disk has less free; 256 MiB */
    int64_t stubborn_ms; /* a starter that has not ended its run so long after the grace is killed;
                            10 000 */
} agent_settings_t;

extern const agent_settings_t agent_settings_default;

/*  The core of svc-lis node; its host ends it with core->destroy. */
void agent_core (const agent_settings_t *settings, core_t *core);

#endif
