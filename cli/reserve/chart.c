/*  chart - first a row for everything that exists, then rows for what is reserved beside it. */
#include "chart.h"

#include "json_fields.h"
#include "must.h"
#include "timetext.h"

#include <stdlib.h>
#include <string.h>

static int64_t chart_time_of (const json_t *object, const char *key)
{
    int64_t ms = 0;
    bool relative;
    timetext_parse (text_of (object, key), &ms, &relative);
    return ms;
}

/*  A list with room for one more. */
static void *chart_append (void *list, size_t count, size_t size)
{
    void *grown = must (realloc (list, (count + 1) * size));
    return grown;
}

/*  The row's name lives in the table of names. */
static size_t chart_add_row (gantt_t *gantt, json_t *rows, const char *name, int64_t capacity,
                             bool link)
{
    take (rows, name, json_integer ((json_int_t) gantt->rows_count));
    gantt->rows = chart_append (gantt->rows, gantt->rows_count, sizeof *gantt->rows);
    gantt->rows [gantt->rows_count] =
      (gantt_row_t){json_object_iter_key (json_object_iter_at (rows, name)), capacity, link};
    return gantt->rows_count++;
}

/*  The row of that name; a new row when the directory does not list it any more. */
static size_t chart_row_of (gantt_t *gantt, json_t *rows, const char *name, bool link)
{
    const json_t *row = json_object_get (rows, name);
    return row ? (size_t) json_integer_value (row) : chart_add_row (gantt, rows, name, 0, link);
}

static void add_bar (gantt_t *gantt, gantt_bar_t bar, int used)
{
    gantt->bars = chart_append (gantt->bars, gantt->bars_count, sizeof *gantt->bars);
    gantt->used = chart_append (gantt->used, gantt->bars_count, sizeof *gantt->used);
    gantt->used [gantt->bars_count] = used;
    gantt->bars [gantt->bars_count++] = bar;
}

/*  --- classes ---  */

static void add_classes (chart_t *self, const json_t *entries)
{
    const json_t *entry;
    for (size_t e = 0; (entry = json_array_get (entries, e)); e++) {
        const json_t *class;
        for (size_t c = 0; (class = item_of (json_object_get (entry, "site"), "classes", c)); c++) {
            text_auto_t *name =
              must_print ("%s/%s", name_short (text_of (entry, "name")), text_of (class, "name"));
            chart_add_row (&self->gantt, self->classes, name,
                           number_of (class, "nodes") * number_of (class, "cpus_per_node"), false);
        }
    }
}

/*  Percent of its CPU time that a reservation has used at a site; below 0 when the site tells
 *  nothing. */
static int used_at (const json_t *form, const char *site)
{
    const json_t *opening;
    for (size_t i = 0; (opening = item_of (form, "openings", i)); i++) {
        int64_t offered_ms = number_of (opening, "offered_ms");
        if (strcmp (text_of (opening, "site"), site) == 0 && offered_ms > 0)
            return (int) (100.0 * (double) number_of (opening, "cpu_ms") / (double) offered_ms +
                          0.5);
    }
    return -1;
}

static void chart_add_placements (chart_t *self, const json_t *form)
{
    const json_t *placement;
    for (size_t i = 0; (placement = item_of (form, "compute", i)); i++) {
        const char *site = text_of (placement, "site");
        text_auto_t *name = must_print ("%s/%s", site, text_of (placement, "class"));
        add_bar (&self->gantt,
                 (gantt_bar_t){.row = chart_row_of (&self->gantt, self->classes, name, false),
                               .reservation = self->gantt.reservations_count,
                               .need = text_of (placement, "id"),
                               .quantity = number_of (placement, "cpus"),
                               .from_ms = chart_time_of (placement, "start"),
                               .until_ms = chart_time_of (placement, "end")},
                 used_at (form, site));
    }
}

/*  --- links ---  */

/*  The set of names of the links in use. */
static json_t *used_links (const json_t *forms)
{
    json_t *used = json_object ();
    const json_t *form;
    for (size_t f = 0; (form = json_array_get (forms, f)); f++) {
        const json_t *connection;
        for (size_t n = 0; (connection = item_of (form, "network", n)); n++) {
            const json_t *link;
            for (size_t l = 0; (link = item_of (connection, "links", l)); l++)
                json_object_set_new (used, json_string_value (link), json_true ());
        }
    }
    return used;
}

static void chart_add_links (chart_t *self, const json_t *entries, const json_t *used,
                             bool all_links)
{
    const json_t *entry;
    for (size_t e = 0; (entry = json_array_get (entries, e)); e++) {
        const char *domain = name_short (text_of (entry, "name"));
        const json_t *link;
        for (size_t l = 0; (link = item_of (json_object_get (entry, "domain"), "links", l)); l++) {
            text_auto_t *name = must_print ("%s/%s", domain, text_of (link, "name"));
            if (all_links || json_object_get (used, name))
                chart_add_row (&self->gantt, self->links, name, number_of (link, "mbps"), true);
        }
    }
}

static void add_circuits (chart_t *self, const json_t *form, size_t reservation)
{
    const json_t *connection;
    for (size_t n = 0; (connection = item_of (form, "network", n)); n++) {
        const json_t *link;
        for (size_t l = 0; (link = item_of (connection, "links", l)); l++)
            add_bar (&self->gantt,
                     (gantt_bar_t){.row = chart_row_of (&self->gantt, self->links,
                                                        json_string_value (link), true),
                                   .reservation = reservation,
                                   .need = text_of (connection, "need"),
                                   .quantity = number_of (connection, "mbps"),
                                   .from_ms = chart_time_of (connection, "start"),
                                   .until_ms = chart_time_of (connection, "end")},
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

static void chart_add_reservation (gantt_t *gantt, const json_t *form)
{
    gantt->reservations =
      chart_append (gantt->reservations, gantt->reservations_count, sizeof *gantt->reservations);
    gantt->reservations [gantt->reservations_count++] =
      (gantt_reservation_t){.id = text_of (form, "reservation"),
                            .name = text_of (form, "name"),
                            .owner = text_of (form, "owner"),
                            .status = text_of (form, "status"),
                            .from_ms = chart_time_of (form, "start"),
                            .until_ms = chart_time_of (form, "end")};
}

void chart_fill (chart_t *self, const json_t *entries, const json_t *forms, bool all_links)
{
    *self = (chart_t){.classes = made (json_object ()), .links = made (json_object ())};
    json_auto_t *used = used_links (forms);
    const json_t *form;
    add_classes (self, entries);
    for (size_t i = 0; (form = json_array_get (forms, i)); i++) {
        self->hidden_count += !chart_shown (form) && hidden (form);
        if (!chart_shown (form))
            continue;
        chart_add_placements (self, form);
        chart_add_reservation (&self->gantt, form);
    }
    /* All rows of links come after all rows of classes, those of forgotten classes included. */
    chart_add_links (self, entries, used, all_links);
    size_t reservation = 0;
    for (size_t i = 0; (form = json_array_get (forms, i)); i++)
        if (chart_shown (form))
            add_circuits (self, form, reservation++);
}

void chart_clear (chart_t *self)
{
    json_decref (self->classes);
    json_decref (self->links);
    free (self->gantt.rows);
    free (self->gantt.bars);
    free (self->gantt.used);
    free (self->gantt.reservations);
    *self = (chart_t){0};
}
