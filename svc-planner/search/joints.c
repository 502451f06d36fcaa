/*  joints - the network needs of a request as a graph of its own. */
#include "joints.h"

#include <assert.h>

static_assert (NEEDS_MAX <= 64, "a set of compute needs fits into 64 bits");

uint64_t joints_of (const joints_t *self, size_t compute_need)
{
    uint64_t others = 0;
    for (size_t i = 0; i < self->joints_count; i++)
        for (int end = 0; end < 2; end++)
            if (self->joints [i].ends [end] == compute_need)
                others |= UINT64_C (1) << self->joints [i].ends [!end];
    return others;
}

/*  How many joints of this kind has a compute need with the one at the other end of it? */
static size_t count_like (const joints_t *self, const joint_t *like, int end, size_t need)
{
    size_t count = 0;
    for (size_t i = 0; i < self->joints_count; i++) {
        const joint_t *joint = &self->joints [i];
        if (joint->kind != like->kind)
            continue;
        bool along = joint->ends [end] == need && joint->ends [!end] == like->ends [!end];
        bool back = joint->ends [!end] == need && joint->ends [end] == like->ends [!end];
        count += along || (back && !self->directed);
    }
    return count;
}

/*  Has b whatever a has? */
static bool has_all (const joints_t *self, size_t a, size_t b)
{
    for (size_t i = 0; i < self->joints_count; i++) {
        const joint_t *joint = &self->joints [i];
        for (int end = 0; end < 2; end++) {
            if (joint->ends [end] != a)
                continue;
            if (joint->ends [!end] == b && self->directed)
                return false;
            if (joint->ends [!end] != b &&
                count_like (self, joint, end, a) != count_like (self, joint, end, b))
                return false;
        }
    }
    return true;
}

bool joints_alike (const joints_t *self, size_t a, size_t b)
{
    return has_all (self, a, b) && has_all (self, b, a);
}
