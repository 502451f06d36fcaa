/*  summaries - one question after the other, to the same directory as long as it answers. */
#include "summaries.h"

#include "member.h"

#include <string.h>

#define SUMMARIES_TRY_MS 1000

static void summaries_ask (void *owner, const moment_t *now, uint64_t token);

static void summaries_take (summaries_t *self, const summaries_page_t *page)
{
    for (size_t i = 0; i < page->summaries_count; i++) {
        const named_summary_t *one = &page->summaries [i];
        free_summary_t summary;
        char why [WHY_BYTES];
        bool told = one->summary.size > 0 &&
                    codec_decode (&free_summary_codec, &summary, packed_bytes (one->summary), why);
        directory_keep_summary (directory_of (self->service), one->name, told ? &summary : NULL);
    }
    self->have = page->mark;
}

static void summaries_answered (void *owner, const moment_t *now, uint64_t token,
                                const call_result_t *result)
{
    (void) token;
    summaries_t *self = owner;
    summaries_page_t page = {.more = false};
    bool good = call_take (result, &summaries_page_codec, &page, NULL);
    bool more = good && page.more;
    if (good)
        summaries_take (self, &page);
    else
        self->have.start = 0; /* the next one counts in its own way */
    codec_clear (&summaries_page_codec, &page);
    if (more)
        summaries_ask (self, now, 0);
    else
        timers_set (self->service->timers, now->mono_ms + SUMMARIES_ASK_MS, summaries_ask, self, 0);
}

/*  The directory asked last, while it answers; else the one after it. */
static void summaries_ask (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    summaries_t *self = owner;
    const directory_t *directory = directory_of (self->service);
    const directory_entry_t *gis = directory_find (directory, self->gis);
    if (!gis || self->have.start == 0)
        gis = directory_next (directory, "gis", gis);
    if (!gis)
        gis = directory_next (directory, "gis", NULL);
    if (!gis) {
        timers_set (self->service->timers, now->mono_ms + SUMMARIES_ASK_MS, summaries_ask, self, 0);
        return;
    }
    memcpy (self->gis, gis->name, sizeof self->gis);
    service_ask (self->service, now,
                 &(call_order_t){.peer = gis->name,
                                 .endpoint = gis->endpoint,
                                 .service = "Gis",
                                 .method = "Summaries",
                                 .timeout_ms = SUMMARIES_TRY_MS,
                                 .lasting = true,
                                 .tries_max = 1},
                 codec_encode (&summaries_question_codec, &self->have), summaries_answered, self,
                 0);
}

void summaries_begin (summaries_t *self, const moment_t *now)
{
    summaries_ask (self, now, 0);
}
