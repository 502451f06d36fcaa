/*  sim_schedule_own - the state of one schedule; for the sim_schedule files only.
 *
 *  What networks add is drawn from a stream of its own: with no domains a seed gives the schedule
 *  that it gave before there were any.
 */
#ifndef MUSUBI_SIM_SCHEDULE_OWN_H
#define MUSUBI_SIM_SCHEDULE_OWN_H

#include "sim_schedule.h"

#include "gis.h"
#include "lis.h"
#include "nis.h"
#include "planner.h"
#include "replica.h"
#include "sim_ambush.h"
#include "sim_auditor.h"
#include "sim_check.h"
#include "sim_client.h"
#include "sim_holder.h"
#include "sim_keeper.h"
#include "sim_late.h"
#include "sim_operator.h"
#include "sim_plus.h"
#include "sim_settler.h"

#include <assert.h>

#define FINISHERS          4
#define SCHEDULE_DISKS_MAX 2 /* of a site */
#define SECOND_US          INT64_C (1000000)
#define CALM_US            (SECOND_US / 2) /* by then every process has started and is announced */

#define HOLD_TTL_MS   1500
#define CLIENTS_USUAL 8 /* with more clients each asks for less: the book has no space for all */
#define NEEDS_USUAL   4 /* of one wish that is not crowded; also how many connections */

static_assert ((int) SCHEDULE_PLANNERS_MAX <= SIM_PLANNERS_MAX, "users know every planner");
static_assert (SCHEDULE_SITES_MAX + SCHEDULE_DOMAINS_MAX + SCHEDULE_GIS_MAX <= SIM_SITES_MAX,
               "all are checked");
static_assert (SCHEDULE_SITES_MAX + SCHEDULE_DOMAINS_MAX <= SIM_HELD_MAX, "all can be held");
static_assert (SCHEDULE_SITES_MAX + SCHEDULE_DOMAINS_MAX <= SIM_VICTIMS_MAX, "all can be hit");
static_assert (4 * SCHEDULE_DISKS_MAX <= SIM_KEPT_MAX, "drawn sites have few storage nodes");
static_assert ((int) SCHEDULE_PLANNERS_MAX <= SETTLERS_MAX, "the settler knows every planner");
static_assert ((int) SCHEDULE_DOMAINS_MAX <= SIM_DOMAINS_MAX, "the map has room");

typedef struct schedule schedule_t;

/*  What takes the place of drawn users and faults, for experiments (experiment.h). Any member may
 *  be NULL. */
typedef struct {
    void *owner;
    void (*shape) (void *owner, schedule_t *schedule); /* before any process is added */
    void (*users) (void *owner, schedule_t *schedule); /* instead of those drawn */
    void (*faults) (void *owner, schedule_t *schedule, sim_faults_t *faults, sim_net_faults_t *net);
    void (*left) (void *owner, const sim_message_t *message);
    void (*logged) (void *owner, int process, const char *line);
    void (*judge) (void *owner, schedule_t *schedule); /* settled, and every check held */
} sim_scene_t;

/*  What a schedule may have beyond the usual. */
typedef enum {
    SWARM_SIZES,    /* numbers of processes */
    SWARM_LIMITS,   /* small limits, and settings that are not the usual ones */
    SWARM_STORES,   /* stores that are nearly full */
    SWARM_LAGS,     /* peers that are far away */
    SWARM_CROWD,    /* large requests, all at once */
    SWARM_THIN,     /* links that few connections fill */
    SWARM_PLUS,     /* single sites are asked for too much, and again after a refusal */
    SWARM_ABSENT,   /* a participant or directory that is away until faults end */
    SWARM_EDGES,    /* little time and few nodes: edges pass, repairs follow */
    SWARM_LONE,     /* a lone user: what he asks for is free */
    SWARM_SEGMENTS, /* rows of ledgers leave for segments after a few */
    SWARM_TOLD,     /* processes are told to end where others die */
    SWARM_FEATURES
} swarm_feature_t;

typedef struct {
    prng_t prng;
    uint32_t features; /* one bit for each feature; 0: the usual draw */
} swarm_t;

struct schedule {
    uint64_t seed;
    const sim_scene_t *scene; /* NULL: all is drawn */
    prng_t prng;
    sim_t *sim;
    sim_tally_t *tally;
    sim_book_t book;
    sim_check_t check;

    char names [SCHEDULE_SITES_MAX + SCHEDULE_GIS_MAX + SCHEDULE_PLANNERS_MAX +
                SCHEDULE_CLIENTS_MAX + SCHEDULE_DOMAINS_MAX + SCHEDULE_SITES_MAX + FINISHERS +
                7][NAME_BYTES_MAX + 1];
    size_t names_count;
    char gis_addresses [SCHEDULE_GIS_MAX][SIM_ADDRESS_BYTES];
    const char *gis_endpoints [SCHEDULE_GIS_MAX];
    const char
      *others [SCHEDULE_GIS_MAX][SCHEDULE_GIS_MAX]; /* by GIS: the endpoints of the other ones */
    const char *homes [SCHEDULE_GIS_MAX];
    size_t gis_count;
    gis_settings_t gis [SCHEDULE_GIS_MAX];
    int gis_processes [SCHEDULE_GIS_MAX];

    lis_settings_t lis [SCHEDULE_SITES_MAX];
    int lis_processes [SCHEDULE_SITES_MAX];
    size_t sites_count;

    swarm_t swarm;  /* what the wider draw adds, from a stream of its own */
    prng_t network; /* what networks add is drawn from here */
    prng_t changes; /* from here: the users who change what runs */
    prng_t fences;  /* from here: who settles by a fence */
    prng_t pluses;  /* from here: the users of single sites */
    prng_t plans;   /* from here: how each user wants it planned */
    prng_t files;   /* from here: storage, and what users want of it */
    bool data;      /* there is any */
    uint32_t file_mib [2];
    replica_settings_t index;
    replica_settings_t replicas [SCHEDULE_SITES_MAX];
    int replica_processes [SCHEDULE_SITES_MAX];
    sim_keeper_t keeper;
    int keeper_process;
    prng_t smaller; /* from here: what comes back smaller */
    sim_map_t map;
    nis_settings_t nis [SCHEDULE_DOMAINS_MAX];
    int nis_processes [SCHEDULE_DOMAINS_MAX];

    planner_settings_t planner;
    planner_settings_t finisher;
    int planners [SCHEDULE_PLANNERS_MAX];
    size_t planners_count;
    bool orphans; /* the first planner that dies never comes back */
    int orphan;   /* that planner; SIM_NOBODY = no planner has died yet */
    size_t finishers_count;
    bool finished; /* the last of its finishers has ended */
    bool again;    /* when the one that is there has ended, another one follows */
    bool lost;     /* its store is gone too, so no finisher can help: a fence settles it */

    sim_client_t clients [SCHEDULE_CLIENTS_MAX + 1]; /* the last client asks the probes */
    sim_client_t insister;                           /* asks again when a home lost its store */
    bool over;                                       /* the verdict is given */
    size_t clients_count;
    sim_holder_t holder;
    sim_operator_t operator;
    sim_settler_t settler;
    sim_plus_t plus; /* without actions it is not there at all */
    sim_auditor_t auditor;
    sim_ambush_t ambush;
    sim_late_t late;       /* drawn from a stream of its own */
    bool edgy;             /* commits come late, and others want the same */
    uint32_t nodes_least;  /* of a site; few make conflicts */
    uint32_t doubt_ms;     /* time after which a participant that has voted asks */
    uint32_t think_ms_max; /* between two commands of a user */
    int64_t near_ms;       /* how soon the wished windows begin, */
    uint32_t spread;       /* and how far apart, in half seconds */
    int64_t heal_us;
};

/*  Every user asks once more for what was committed; sim_schedule_users.c. */
void schedule_insister (schedule_t *self);

/*  sim_schedule.c: draws. */
uint64_t schedule_draw (schedule_t *self, uint64_t bound);
bool schedule_chance (schedule_t *self, uint32_t percent);

/*  One element of a list, each as likely. */
uint32_t schedule_pick (schedule_t *self, const uint32_t *list, size_t count);

#define PICK(self, ...)                                                                            \
    schedule_pick (self, (const uint32_t []){__VA_ARGS__},                                         \
                   sizeof (const uint32_t []){__VA_ARGS__} / sizeof (uint32_t))

/*  A name that lasts as long as the schedule. */
const char *schedule_name (schedule_t *self, const char *kind, size_t number);

/*  A new process; returns its number. */
int schedule_add (schedule_t *self, const char *name, void (*make) (void *, core_t *), void *owner,
                  bool stays, int store_of);

/*  sim_schedule_users.c: all users, and all others that ask for something. */
void schedule_users (schedule_t *self);
/*  The user with his actions is there from now on. */
void schedule_client (schedule_t *self, sim_client_t *client, const char *name);
bool schedule_users_ended (const schedule_t *self);

/*  Faults are over: from now on users wait for answers. */
void schedule_users_patient (schedule_t *self);

/*  In some schedules, an administrator who settles by fences. */
void schedule_settler (schedule_t *self);

/*  In some schedules, users of single sites. */
void schedule_plus (schedule_t *self);
/*  The users of single sites are there from now on. */
void schedule_plus_add (schedule_t *self);

/*  A client that asks once more, of any process that is up, for all that was answered. */
void schedule_prober (schedule_t *self);

/*  sim_schedule_data.c: with data, once sites and domains are there. */
void schedule_data_begin (schedule_t *self);
void schedule_data_wish (schedule_t *self, sim_wish_t *wish);

/*  sim_schedule_faults.c: which faults there are, and the faults that have a time. */
void schedule_faults (schedule_t *self, sim_faults_t *faults, sim_net_faults_t *net);

/*  sim_schedule_smaller.c: in some schedules a site or a disk comes back with less than it had. */
void schedule_smaller (schedule_t *self);

/*  sim_schedule_swarm.c: the wider draw. Each function is called right after the usual draw was
 *  made, and leaves it as it is in schedules without its feature. */
bool schedule_swarm_has (const schedule_t *self, swarm_feature_t feature);
void schedule_swarm_begin (schedule_t *self, sim_options_t *options);
void schedule_swarm_temper (schedule_t *self);
uint32_t schedule_swarm_late_chance (schedule_t *self, uint32_t usual);
void schedule_swarm_gis (schedule_t *self, gis_settings_t *settings);
void schedule_swarm_lis (schedule_t *self, lis_settings_t *settings);
void schedule_swarm_nis (schedule_t *self, nis_settings_t *settings);
void schedule_swarm_planner (schedule_t *self, planner_settings_t *settings);
bool schedule_swarm_narrow (schedule_t *self, bool usual);
size_t schedule_swarm_commands (schedule_t *self, size_t usual);
void schedule_swarm_wish (schedule_t *self, sim_wish_t *wish);
int64_t schedule_swarm_think (schedule_t *self, int64_t usual_ms);
void schedule_swarm_plus (schedule_t *self);
void schedule_swarm_faults (schedule_t *self);

/*  Stores that were nearly full are given space: whoever asks again now gets his answer. */
void schedule_swarm_room (schedule_t *self);

/*  Checks, when all is over, that only schedules with these features allow. */
void schedule_swarm_check (schedule_t *self);

/*  sim_schedule.c: runs the schedule of that seed with this scene; all else as sim_schedule_run. */
bool schedule_play (uint64_t seed, const sim_options_t *options, const sim_scene_t *scene,
                    sim_tally_t *tally, FILE *trace, char why [LONG_WHY_BYTES]);

#endif
