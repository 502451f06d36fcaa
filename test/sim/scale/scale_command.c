/*  scale_command - the command lines of musubi-sim scale and musubi-sim soak. */
#include "scale_world.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_MS INT64_C (1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS   (60 * MINUTE_MS)
#define DAY_MS    (24 * HOUR_MS)

static const char usage [] =
  "usage: musubi-sim scale [--sites N] [--domains N] [--planners N] [--reservations N] [--crowd "
  "N]\n"
  "                         [--seed S]\n"
  "       musubi-sim soak [--days N] [--seed S]\n"
  "\n"
  "scale  a federation of that size (10000, 1000, 100) makes so many reservations (1000000) and\n"
  "       gives them back; prints what an operation costs in messages, processor time and memory;\n"
  "       --crowd: with so many users of each planner, who all want the same at once\n"
  "soak   a small federation under mixed load for so many virtual days (3), in which services are\n"
  "       killed; its stores and its memory must not grow once the first records are forgotten\n";

typedef struct {
    const char *name;
    uint64_t most;
    uint64_t *value;
} scale_option_t;

static bool take (const scale_option_t *option, const char *text)
{
    char *end;
    errno = 0;
    *option->value = strtoull (text, &end, 10);
    bool good =
      *text >= '0' && *text <= '9' && !*end && errno == 0 && *option->value <= option->most;
    if (!good)
        fprintf (stderr, "musubi-sim: --%s %s: not a number up to %" PRIu64 "\n%s", option->name,
                 text, option->most, usage);
    return good;
}

/*  Options are --NAME VALUE. */
static bool take_all (const scale_option_t *options, size_t options_count, int count,
                      char **arguments)
{
    for (int i = 1; i < count; i += 2) {
        size_t at = 0;
        while (at < options_count && (strncmp (arguments [i], "--", 2) != 0 ||
                                      strcmp (arguments [i] + 2, options [at].name) != 0))
            at++;
        if (at == options_count || i + 1 == count) {
            fputs (usage, stderr);
            return false;
        }
        if (!take (&options [at], arguments [i + 1]))
            return false;
    }
    return true;
}

int scale_command (int count, char **arguments)
{
    bool soak = strcmp (arguments [0], "soak") == 0;
    uint64_t days = 3;
    scale_order_t order = {.seed = 1,
                           .sites = 10000,
                           .domains = 1000,
                           .planners = 100,
                           .directories = 2,
                           .reservations = 1000000,
                           .think_ms = SECOND_MS,
                           .ahead_ms = MINUTE_MS,
                           .lasts_ms = MINUTE_MS,
                           .retention_ms = MINUTE_MS,
                           .join_ms = MINUTE_MS};
    if (soak)
        order = (scale_order_t){.seed = 1,
                                .sites = 6,
                                .domains = 2,
                                .planners = 2,
                                .directories = 2,
                                .think_ms = 20 * SECOND_MS,
                                .ahead_ms = 10 * MINUTE_MS,
                                .lasts_ms = 10 * MINUTE_MS,
                                .retention_ms = HOUR_MS,
                                .join_ms = SECOND_MS,
                                .kills_ms = 5 * MINUTE_MS,
                                .keep = true};
    const scale_option_t options [] = {
      {"seed", UINT64_MAX - 1, &order.seed},
      {soak ? "days" : "sites", soak ? 1000 : SCALE_SITES_MAX, soak ? &days : &order.sites},
      {"domains", SCALE_DOMAINS_MAX, &order.domains},
      {"planners", SCALE_PLANNERS_MAX, &order.planners},
      {"reservations", UINT64_C (1) << 40, &order.reservations},
      {"crowd", SCALE_CROWD_MAX, &order.crowd}};
    if (!take_all (options, soak ? 2 : sizeof options / sizeof *options, count, arguments))
        return 2;
    if (order.sites < 2 || order.planners == 0 || days == 0 || (!soak && order.reservations == 0)) {
        fprintf (stderr, "musubi-sim: two sites and one of all else at the least\n%s", usage);
        return 2;
    }
    if (order.planners * order.crowd > SCALE_CROWD_MAX) {
        fprintf (stderr, "musubi-sim: a crowd of more than %d users\n%s", SCALE_CROWD_MAX, usage);
        return 2;
    }
    order.days_ms = soak ? (int64_t) days * DAY_MS : 0;
    char why [LONG_WHY_BYTES];
    bool good = scale_run (&order, why);
    if (!good)
        printf ("FAILED: %s\n", why);
    return good ? 0 : 1;
}
