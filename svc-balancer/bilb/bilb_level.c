/*  bilb_level - eqs 5 to 7. */
#include "bilb_level.h"

#include <assert.h>
#include <math.h>

double bilb_level_next (double level, double flow, double flow_alone, double sigma)
{
    assert (level >= 0 && flow >= 0 && flow_alone >= 0 && sigma > 0 && sigma <= 1);
    if (flow == 0 || flow_alone == 0 || level == 0 || isinf (level))
        return level;
    double sign = flow >= flow_alone ? -1 : 1;
    double ratio = flow >= flow_alone ? flow / flow_alone : flow_alone / flow;
    return fmax (BILB_LEVEL_MIN, level + sigma * level * sign * (ratio - 1));
}
