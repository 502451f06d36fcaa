/*  bidi - control characters that reverse the direction in which text is shown. Pure. */
#ifndef MUSUBI_BIDI_H
#define MUSUBI_BIDI_H

#include <stdbool.h>

/*  Has the text (UTF-8) a control of Unicode's bidirectional algorithm, such as U+202E? */
bool text_has_bidi_control (const char *text);

#endif
