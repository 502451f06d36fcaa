/*  musubi solve - solves co-allocation problems out of a file; no service is asked.
 *
 *  It prints a line of JSON for each, in the file's order, as soon as it is solved. `auto` keeps
 *  its time limit itself; GLPK may not look at the clock for minutes, so it runs in a process that
 *  can be ended. */
#include "commands.h"
#include "program_form.h"
#include "solving.h"

#define TIME_LIMIT_S     60.0 /* for each instance, unless given */
#define TIME_LIMIT_S_MAX 86400.0
#define PATHS_HOPS_MAX   2 /* of the variants _p2, as in the paper */

typedef struct {
    const char *word;
    program_reading_t reading;
    uint32_t hops_max;
} solve_variant_t;

static const solve_variant_t variants [] = {
  {"shared", PROGRAM_SHARED, 0},
  {"dir", PROGRAM_DIRECTED, 0},
  {"shared_p2", PROGRAM_SHARED, PATHS_HOPS_MAX},
  {"dir_p2", PROGRAM_DIRECTED, PATHS_HOPS_MAX},
};

#define VARIANTS (sizeof variants / sizeof variants [0])

static const solve_variant_t *find_variant (const char *word)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (strcmp (variants [i].word, word) == 0)
            return &variants [i];
    return NULL;
}

static json_t *numbers_form (const uint32_t *numbers, size_t count)
{
    json_t *list = made (json_array ());
    for (size_t i = 0; i < count; i++)
        json_array_append_new (list, json_integer (numbers [i]));
    return list;
}

/*  One for each link with bandwidth, in the request's order. */
static json_t *paths_form (const program_t *program, const program_plan_t *plan)
{
    json_t *list = made (json_array ());
    for (size_t i = 0; i < program->links_count; i++)
        if (program->links [i].bandwidth > 0)
            json_array_append_new (
              list, numbers_form (&plan->paths [i * program->nodes_count], plan->path_lengths [i]));
    return list;
}

static void print_answer (const instance_t *instance, const solve_variant_t *variant,
                          const solver_answer_t *answer, int64_t solve_us)
{
    const program_plan_t *plan = answer->plan;
    const program_t *program = &instance->program;
    json_auto_t *line = made (json_pack (
      "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:I}", "id", instance->id, "variant", variant->word,
      "status", solver_status_word (answer->status), "objective",
      plan ? json_integer (plan->cost) : json_null (), "bound",
      answer->status == SOLVER_INFEASIBLE ? json_null () : json_integer (answer->bound), "assign",
      plan ? numbers_form (plan->nodes, program->sites_count) : json_array (), "paths",
      plan ? paths_form (program, plan) : json_array (), "solve_us", (json_int_t) solve_us));
    json_dumpf (line, stdout, 0);
    putchar ('\n');
    fflush (stdout);
}

/*  False when there is no answer; why has been reported. */
static bool solve_aside (const program_t *program, const solver_order_t *order,
                         solver_answer_t *answer, int64_t *solve_us)
{
    char solver [PATH_MAX];
    solving_program (solver);
    packed_t asked = solving_order_encode (program, order);
    uint8_t *result;
    size_t size;
    bool good = solving_run (solver, packed_bytes (asked), cli_interrupted, &result, &size);
    free (asked.data);
    if (!good)
        cli_fail (EXIT_UNKNOWN, "%.*s", (int) size, (const char *) result);
    else if (!solving_answer_decode ((bytes_t){.data = result, .size = size}, program, answer,
                                     solve_us))
        good = cli_fail (EXIT_UNKNOWN, "the solver's answer can't be read") == EXIT_DONE;
    free (result);
    return good;
}

static int solve_all (const instance_t *instances, size_t count, const solve_variant_t *variant,
                      const solver_order_t *order)
{
    for (size_t i = 0; i < count && !cli_interrupted (); i++) {
        solver_answer_t answer;
        int64_t solve_us = -solving_clock_us (NULL);
        const program_t *program = &instances [i].program;
        if (order->kind == SOLVER_AUTO) {
            solver_run (program, order, &answer);
            solve_us += solving_clock_us (NULL);
        } else if (!solve_aside (program, order, &answer, &solve_us))
            return EXIT_UNKNOWN;
        print_answer (&instances [i], variant, &answer, solve_us);
        program_plan_destroy (&answer.plan);
    }
    solver_rest ();
    return EXIT_DONE;
}

int run_solve (cli_t *cli)
{
    const char *variant_word = "shared";
    const char *solver_word = "auto";
    double time_limit_s = TIME_LIMIT_S;
    bool first = false;
    cli_option_t list [] = {
      TEXT_OPTION ("variant", &variant_word, "V",
                   "shared (both directions of an edge draw on one pool), dir (each has its own), "
                   "shared_p2, dir_p2 (paths of at most 2 edges); default shared"),
      TEXT_OPTION ("solver", &solver_word, "S",
                   "auto, glpk, glpk-pruned or glpk-plain; default auto"),
      REAL_OPTION ("time-limit", &time_limit_s, "S",
                   "seconds for each instance; then the best plan so far is printed; default 60",
                   0.001, TIME_LIMIT_S_MAX),
      FLAG_OPTION ("first", &first, "stop at the first plan that is found"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    const solve_variant_t *variant = find_variant (variant_word);
    if (!variant)
        return cli_fail (EXIT_USAGE,
                         "--variant: \"%.60s\" is none of shared, dir, shared_p2, dir_p2",
                         variant_word);
    solver_order_t order = {
      .first = first,
      .limit = {.time_us_max = (int64_t) (time_limit_s * 1e6), .clock_us = solving_clock_us},
    };
    if (!solver_kind_read (solver_word, &order.kind))
        return cli_fail (EXIT_USAGE,
                         "--solver: \"%.60s\" is none of auto, glpk, glpk-pruned, glpk-plain",
                         solver_word);
    if (order.kind == SOLVER_GLPK_PRUNED && variant->hops_max == 0)
        return cli_fail (EXIT_USAGE,
                         "--solver glpk-pruned: solves the variants shared_p2 and dir_p2 only, "
                         "whose paths have at most 2 edges");
    json_t *file = cli_read_json (cli->words [0]);
    if (!file)
        return EXIT_USAGE;
    char why [LONG_WHY_BYTES];
    size_t count = 0;
    instance_t *instances =
      program_form_read (file, variant->reading, variant->hops_max, &count, why);
    if (instances)
        code = solve_all (instances, count, variant, &order);
    else
        code = cli_fail (EXIT_USAGE, "%s: %s", cli->words [0], why);
    program_form_free (instances, count);
    json_decref (file);
    return code;
}
