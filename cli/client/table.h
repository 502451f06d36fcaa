/*  table - rows of texts in aligned columns, for people. */
#ifndef MUSUBI_TABLE_H
#define MUSUBI_TABLE_H

#include "json_fields.h"

#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 14

typedef struct table table_t;

/*  One heading for each column; one that begins with '>' is right-aligned, without the sign. */
table_t *table_new (const char *const *headings, size_t count);

/*  One row; cells are copied. "" and NULL show as "-". */
void table_row (table_t *self, const char *const *cells);

/*  Prints the headings and all rows, and ends the table. */
void table_print (table_t **self_p, FILE *to);

/*  Cells of columns (json_fields.h). */
const char *cell_short (const json_t *form, const char *key, char text [CELL_BYTES]);
const char *cell_cost (const json_t *form, const char *key, char text [CELL_BYTES]);
const char *cell_bytes (const json_t *form, const char *key, char text [CELL_BYTES]);
const char *cell_latency (const json_t *form, const char *key, char text [CELL_BYTES]);
const char *cell_list (const json_t *form, const char *key, char text [CELL_BYTES]); /* "a, b" */

/*  A row for each form of the list, a column for each field that has a heading: printed; or as a
 *  table to which rows can be added. */
void table_print_forms (const form_row_t *rows, const json_t *forms, FILE *to);
table_t *table_of (const form_row_t *rows, const json_t *forms);

/*  Columns that a text takes on a terminal; a wide letter of East Asia takes two. */
size_t text_width (const char *text);

#endif
