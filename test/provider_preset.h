/*  provider_preset - a provider's limits as its configuration presets them, for cores that tests make
 *  without a file. */
#ifndef MUSUBI_PROVIDER_PRESET_H
#define MUSUBI_PROVIDER_PRESET_H

#include "provider.h"

#define HOLD_QUOTA_LIMITS_DEFAULT                                                                  \
    {                                                                                              \
        .share = 90, .share_per_planner = 75, .share_per_actor = 75                                \
    }

/*  Defaults; what differs is told. */
#define PROVIDER_LIMITS(fresh_steps, profile_steps, windows, resources, quantity)                  \
    {                                                                                              \
        .bookings = {.bookings_max = 4000000,                                                      \
                     .bookings_per_actor_max = 1000000,                                            \
                     .fresh_steps_max = (fresh_steps),                                             \
                     .hold_quota = HOLD_QUOTA_LIMITS_DEFAULT},                                     \
        .questions = {                                                                             \
            .profile_steps_max = (profile_steps),                                                  \
            .spans_max = 1024,                                                                     \
            .windows_max = (windows),                                                              \
            .resources_max = (resources),                                                          \
            .quantity_max = (quantity)                                                             \
        }                                                                                          \
    }

#endif
