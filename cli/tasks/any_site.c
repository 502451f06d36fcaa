/*  any_site - one question to each site, and one more to its svc-replica. */
#include "any_site.h"

#include "file_questions.h"
#include "json_fields.h"
#include "task_inputs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define BYTES_PER_S_MBPS 125000.0

typedef struct {
    const json_t *site;
    double start_s; /* from now */
    double staging_s;
    double price;
} any_place_t;

/*  Seconds until all inputs are there; below 0, with why, when the site can't tell or can't take
 *  one. */
static double any_site_staging_s (session_t *session, const char *site, const json_t *question,
                                  const char **why)
{
    const char *large;
    if (!item_of (question, "files", 0))
        return 0;
    json_auto_t *answer = task_inputs_at (session, site, question, &large);
    *why =
      large ? "no disk there could take an input" : "can't say how soon the inputs would be there";
    if (!answer || large)
        return -1;
    double seconds = 0;
    const json_t *file;
    for (size_t i = 0; (file = item_of (answer, "files", i)); i++) {
        if (item_of (file, "nodes", 0))
            continue;
        double rate = (double) number_of (file, "bytes_per_s");
        seconds += (double) number_of (item_of (question, "files", i), "size") /
                   (rate > 0 ? rate : STAGING_UNMEASURED_MBPS * BYTES_PER_S_MBPS);
    }
    return seconds;
}

static bool any_site_better (const any_place_t *a, const any_place_t *b)
{
    double a_s = a->start_s + a->staging_s, b_s = b->start_s + b->staging_s;
    return !b->site || a_s < b_s - 1 ||
           (a_s < b_s + 1 && (a->price < b->price || (a->price == b->price && a_s < b_s)));
}

const json_t *any_site (session_t *session, const json_t *question, const json_t *staging,
                        int *code)
{
    any_place_t best = {.site = NULL};
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *sites = session_kind (session, "lis");
    *code = EXIT_REFUSED;
    const json_t *site;
    for (size_t i = 0; (site = json_array_get (sites, i)); i++) {
        const char *name = name_short (text_of (site, "name"));
        const char *why = "can't say when a task would begin";
        json_auto_t *told = NULL;
        any_place_t place = {.site = site};
        struct timespec now;
        timespec_get (&now, TIME_UTC);
        double now_s = (double) now.tv_sec + (double) now.tv_nsec / 1e9;
        if (session_ask_entry (session, site, "Queue", "Expect", question, &told, reason) !=
            CALL_OK) {
            fprintf (stderr, "%s: %s\n", name, reason);
            continue;
        }
        place.start_s = (double) number_of (told, "expected_ms") / 1000 - now_s;
        place.start_s = place.start_s > 0 ? place.start_s : 0;
        place.staging_s = any_site_staging_s (session, name, staging, &why);
        place.price = (double) number_of (told, "price") / 1e6;
        if (number_of (told, "expected_ms") == 0 || place.staging_s < 0) {
            fprintf (stderr, "%s: %s\n", name, why);
            continue;
        }
        fprintf (stderr, "%s: begins in %.0f s, inputs in %.0f s, %.4f credits a task\n", name,
                 place.start_s, place.staging_s, place.price);
        if (any_site_better (&place, &best))
            best = place;
    }
    json_auto_t *absent = session_absences (session, "lis");
    if (best.site)
        *code = EXIT_DONE;
    else
        *code = cli_fail (json_array_size (absent) > 0 ? EXIT_UNKNOWN : EXIT_REFUSED,
                          "submit: no site that answers takes it");
    return best.site;
}
