/*  sharing_config - from keys to limits. */
#include "sharing_config.h"

#include "participant_config.h"

bool sharing_config_read (const config_t *config, sharing_limits_t *limits,
                          char why [CONFIG_WHY_BYTES])
{
    limits->move_max = (uint32_t) config_integer (config, "limits/move_max");
    limits->pieces_max = (uint32_t) config_integer (config, "limits/move_pieces_max");
    limits->offer_ms = config_duration_ms (config, "sharing/offer");
    limits->answers_ms = config_duration_ms (config, "sharing/answers");
    limits->again_ms = config_duration_ms (config, "sharing/again");
    limits->lost_ms = config_duration_ms (config, "sharing/lost");
    limits->timeout_ms = config_duration_ms (config, "sharing/timeout");
    return limits->answers_ms > limits->offer_ms ||
           config_wrong (config, "sharing/answers", why, "must be longer than sharing/offer");
}
