/*  coverage - which MOVE and STEP a verifier has taken: it prints one line for each when it ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COVERAGE_STEPS_MAX 128

static const char *coverage_steps [COVERAGE_STEPS_MAX];
static int coverage_count;

static void coverage_tell (void)
{
    for (int i = 0; i < coverage_count; i++)
        printf ("taken %s\n", coverage_steps [i]);
}

static void coverage_note (const char *step)
{
    for (int i = 0; i < coverage_count; i++)
        if (strcmp (coverage_steps [i], step) == 0)
            return;
    if (coverage_count == 0)
        atexit (coverage_tell);
    if (coverage_count < COVERAGE_STEPS_MAX)
        coverage_steps [coverage_count++] = step;
}
