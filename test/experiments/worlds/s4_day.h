/*  s4_day - one day of S4's simulation as the experiments on it count it (S4 §4.2).
 *
 *  Requests come over a day until all of them together ask for every CPU of the next one, and `ip`
 *  plans each (planning_world.h, s4_world.h). The day is cut into ten parts of equal demand: the
 *  point L of a picture is the part that ends when L % have been asked for. Success is counted for
 *  each user over the requests that came in that part; a site's load is what has been booked of it
 *  by the end of the part, of the next day's CPU-hours.
 */
#ifndef MUSUBI_S4_DAY_H
#define MUSUBI_S4_DAY_H

#include "experiment.h"

#include "planning_world.h"
#include "s4_world.h"

#define DAY_POINTS 10
#define AT_30      2
#define AT_50      4
#define AT_100     9

/*  The administrators' weights (S4 3.4), how many windows are tried, and how long paths may be. */
typedef enum {
    AS_PROPOSED,
    FEW_WINDOWS,
    MANY_WINDOWS,
    SHORT_PATHS,
    B_SEES_HALF,
    BY_SIZE,
    BY_DOMAIN
} wish_t;

extern const char *const wish_words [];

typedef struct {
    double asked [S4_USERS][DAY_POINTS];
    double got [S4_USERS][DAY_POINTS];
    double booked [S4_SITES][DAY_POINTS]; /* CPU-ms of the next day, by time of request */
    double planned;                       /* number of requests up to 50 % */
    double parts [S4_SITES];              /* number of these requests whose plan has a part there */
} day_t;

/*  False when an invariant did not hold; the play says which. */
bool day_play (wish_t wish, uint64_t seed, day_t *day, play_t *play);

/*  The same, with each request told in the order of arrival. */
bool day_play_told (wish_t wish, uint64_t seed, planning_told_fn *told, void *owner, play_t *play);

/*  A metric for each point. */
#define DAY_METRICS(name, what)                                                                    \
    {name "_10", what}, {name "_20", what}, {name "_30", what}, {name "_40", what},                \
      {name "_50", what}, {name "_60", what}, {name "_70", what}, {name "_80", what},              \
      {name "_90", what},                                                                          \
    {                                                                                              \
        name "_100", what                                                                          \
    }

/*  "10" to "100". */
const char *day_point (size_t point);

/*  Describes the federation and the requests, and adds the criterion that every play was sound. */
void day_settings (experiment_run_t *run);

/*  Prints, for each arm, a row for each of the first metrics. */
void day_tell (const experiment_run_t *run, size_t rows, FILE *to);

/*  Lines over the load; values by line, then point. */
void day_plot (const char *title, const char *up, size_t lines, const char *(*line) (size_t line),
               const double *values, FILE *to);

#endif
