/*  experiment_backtracking - E0.1 to E0.4: Ando and Aida's planners on a grid like theirs (S0 §4).
 *
 *  One play is one world (planning_world.h): an arm's algorithm and policy, half a day of requests,
 *  the grid and the requests drawn from the seed, so that arms are compared on the same ones.
 */
#include "experiment_grid.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOURS       12
#define HOURS_SMALL 3
#define POLICIES    4
#define ALGORITHMS  2
#define KINDS       2
#define LOADS_MAX   5
#define SPREAD      0.06 /* of bir's r, l, c for co-allocations */
#define SAME_COST   0.03
#define MIDDLE      2 /* of these, the plays with load 0.5 */

enum { BBR, BIR };
enum { POLICY_R, POLICY_L, POLICY_C, POLICY_T };

static const char *const algorithms [ALGORITHMS] = {"bbr", "bir"};
static const char *const policies [POLICIES] = {"random", "load", "cost", "time"};
static const double loads [LOADS_MAX] = {0.1, 0.3, 0.5, 0.7, 0.9};

/*  --- E0.1, E0.2: every algorithm, policy, kind and load on the narrow grid --- */

static bool is_small; /* arms () was last called for this form; the plays are played after that */

static size_t loads_count (bool small)
{
    return small ? 1 : LOADS_MAX;
}

static double load_of (bool small, size_t at)
{
    return small ? loads [MIDDLE] : loads [at];
}

static size_t arms_narrow (bool small)
{
    is_small = small;
    return KINDS * loads_count (small) * POLICIES * ALGORITHMS;
}

static size_t arm_of (bool small, size_t kind, size_t load, size_t policy, size_t algorithm)
{
    return ((kind * loads_count (small) + load) * POLICIES + policy) * ALGORITHMS + algorithm;
}

static planning_order_t order_narrow (size_t arm)
{
    size_t rest = arm / ALGORITHMS / POLICIES;
    return (planning_order_t){.algorithm = algorithms [arm % ALGORITHMS],
                              .policy = policies [arm / ALGORITHMS % POLICIES],
                              .kind = (scenario_kind_t) (rest / loads_count (is_small)),
                              .load = load_of (is_small, rest % loads_count (is_small)),
                              .hours = is_small ? HOURS_SMALL : HOURS};
}

static void name_order (const planning_order_t *order, char name [ARM_NAME_BYTES])
{
    snprintf (name, ARM_NAME_BYTES, "%s-%c %s %s %.1f%s%s%s%s%s", order->algorithm,
              order->policy [0], grid_kinds [order->kind], order->wide ? "wide" : "narrow",
              order->load, order->own ? ", counts its own" : "",
              order->least ? ", least delay" : "", order->whole ? ", whole deadline" : "",
              order->quota ? ", quota" : "", order->stale ? ", stale directory" : "");
}

static void name_narrow (size_t arm, char name [ARM_NAME_BYTES])
{
    planning_order_t order = order_narrow (arm);
    name_order (&order, name);
}

static void play_narrow (size_t arm, uint64_t seed, play_t *play)
{
    planning_order_t order = order_narrow (arm);
    grid_play (&order, seed, play);
}

static double mean_of (const experiment_run_t *run, size_t arm, size_t metric)
{
    return experiment_estimate (run, arm, metric).mean;
}

/*  The mean over all policies of BIR less BBR, over the loads up to the middle one. */
static double mean_gap (const experiment_run_t *run, size_t kind)
{
    double sum = 0;
    size_t count = 0;
    for (size_t load = 0; load < loads_count (run->small) && load <= MIDDLE; load++)
        for (size_t policy = 0; policy < POLICIES; policy++, count++)
            sum += experiment_paired (run, arm_of (run->small, kind, load, policy, BBR),
                                      arm_of (run->small, kind, load, policy, BIR), SUCCESS)
                     .mean;
    return sum / (double) count;
}

/*  What the paper claims, and the criterion asks, for r, c and t at every load, and for l except
 *  where it is excused. */
static bool excused (const experiment_run_t *run, size_t kind, size_t load, size_t policy)
{
    return policy == POLICY_L && kind == SCENARIO_COALLOCATION && load_of (run->small, load) > 0.69;
}

static void judge_above (experiment_run_t *run)
{
    size_t asked = 0;
    size_t above = 0;
    char missed [96] = "";
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t load = 0; load < loads_count (run->small); load++)
            for (size_t policy = 0; policy < POLICIES; policy++) {
                if (excused (run, kind, load, policy))
                    continue;
                size_t bbr = arm_of (run->small, kind, load, policy, BBR);
                estimate_t gap = experiment_paired (run, bbr, bbr + BIR, SUCCESS);
                bool good = run->small ? gap.mean > 0 : gap.low > 0;
                asked++;
                above += good;
                size_t used = strlen (missed);
                if (!good)
                    snprintf (missed + used, sizeof missed - used, " %s-%c-%.1f", grid_kinds [kind],
                              policies [policy][0], load_of (run->small, load));
            }
    experiment_criterion (run, "bir-above-bbr", above == asked, "%zu of %zu arms: %s above 0%s%s",
                          above, asked, run->small ? "mean gap" : "95 % interval of the paired gap",
                          *missed ? "; not" : "", missed);
}

static void judge_algorithms (experiment_run_t *run)
{
    grid_settings (run, run->small ? HOURS_SMALL : HOURS);
    judge_above (run);
    double wf = mean_gap (run, SCENARIO_WORKFLOW);
    double co = mean_gap (run, SCENARIO_COALLOCATION);
    experiment_criterion (run, "gap-widest-for-co", co > wf,
                          "mean gap up to load 0.5: co %.3f, wf %.3f", co, wf);
    if (run->small)
        return;
    double worst = 0;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t policy = 0; policy < POLICIES; policy++) {
            double ratio = 0;
            for (size_t load = 0; load < LOADS_MAX; load++)
                ratio += mean_of (run, arm_of (false, kind, load, policy, BIR), PRICE) /
                         mean_of (run, arm_of (false, kind, load, policy, BBR), PRICE) / LOADS_MAX;
            if (policy != POLICY_C && fabs (ratio - 1) > worst)
                worst = fabs (ratio - 1);
        }
    experiment_criterion (
      run, "cost-equal", worst <= SAME_COST,
      "r, l, t (c is left out): prices of bir and bbr differ by at most %.1f %%", 100 * worst);
}

/*  --- E0.2 --- */

static void judge_time_first (experiment_run_t *run)
{
    size_t above = 0;
    size_t not_lowest = 0;
    double least_gap = 1;
    for (size_t load = 0; load < loads_count (run->small); load++)
        for (size_t algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
            size_t t = arm_of (run->small, SCENARIO_WORKFLOW, load, POLICY_T, algorithm);
            size_t c = arm_of (run->small, SCENARIO_WORKFLOW, load, POLICY_C, algorithm);
            for (size_t policy = 0; policy < POLICY_T; policy++) {
                size_t other = arm_of (run->small, SCENARIO_WORKFLOW, load, policy, algorithm);
                above += experiment_paired (run, t, other, SUCCESS).low > 0;
                not_lowest += mean_of (run, other, SUCCESS) < mean_of (run, c, SUCCESS);
            }
            double gap = experiment_paired (run, c, t, SUCCESS).mean;
            if (load_of (run->small, load) > 0.49 && gap < least_gap)
                least_gap = gap;
        }
    experiment_criterion (run, "none-above-t", above == 0,
                          "workflows: %zu arms significantly above t", above);
    if (run->small)
        return;
    experiment_criterion (
      run, "c-lowest", not_lowest == 0,
      "workflows: %zu arms below c; t is at least %.3f above c from load 0.5 on", not_lowest,
      least_gap);
}

static void judge_cheapest (experiment_run_t *run)
{
    size_t cheaper = 0;
    size_t falling = 0;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
            for (size_t load = 0; load < loads_count (run->small); load++)
                for (size_t policy = 0; policy < POLICIES; policy++)
                    cheaper +=
                      mean_of (run, arm_of (run->small, kind, load, policy, algorithm), PRICE) <
                      mean_of (run, arm_of (run->small, kind, load, POLICY_C, algorithm), PRICE);
            falling +=
              !run->small &&
              mean_of (run, arm_of (false, kind, LOADS_MAX - 1, POLICY_C, algorithm), PRICE) <=
                mean_of (run, arm_of (false, kind, 0, POLICY_C, algorithm), PRICE);
        }
    experiment_criterion (run, "c-cheapest", cheaper == 0 && falling == 0,
                          "%zu arms cheaper than c; c's price does not rise with load in %zu of 4",
                          cheaper, falling);
}

static void judge_policies (experiment_run_t *run)
{
    grid_settings (run, run->small ? HOURS_SMALL : HOURS);
    judge_time_first (run);
    judge_cheapest (run);
    if (run->small)
        return;
    double widest = 0;
    for (size_t load = 0; load < LOADS_MAX; load++) {
        double low = 1;
        double high = 0;
        for (size_t policy = 0; policy < POLICY_T; policy++) {
            double mean =
              mean_of (run, arm_of (false, SCENARIO_COALLOCATION, load, policy, BIR), SUCCESS);
            low = fmin (low, mean);
            high = fmax (high, mean);
        }
        widest = fmax (widest, high - low);
    }
    experiment_criterion (run, "co-bir-close", widest <= SPREAD,
                          "co-allocations: bir's r, l, c within %.1f points at every load",
                          100 * widest);
}

/*  --- pictures: success over load --- */

static const char *point_name (size_t at)
{
    static char names [LOADS_MAX][8];
    snprintf (names [at], sizeof names [at], "%.1f", load_of (is_small, at));
    return names [at];
}

static const char *line_name (size_t line)
{
    static char names [KINDS * POLICIES * ALGORITHMS][32];
    snprintf (names [line], sizeof names [line], "%s %s-%c",
              grid_kinds [line / ALGORITHMS / POLICIES], algorithms [line % ALGORITHMS],
              policies [line / ALGORITHMS % POLICIES][0]);
    return names [line];
}

static void plot_narrow (const experiment_run_t *run, FILE *to)
{
    double values [KINDS * POLICIES * ALGORITHMS * LOADS_MAX];
    size_t count = loads_count (run->small);
    for (size_t line = 0; line < KINDS * POLICIES * ALGORITHMS; line++)
        for (size_t load = 0; load < count; load++)
            values [line * count + load] =
              mean_of (run,
                       arm_of (run->small, line / ALGORITHMS / POLICIES, load,
                               line / ALGORITHMS % POLICIES, line % ALGORITHMS),
                       SUCCESS);
    plot_lines (&(plot_lines_t){.title = "S0 figures 7 and 9: plans made of plans asked, gridg-n",
                                .shares = true,
                                .across = "load",
                                .up = "success",
                                .points = count,
                                .point = point_name,
                                .lines = KINDS * POLICIES * ALGORITHMS,
                                .line = line_name,
                                .values = values},
                to);
}

/*  --- E0.3: the wide grid beside the narrow one --- */

static size_t arms_wide (bool small)
{
    return 2 * arms_narrow (small);
}

static planning_order_t order_wide (size_t arm)
{
    planning_order_t order = order_narrow (arm / 2);
    order.wide = arm % 2;
    return order;
}

static void name_wide (size_t arm, char name [ARM_NAME_BYTES])
{
    planning_order_t order = order_wide (arm);
    name_order (&order, name);
}

static void play_wide (size_t arm, uint64_t seed, play_t *play)
{
    planning_order_t order = order_wide (arm);
    grid_play (&order, seed, play);
}

static void judge_wide (experiment_run_t *run)
{
    grid_settings (run, run->small ? HOURS_SMALL : HOURS);
    size_t gains = 0;
    size_t count = arms_narrow (run->small);
    size_t kept = 0;
    for (size_t arm = 0; arm < count; arm++) {
        gains += experiment_paired (run, 2 * arm, 2 * arm + 1, SUCCESS).mean >= 0;
        if (arm % ALGORITHMS == BIR)
            kept +=
              mean_of (run, 2 * arm + 1, SUCCESS) >= mean_of (run, 2 * (arm - BIR) + 1, SUCCESS);
    }
    experiment_criterion (run, "every-arm-gains", gains == count,
                          "%zu of %zu arms do not lose by wide links", gains, count);
    experiment_criterion (run, "order-kept", kept == count / 2,
                          "bir is not below bbr in %zu of %zu wide arms", kept, count / 2);
}

static void plot_success (const experiment_run_t *run, FILE *to)
{
    static const size_t shown [] = {SUCCESS};
    plot_bars (run, run->experiment->title, shown, 1, to);
}

/*  --- E0.4: the arms that the paper invites, and what holding blocks --- */

typedef enum {
    AS_DRAWN,
    COUNTS_OWN,
    LEAST_DELAY,
    WHOLE_DEADLINE,
    QUOTA,
    STALE
} backtracking_change_t;

typedef struct {
    size_t algorithm;
    size_t policy;
    backtracking_change_t change;
} backtracking_variant_t;

static const backtracking_variant_t variants [] = {
  {BBR, POLICY_T, AS_DRAWN},    {BBR, POLICY_T, COUNTS_OWN},     {BBR, POLICY_C, AS_DRAWN},
  {BBR, POLICY_C, LEAST_DELAY}, {BBR, POLICY_C, WHOLE_DEADLINE}, {BIR, POLICY_T, AS_DRAWN},
  {BIR, POLICY_C, AS_DRAWN},    {BIR, POLICY_C, LEAST_DELAY},    {BIR, POLICY_C, WHOLE_DEADLINE},
  {BIR, POLICY_T, QUOTA},       {BBR, POLICY_T, STALE},          {BIR, POLICY_T, STALE}};
enum { BBR_T, BBR_T_OWN, BIR_T = 5, BIR_T_QUOTA = 9, BBR_T_STALE, BIR_T_STALE }; /* indexes */
#define VARIANTS (sizeof variants / sizeof variants [0])

static size_t arms_invited (bool small)
{
    is_small = small;
    return KINDS * VARIANTS;
}

static planning_order_t order_invited (size_t arm)
{
    const backtracking_variant_t *variant = &variants [arm % VARIANTS];
    return (planning_order_t){.algorithm = algorithms [variant->algorithm],
                              .policy = policies [variant->policy],
                              .kind = (scenario_kind_t) (arm / VARIANTS),
                              .load = loads [MIDDLE],
                              .hours = is_small ? HOURS_SMALL : HOURS,
                              .own = variant->change == COUNTS_OWN,
                              .least = variant->change == LEAST_DELAY,
                              .whole = variant->change == WHOLE_DEADLINE,
                              .quota = variant->change == QUOTA,
                              .stale = variant->change == STALE};
}

static void name_invited (size_t arm, char name [ARM_NAME_BYTES])
{
    planning_order_t order = order_invited (arm);
    name_order (&order, name);
}

static void play_invited (size_t arm, uint64_t seed, play_t *play)
{
    planning_order_t order = order_invited (arm);
    grid_play (&order, seed, play);
}

static void judge_invited (experiment_run_t *run)
{
    grid_settings (run, run->small ? HOURS_SMALL : HOURS);
    const size_t co = VARIANTS; /* index of the first of these rows */
    double bbr = mean_of (run, co + BBR_T, BLOCKED);
    double bir = mean_of (run, co + BIR_T, BLOCKED);
    double quota = mean_of (run, co + BIR_T_QUOTA, BLOCKED);
    experiment_criterion (run, "blocked-is-told", bir > bbr && bbr > 0,
                          "co-allocations, t: bir blocks %.0f CPU-seconds a request that it never "
                          "commits, with a quota %.0f (success %.3f for %.3f), bbr %.0f",
                          bir, quota, mean_of (run, co + BIR_T_QUOTA, SUCCESS),
                          mean_of (run, co + BIR_T, SUCCESS), bbr);
    double plain = mean_of (run, co + BBR_T, SUCCESS);
    double own = mean_of (run, co + BBR_T_OWN, SUCCESS);
    experiment_criterion (run, "self-conflict", own > plain,
                          "co-allocations, t: bbr %.3f, counting its own choices %.3f: the paper's "
                          "word that most of its failures are plans that conflict with themselves",
                          plain, own);
    size_t lost = 0;
    for (size_t kind = 0; kind < KINDS; kind++)
        lost += mean_of (run, kind * VARIANTS + BIR_T_STALE, SUCCESS) <=
                mean_of (run, kind * VARIANTS + BIR_T, SUCCESS);
    experiment_criterion (run, "stale-costs", run->small || lost == KINDS,
                          "a directory out of date: bir-t plans no more in %zu of %d kinds; "
                          "co-allocations: bir %.3f, bbr %.3f",
                          lost, KINDS, mean_of (run, co + BIR_T_STALE, SUCCESS),
                          mean_of (run, co + BBR_T_STALE, SUCCESS));
}

#define S0_EXPERIMENT                                                                              \
    .metrics = grid_metrics, .metrics_count = GRID_METRICS, .seeds = 10, .seeds_small = 2

const experiment_t experiment_backtracking = {
  .name = "E0.1",
  .title = "bbr and bir on the narrow grid",
  .claim = "S0 4.2: bir plans more, most of all for co-allocations; the cost is the same",
  .arms = arms_narrow,
  .arm_name = name_narrow,
  .play = play_narrow,
  .judge = judge_algorithms,
  .plot = plot_narrow,
  S0_EXPERIMENT};

const experiment_t experiment_policies = {
  .name = "E0.2",
  .title = "the selection policies r, l, c, t on the narrow grid",
  .claim = "S0 4.3: t plans most workflows, c fewest and cheapest; c's price rises with the load",
  .arms = arms_narrow,
  .arm_name = name_narrow,
  .play = play_narrow,
  .judge = judge_policies,
  .plot = plot_narrow,
  S0_EXPERIMENT};

const experiment_t experiment_wide = {.name = "E0.3",
                                      .title = "narrow and wide links of the sites",
                                      .claim =
                                        "S0 4.4: with wide links all plan more, in the same order",
                                      .arms = arms_wide,
                                      .arm_name = name_wide,
                                      .play = play_wide,
                                      .judge = judge_wide,
                                      .plot = plot_success,
                                      S0_EXPERIMENT};

const experiment_t experiment_arms = {
  .name = "E0.4",
  .title = "what the paper leaves open: own choices counted, the least delay, a milder deadline",
  .claim = "S0 4.2: most of what bbr fails, fails by itself; S4: bir blocks many resources",
  .arms = arms_invited,
  .arm_name = name_invited,
  .play = play_invited,
  .judge = judge_invited,
  .plot = plot_success,
  S0_EXPERIMENT};
