/*  musubi provision - puts a reservation's circuits into use at every domain, or takes them out of
 *  use.
 *
 *  Each domain decides for itself; asking again is safe.
 */
#include "commands.h"
#include "listing.h"

/*  Adds a participant that is a domain, once. */
static void add_domain (json_t *domains, const char *participant)
{
    json_auto_t *name = json_string (participant);
    if (strncmp (participant, "nis/", 4) == 0 && !list_has (domains, name))
        json_array_append (domains, name);
}

/*  The domains of the reservation ("nis/N"), silent ones included. Those who may not see its parts
 *  still see its links. */
static json_t *domains_of (const json_t *view)
{
    json_t *domains = json_array ();
    json_each_of (one, view, "parts")
        if (json_array_size (json_object_get (one, "circuits")) > 0)
            add_domain (domains, text_of (one, "participant"));
    json_each_of (one, view, "network") {
        json_each_of (link, one, "links") {
            const char *name = json_string_value (link);
            char participant [NAME_BYTES_MAX + 1];
            snprintf (participant, sizeof participant, "nis/%.*s", (int) strcspn (name, "/"), name);
            add_domain (domains, participant);
        }
    }
    json_each_of (one, view, "silent")
        add_domain (domains, json_string_value (one));
    return domains;
}

/*  Asks one domain; the row that tells its answer, new. */
static json_t *provision_ask_domain (session_t *session, const char *domain, bool release,
                                     const json_t *question, int *code)
{
    const json_t *entry = session_entry (session, domain);
    if (!entry && session_look (session, domain))
        entry = session_entry (session, domain);
    char reason [CLIENT_REASON_BYTES] = "no directory lists it now";
    json_auto_t *answer = NULL;
    call_status_t status = CALL_TIMED_OUT;
    if (entry)
        status = session_ask_entry (session, entry, "Nis", release ? "Release" : "Provision",
                                    question, &answer, reason);
    json_t *row = json_pack ("{s:s}", "domain", name_short (domain));
    if (status == CALL_OK) {
        json_object_set (row, "provisioned", json_object_get (answer, "provisioned"));
        json_object_set (row, "active", json_object_get (answer, "active"));
        json_object_set (row, "trouble", json_object_get (answer, "trouble"));
    } else {
        json_object_set_new (row, "error", json_string (reason));
        /* A silent domain decides the exit code before a refusal does, as it means to ask again. */
        if (status == CALL_TIMED_OUT)
            *code = EXIT_UNKNOWN;
        else if (*code == EXIT_DONE)
            *code = EXIT_REFUSED;
    }
    return row;
}

static const char *provision_use_cell (const json_t *row, const char *key, char text [CELL_BYTES])
{
    const char *trouble = text_of (row, "trouble");
    bool provisioned = flag_of (row, key);
    bool active = flag_of (row, "active");
    return json_object_get (row, "error") ? text_of (row, "error")
           : !provisioned                 ? "released"
           : *trouble ? (snprintf (text, CELL_BYTES, "provisioned, but %s", trouble), text)
           : active   ? "provisioned, usable now"
                      : "provisioned, usable when its window begins";
}

static const form_row_t columns [] = {
  {"DOMAIN", "domain", .kind = FORM_TEXT}, {"USE", "provisioned", .cell = provision_use_cell}, {0}};

static int provision (const cli_t *cli, session_t *session, const char *id, bool release,
                      json_t *traffic, const json_t *view)
{
    int code = EXIT_DONE;
    json_auto_t *domains = domains_of (view);
    json_auto_t *rows = json_array ();
    json_auto_t *question = json_pack ("{s:s, s:O}", "reservation", id, "traffic", traffic);
    json_each (domain, domains)
        json_array_append_new (rows, provision_ask_domain (session, json_string_value (domain),
                                                           release, question, &code));
    if (json_array_size (domains) == 0)
        code = cli_fail (EXIT_REFUSED, "%s: this reservation has no circuits", id);
    else if (!cli_json (cli, json_pack ("{s:s, s:O}", "reservation", id, "domains", rows)))
        table_print_forms (columns, rows, stdout);
    if (code == EXIT_UNKNOWN)
        cli_note (cli, "a domain did not answer; it is safe to ask again");
    return code;
}

int run_provision (cli_t *cli)
{
    bool release = false;
    int64_t port = 0, dscp = 0;
    option_texts_t addresses = {.count = 0};
    cli_option_t list [] = {
      FLAG_OPTION ("release", &release, "take them out of use; the reservation stays"),
      INTEGER_OPTION ("port", &port, "N", "only traffic from or to this port of TCP or UDP", 1,
                      UINT16_MAX),
      INTEGER_OPTION ("dscp", &dscp, "N", "only traffic with this mark, 1 to 63", 1, 63),
      TEXTS_OPTION ("address", &addresses, "A",
                    "of its site only this IPv4 address, or those of 10.8.0.0/24; again for more"),
      {0}};
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    session_auto_t *session = NULL;
    json_auto_t *view = listing_show (cli, &session, cli->words [0], &code);
    json_auto_t *traffic =
      made (json_pack ("{s:I, s:I, s:[]}", "port", port, "dscp", dscp, "addresses"));
    for (size_t i = 0; i < addresses.count; i++)
        take_last (json_object_get (traffic, "addresses"), json_string (addresses.list [i]));
    return view ? provision (cli, session, cli->words [0], release, traffic, view) : code;
}
