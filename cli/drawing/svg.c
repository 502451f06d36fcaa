/*  svg - writes elements one after the other. */
#include "svg.h"

#include <stdarg.h>
#include <stdlib.h>

void svg_begin (double width, double height, int font_size, FILE *to)
{
    fprintf (to,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
             "font-family=\"sans-serif\" font-size=\"%d\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             width, height, font_size);
}

void svg_end (FILE *to)
{
    fputs ("</svg>\n", to);
}

void svg_text (const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs ("&lt;", to);
        else if (*text == '>')
            fputs ("&gt;", to);
        else if (*text == '&')
            fputs ("&amp;", to);
        else if ((unsigned char) *text >= 0x20)
            fputc (*text, to);
    }
}

void svg_label (FILE *to, double x, double y, const char *attributes, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start (arguments, format);
    if (vasprintf (&text, format, arguments) < 0)
        abort ();
    va_end (arguments);
    fprintf (to, "<text x=\"%.1f\" y=\"%.1f\"%s%s>", x, y, *attributes ? " " : "", attributes);
    svg_text (text, to);
    fputs ("</text>\n", to);
    free (text);
}

void svg_rectangle (double x, double y, double width, double height, const char *attributes,
                    FILE *to)
{
    fprintf (to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s/>\n", x, y, width,
             height, attributes);
}

void svg_line (double x1, double y1, double x2, double y2, const char *attributes, FILE *to)
{
    fprintf (to, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
             attributes);
}

const char *svg_colour (size_t number)
{
    static const char *const colours [] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                                           "#76b7b2", "#b07aa1", "#edc948", "#9c755f"};
    return colours [number % (sizeof colours / sizeof colours [0])];
}

void svg_key (double x, double y, size_t colour, const char *text, FILE *to)
{
    fprintf (to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>", x, y,
             svg_colour (colour));
    svg_label (to, x + 16, y + 9, "", "%s", text);
}
