/*  musubi call - any method of any service, through the descriptors of proto. */
#include "commands.h"
#include "json.h"
#include "message.h"

/*  The service that is meant: by its name, by the beginning of its name, or any live one of a kind.
 */
static const json_t *find_entry (session_t *session, const char *who)
{
    const json_t *exact = session_entry (session, who);
    size_t length = strlen (who);
    size_t candidates = 0;
    const json_t *chosen = NULL;
    if (exact)
        return exact;
    json_each (entry, session->entries) {
        bool begins = strchr (who, '/') && strncmp (text_of (entry, "name"), who, length) == 0;
        if ((entry_is (entry, who) || begins) && prng_next (&session->prng) % ++candidates == 0)
            chosen = entry;
    }
    return chosen;
}

static json_t *read_body (const char *text)
{
    char why [WHY_BYTES];
    if (!text)
        return json_object ();
    if (strcmp (text, "-") == 0)
        return cli_read_json ("-");
    json_t *body = json_parse (text, strlen (text), why);
    if (!body)
        cli_fail (EXIT_USAGE, "call: %s", why);
    return body;
}

/*  Refuses bad fields before any service is looked for. */
static bool body_sound (const method_t *method, json_t *body)
{
    char why [WHY_BYTES];
    message_auto_t *message = json_to_message (method->asked, body, why);
    return message || cli_refuse ("call %s.%s: %s", method->service, method->method, why);
}

static int call_ask (const cli_t *cli, session_t *session, const char *endpoint,
                     const method_t *method, const json_t *body)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    call_status_t status = session_ask (session, endpoint, method, body, cli->request_id,
                                        session->places.timeout_ms, &answer, reason);
    if (status != CALL_OK)
        return cli_fail (status == CALL_UNKNOWN_METHOD ? EXIT_USAGE : session_code (status),
                         "call %s.%s at %s: %s", method->service, method->method, endpoint, reason);
    cli_print_json (answer);
    return EXIT_DONE;
}

static int find_and_ask (const cli_t *cli, const char *who, const method_t *method,
                         const json_t *body)
{
    int code;
    session_auto_t *session = session_open (cli, &code);
    if (!session)
        return code;
    if (strstr (who, "://")) {
        code = call_ask (cli, session, who, method, body);
    } else if (!session_look (session, who)) {
        code = session_lost (session);
    } else {
        const json_t *entry = find_entry (session, who);
        const char *endpoint = json_string_value (json_object_get (entry, "endpoint"));
        code = endpoint ? call_ask (cli, session, endpoint, method, body)
                        : cli_fail (EXIT_REFUSED, "call: the directory lists no \"%s\"", who);
    }
    return code;
}

int run_call (cli_t *cli)
{
    cli_option_t list [] = {
      TEXT_OPTION ("request-id", &cli->request_id, "ID@HOME",
                   "names this request; asking again under the same id is safe"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 2, 3, &code))
        return code;
    const char *who = cli->words [0];
    char kind [NAME_BYTES_MAX + 1] = "";
    char why [LONG_WHY_BYTES];
    method_t method;
    if (!strstr (who, "://"))
        snprintf (kind, sizeof kind, "%.*s", (int) strcspn (who, "/"), who);
    if (!services_at (kind, 0, &method))
        return cli_fail (EXIT_USAGE,
                         "call: there is no service \"%s\": name one such as lis/kyoto (musubi "
                         "doctor lists them), or a kind: gis, lis, nis, planner, replica, balancer",
                         who);
    if (!services_find (kind, cli->words [1], &method, why))
        return cli_fail (EXIT_USAGE, "call: %s", why);
    json_auto_t *body = read_body (cli->words [2]);
    if (!body)
        return EXIT_USAGE;
    return body_sound (&method, body) ? find_and_ask (cli, who, &method, body) : EXIT_USAGE;
}
