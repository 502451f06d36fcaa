/*  agent - a node's side of proto/nodes.proto. It asks its site which runs are wanted, claims a run
 *  in its store before the run begins, and reports how all runs stand.
 *
 *  Each answer names everything that is wanted. The agent has it carried out as work (node_work.h);
 *  whoever begins a run records its end in the run's folder. So nothing is lost when an agent dies:
 *  the next one reads its claims, looks at their folders, asks, and goes on. It begins only what
 *  its site has wanted since this start.
 *
 *  A site is known by its store. When another store answers, the agent ends the runs of the former
 *  one and reports them no more.
 *
 *  A batch system has one such agent for all its nodes. There a run is a job: it has no lease,
 *  since it goes on whoever is away. The agent tells what the batch system says of its nodes, and
 *  why it does not answer; silence is never taken for an end. Pure.
 */
#ifndef MUSUBI_AGENT_H
#define MUSUBI_AGENT_H

#include "core.h"
#include "setting.h"

/*  Strings are borrowed for life; sites are copied. */
typedef struct {
    const char *name; /* of the node in its site: "n017" */
    const char *class_name;
    uint32_t cpus;
    const char *const *sites; /* endpoints of its LIS; the next is tried when one is silent */
    size_t sites_count;
    const char *runs;          /* absolute path of the folder that has a folder for each run */
    const char *storage;       /* the storage node on this machine; NULL or "" = none: no task with
                                  files comes here */
    const char *arrivals;      /* absolute path of that node's folder for arrivals */
    int64_t keep_ms;           /* how long the folder of a run is kept after its end */
    int64_t look_ms;           /* how often runs are looked at, in case a starter has died */
    uint64_t output_bytes_max; /* kept of a run's output */
    uint64_t room_bytes_least; /* with less free on the disk no output is kept */
    int64_t
      stubborn_ms;      /* a starter that has not ended its run so long after the grace is killed */
    int64_t machine_ms; /* how often the machine is looked at, or the batch system */
    bool batch; /* it speaks for a batch system, which starts the runs as its jobs: class_name is
                            "", cpus 0 */
    int64_t limit_ms; /* a batch system that has not answered a look for so long counts as silent */
} agent_settings_t;

/*  Rows of a node's numbers. */
extern const setting_table_t agent_table;

/*  Of a batch system's agent, too. */
#define SET_AGENT_KEEP(type, member)                                                               \
    SET_DURATION (type, member, "keep", MS_DAY, MS_MINUTE, 3650 * MS_DAY,                          \
                  "how long the folder and the output of a run are kept after its end")

/*  The core of svc-lis node; its host ends it with core->destroy. */
void agent_core (const agent_settings_t *settings, core_t *core);

#endif
