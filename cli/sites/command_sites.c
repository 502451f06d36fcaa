/*  musubi sites, musubi links - lists the sites, and what they offer; the links of all network
 *  domains, and points about which domains disagree. */
#include "commands.h"
#include "directory_wire.h"
#include "graph.h"
#include "resource_lookup.h"

static const form_row_t class_rows [] = {
  {"SITE", "name", .kind = FORM_MADE},
  {"CLASS", "class", .kind = FORM_TEXT, .from = "name"},
  {">NODES", "nodes", .kind = FORM_NUMBER},
  {">CPUS/NODE", "cpus_per_node", .kind = FORM_NUMBER},
  {">CPUS", "cpus", .kind = FORM_NUMBER},
  {">PRICE", "price", cell_cost, .kind = FORM_NUMBER},
  {"ATTRIBUTES", "attributes", cell_attributes, .kind = FORM_SAME},
  {0}};

static json_t *class_form (const json_t *class)
{
    json_auto_t *whole = made (json_copy ((json_t *) class));
    take (whole, "cpus",
          json_integer (number_of (class, "nodes") * number_of (class, "cpus_per_node")));
    take (whole, "attributes", attributes_form (json_object_get (class, "attributes")));
    return form_of (class_rows, whole);
}

static const form_row_t storage_rows [] = {{"SITE", "site", .kind = FORM_MADE},
                                           {"STORAGE", "name", .kind = FORM_TEXT},
                                           {">MIB", "mib", .kind = FORM_NUMBER},
                                           {0}};

/*  The storage nodes of a site on which reservations may have room. */
static json_t *storage_form (const session_t *session, const char *site)
{
    text_auto_t *name = must_print ("replica/%s", site);
    const json_t *storage = json_object_get (session_entry (session, name), "storage");
    json_t *nodes = forms_of (storage_rows + 1, json_object_get (storage, "nodes"));
    json_each (node, nodes)
        take (node, "site", json_string (site));
    return nodes;
}

static json_t *site_form (const session_t *session, const json_t *entry)
{
    static const form_row_t rows [] = {
      {.key = "name", .kind = FORM_SHORT}, {.key = "endpoint", .kind = FORM_TEXT}, {0}};
    static const form_row_t times [] = {{.key = "lead_ms", .kind = FORM_NUMBER},
                                        {.key = "horizon_ms", .kind = FORM_NUMBER},
                                        {.key = "cleaning_gap_ms", .kind = FORM_NUMBER},
                                        {0}};
    const json_t *site = json_object_get (entry, "site");
    json_t *classes = json_array ();
    json_each_of (class, site, "classes")
        json_array_append_new (classes, class_form (class));
    json_t *form = form_of (rows, entry);
    take (form, "state", json_string ("listed"));
    take (form, "disclosure", json_string (offer_windows_only (site) ? "windows" : "profile"));
    form_add (form, times, site);
    take (form, "classes", classes);
    take (form, "storage", storage_form (session, name_short (text_of (entry, "name"))));
    return form;
}

static void print_sites (const json_t *sites)
{
    json_auto_t *storage = json_array ();
    json_each (site, sites)
        json_array_extend (storage, json_object_get (site, "storage"));
    json_auto_t *classes = forms_flat (sites, "classes");
    table_print_forms (class_rows, classes, stdout);
    if (json_array_size (storage) > 0)
        table_print_forms (storage_rows, storage, stdout);
}

int run_sites (cli_t *cli)
{
    int code;
    session_auto_t *session = session_begin (cli, NULL, 0, 0, &code);
    if (!session)
        return code;
    json_auto_t *sites = json_array ();
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (session->entries, i)); i++)
        if (json_object_get (entry, "site"))
            json_array_append_new (sites, site_form (session, entry));
    char text [ABSENCE_TEXT_BYTES];
    json_auto_t *absent = session_absences (session, "lis");
    for (size_t i = 0; (entry = json_array_get (absent, i)); i++)
        json_array_append_new (
          sites, json_pack ("{s:s, s:s, s:s, s:[]}", "name", name_short (text_of (entry, "name")),
                            "state", flag_of (entry, "stopped") ? "stopped" : "silent", "since",
                            timetext_format (number_of (entry, "since_ms"), text), "classes"));
    if (!cli_json (cli, json_pack ("{s:O}", "sites", sites)))
        print_sites (sites);
    for (size_t i = 0; !cli->json && (entry = json_array_get (absent, i)); i++)
        printf ("%s %s\n", name_short (text_of (entry, "name")), absence_text (entry, text));
    return EXIT_DONE;
}

/*  --- links --- */

static const form_row_t link_rows [] = {
  {"DOMAIN", "domain", .kind = FORM_TEXT},
  {"LINK", "link", .kind = FORM_TEXT, .from = "name"},
  {"BETWEEN", "between", cell_list, .kind = FORM_SAME},
  {">MBIT/S", "mbps", .kind = FORM_NUMBER},
  {">LATENCY", "latency_ms", cell_latency, .kind = FORM_REAL},
  {">PRICE", "price", cell_cost, .kind = FORM_NUMBER},
  {"ATTRIBUTES", "attributes", cell_attributes, .kind = FORM_SAME},
  {0}};

static json_t *link_form (const char *domain, const json_t *link)
{
    json_auto_t *whole = made (json_copy ((json_t *) link));
    take (whole, "domain", json_string (domain));
    take (whole, "between", json_pack ("[s,s]", text_of (link, "a"), text_of (link, "b")));
    take (whole, "attributes", attributes_form (json_object_get (link, "attributes")));
    return form_of (link_rows, whole);
}

static void links_add_links (json_t *links, const json_t *entry)
{
    json_each_of (link, json_object_get (entry, "domain"), "links")
        json_array_append_new (links, link_form (name_short (text_of (entry, "name")), link));
}

/*  The network domains among the entries, joined to one graph. Domains whose description is not
 *  valid are left out and counted in *passed_over. */
static graph_t *domains_graph (const json_t *entries, size_t *passed_over)
{
    graph_t *graph = graph_new ();
    *passed_over = 0;
    json_each (json, entries) {
        directory_entry_t entry;
        if (!json_object_get (json, "domain"))
            continue;
        if (!json_read (&directory_entry_codec, &entry, json)) {
            ++*passed_over;
            continue;
        }
        const char *slash = strchr (entry.name, '/');
        if (entry.domain && slash)
            graph_add (graph, slash + 1, entry.domain);
        codec_clear (&directory_entry_codec, &entry);
    }
    return graph;
}

/*  {"links": […], "disagreements": [{"vertex", "text"}…]}, new. */
static json_t *links_form (const json_t *entries, size_t *passed_over)
{
    json_t *links = json_array ();
    json_t *disagreements = json_array ();
    json_each (entry, entries)
        links_add_links (links, entry);
    graph_t *graph = domains_graph (entries, passed_over);
    for (size_t c = 0; c < graph_conflicts (graph); c++)
        json_array_append_new (disagreements,
                               json_pack ("{s:s, s:s}", "vertex", graph_conflict_vertex (graph, c),
                                          "text", graph_conflict (graph, c)));
    graph_destroy (&graph);
    return json_pack ("{s:o, s:o}", "links", links, "disagreements", disagreements);
}

/*  Warns on standard error, also beside JSON, so that somebody puts it right. */
static void warn_of (const json_t *form, size_t passed_over)
{
    json_each_of (one, form, "disagreements")
        fprintf (stderr,
                 "musubi: %s; until they agree, no path crosses there from one to the other\n",
                 text_of (one, "text"));
    if (passed_over > 0)
        fprintf (stderr,
                 "musubi: %zu domains are left out, because their descriptions are not valid\n",
                 passed_over);
}

int run_links (cli_t *cli)
{
    int code;
    session_auto_t *session = session_begin (cli, NULL, 0, 0, &code);
    if (!session)
        return code;
    size_t passed_over;
    json_auto_t *form = links_form (session->entries, &passed_over);
    if (cli->json)
        cli_print_json (json_incref (form));
    else if (json_array_size (json_object_get (form, "links")) == 0)
        puts ("this federation has no network domain");
    else
        table_print_forms (link_rows, json_object_get (form, "links"), stdout);
    warn_of (form, passed_over);
    return EXIT_DONE;
}
