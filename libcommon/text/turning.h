/*  turning - characters that turn around how text is shown. Pure. */
#ifndef MUSUBI_TURNING_H
#define MUSUBI_TURNING_H

#include <stdbool.h>

/*  Has the text (UTF-8) a control of Unicode's bidirectional algorithm, such as U+202E? */
bool text_turns (const char *text);

#endif
