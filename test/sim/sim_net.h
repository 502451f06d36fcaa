/*  sim_net - the network between the processes: seeded loss, delay, doubling, reordering and cuts.
 *
 *  Between two processes messages keep their order, as on one connection, except those that are
 *  told to fall behind. All decisions come from one stream of random numbers.
 */
#ifndef MUSUBI_SIM_NET_H
#define MUSUBI_SIM_NET_H

#include "prng.h"
#include "sim_tally.h"

#define SIM_PROCESSES_MAX 16384
#define SIM_CUTS_MAX      256

/*  Chances are in parts per thousand messages. */
typedef struct {
    uint32_t loss;
    uint32_t doubling;
    uint32_t reordering;
    uint32_t delay;        /* chance of a long one */
    uint32_t delay_ms_max; /* how long at most */
    const char *unlucky;   /* one method that is lost more often; NULL = none */
    sim_message_kind_t unlucky_kind;
    uint32_t unlucky_loss;
    uint32_t keep; /* messages that meet a cut or a dead process: they come through afterwards */
} sim_net_faults_t;

typedef struct sim_net sim_net_t;

/*  The tally is borrowed for life. */
sim_net_t *sim_net_new (uint64_t seed, sim_tally_t *tally);
void sim_net_destroy (sim_net_t **self_p);

void sim_net_set (sim_net_t *self, const sim_net_faults_t *faults);

/*  Nothing passes from a to b over [from_us, until_us), nor back unless one_way. Cuts beyond
 *  SIM_CUTS_MAX are ignored. */
void sim_net_cut (sim_net_t *self, int a, int b, bool one_way, int64_t from_us, int64_t until_us);

/*  Each message from or to this process is under way this much longer until sim_net_heal. */
void sim_net_lag (sim_net_t *self, int process, int64_t lag_us);

/*  From now on each message without a fault is under way exactly this long. */
void sim_net_pace (sim_net_t *self, int64_t flight_us);

/*  The very next message has this fate, if no cut blocks it: FAULT_LOST, FAULT_DOUBLED,
 *  FAULT_DELAYED (by about a second) or FAULT_REORDERED. */
void sim_net_doom (sim_net_t *self, fault_kind_t fate);

/*  All faults and cuts end now. */
void sim_net_heal (sim_net_t *self);

/*  A message leaves now. Tells when it arrives; returns how often it arrives: never, once or twice.
 */
size_t sim_net_route (sim_net_t *self, int64_t now_us, const sim_message_t *message,
                      int64_t arrivals_us [2]);

/*  A message has come to a process that is down. True when it waits for the process to come back.
 */
bool sim_net_keeps (sim_net_t *self);

#endif
