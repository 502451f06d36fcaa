/*  balance_tables - typed in from Okazaki, Ooshita, Kakugawa and Masuzawa, "Load balancing in
 *  selfish heterogeneous computational grids", tables 1 to 12.
 */
#include "balance_tables.h"

#include <math.h>

const double table_levels [TABLE_LEVELS] = {1, 10, 100, 1000};

static const double cells [2 * TABLES][TABLE_LEVELS][WORLD_CLUSTERS_MAX] = {
  {{2.455, 2.384, 2.366, 2.305, 2.386},
   {3.623, 3.553, 3.468, 3.403, 3.348},
   {3.872, 3.729, 3.492, 3.435, 3.199},
   {3.738, 3.475, 3.644, 3.443, 3.233}},
  {{2.434, 2.390, 2.550, 2.554, 2.395},
   {5.019, 4.239, 3.564, 3.121, 2.813},
   {5.044, 4.234, 3.857, 3.106, 2.783},
   {5.144, 4.073, 3.325, 3.094, 2.879}},
  {{2.811, 2.967, 2.865, 3.113, 2.835, 2.791, 2.850, 2.843, 2.732, 2.862},
   {6.352, 6.556, 6.790, 6.454, 6.559, 5.970, 6.239, 5.988, 5.759, 5.966},
   {6.539, 6.549, 6.646, 6.525, 5.639, 6.402, 6.189, 5.847, 6.015, 5.617},
   {6.932, 6.602, 6.756, 6.412, 6.151, 6.209, 5.811, 6.294, 5.904, 5.834}},
  {{2.802, 2.847, 3.064, 2.871, 2.937, 2.922, 2.942, 3.013, 3.082, 3.146},
   {8.148, 7.353, 6.414, 6.254, 5.790, 5.764, 5.648, 5.005, 5.025, 4.637},
   {8.017, 7.060, 6.932, 6.097, 5.977, 5.602, 5.046, 5.162, 4.950, 4.494},
   {7.631, 7.824, 6.582, 6.171, 6.131, 5.354, 5.458, 4.964, 5.035, 4.717}},
  {{2.893, 3.211, 3.061, 2.922, 3.058, 2.985, 3.008, 2.867, 2.922, 2.960, 3.032, 2.871, 3.072,
    2.963, 2.929},
   {7.190, 8.572, 7.826, 8.358, 8.107, 8.068, 7.904, 8.154, 7.688, 8.652, 7.892, 7.681, 8.300,
    7.208, 7.742},
   {8.702, 8.508, 8.301, 8.352, 8.235, 8.527, 8.335, 8.487, 8.333, 8.016, 7.722, 7.892, 7.927,
    7.953, 8.072},
   {8.925, 9.120, 9.004, 8.412, 7.717, 7.619, 8.297, 7.805, 8.353, 7.995, 8.017, 7.946, 7.720,
    7.676, 7.437}},
  {{3.060, 3.039, 3.032, 3.045, 3.086, 3.036, 3.089, 3.031, 3.163, 3.102, 3.250, 3.181, 3.304,
    3.174, 3.326},
   {10.45, 9.244, 9.036, 8.534, 8.436, 7.683, 7.647, 7.035, 6.798, 7.340, 6.372, 6.360, 6.045,
    5.835, 5.711},
   {10.22, 8.805, 8.518, 8.502, 7.920, 7.532, 7.566, 7.479, 6.726, 6.575, 6.520, 6.497, 6.585,
    6.105, 5.622},
   {9.533, 9.001, 9.054, 7.978, 8.462, 7.888, 7.357, 7.251, 7.104, 7.123, 6.701, 6.142, 6.161,
    6.050, 5.438}},
  {{1.025, 1.025, 1.035, 1.045, 1.033},
   {1.054, 1.062, 1.065, 1.064, 1.064},
   {1.035, 1.038, 1.043, 1.046, 1.046},
   {1.036, 1.039, 1.044, 1.044, 1.047}},
  {{1.280, 1.124, 1.101, 1.075, 1.107},
   {1.271, 1.254, 1.254, 1.281, 1.299},
   {1.262, 1.249, 1.248, 1.269, 1.289},
   {1.291, 1.252, 1.283, 1.284, 1.298}},
  {{1.048, 1.019, 1.064, 1.020, 1.041, 1.039, 1.023, 1.039, 1.049, 1.027},
   {1.048, 1.046, 1.050, 1.050, 1.053, 1.053, 1.057, 1.057, 1.057, 1.057},
   {1.037, 1.039, 1.040, 1.043, 1.045, 1.047, 1.049, 1.050, 1.051, 1.047},
   {1.038, 1.037, 1.038, 1.043, 1.045, 1.047, 1.045, 1.051, 1.050, 1.047}},
  {{1.195, 1.164, 1.117, 1.124, 1.103, 1.120, 1.095, 1.072, 1.093, 1.070},
   {1.156, 1.150, 1.162, 1.161, 1.162, 1.170, 1.168, 1.175, 1.181, 1.189},
   {1.166, 1.162, 1.160, 1.160, 1.171, 1.168, 1.175, 1.182, 1.176, 1.183},
   {1.178, 1.174, 1.176, 1.177, 1.172, 1.185, 1.182, 1.192, 1.189, 1.189}},
  {{1.042, 1.018, 1.038, 1.024, 1.017, 1.025, 1.029, 1.058, 1.060, 1.034, 1.017, 1.052, 1.058,
    1.031, 1.040},
   {1.046, 1.056, 1.054, 1.055, 1.047, 1.040, 1.052, 1.065, 1.060, 1.052, 1.049, 1.058, 1.043,
    1.062, 1.067},
   {1.035, 1.037, 1.037, 1.039, 1.041, 1.040, 1.042, 1.043, 1.043, 1.046, 1.046, 1.046, 1.046,
    1.047, 1.044},
   {1.035, 0.989, 1.038, 1.038, 1.039, 1.042, 1.042, 1.044, 1.045, 1.044, 1.023, 1.048, 1.046,
    1.048, 1.044}},
  {{1.201, 1.168, 1.159, 1.127, 1.114, 1.132, 1.079, 1.100, 1.083, 1.093, 1.097, 1.096, 1.057,
    1.098, 1.048},
   {1.118, 1.123, 1.120, 1.118, 1.122, 1.119, 1.124, 1.124, 1.126, 1.131, 1.129, 1.133, 1.145,
    1.142, 1.138},
   {1.134, 1.124, 1.130, 1.129, 1.131, 1.131, 1.132, 1.130, 1.133, 1.140, 1.141, 1.150, 1.145,
    1.146, 1.150},
   {1.117, 1.120, 1.115, 1.117, 1.116, 1.116, 1.120, 1.123, 1.123, 1.125, 1.128, 1.127, 1.131,
    1.132, 1.135}},
};

size_t table_clusters (size_t table)
{
    return 5 * (table / 2 + 1);
}

world_case_t table_case (size_t table)
{
    return table % 2 == 0 ? CASE_I : CASE_II;
}

double table_cell (size_t kind, size_t table, size_t level, size_t cluster)
{
    return cells [kind * TABLES + table][level][cluster];
}

double table_row (size_t kind, size_t table, size_t level)
{
    double sum = 0;
    for (size_t i = 0; i < table_clusters (table); i++)
        sum += table_cell (kind, table, level, i);
    return sum / (double) table_clusters (table);
}

void table_print (size_t kind, size_t table, double ours [TABLE_LEVELS][WORLD_CLUSTERS_MAX],
                  FILE *to)
{
    size_t clusters = table_clusters (table);
    fprintf (to, "table %zu: case %s, %zu clusters\n", kind * TABLES + table + 1,
             table_case (table) == CASE_I ? "I" : "II", clusters);
    for (size_t level = 0; level < TABLE_LEVELS; level++) {
        fprintf (to, "%6.0f paper", table_levels [level]);
        for (size_t i = 0; i < clusters; i++)
            fprintf (to, " %6.3f", table_cell (kind, table, level, i));
        fputs ("\n       here ", to);
        for (size_t i = 0; i < clusters; i++)
            fprintf (to, " %6.3f", ours [level][i]);
        fputs ("\n       off %", to);
        for (size_t i = 0; i < clusters; i++)
            fprintf (to, " %6.1f",
                     100 * (ours [level][i] / table_cell (kind, table, level, i) - 1));
        fputc ('\n', to);
    }
}

/*  --- the picture --- */

#define SIDE  420.0
#define LEFT  60.0
#define ABOVE 50.0

static double place_of (double value, double least, double most)
{
    return SIDE * (value - least) / (most - least);
}

void table_plot (size_t kind, const char *title,
                 double ours [TABLES][TABLE_LEVELS][WORLD_CLUSTERS_MAX], FILE *to)
{
    static const char *const colours [TABLE_LEVELS] = {"#e15759", "#4e79a7", "#59a14f", "#b07aa1"};
    double least = kind == 0 ? 2 : 0.95;
    double most = kind == 0 ? 11 : 1.35;
    double low = ABOVE + SIDE;
    fprintf (to,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
             "font-family=\"sans-serif\" font-size=\"12\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
             "<text x=\"8\" y=\"22\" font-weight=\"bold\" font-size=\"14\">%s</text>\n"
             "<text x=\"%.1f\" y=\"%.1f\">the paper, %g to %g</text>\n"
             "<text x=\"8\" y=\"%.1f\">here</text>\n"
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
             "stroke=\"#888\"/>\n"
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#888\"/>\n",
             SIDE + 260, SIDE + 110, title, LEFT, low + 24, least, most, ABOVE - 8, LEFT, ABOVE,
             SIDE, SIDE, LEFT, low, LEFT + SIDE, ABOVE);
    for (size_t level = 0; level < TABLE_LEVELS; level++) {
        fprintf (to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", LEFT + SIDE + 20,
                 ABOVE + 20 * (double) level, colours [level]);
        fprintf (to, "<text x=\"%.1f\" y=\"%.1f\">level %.0f</text>\n", LEFT + SIDE + 32,
                 ABOVE + 20 * (double) level + 4, table_levels [level]);
        for (size_t table = 0; table < TABLES; table++)
            for (size_t i = 0; i < table_clusters (table); i++) {
                double printed = table_cell (kind, table, level, i);
                double value = fmin (most, fmax (least, ours [table][level][i]));
                fprintf (to,
                         "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" "
                         "fill-opacity=\"0.6\"/>\n",
                         LEFT + place_of (printed, least, most),
                         low - place_of (value, least, most), colours [level]);
            }
    }
    fputs ("</svg>\n", to);
}
