/*  coalition_chart - as text: a table with a bar in each row, then the scores on a grid; as an SVG
 *  picture: bars above and below an axis, lines below them. */
#include "coalition_chart.h"

#include "coalition_form.h"
#include "svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COALITION_SITES_MAX 26 /* sites that are drawn, each with a letter and a colour */

#define BAR_SIDE    12 /* columns of a bar on each side of the axis */
#define GRID_HEIGHT 9
#define GRID_LEFT   9
#define GRID_STEP   3 /* columns from one coalition to the next */

/*  --- what both drawings need --- */

/*  The sites that are drawn, by name, and the scales. Names are borrowed. */
typedef struct {
    const char *names [COALITION_SITES_MAX];
    size_t count;
    bool more; /* there are more sites than are drawn */
    bool scored;
    double load_most; /* most that one site gave or took in one coalition */
    double score_least;
    double score_most; /* 1 lies between least and most */
} coalition_sites_t;

static int by_text (const void *a, const void *b)
{
    return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/*  A number that can be drawn: 0 in place of one without an end. */
static double chart_finite (const json_t *form, const char *key)
{
    double real = real_of (form, key);
    return isfinite (real) ? real : 0;
}

static void site_add (coalition_sites_t *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp (self->names [i], name) == 0)
            return;
    if (self->count < COALITION_SITES_MAX)
        self->names [self->count++] = name;
    else
        self->more = true;
}

static void coalition_chart_look (coalition_sites_t *self, const json_t *member)
{
    double score = chart_finite (member, "score");
    site_add (self, text_of (member, "site"));
    self->load_most = fmax (
      self->load_most, fmax (chart_finite (member, "given_s"), chart_finite (member, "taken_s")));
    if (score <= 0)
        return;
    self->scored = true;
    self->score_least = fmin (self->score_least, score);
    self->score_most = fmax (self->score_most, score);
}

static void coalition_sites (coalition_sites_t *self, const json_t *form)
{
    *self = (coalition_sites_t){.score_least = 1, .score_most = 1};
    json_each_of (one, form, "coalitions")
        json_each_of (member, one, "members")
            coalition_chart_look (self, member);
    qsort (self->names, self->count, sizeof *self->names, by_text);
}

/*  The index of a member among the sites; count when it is not drawn. */
static size_t coalition_site (const coalition_sites_t *self, const json_t *member)
{
    size_t at = 0;
    while (at < self->count && strcmp (self->names [at], text_of (member, "site")) != 0)
        at++;
    return at;
}

/*  --- the table --- */

/*  "    ▒▒▒│██████": work taken to the left, given to the right, each at least one column. */
static void bar_text (const coalition_sites_t *sites, const json_t *member, char *text, size_t size)
{
    double most = sites->load_most > 0 ? sites->load_most : 1;
    int taken = (int) ceil (chart_finite (member, "taken_s") / most * BAR_SIDE);
    int given = (int) ceil (chart_finite (member, "given_s") / most * BAR_SIDE);
    size_t used = 0;
    for (int i = BAR_SIDE; i > -BAR_SIDE - 1 && used + 4 < size; i--) {
        const char *mark = i == 0                 ? "│"
                           : i > 0 && i <= taken  ? "▒"
                           : i < 0 && -i <= given ? "█"
                                                  : " ";
        used += (size_t) snprintf (text + used, size - used, "%s", mark);
    }
}

static void print_coalition (const coalition_sites_t *sites, const json_t *one, table_t *table)
{
    char number [24], ended [TIMETEXT_BYTES];
    snprintf (number, sizeof number, "%" PRId64, number_of (one, "coalition"));
    time_brief (text_of (one, "ended"), ended);
    const json_t *member;
    for (size_t i = 0; (member = item_of (one, "members", i)); i++) {
        char level [SECONDS_TEXT_BYTES], taken [SECONDS_TEXT_BYTES], given [SECONDS_TEXT_BYTES];
        char jobs [24], score [24] = "", bar [3 * (2 * BAR_SIDE + 2)];
        bar_text (sites, member, bar, sizeof bar);
        snprintf (jobs, sizeof jobs, "%" PRId64, number_of (member, "jobs"));
        if (chart_finite (member, "score") > 0)
            snprintf (score, sizeof score, "%.3f", chart_finite (member, "score"));
        const char *cells [] = {i == 0 ? number : " ",
                                i == 0 ? ended : " ",
                                text_of (member, "site"),
                                seconds_text (real_of (member, "level_s"), level),
                                seconds_text (real_of (member, "taken_s"), taken),
                                bar,
                                seconds_text (real_of (member, "given_s"), given),
                                jobs,
                                score,
                                text_of (member, "aside")};
        table_row (table, cells);
    }
}

static void print_table (const coalition_sites_t *sites, const json_t *form, FILE *to)
{
    static const char *const headings [] = {">COALITION", "ENDED",  "SITE",  ">LEVEL", ">TAKEN",
                                            " ",          ">GIVEN", ">JOBS", ">SCORE", "ASIDE"};
    table_t *table = table_new (headings, 10);
    json_each_of (one, form, "coalitions")
        print_coalition (sites, one, table);
    table_print (&table, to);
}

/*  --- the scores --- */

static size_t coalition_chart_row_of (const coalition_sites_t *sites, double score)
{
    double span = sites->score_most - sites->score_least;
    double part = span > 0 ? (score - sites->score_least) / span : 0;
    return GRID_HEIGHT - 1 - (size_t) lround (part * (GRID_HEIGHT - 1));
}

static void print_grid_row (const coalition_sites_t *sites, const json_t *list, size_t first,
                            size_t row, FILE *to)
{
    bool one = row == coalition_chart_row_of (sites, 1);
    double span = sites->score_most - sites->score_least;
    double score = sites->score_most - span * (double) row / (GRID_HEIGHT - 1);
    if (one || row == 0 || row == GRID_HEIGHT - 1)
        fprintf (to, "%*.3f ", GRID_LEFT - 2, one ? 1.0 : score);
    else
        fprintf (to, "%*s", GRID_LEFT - 1, "");
    fputs ("│", to);
    for (size_t i = first; i < json_array_size (list); i++) {
        char mark = one ? '-' : ' ';
        const json_t *member;
        for (size_t k = 0;
             (member = json_array_get (json_object_get (json_array_get (list, i), "members"), k));
             k++) {
            size_t site = coalition_site (sites, member);
            double of = chart_finite (member, "score");
            if (of > 0 && site < sites->count && coalition_chart_row_of (sites, of) == row)
                mark = mark == ' ' || mark == '-' ? (char) ('A' + site) : '*';
        }
        fprintf (to, "%s%c", one ? "--" : "  ", mark);
    }
    fputc ('\n', to);
}

static void print_scores (const coalition_sites_t *sites, const json_t *form, size_t width,
                          FILE *to)
{
    const json_t *list = json_object_get (form, "coalitions");
    size_t count = json_array_size (list);
    size_t most = (width > GRID_LEFT + GRID_STEP ? width - GRID_LEFT : GRID_STEP) / GRID_STEP;
    size_t first = count > most ? count - most : 0;
    fputs (
      "\nscore: how many times faster the jobs of a site were than they would have been alone\n",
      to);
    if (sites->score_least == sites->score_most)
        fprintf (to, "  %s\n",
                 sites->scored ? "1.000 for every site that has a score"
                               : "no site has a score yet");
    for (size_t row = 0; row < GRID_HEIGHT && sites->score_least < sites->score_most; row++)
        print_grid_row (sites, list, first, row, to);
    const char *before = "\n";
    for (size_t i = 0; i < sites->count; i++, before = "  ")
        fprintf (to, "%s%c %s", before, (char) ('A' + i), sites->names [i]);
    fprintf (to, "  * several sites\n");
    if (sites->more)
        fprintf (to, "only the first %d sites are drawn; the table has all\n", COALITION_SITES_MAX);
}

void coalition_chart_print (const json_t *form, size_t width, FILE *to)
{
    coalition_sites_t sites;
    if (json_array_size (json_object_get (form, "coalitions")) == 0) {
        fprintf (to, "%s: no coalition has ended yet\n", text_of (form, "balancer"));
        return;
    }
    coalition_sites (&sites, form);
    print_table (&sites, form, to);
    print_scores (&sites, form, width, to);
}

/*  --- the picture --- */

#define LEFT       90
#define TOP        40
#define BARS       200 /* height of either panel */
#define SCORES     200
#define GAP        50
#define BAR_WIDTH  10
#define GROUP_GAP  14
#define LEGEND     16
#define WIDTH_LESS 420

typedef struct {
    coalition_sites_t sites;
    const json_t *list;
    double width; /* of the panels */
    double group; /* from one coalition to the next */
    FILE *to;
} coalition_chart_svg_picture_t;

static double coalition_chart_svg_x_of (const coalition_chart_svg_picture_t *picture,
                                        size_t coalition)
{
    return LEFT + (double) coalition * picture->group + GROUP_GAP / 2.0;
}

static void draw_bar (const coalition_chart_svg_picture_t *picture, const json_t *member,
                      size_t coalition, bool given)
{
    const coalition_sites_t *sites = &picture->sites;
    size_t site = coalition_site (sites, member);
    double load_s = chart_finite (member, given ? "given_s" : "taken_s");
    double height = sites->load_most > 0 ? load_s / sites->load_most * (BARS / 2.0) : 0;
    double axis = TOP + BARS / 2.0;
    char text [SECONDS_TEXT_BYTES];
    if (site == sites->count || height <= 0)
        return;
    fprintf (picture->to,
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"%s><title>",
             coalition_chart_svg_x_of (picture, coalition) + (double) site * BAR_WIDTH,
             given ? axis - height : axis, BAR_WIDTH - 1, height, svg_colour (site),
             given ? "" : " fill-opacity=\"0.5\"");
    svg_text (sites->names [site], picture->to);
    fprintf (picture->to, " %s %s</title></rect>\n", given ? "gave" : "took",
             seconds_text (load_s, text));
}

static void draw_bars (const coalition_chart_svg_picture_t *picture)
{
    char most [SECONDS_TEXT_BYTES];
    double axis = TOP + BARS / 2.0;
    seconds_text (picture->sites.load_most, most);
    svg_label (picture->to, 8, TOP + 10, "", "given");
    svg_label (picture->to, 8, TOP + 24, "", "%s", most);
    svg_label (picture->to, 8, TOP + BARS - 14, "", "taken");
    svg_label (picture->to, 8, TOP + BARS, "", "%s", most);
    for (size_t i = 0; i < json_array_size (picture->list); i++) {
        const json_t *one = json_array_get (picture->list, i);
        json_each_of (member, one, "members") {
            draw_bar (picture, member, i, true);
            draw_bar (picture, member, i, false);
        }
        svg_label (picture->to, coalition_chart_svg_x_of (picture, i), TOP + BARS + 16, "",
                   "%" PRId64, number_of (one, "coalition"));
    }
    svg_line (LEFT, axis, LEFT + picture->width, axis, "stroke=\"#888\"", picture->to);
}

static double y_of (const coalition_chart_svg_picture_t *picture, double score)
{
    const coalition_sites_t *sites = &picture->sites;
    double span = sites->score_most - sites->score_least;
    double part = span > 0 ? (score - sites->score_least) / span : 0.5;
    return TOP + BARS + GAP + SCORES * (1 - part);
}

/*  The line of a site is broken where it has no score. */
static void draw_line (const coalition_chart_svg_picture_t *picture, size_t site)
{
    FILE *to = picture->to;
    bool drawing = false;
    fprintf (to, "<path fill=\"none\" stroke-width=\"2\" stroke=\"%s\" d=\"", svg_colour (site));
    for (size_t i = 0; i < json_array_size (picture->list); i++) {
        double score = 0;
        json_each_of (member, json_array_get (picture->list, i), "members")
            if (coalition_site (&picture->sites, member) == site)
                score = chart_finite (member, "score");
        double x = coalition_chart_svg_x_of (picture, i) + picture->group / 2 - GROUP_GAP / 2.0;
        if (score > 0)
            fprintf (to, "%s%.1f %.1fh0.1", drawing ? "L" : "M", x, y_of (picture, score));
        drawing = score > 0;
    }
    fputs ("\" stroke-linecap=\"round\"><title>", to);
    svg_text (picture->sites.names [site], to);
    fputs ("</title></path>\n", to);
}

static void draw_scores (const coalition_chart_svg_picture_t *picture)
{
    const coalition_sites_t *sites = &picture->sites;
    FILE *to = picture->to;
    double one = y_of (picture, 1);
    svg_line (LEFT, one, LEFT + picture->width, one, "stroke=\"#888\" stroke-dasharray=\"4 3\"",
              to);
    svg_label (to, 8, one + 4, "", "score 1");
    if (sites->score_most > 1)
        svg_label (to, 8, y_of (picture, sites->score_most), "", "%.3f", sites->score_most);
    if (sites->score_least < 1)
        svg_label (to, 8, y_of (picture, sites->score_least) + 8, "", "%.3f", sites->score_least);
    for (size_t site = 0; site < sites->count; site++)
        draw_line (picture, site);
}

static void coalition_chart_svg_draw_legend (const coalition_chart_svg_picture_t *picture)
{
    double x = LEFT;
    double y = TOP + BARS + GAP + SCORES + 24;
    for (size_t site = 0; site < picture->sites.count; site++, y += LEGEND)
        svg_key (x, y, site, picture->sites.names [site], picture->to);
}

void coalition_chart_svg (const json_t *form, FILE *to)
{
    coalition_chart_svg_picture_t picture = {.list = json_object_get (form, "coalitions"),
                                             .to = to};
    coalition_sites (&picture.sites, form);
    picture.group = (double) picture.sites.count * BAR_WIDTH + GROUP_GAP;
    picture.width = picture.group * (double) json_array_size (picture.list);
    if (picture.width < WIDTH_LESS)
        picture.width = WIDTH_LESS;
    svg_begin (LEFT + picture.width + 30,
               TOP + BARS + GAP + SCORES + 40 + (double) picture.sites.count * LEGEND, 11, to);
    svg_label (to, 8, 20, "font-weight=\"bold\"",
               "%s: work given and taken in each coalition, and scores",
               text_of (form, "balancer"));
    draw_bars (&picture);
    draw_scores (&picture);
    coalition_chart_svg_draw_legend (&picture);
    svg_end (to);
}
