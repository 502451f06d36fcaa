/*  planner_request - asks, and prints what the user has to know at each step. */
#include "planner_request.h"

#include "answer_form.h"
#include "must.h"
#include "request_form.h"

#include <string.h>

json_t *planner_request_read (const char *file, const char *algorithm, const char *policy,
                              const option_texts_t *inputs)
{
    char why [LONG_WHY_BYTES];
    json_auto_t *written = cli_read_json (file);
    if (!written)
        return NULL;
    request_form_choose (written, algorithm, policy);
    for (size_t i = 0; inputs && i < inputs->count; i++)
        request_form_input (written, inputs->list [i]);
    json_t *request = request_form_read (written, why);
    if (!request)
        cli_fail (EXIT_USAGE, "%s: %s", strcmp (file, "-") == 0 ? "standard input" : file, why);
    return request;
}

static int planner_request_call (planner_request_t *self, const char *given, json_t **form)
{
    char why [WHY_BYTES];
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *answer = NULL;
    bool sent;
    *form = NULL;
    if (!session_request_id (self->session, given, self->request_id, why))
        return cli_fail (given ? EXIT_USAGE : EXIT_UNKNOWN, "%s", why);
    fprintf (stderr, "request-id %s\n", self->request_id);
    self->asked++;
    int code = session_ask_planner (self->session, self->method, self->body, self->request_id,
                                    &answer, &sent, reason);
    if (code == EXIT_DONE) {
        *form = answer_form (answer);
        code = answer_code (*form);
    } else if (code == EXIT_UNKNOWN) {
        *form = answer_form_unknown (self->request_id, reason);
        self->unsent = !sent && !given;
    } else {
        cli_fail (code, "%s: %s", self->word, reason);
    }
    return code;
}

int planner_request_ask (planner_request_t *self, json_t **form)
{
    return planner_request_call (self, self->cli->request_id, form);
}

int planner_request_ask_anew (planner_request_t *self, json_t **form)
{
    /* A user's own id gets a number behind it, so that it can still be recognised. */
    const char *given = self->cli->request_id;
    char numbered [REQUEST_ID_BYTES_MAX + 1];
    session_look (self->session, "planner");
    if (given) {
        int length = (int) strcspn (given, "@");
        snprintf (numbered, sizeof numbered, "%.*s-%u%s", length, given, self->asked + 1,
                  given + length);
    }
    return planner_request_call (self, given ? numbered : NULL, form);
}

int planner_request_print (const planner_request_t *self, json_t *form, int code)
{
    if (!form)
        return code;
    if (self->cli->json)
        cli_print_json (json_incref (form));
    else if (self->unsent)
        cli_fail (code, "%s: %s", self->word, text_of (item_of (form, "reasons", 0), "text"));
    else
        answer_print (form, self->word, code == EXIT_DONE ? stdout : stderr);
    json_decref (form);
    if (code == EXIT_UNKNOWN) {
        text_auto_t *again = cli_again (self->cli, self->request_id);
        fprintf (stderr, "musubi: %s; it is safe to ask again:\n  %s\n",
                 self->unsent ? "the request was not sent, and nothing has changed"
                              : "the outcome is unknown",
                 again);
    }
    return code;
}
