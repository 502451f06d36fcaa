/*  chart - first a row for everything that exists, then rows for what is reserved beside it. */
#include "chart.h"

#include "answer_form.h"
#include "must.h"

#define MIB INT64_C (1048576)

/*  The row's name lives in the table of names. */
static size_t chart_add_row (gantt_t *gantt, json_t *rows, const char *name, int64_t capacity,
                             const char *unit)
{
    take (rows, name, json_integer ((json_int_t) gantt->rows_count));
    gantt->rows = must (reallocarray (gantt->rows, gantt->rows_count + 1, sizeof *gantt->rows));
    gantt->rows [gantt->rows_count] =
      (gantt_row_t){json_object_iter_key (json_object_iter_at (rows, name)), capacity,
                    strcmp (unit, "CPUs") != 0, unit};
    return gantt->rows_count++;
}

/*  The row of that name; a new row when the directory does not list it any more. */
static size_t chart_row_of (gantt_t *gantt, json_t *rows, const char *name, const char *unit)
{
    const json_t *row = json_object_get (rows, name);
    return row ? (size_t) json_integer_value (row) : chart_add_row (gantt, rows, name, 0, unit);
}

/*  Takes over a text that lives as long as the chart. */
static const char *chart_text (chart_t *self, json_t *text)
{
    json_array_append_new (self->texts, made (text));
    return json_string_value (text);
}

/*  A bar in the row of that name, over the time of its part; used: percent of its CPU time, below 0
 *  = not told. */
static void add_bar (gantt_t *gantt, json_t *rows, const char *name, const char *unit,
                     const json_t *part, gantt_bar_t bar, int used)
{
    bar.row = chart_row_of (gantt, rows, name, unit);
    bar.from_ms = form_time_ms (part, "start");
    bar.until_ms = form_time_ms (part, "end");
    gantt->bars = must (reallocarray (gantt->bars, gantt->bars_count + 1, sizeof *gantt->bars));
    gantt->used = must (reallocarray (gantt->used, gantt->bars_count + 1, sizeof *gantt->used));
    gantt->used [gantt->bars_count] = used;
    gantt->bars [gantt->bars_count++] = bar;
}

/*  --- classes ---  */

static void add_classes (chart_t *self, const json_t *entries)
{
    json_each (entry, entries) {
        json_each_of (class, json_object_get (entry, "site"), "classes") {
            text_auto_t *name =
              must_print ("%s/%s", name_short (text_of (entry, "name")), text_of (class, "name"));
            chart_add_row (&self->gantt, self->classes, name,
                           number_of (class, "nodes") * number_of (class, "cpus_per_node"), "CPUs");
        }
    }
}

/*  Percent of its CPU time that a reservation has used at a site; below 0 when the site tells
 *  nothing. */
static int used_at (const json_t *form, const char *site)
{
    json_each_of (opening, form, "openings") {
        int64_t offered_ms = number_of (opening, "offered_ms");
        if (has_text (opening, "site", site) && offered_ms > 0)
            return (int) (100.0 * (double) number_of (opening, "cpu_ms") / (double) offered_ms +
                          0.5);
    }
    return -1;
}

static void chart_add_placements (chart_t *self, const json_t *form)
{
    json_each_of (placement, form, "compute") {
        const char *site = text_of (placement, "site");
        text_auto_t *name = must_print ("%s/%s", site, text_of (placement, "class"));
        add_bar (&self->gantt, self->classes, name, "CPUs", placement,
                 (gantt_bar_t){.reservation = self->gantt.reservations_count,
                               .need = text_of (placement, "id"),
                               .quantity = number_of (placement, "cpus")},
                 used_at (form, site));
    }
}

/*  --- links and storage ---  */

/*  The set of names of the links and storage nodes in use. */
static json_t *used_links (const json_t *forms)
{
    json_t *used = json_object ();
    json_each (form, forms) {
        json_each_of (connection, form, "network") {
            json_each_of (link, connection, "links")
                json_object_set_new (used, json_string_value (link), json_true ());
        }
        json_each_of (room, form, "data") {
            text_auto_t *name =
              must_print ("%s/%s", text_of (room, "site"), text_of (room, "node"));
            json_object_set_new (used, name, json_true ());
        }
    }
    return used;
}

/*  Rows for the links of domains and the storage nodes of sites: all, or those in use. */
static void chart_add_parts (chart_t *self, const json_t *entries, const json_t *used, bool all)
{
    static const struct {
        const char *what, *list, *capacity, *unit;
    } kinds [] = {{"domain", "links", "mbps", "Mbit/s"}, {"storage", "nodes", "mib", "MiB"}};
    for (size_t e = 0; e < 2 * json_array_size (entries); e++) {
        const json_t *entry = json_array_get (entries, e / 2);
        const json_t *parts = json_object_get (entry, kinds [e % 2].what);
        json_each_of (part, parts, kinds [e % 2].list) {
            text_auto_t *name =
              must_print ("%s/%s", name_short (text_of (entry, "name")), text_of (part, "name"));
            if (all || json_object_get (used, name))
                chart_add_row (&self->gantt, self->links, name,
                               number_of (part, kinds [e % 2].capacity), kinds [e % 2].unit);
        }
    }
}

/*  What the bar of a link says: the need and, where the domain tells it, how its circuit is. */
static const char *circuit_text (chart_t *self, const json_t *form, const char *need,
                                 const char *link)
{
    json_each_of (one, form, "circuits") {
        size_t length = strlen (text_of (one, "domain"));
        if (strncmp (text_of (one, "domain"), link, length) == 0 && link [length] == '/')
            return chart_text (self, json_sprintf ("%s %s", need, text_of (one, "state")));
    }
    return need;
}

static void add_circuits (chart_t *self, const json_t *form, size_t reservation)
{
    json_each_of (connection, form, "network") {
        json_each_of (one, connection, "links") {
            const char *link = json_string_value (one);
            const char *need = circuit_text (self, form, text_of (connection, "need"), link);
            add_bar (&self->gantt, self->links, link, "Mbit/s", connection,
                     (gantt_bar_t){.reservation = reservation,
                                   .need = need,
                                   .quantity = number_of (connection, "mbps")},
                     -1);
        }
    }
}

static void chart_add_rooms (chart_t *self, const json_t *form, size_t reservation)
{
    json_each_of (room, form, "data") {
        if (number_of (room, "bytes") == 0)
            continue; /* a file that is there for good */
        text_auto_t *name = must_print ("%s/%s", text_of (room, "site"), text_of (room, "node"));
        add_bar (&self->gantt, self->links, name, "MiB", room,
                 (gantt_bar_t){.reservation = reservation,
                               .need = text_of (room, "need"),
                               .quantity = (number_of (room, "bytes") + MIB - 1) / MIB},
                 -1);
    }
}

/*  --- reservations ---  */

static bool chart_shown (const json_t *form)
{
    return json_array_size (json_object_get (form, "compute")) > 0 ||
           json_array_size (json_object_get (form, "network")) > 0;
}

/*  An owner is told only to those who may see the reservation. */
static bool hidden (const json_t *form)
{
    return !*text_of (form, "owner") && *text_of (form, "start");
}

static void chart_add_reservation (chart_t *self, const json_t *form)
{
    gantt_t *gantt = &self->gantt;
    char status [CELL_BYTES];
    const char *trouble = view_trouble (form);
    gantt->reservations = must (reallocarray (gantt->reservations, gantt->reservations_count + 1,
                                              sizeof *gantt->reservations));
    gantt->reservations [gantt->reservations_count++] = (gantt_reservation_t){
      .id = text_of (form, "reservation"),
      .name = text_of (form, "name"),
      .owner = text_of (form, "owner"),
      .status = chart_text (
        self, json_sprintf ("%s%s%s", view_status (form, status), *trouble ? ": " : "", trouble)),
      .from_ms = form_time_ms (form, "start"),
      .until_ms = form_time_ms (form, "end")};
}

void chart_fill (chart_t *self, const json_t *entries, const json_t *forms, bool all_links)
{
    *self = (chart_t){.classes = made (json_object ()),
                      .links = made (json_object ()),
                      .texts = made (json_array ())};
    json_auto_t *used = used_links (forms);
    add_classes (self, entries);
    json_each (form, forms) {
        self->hidden_count += !chart_shown (form) && hidden (form);
        if (!chart_shown (form))
            continue;
        chart_add_placements (self, form);
        chart_add_reservation (self, form);
    }
    /* All rows of links and storage come after all rows of classes, those of forgotten classes
       included. */
    chart_add_parts (self, entries, used, all_links);
    size_t reservation = 0;
    json_each (form, forms) {
        if (!chart_shown (form))
            continue;
        add_circuits (self, form, reservation);
        chart_add_rooms (self, form, reservation++);
    }
}

void chart_clear (chart_t *self)
{
    json_decref (self->classes);
    json_decref (self->links);
    json_decref (self->texts);
    free (self->gantt.rows);
    free (self->gantt.bars);
    free (self->gantt.used);
    free (self->gantt.reservations);
    *self = (chart_t){0};
}
