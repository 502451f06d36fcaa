/*  musubi-sim - federations in one process, under virtual time: the search for faults. */
#include "experiment.h"
#include "faults.h"
#include "revision.h"
#include "scale_world.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEEDS_DEFAULT 2000

static const char usage [] =
  "usage: musubi-sim faults [--seeds FROM..TO] [--jobs J] [--stop] [--sites N] [--planners N]\n"
  "                         [--gis N] [--clients N] [--domains N]\n"
  "                         [--swarm | --data | --nodes | --batch | --files | --chains | "
  "--balance]\n"
  "       musubi-sim replay SEED [--sites N] [--planners N] [--gis N] [--clients N] [--domains N]\n"
  "                         [--swarm | --data | --nodes | --batch | --files | --chains | "
  "--balance]\n"
  "       musubi-sim experiment NAME [--seeds N] [--small] [--jobs J] [--out FILE.json]\n"
  "                         [--plot FILE.svg] [--revision TEXT] [--take FILE.json]\n"
  "       musubi-sim experiment --list\n"
  "       musubi-sim scale [--sites N] [--domains N] [--planners N] [--reservations N] [--seed S]\n"
  "       musubi-sim soak [--days N] [--seed S]\n"
  "\n"
  "faults  runs one schedule of crashes, losses, delays and cuts for each seed (1..2000) and\n"
  "        checks every promise; prints what met what, then \"N schedules, N failed\"\n"
  "replay  prints one schedule step by step: time in seconds, process, what happened\n"
  "scale, soak  a federation of any size, or for any time: what it costs; say one of them alone\n"
  "experiment  plays every arm of an experiment with every seed, and judges its criteria\n"
  "\n"
  "  --seeds FROM..TO  which schedules; one number alone: from 1 to it\n"
  "  --jobs J          worker processes (default: one for each processor)\n"
  "  --stop            stop at the first failure\n"
  "  --sites, --planners, --gis, --clients N\n"
  "                    how many of each, at most 8, 8, 4 and 12 (default: drawn from the seed)\n"
  "  --domains N       network domains, at most 4; 0: none (default: none in a third of the\n"
  "                    schedules, 1 to 3 in the others)\n"
  "  --swarm           a wider draw: in each schedule a few of these: small limits, nearly full\n"
  "                    stores, far peers, crowded requests, other numbers of processes, and more\n"
  "  --data            federations with storage: some requests want files and space, too\n"
  "  --nodes           instead of federations: a site that runs tasks, its nodes' agents, their\n"
  "                    machines, and one who has work and makes reservations there\n"
  "  --files           the same, and tasks have inputs and outputs: with the site's storage\n"
  "  --batch           instead of federations: a site whose nodes are a batch system's, its\n"
  "                    agent, and one who has work and makes reservations there; with --files\n"
  "                    its jobs have some\n"
  "  --chains          instead of federations: a site's storage nodes, and a file that goes down "
  "a\n"
  "                    chain of them\n"
  "  --balance         instead of federations: three sites that share their tasks, their balancer, "
  "and\n"
  "                    one who has work for them\n"
  "  --small           the short form of an experiment, for every day\n"
  "  --out, --plot F   an experiment's result as JSON, and as a picture\n"
  "  --revision TEXT   of the source; default: as it was built\n"
  "  --take F.json     plays of the same arms and seeds are taken from an earlier result of the "
  "same\n"
  "                    revision: E0.2 has those of E0.1, E0.3 has them too, more seeds have the "
  "first\n"
  "  --list            the experiments\n"
  "  --help, --version\n";

static int bad_usage (const char *what, const char *why)
{
    fprintf (stderr, "musubi-sim: %s: %s\n%s", what, why, usage);
    return 2;
}

static bool number (const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull (text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value <= most;
}

static bool seeds (const char *text, faults_order_t *order)
{
    char from [32];
    const char *dots = strstr (text, "..");
    order->from = 1;
    if (!dots)
        return number (text, UINT64_MAX - 1, &order->to) && order->to >= 1;
    if ((size_t) (dots - text) >= sizeof from)
        return false;
    memcpy (from, text, (size_t) (dots - text));
    from [dots - text] = '\0';
    return number (from, UINT64_MAX - 1, &order->from) &&
           number (dots + 2, UINT64_MAX - 1, &order->to) && order->from <= order->to;
}

enum {
    OPTION_SEEDS = 1,
    OPTION_JOBS,
    OPTION_STOP,
    OPTION_SITES,
    OPTION_PLANNERS,
    OPTION_GIS,
    OPTION_CLIENTS,
    OPTION_DOMAINS,
    OPTION_NODES,
    OPTION_FILES,
    OPTION_CHAINS,
    OPTION_BALANCE,
    OPTION_BATCH,
    OPTION_SWARM,
    OPTION_DATA,
    OPTION_SMALL,
    OPTION_OUT,
    OPTION_PLOT,
    OPTION_REVISION,
    OPTION_TAKE,
    OPTION_LIST,
    OPTION_HELP,
    OPTION_VERSION
};

static const struct option options [] = {{"seeds", required_argument, NULL, OPTION_SEEDS},
                                         {"jobs", required_argument, NULL, OPTION_JOBS},
                                         {"stop", no_argument, NULL, OPTION_STOP},
                                         {"sites", required_argument, NULL, OPTION_SITES},
                                         {"planners", required_argument, NULL, OPTION_PLANNERS},
                                         {"gis", required_argument, NULL, OPTION_GIS},
                                         {"clients", required_argument, NULL, OPTION_CLIENTS},
                                         {"domains", required_argument, NULL, OPTION_DOMAINS},
                                         {"nodes", no_argument, NULL, OPTION_NODES},
                                         {"files", no_argument, NULL, OPTION_FILES},
                                         {"chains", no_argument, NULL, OPTION_CHAINS},
                                         {"balance", no_argument, NULL, OPTION_BALANCE},
                                         {"batch", no_argument, NULL, OPTION_BATCH},
                                         {"swarm", no_argument, NULL, OPTION_SWARM},
                                         {"data", no_argument, NULL, OPTION_DATA},
                                         {"small", no_argument, NULL, OPTION_SMALL},
                                         {"out", required_argument, NULL, OPTION_OUT},
                                         {"plot", required_argument, NULL, OPTION_PLOT},
                                         {"revision", required_argument, NULL, OPTION_REVISION},
                                         {"take", required_argument, NULL, OPTION_TAKE},
                                         {"list", no_argument, NULL, OPTION_LIST},
                                         {"help", no_argument, NULL, OPTION_HELP},
                                         {"version", no_argument, NULL, OPTION_VERSION},
                                         {0}};

/*  Where the number of an option is stored, and the greatest value it may have. */
static uint32_t *place (int option, faults_order_t *order, uint64_t *most)
{
    switch (option) {
    case OPTION_SITES:
        *most = SCHEDULE_SITES_MAX;
        return &order->options.sites;
    case OPTION_PLANNERS:
        *most = SCHEDULE_PLANNERS_MAX;
        return &order->options.planners;
    case OPTION_GIS:
        *most = SCHEDULE_GIS_MAX;
        return &order->options.gis;
    case OPTION_CLIENTS:
        *most = SCHEDULE_CLIENTS_MAX;
        return &order->options.clients;
    case OPTION_DOMAINS:
        *most = SCHEDULE_DOMAINS_MAX;
        return &order->options.domains;
    default:
        *most = JOBS_MAX;
        return &order->jobs;
    }
}

/*  Reads one option; false when its text is not one of the allowed values. */
static bool take (int option, const char *text, faults_order_t *order)
{
    if (option == OPTION_SEEDS)
        return seeds (text, order);
    if (option == OPTION_STOP) {
        order->stop = true;
        return true;
    }
    if (option == OPTION_NODES) {
        order->nodes = true;
        return true;
    }
    if (option == OPTION_FILES) {
        order->files = true;
        return true;
    }
    if (option == OPTION_SWARM) {
        order->options.swarm = true;
        return true;
    }
    if (option == OPTION_DATA) {
        order->options.data = true;
        return true;
    }
    if (option == OPTION_CHAINS) {
        order->chains = true;
        return true;
    }
    if (option == OPTION_BALANCE) {
        order->balance = true;
        return true;
    }
    if (option == OPTION_BATCH) {
        order->batch = true;
        return true;
    }
    uint64_t most;
    uint64_t value;
    uint32_t *to = place (option, order, &most);
    if (!number (text, most, &value) || (value == 0 && option != OPTION_DOMAINS))
        return false;
    if (option == OPTION_DOMAINS)
        order->options.no_domains = value == 0;
    *to = (uint32_t) value;
    return true;
}

/*  Reads an option that only experiments have; false when the option is another one. */
static bool take_experiment (int option, const char *text, experiment_order_t *order, bool *list)
{
    switch (option) {
    case OPTION_SMALL:
        order->small = true;
        return true;
    case OPTION_OUT:
        order->out = text;
        return true;
    case OPTION_PLOT:
        order->plot = text;
        return true;
    case OPTION_REVISION:
        order->revision = text;
        return true;
    case OPTION_TAKE:
        order->take = text;
        return true;
    case OPTION_LIST:
        *list = true;
        return true;
    default:
        return false;
    }
}

/*  experiment NAME, or experiment --list. */
static int experiment (experiment_order_t *experiments, const faults_order_t *order, bool list,
                       char **arguments, int count)
{
    if (list ? count != 0 : count != 1)
        return bad_usage ("experiment", "say one NAME, or --list");
    if (order->from != 1)
        return bad_usage ("--seeds", "the seeds of an experiment begin with 1: say how many");
    if (experiments->seeds > EXPERIMENT_SEEDS_MAX)
        return bad_usage ("--seeds", "no more than 100000 for an experiment");
    experiments->name = list ? NULL : arguments [0];
    experiments->jobs = order->jobs;
    return experiment_run (experiments);
}

int main (int argc, char **argv)
{
    if (argc > 1 && (strcmp (argv [1], "scale") == 0 || strcmp (argv [1], "soak") == 0))
        return scale_command (argc - 1, argv + 1);
    long processors = sysconf (_SC_NPROCESSORS_ONLN);
    faults_order_t order = {.from = 1,
                            .to = SEEDS_DEFAULT,
                            .jobs = processors < 1          ? 1
                                    : processors > JOBS_MAX ? JOBS_MAX
                                                            : (uint32_t) processors};
    experiment_order_t experiments = {.revision = MUSUBI_REVISION};
    bool list = false;
    int option;
    while ((option = getopt_long (argc, argv, "", options, NULL)) != -1) {
        if (option == OPTION_HELP) {
            fputs (usage, stdout);
            return 0;
        }
        if (option == OPTION_VERSION) {
            puts ("musubi-sim " MUSUBI_VERSION);
            return 0;
        }
        if (option == '?')
            return bad_usage ("options", "see above");
        if (take_experiment (option, optarg, &experiments, &list))
            continue;
        if (!take (option, optarg, &order))
            return bad_usage (optarg,
                              "not a number from 1 to what is possible; seeds are FROM..TO");
        if (option == OPTION_SEEDS)
            experiments.seeds = order.to;
    }
    if (order.options.swarm + order.options.data + order.nodes + (order.files && !order.batch) +
          order.batch + order.chains + order.balance >
        1)
        return bad_usage ("--swarm, --data, --nodes, --batch, --files, --chains, --balance",
                          "one of these, or --batch and --files");
    const char *command = optind < argc ? argv [optind++] : "";
    uint64_t seed;
    if (strcmp (command, "faults") == 0 && optind == argc)
        return faults_run (&order);
    if (strcmp (command, "experiment") == 0)
        return experiment (&experiments, &order, list, argv + optind, argc - optind);
    if (strcmp (command, "replay") == 0 && optind + 1 == argc) {
        if (!number (argv [optind], UINT64_MAX - 1, &seed))
            return bad_usage (argv [optind], "a seed is a whole number");
        return replay_run (seed, &order);
    }
    return bad_usage (*command ? command : "nothing to do",
                      "say faults, replay SEED, or experiment NAME");
}
