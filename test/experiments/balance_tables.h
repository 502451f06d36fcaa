/*  balance_tables - S1's tables 1 to 12, as printed.
 *
 *  Tables 1 to 6: how many times as fast jobs are done as they are without sharing. Tables 7 to 12,
 *  in the same order: by what factor the extension makes that larger.
 */
#ifndef MUSUBI_BALANCE_TABLES_H
#define MUSUBI_BALANCE_TABLES_H

#include "balance_world.h"

#include <stdio.h>

#define TABLES       6 /* of each kind */
#define TABLE_LEVELS 4

extern const double table_levels [TABLE_LEVELS];

size_t table_clusters (size_t table);
world_case_t table_case (size_t table);

/*  kind: 0 = tables 1 to 6, 1 = tables 7 to 12. */
double table_cell (size_t kind, size_t table, size_t level, size_t cluster);

/*  The mean of a row of the paper's table. */
double table_row (size_t kind, size_t table, size_t level);

/*  Prints a table of ours below the paper's; ours: by level, then cluster. */
void table_print (size_t kind, size_t table, double ours [TABLE_LEVELS][WORLD_CLUSTERS_MAX],
                  FILE *to);

/*  A picture of all tables of one kind: ours against the paper's, a point for each cell. */
void table_plot (size_t kind, const char *title,
                 double ours [TABLES][TABLE_LEVELS][WORLD_CLUSTERS_MAX], FILE *to);

#endif
