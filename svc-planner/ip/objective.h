/*  objective - what a program of S4 minimises, in whole numbers a CPU-hour and a Gbit/s-hour.
 *
 *      price      what users pay (policies time and cost)
 *      weights    price times a weight that the operator gave a site or domain (B)
 *      power      what classes and links say they draw, their attribute "power" (B)
 *      quality    what classes and links lack of being there always, their attribute "availability"
 *                 from 0 to 1 (c): least lacking in sum is the best quality, without the detours
 *                 that a sum of qualities would reward
 *
 *  What does not tell its power or availability counts as the worst that is told. Pure.
 */
#ifndef MUSUBI_REBALANCE_H
#define MUSUBI_REBALANCE_H

#include "directory.h"
#include "programs.h"

typedef enum {
    OBJECTIVE_PRICE,
    OBJECTIVE_WEIGHTS,
    OBJECTIVE_POWER,
    OBJECTIVE_QUALITY
} objective_weighing_t;

void unit_costs_weigh (unit_costs_t *self, const snapshot_t *snapshot, const directory_t *directory,
                       const ip_settings_t *settings, objective_weighing_t by);
void unit_costs_clear (unit_costs_t *self);

#endif
