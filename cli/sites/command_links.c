/*  musubi links - lists the links of all network domains, and points about which domains disagree.
 */
#include "commands.h"
#include "directory_wire.h"
#include "graph.h"
#include "resource_lookup.h"

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
