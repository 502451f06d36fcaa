/*  musubi sites - the sites, and what they offer. */
#include "answer_form.h"
#include "fields.h"
#include "offers.h"
#include "sites_commands.h"

static json_t *class_form (const json_t *class)
{
    int64_t nodes = number_of (class, "nodes");
    int64_t each = number_of (class, "cpus_per_node");
    json_int_t cpus = nodes * each;
    return json_pack ("{s:s, s:I, s:I, s:I, s:I, s:o}", "class", text_of (class, "name"), "nodes",
                      (json_int_t) nodes, "cpus_per_node", (json_int_t) each, "cpus", cpus, "price",
                      (json_int_t) number_of (class, "price"), "attributes",
                      attributes_form (json_object_get (class, "attributes")));
}

static json_t *site_form (const json_t *entry)
{
    const json_t *site = json_object_get (entry, "site");
    json_t *classes = json_array ();
    size_t i;
    const json_t *class;
    json_array_foreach (json_object_get (site, "classes"), i, class)
      json_array_append_new (classes, class_form (class));
    return json_pack ("{s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "name",
                      name_short (text_of (entry, "name")), "endpoint", text_of (entry, "endpoint"),
                      "disclosure", offer_windows_only (site) ? "windows" : "profile", "lead_ms",
                      (json_int_t) number_of (site, "lead_ms"), "horizon_ms",
                      (json_int_t) number_of (site, "horizon_ms"), "cleaning_gap_ms",
                      (json_int_t) number_of (site, "cleaning_gap_ms"), "classes", classes);
}

static void print_sites (const json_t *sites)
{
    static const char *const headings [] = {"SITE",  "CLASS",  ">NODES",    ">CPUS/NODE",
                                            ">CPUS", ">PRICE", "ATTRIBUTES"};
    table_t *table = table_new (headings, 7);
    size_t s;
    const json_t *site;
    json_array_foreach (sites, s, site)
    {
        size_t c;
        const json_t *class;
        json_array_foreach (json_object_get (site, "classes"), c, class)
        {
            char nodes [24];
            char each [24];
            char cpus [24];
            char price [COST_TEXT_BYTES];
            char attributes [512];
            attributes_text (json_object_get (class, "attributes"), attributes, sizeof attributes);
            const char *cells [] = {text_of (site, "name"),
                                    text_of (class, "class"),
                                    number_text (class, "nodes", nodes),
                                    number_text (class, "cpus_per_node", each),
                                    number_text (class, "cpus", cpus),
                                    cost_text (number_of (class, "price"), price),
                                    attributes};
            table_row (table, cells);
        }
    }
    table_print (&table, stdout);
}

int run_sites (cli_t *cli)
{
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){NULL, 0}, 0, 0, &words, &code))
        return code;
    session_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    json_t *sites = json_array ();
    size_t i;
    const json_t *entry;
    json_array_foreach (session_entries (session), i, entry)
    {
        if (json_object_get (entry, "site"))
            json_array_append_new (sites, site_form (entry));
    }
    if (cli->json)
        cli_print_json (json_pack ("{s:O}", "sites", sites));
    else
        print_sites (sites);
    json_decref (sites);
    session_close (&session);
    return EXIT_DONE;
}
