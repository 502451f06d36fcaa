/*  sharing_check - the moves agree with the tasks that are away. */
#include "checks.h"
#include "sharing_state.h"

#include <assert.h>

void sharing_check (const sharing_t *self)
{
    uint64_t left = 0;
    uint64_t away = 0;
    const bags_t *bags = self->bags;
    for (const move_t *move = ordered_after (self->moves, NULL); move;
         move = ordered_after (self->moves, &move->kept.id)) {
        assert (move->left > 0 && move->left <= move->kept.count);
        left += move->left;
    }
    for (const bag_t *bag = bags_after (bags, 0); bag; bag = bags_after (bags, bag->number))
        away += bag->away;
    assert (left <= away); /* less where a record of a move was damaged */
}
