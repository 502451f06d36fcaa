/*  svg - elements and colours that all SVG pictures share. */
#ifndef MUSUBI_SVG_H
#define MUSUBI_SVG_H

#include <stddef.h>
#include <stdio.h>

/*  Begins a picture on a white background; ends it. */
void svg_begin (double width, double height, int font_size, FILE *to);
void svg_end (FILE *to);

/*  Writes a text, escaped, into an element that is open. */
void svg_text (const char *text, FILE *to);

/*  A line of text at (x, y), escaped; attributes such as its colour, or "". */
void svg_label (FILE *to, double x, double y, const char *attributes, const char *format, ...)
  __attribute__ ((format (printf, 5, 6)));

/*  attributes: of the fill, the stroke …. */
void svg_rectangle (double x, double y, double width, double height, const char *attributes,
                    FILE *to);
void svg_line (double x1, double y1, double x2, double y2, const char *attributes, FILE *to);

/*  Colours that go well with each other; they repeat when all are used. */
const char *svg_colour (size_t number);

/*  An entry of a legend: a square of the colour, and the text. */
void svg_key (double x, double y, size_t colour, const char *text, FILE *to);

#endif
