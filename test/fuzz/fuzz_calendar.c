/*  Fuzz: a calendar must answer as an array with one number per tick does. */
#include "calendar_trial.h"

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
    calendar_trial (bytes, size);
    return 0;
}
