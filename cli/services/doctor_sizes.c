/*  doctor_sizes - forms of the counters of a status. */
#include "doctor_sizes.h"

#include "json_fields.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *growth_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    int64_t bytes = number_of (form, key);
    char size [BYTES_TEXT_BYTES];
    if (number_of (form, "store_watched_ms") == 0)
        return "";
    snprintf (text, CELL_BYTES, "%s%s", bytes < 0 ? "-" : "+",
              bytes_text ((double) (bytes < 0 ? -bytes : bytes), size));
    return text;
}

static const char *days_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    if (!json_object_get (form, key))
        return "";
    snprintf (text, CELL_BYTES, "%" PRId64 " days", number_of (form, key));
    return text;
}

static const form_row_t size_rows [] = {
  {"SERVICE", "service", .kind = FORM_TEXT, .from = "name"},
  {">MEMORY", "memory_bytes", cell_bytes, .kind = FORM_NUMBER},
  {">STORE", "store_used_bytes", cell_bytes, .kind = FORM_NUMBER},
  {">LIMIT", "store_bytes", cell_bytes, .kind = FORM_NUMBER},
  {">A DAY", "store_growth_bytes", growth_cell, .kind = FORM_NUMBER},
  {.key = "store_watched_ms", .kind = FORM_NUMBER},
  {">FULL IN", "full_in_days", days_cell, .kind = FORM_MADE},
  {">SEGMENTS", "ledger_segments_bytes", cell_bytes, .kind = FORM_NUMBER},
  {0}};

static json_t *sizes_form (const json_t *status)
{
    json_auto_t *counted = json_pack ("{s:s}", "name", text_of (status, "name"));
    const json_t *counter;
    for (size_t i = 0; (counter = item_of (status, "counters", i)); i++)
        take (counted, text_of (counter, "name"), json_integer (number_of (counter, "value")));
    json_t *form = form_of (size_rows, counted);
    int64_t free_bytes = number_of (form, "store_bytes") - number_of (form, "store_used_bytes");
    int64_t a_day = number_of (form, "store_growth_bytes");
    if (a_day > 0)
        take (form, "full_in_days", json_integer (free_bytes / a_day));
    return form;
}

void doctor_sizes_add (json_t *forms, const json_t *status)
{
    size_t at = json_array_size (forms);
    while (at > 0 && strcmp (text_of (json_array_get (forms, at - 1), "service"),
                             text_of (status, "name")) > 0)
        at--;
    json_array_insert_new (forms, at, made (sizes_form (status)));
}

void doctor_sizes_print (const json_t *forms)
{
    table_print_forms (size_rows, forms, stdout);
}
