/*  any_site - one question to each site, and one more to its svc-replica. */
#include "any_site.h"

#include "json_fields.h"
#include "must.h"
#include "staged_file.h"

#include <limits.h>
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

/*  As proto StagingRequest: the inputs, of the bag's first task, with the sites that have them. NULL
 *  after saying which one nobody has. */
static json_t *any_site_question (session_t *session, const json_t *inputs)
{
    json_auto_t *services = session_kind (session, "replica");
    char reason [CLIENT_REASON_BYTES];
    json_t *files = json_array ();
    const json_t *input;
    for (size_t i = 0; (input = json_array_get (inputs, i)); i++) {
        const char *asked = text_of (input, "name");
        const char *mark = strstr (asked, "%i");
        text_auto_t *first = must_print ("%.*s%s%s", mark ? (int) (mark - asked) : INT_MAX, asked,
                                         mark ? "0" : "", mark ? mark + 2 : "");
        json_auto_t *name = json_pack ("{s:s}", "name", first);
        json_auto_t *answer = NULL;
        for (size_t s = 0; !item_of (answer, "places", 0) && s < json_array_size (services); s++) {
            json_decref (answer);
            answer = NULL;
            session_ask_entry (session, json_array_get (services, s), "Replica", "Locate", name,
                               &answer, reason);
        }
        const json_t *place = item_of (answer, "places", 0);
        if (!place) {
            cli_fail (EXIT_REFUSED, "submit: --input %s: no site that answers has it", first);
            json_decref (files);
            return NULL;
        }
        json_t *file = json_pack ("{s:s, s:I, s:[]}", "name", first, "size",
                                  (json_int_t) number_of (place, "size"), "sites");
        for (size_t p = 0; (place = item_of (answer, "places", p)); p++)
            json_array_append_new (json_object_get (file, "sites"),
                                   json_string (text_of (place, "site")));
        json_array_append_new (files, file);
    }
    return json_pack ("{s:o}", "files", files);
}

/*  Seconds until all inputs are there; below 0 when the site can't tell. */
static double any_site_staging_s (session_t *session, const char *site, const json_t *question)
{
    char name [2 * NAME_BYTES_MAX], reason [CLIENT_REASON_BYTES];
    snprintf (name, sizeof name, "replica/%s", site);
    const json_t *entry = session_entry (session, name);
    json_auto_t *answer = NULL;
    if (json_array_size (json_object_get (question, "files")) == 0)
        return 0;
    if (!entry || session_ask_entry (session, entry, "Replica", "Staging", question, &answer,
                                     reason) != CALL_OK)
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

const json_t *any_site (session_t *session, const json_t *question, int *code)
{
    any_place_t best = {.site = NULL};
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *sites = session_kind (session, "lis");
    json_auto_t *staging = any_site_question (session, json_object_get (question, "inputs"));
    *code = EXIT_REFUSED;
    const json_t *site;
    for (size_t i = 0; staging && (site = json_array_get (sites, i)); i++) {
        const char *name = name_short (text_of (site, "name"));
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
        place.staging_s = any_site_staging_s (session, name, staging);
        place.price = (double) number_of (told, "price") / 1e6;
        if (number_of (told, "expected_ms") == 0 || place.staging_s < 0) {
            fprintf (stderr, "%s: %s\n", name,
                     place.staging_s < 0 ? "can't say how soon the inputs would be there"
                                         : "can't say when a task would begin");
            continue;
        }
        fprintf (stderr, "%s: begins in %.0f s, inputs in %.0f s, %.4f credits a task\n", name,
                 place.start_s, place.staging_s, place.price);
        if (any_site_better (&place, &best))
            best = place;
    }
    if (best.site)
        *code = EXIT_DONE;
    else if (staging)
        cli_fail (EXIT_REFUSED, "submit: no site takes it");
    return best.site;
}
