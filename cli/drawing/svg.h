/*  svg - what every SVG picture of ours begins with, ends with, and takes its colours from. */
#ifndef MUSUBI_SVG_H
#define MUSUBI_SVG_H

#include <stddef.h>
#include <stdio.h>

/*  A white sheet. */
void svg_begin (double width, double height, int font_size, FILE *to);
void svg_end (FILE *to);

/*  A text, escaped, within an element that is open. */
void svg_text (const char *text, FILE *to);

/*  attributes: of the fill, the stroke …. */
void svg_rectangle (double x, double y, double width, double height, const char *attributes,
                    FILE *to);
void svg_line (double x1, double y1, double x2, double y2, const char *attributes, FILE *to);

/*  Colours that go with each other; again from the first when they are used up. */
const char *svg_colour (size_t number);

/*  An entry of a legend, open: its colour, and where its text begins. End it with </text>. */
void svg_key (double x, double y, size_t colour, FILE *to);

#endif
