/*  decoders_questions - what sites and network domains are asked, and their own records. */
#include "decoders.h"
#include "lis_wire.h"
#include "nis_wire.h"
#include "questions_wire.h"

#define RESOURCES_MAX 256 /* as if the service had so many */

static bool interval_sound (interval_t over)
{
    return over.from < over.until;
}

static void try_profile (bytes_t body)
{
    profile_question_t question;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (profile_question_decode (&question, body, RESOURCES_MAX, why), why))
        return;
    REQUIRE (question.resources_count <= RESOURCES_MAX && interval_sound (question.over));
    profile_question_clear (&question);
}

static void try_windows (bytes_t body)
{
    windows_question_t question;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (windows_question_decode (&question, body, RESOURCES_MAX, why), why))
        return;
    REQUIRE (question.windows_count <= RESOURCES_MAX);
    for (size_t i = 0; i < question.windows_count; i++)
        REQUIRE (question.windows [i].quantity > 0 && interval_sound (question.windows [i].over));
    windows_question_clear (&question);
}

static void try_free (bytes_t body)
{
    free_question_t question;
    char why [WHY_BYTES] = "";
    if (taken_or_told (free_question_decode (&question, body, why), why))
        REQUIRE (question.amount > 0 && question.duration_ms > 0 && interval_sound (question.over));
}

static void try_utilisation (bytes_t body)
{
    interval_t over;
    char why [WHY_BYTES] = "";
    if (taken_or_told (utilisation_question_decode (&over, body, why), why))
        REQUIRE (interval_sound (over));
}

static void try_capacity (bytes_t body)
{
    capacity_question_t question;
    char why [WHY_BYTES] = "";
    if (taken_or_told (capacity_question_decode (&question, body, 1000000, why), why))
        REQUIRE (question.quantity <= 1000000);
}

static void try_frame (bytes_t body)
{
    interval_t frame = {1, 2};
    request_frame_decode (body, INT64_C (1800000000000), &frame);
    REQUIRE (interval_sound (frame));
}

static void try_site (bytes_t body)
{
    char why [WHY_BYTES] = "";
    taken_or_told (site_question_decode (body, why), why);
}

static void try_domain (bytes_t body)
{
    char why [WHY_BYTES] = "";
    taken_or_told (domain_question_decode (body, why), why);
}

static void try_paths (bytes_t body)
{
    paths_question_t question;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (paths_question_decode (&question, body, 16, why), why))
        return;
    REQUIRE (question.asks_count <= 16);
    for (size_t i = 0; i < question.asks_count; i++)
        REQUIRE (question.asks [i].mbps > 0 && question.asks [i].latency_us_max >= 0 &&
                 interval_sound (question.asks [i].over));
    paths_question_clear (&question);
}

static void try_use (bytes_t body)
{
    char reservation [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "";
    taken_or_told (use_question_decode (reservation, body, why), why);
}

static void try_use_record (bytes_t body)
{
    bool provisioned;
    use_record_decode (body, &provisioned);
}

static decoder_fn *const tries [] = {
  try_profile, try_windows, try_free,  try_utilisation, try_capacity,   try_frame,
  try_site,    try_domain,  try_paths, try_use,         try_use_record,
};

const decoders_t decoders_questions = {tries, sizeof tries / sizeof *tries};
