/*  planner_limits - limits that no setting of a planner changes. */
#ifndef MUSUBI_PLANNER_LIMITS_H
#define MUSUBI_PLANNER_LIMITS_H

#include "request_terms.h"

#include <stdint.h>

#define OFFSET_MS_MAX          (INT64_C (31) * 86400000)
#define DURATION_MS_MAX        (INT64_C (366) * 86400000)
#define INSTANT_MS_MAX         INT64_C (253370764800000) /* 9999: later times of sites fit, too */
#define FROM_NOW_MS_MAX        (INT64_C (3660) * 86400000)
#define CANDIDATES_FIRST       8     /* so few sites and domains are all asked */
#define CANDIDATES_MAX         64    /* places asked at once for one need */
#define ASKED_MAX              65536 /* in all */
#define WAITERS_MAX            16    /* repeats of one request that wait for its answer */
#define SOLVERS_MAX            64    /* at once */
#define WINDOWS_ASKED_MAX      64    /* in one question to a site */
#define LINK_WINDOWS_ASKED_MAX 4096  /* in one question to a network domain */

#endif
