/*  task_inputs - asks who has them, and then which bags are under way. */
#include "task_inputs.h"

#include "json_fields.h"
#include "must.h"
#include "replica_sites.h"
#include "task_client.h"

#include <string.h>

#define TRY_MS    3000
#define TASKS_MAX 64 /* of a bag whose inputs are looked for */

/*  Could it be an output of one of the tasks that were submitted? */
static bool input_made (const json_t *submitted, const char *name)
{
    const json_t *output;
    for (size_t i = 0; (output = item_of (submitted, "outputs", i)); i++) {
        const char *made_as = text_of (output, "name"), *mark = strstr (made_as, "%i");
        size_t before = mark ? (size_t) (mark - made_as) : strlen (made_as);
        const char *rest = name + before;
        if (strncmp (name, made_as, before) == 0 &&
            strcmp (rest + (mark ? strspn (rest, "0123456789") : 0), mark ? mark + 2 : "") == 0)
            return true;
    }
    return false;
}

/*  Nobody has it: may it come all the same, from a bag of the actor, or a site that did not answer? */
static bool input_may_come (const cli_t *cli, session_t *session, const char *name)
{
    json_auto_t *mute = json_array ();
    json_auto_t *sites = task_sites (session, mute);
    const json_t *site, *bag;
    int code = EXIT_DONE;
    bool comes = json_array_size (mute) > 0;
    for (size_t i = 0; !comes && (site = json_array_get (sites, i)); i++) {
        json_auto_t *bags = task_bags (cli, session, site, session->places.actor, false, &code);
        comes = code != EXIT_DONE;
        for (size_t k = 0; !comes && (bag = json_array_get (bags, k)); k++)
            comes = input_made (json_object_get (bag, "submitted"), name);
    }
    json_auto_t *places = file_places (session, name, &comes); /* it was made meanwhile */
    return comes || json_array_size (places) > 0;
}

json_t *task_inputs (const cli_t *cli, session_t *session, const json_t *question, int *code)
{
    json_auto_t *files = made (json_array ());
    const json_t *input;
    for (size_t i = 0; (input = item_of (question, "inputs", i)); i++) {
        const char *asked = text_of (input, "name"), *mark = strstr (asked, "%i");
        json_int_t count = mark ? number_of (question, "count") : 1;
        for (int index = 0; index < count && index < TASKS_MAX; index++) {
            bool silent = false;
            text_auto_t *name = mark ? must_print ("%.*s%d%s", (int) (mark - asked), asked, index,
                                                   mark + strlen ("%i"))
                                     : must_print ("%s", asked);
            json_auto_t *places = file_places (session, name, &silent);
            const json_t *place = json_array_get (places, 0);
            if (!place && !silent && !input_made (question, name) &&
                !input_may_come (cli, session, name)) {
                *code = cli_fail (EXIT_REFUSED,
                                  "submit: --input %s: no site has it, and no task of yours that "
                                  "waits or runs will make it",
                                  name);
                return NULL;
            }
            if (!place || index > 0)
                continue;
            json_t *file = made (json_pack ("{s:s, s:O, s:[]}", "name", name, "size",
                                            json_object_get (place, "size"), "sites"));
            for (size_t p = 0; (place = json_array_get (places, p)); p++)
                take_last (json_object_get (file, "sites"), json_string (text_of (place, "site")));
            take_last (files, file);
        }
    }
    *code = EXIT_DONE;
    return made (json_pack ("{s:O}", "files", files));
}

json_t *task_inputs_at (session_t *session, const char *site, const json_t *staging,
                        const char **large)
{
    text_auto_t *name = must_print ("replica/%s", site);
    const json_t *entry = session_entry (session, name), *asked;
    method_t method = services_method ("Replica", "Staging");
    char reason [CLIENT_REASON_BYTES];
    json_t *answer = NULL;
    *large = NULL;
    if (entry)
        session_ask (session, text_of (entry, "endpoint"), &method, staging, "", TRY_MS, &answer,
                     reason);
    json_int_t most = number_of (answer, "bytes_max");
    for (size_t i = 0; most > 0 && (asked = item_of (staging, "files", i)); i++)
        if (number_of (asked, "size") > most)
            *large = text_of (asked, "name");
    return answer;
}
