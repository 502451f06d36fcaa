/*  fuzz_decoders - any bytes as any message or record that some service takes: the first byte picks
 *  the list, the second the decoder in it, the rest is the body.
 */
#include "decoders.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static const decoders_t *const lists [] = {&decoders_transaction, &decoders_directory,
                                               &decoders_questions, &decoders_planner,
                                               &decoders_client};
    if (size < 2 || data [0] >= sizeof lists / sizeof *lists || data [1] >= lists [data [0]]->count)
        return FUZZ_UNWANTED;
    uint8_t *body = malloc (size - 1); /* of its own, so that a step past its end is seen */
    if (!body)
        abort ();
    memcpy (body, data + 2, size - 2);
    lists [data [0]]->tries [data [1]]((bytes_t){.data = body, .size = size - 2});
    free (body);
    return 0;
}
