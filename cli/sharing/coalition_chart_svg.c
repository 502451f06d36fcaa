/*  coalition_chart - as an SVG picture: bars above and below an axis, lines below them. */
#include "coalition_chart.h"

#include "coalition_form.h"
#include "json_fields.h"
#include "svg.h"

#include <inttypes.h>

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
        const json_t *member;
        for (size_t k = 0; (member = item_of (one, "members", k)); k++) {
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
        const json_t *member;
        for (size_t k = 0; (member = json_array_get (
                              json_object_get (json_array_get (picture->list, i), "members"), k));
             k++)
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
