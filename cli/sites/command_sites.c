/*  musubi sites - the sites, and what they offer. */
#include "fields.h"
#include "offers.h"
#include "sites_commands.h"
#include "table.h"

static json_t *class_form (const json_t *class)
{
    static const form_row_t rows [] = {{.key = "class", .kind = FORM_TEXT, .from = "name"},
                                       {.key = "nodes", .kind = FORM_NUMBER},
                                       {.key = "cpus_per_node", .kind = FORM_NUMBER},
                                       {0}};
    static const form_row_t price [] = {{.key = "price", .kind = FORM_NUMBER}, {0}};
    json_t *form = form_of (rows, class);
    take (form, "cpus",
          json_integer (number_of (class, "nodes") * number_of (class, "cpus_per_node")));
    form_add (form, price, class);
    take (form, "attributes", attributes_form (json_object_get (class, "attributes")));
    return form;
}

static json_t *site_form (const json_t *entry)
{
    static const form_row_t rows [] = {
      {.key = "name", .kind = FORM_SHORT}, {.key = "endpoint", .kind = FORM_TEXT}, {0}};
    static const form_row_t times [] = {{.key = "lead_ms", .kind = FORM_NUMBER},
                                        {.key = "horizon_ms", .kind = FORM_NUMBER},
                                        {.key = "cleaning_gap_ms", .kind = FORM_NUMBER},
                                        {0}};
    const json_t *site = json_object_get (entry, "site");
    json_t *classes = json_array ();
    const json_t *class;
    for (size_t i = 0; (class = item_of (site, "classes", i)); i++)
        json_array_append_new (classes, class_form (class));
    json_t *form = form_of (rows, entry);
    take (form, "disclosure", json_string (offer_windows_only (site) ? "windows" : "profile"));
    form_add (form, times, site);
    take (form, "classes", classes);
    return form;
}

static void print_sites (const json_t *sites)
{
    static const form_row_t columns [] = {{"SITE", "name", .kind = FORM_TEXT},
                                          {"CLASS", "class", .kind = FORM_TEXT},
                                          {">NODES", "nodes", .kind = FORM_NUMBER},
                                          {">CPUS/NODE", "cpus_per_node", .kind = FORM_NUMBER},
                                          {">CPUS", "cpus", .kind = FORM_NUMBER},
                                          {">PRICE", "price", .cell = cell_cost},
                                          {"ATTRIBUTES", "attributes", .cell = cell_attributes},
                                          {0}};
    json_auto_t *classes = forms_flat (sites, "classes");
    table_print_forms (columns, classes, stdout);
}

int run_sites (cli_t *cli)
{
    words_t words;
    int code;
    session_auto_t *session = session_begin (cli, NULL, 0, 0, &words, &code);
    if (!session)
        return code;
    json_auto_t *sites = json_array ();
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (session_entries (session), i)); i++)
        if (json_object_get (entry, "site"))
            json_array_append_new (sites, site_form (entry));
    if (cli->json)
        cli_print_json (json_pack ("{s:O}", "sites", sites));
    else
        print_sites (sites);
    return EXIT_DONE;
}
