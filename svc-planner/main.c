/*  svc-planner - finds plans for users' requests and drives their commit. With --finish STORE it
 *  settles what a dead planner left in its store, and ends (T8).
 */
#include "decision_states.h"
#include "finisher.h"
#include "host.h"
#include "planner_config.h"
#include "planner_limits.h"
#include "solving.h"

static bool main_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    finisher_pool (config_text (config, "store/pool"),
                   (uint64_t) config_integer (config, "store/bytes"));
    return planner_core_from_config (config, core, why);
}

static bool main_solve (bytes_t arguments, uint8_t **result, size_t *result_size)
{
    char solver [PATH_MAX];
    solving_program (solver);
    return solving_run (solver, arguments, NULL, result, result_size);
}

int main (int argc, char **argv)
{
    static const work_kind_t works [] = {{.kind = "finish-stores", .run = finisher_run},
                                         {.kind = "solve", .run = main_solve}};
    host_program_t program = {
      .program = "svc-planner",
      .keys = planner_keys,
      .keys_count = planner_keys_count,
      .works = works,
      .works_count = 2,
      .workers = SOLVERS_MAX + 1, /* one starts finishers */
      .core_new = main_core_new,
      .gives_way = finisher_gives_way,
      .states = &decision_states,
      .not_adopted =
        "a planner is known by its store's id, and under another id nobody could look up its "
        "decisions; start it with an empty store, and settle what is left with musubi txn resolve",
    };
    int code, count;
    char **arguments = finisher_arguments (argc, argv, &count, &code);
    if (code != 0)
        return code;
    finisher_remember (argc, argv);
    code = arguments ? host_run (&program, count, arguments) : host_run (&program, argc, argv);
    finisher_pool (NULL, 0);
    return code;
}
