/*  objective - what the programs of S4 minimise, in whole numbers for a CPU-hour and a Gbit/s-hour.
 *
 *      price      what users pay (policies time and cost)
 *      weights    price times a weight that the operator gives a site or domain (B)
 *      power      the attribute "power" of classes and links: what they draw (B)
 *      quality    1 minus the attribute "availability" of classes and links (C). The least sum of
 *                 what is lacking is the best quality; a sum of qualities would reward detours
 *
 *  A class or link that does not state its power or availability counts as the worst stated. Pure.
 */
#ifndef MUSUBI_OBJECTIVE_H
#define MUSUBI_OBJECTIVE_H

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
